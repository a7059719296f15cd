"""Call functions of an untrusted file."""

from __future__ import annotations

import random
import secrets
import time
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import TYPE_CHECKING

from biomlbench.sandbox import codec, providers
from biomlbench.sandbox.candidate import (
    figures,
    imported_libraries,
    judge,
    make_setup,
    read_source,
)
from biomlbench.sandbox.inside import wire
from biomlbench.sandbox.meter import Lost
from biomlbench.sandbox.model import (
    Case,
    CaseResult,
    Execution,
    HostOutOfMemory,
    Limits,
    UnexplainedKill,
)
from biomlbench.sandbox.process import subreaper
from biomlbench.sandbox.requests import prepare
from biomlbench.sandbox.session import Session
from biomlbench.sandbox.totals import Totals

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path, PurePath

    from biomlbench.sandbox.providers.base import Provider

__all__ = ["execute", "run_functions"]

MAX_SECOND_TRIES = 3
"""Cases that are run again because they were killed: an accident does not happen to all of them."""


@dataclass
class _Candidate:
    """The state of one candidate's run over all its sandboxes."""

    provider: Provider
    source: bytes
    limits: Limits
    preload: Sequence[str]
    environment: Path | None
    hidden: Iterable[PurePath]
    totals: Totals
    order: int | None = None
    results: dict[str, CaseResult] = field(default_factory=dict)
    load_status: str = "ok"
    load_message: str = ""
    peak_mb: float = 0.0
    measured_by: str = ""
    last_loss: str = ""
    memory_faults: int = 0
    killed: set[str] = field(default_factory=set)
    case_start: float = 0.0

    def run(self, cases: list[Case], hash_seed: int) -> None:
        """Run cases of one hash seed, in new sandboxes as often as one is lost."""
        waiting = list(cases)
        chance = random.SystemRandom() if self.order is None else random.Random(self.order)
        chance.shuffle(waiting)
        waiting.sort(key=attrgetter("shown"))  # taken from the end
        while waiting and self.load_status == "ok":
            if (spent := self.totals.spent()) is not None:
                status, message = spent
                if status == "sandbox_violation":
                    status = self.last_loss
                self._give_up(waiting, status, message, message)
                return
            self._run_in_one_sandbox(waiting, hash_seed)
        if self.load_status != "ok":
            self._give_up(waiting, self.load_status, self.load_message)

    def _give_up(self, waiting: list[Case], status: str, message: str, total: str = "") -> None:
        for case in waiting:
            self.results[case.id] = CaseResult(case.id, status, message=message, total=total)
        waiting.clear()

    def _run_in_one_sandbox(self, waiting: list[Case], hash_seed: int) -> None:
        setup = make_setup(self.limits, self.environment, hash_seed, None, self.hidden)
        config: dict[str, object] = {
            "mode": "functions",
            "preload": list(self.preload),
            "preload_if_there": imported_libraries(self.source),
        }
        session = Session(self.provider, setup, config, self.source)
        try:
            self.case_start = time.monotonic()
            self._load(session)
            while waiting and self.load_status == "ok" and session.clear:
                if self.totals.spent(session) is not None:
                    break
                case = waiting[-1]
                self.case_start = time.monotonic()
                result = self._try(session, case)
                if result is None:
                    continue
                waiting.pop()
                self._keep(result)
                self._count(session, result)
            if not session.clear:
                # A case has left something behind that cannot be removed from within.
                self.totals.restarts += 1
                self.last_loss = "sandbox_violation"
            session.finish()
        except HostOutOfMemory:
            self.memory_faults += 1
            if self.memory_faults > 1:
                raise
        except Lost as error:
            self.totals.restarts += 1
            self.last_loss = error.status
            if self.load_status != "ok":
                return
            if waiting:
                case = waiting.pop()
                wall = time.monotonic() - self.case_start
                self._keep(CaseResult(case.id, error.status, message=str(error), wall_s=wall))
            else:
                self._spoil(error)
        finally:
            self.totals.had_s += session.clock.had()
            self.totals.cpu_s += session.meter.total_cpu_s()
            session.close()

    def _keep(self, result: CaseResult) -> None:
        self.results[result.id] = result
        self.totals.count(result)

    def _load(self, session: Session) -> None:
        """Import the candidate once by itself, to tell its failure from a case's."""
        try:
            probe = None
            while probe is None:
                probe = self._try(session, _IMPORT)
        except Lost as error:
            self.load_status, self.load_message = error.status, str(error)
            raise
        self._count(session, probe)
        if probe.status != "ok":
            self.load_status, self.load_message = probe.status, probe.message
            if self.results:
                # What the code says now it may have learnt from a case.
                self.load_message = "the code could not be imported again"

    def _try(self, session: Session, case: Case) -> CaseResult | None:
        """Run a case; None if its process was killed and it is worth a second try."""
        first = case.id not in self.killed and len(self.killed) < MAX_SECOND_TRIES
        try:
            return self._one(session, case, first)
        except UnexplainedKill:
            self.killed.add(case.id)
            return None

    def _one(self, session: Session, case: Case, first_try: bool) -> CaseResult:
        sent = case.sent or prepare(case)
        session.meter.begin()
        start = time.monotonic()
        reply = session.run(secrets.token_bytes(wire.TOKEN_BYTES), sent.function, sent.body)
        wall = time.monotonic() - start
        status, message, payload = judge(
            session, reply, sent if case.function else None, first_try=first_try
        )
        held = len(reply.out) + len(reply.err)
        if payload is not None:
            try:
                held += codec.weigh(payload)
            except codec.CodecError as error:
                held += len(payload)
                status, payload = "malformed_output", None
                message = f"the result is not well formed: {error}"
        measured = figures(session, reply, wall)
        total = ""
        if not self.totals.hold(held):
            if (spent := self.totals.spent()) is not None:
                status, message = spent
                total = message
            payload, measured["stdout"], measured["stderr"] = None, "", ""
        return CaseResult(case.id, status, payload, message, total, **measured)

    def _spoil(self, error: Lost) -> None:
        """Something came after the last reply: nothing of the candidate is believed."""
        for key, result in self.results.items():
            self.results[key] = replace(
                result, status=error.status, payload=None, message=str(error), total=""
            )

    def _count(self, session: Session, result: CaseResult) -> None:
        self.peak_mb = max(self.peak_mb, result.peak_mb, session.meter.peak_mb_of_all)
        self.measured_by = result.measured_by or self.measured_by


_IMPORT = Case("", "")


def run_functions(
    code: Path | bytes,
    cases: Sequence[Case],
    *,
    limits: Limits | None = None,
    provider: str = "auto",
    preload: Sequence[str] = ("numpy",),
    environment: Path | None = None,
    hidden: Iterable[PurePath] = (),
    order: int | None = None,
) -> Execution:
    """Call functions of an untrusted Python file and bring their results back as data.

    Every case runs in a process of its own, forked from a harness that has imported `preload`.
    The harness learns of one case at a time, in random order, without its id. A candidate that
    ends its harness loses the case that was running; the others go on in a new sandbox.

    Parameters
    ----------
    code : pathlib.Path or bytes
        The candidate's source.
    cases : sequence of Case
        With distinct ids. To repeat a case give it again under another id.
    limits : Limits, optional
        For each case.
    provider : str
        As for :func:`biomlbench.sandbox.providers.choose`.
    preload : sequence of str
        Modules to import once, before the candidate.
    environment : pathlib.Path, optional
        A prepared virtual environment whose interpreter and packages are used instead.
    hidden : iterable of pathlib.PurePath
        Paths that must not be visible even if a folder that has to be shown contains them.
    order : int, optional
        Seed of the order of the cases, to repeat one; by default nobody can tell the order.

    Returns
    -------
    Execution

    Raises
    ------
    SandboxUnavailable
        If this host has no such sandbox.
    SandboxFault
        If the sandbox failed for a reason outside the candidate.
    ValueError
        If ids repeat or the source is too large.
    """
    return execute(
        code,
        cases,
        provider=providers.choose(provider),
        limits=limits or Limits(),
        preload=preload,
        environment=environment,
        hidden=hidden,
        order=order,
    )


def execute(
    code: Path | bytes,
    cases: Sequence[Case],
    *,
    provider: Provider,
    limits: Limits,
    preload: Sequence[str],
    environment: Path | None = None,
    hidden: Iterable[PurePath] = (),
    order: int | None = None,
) -> Execution:
    """Do the work of :func:`run_functions` in a given provider, probed or not."""
    ids = [case.id for case in cases]
    if len(set(ids)) != len(ids):
        raise ValueError("two cases have the same id; a repeat needs an id of its own")
    totals = Totals(limits)
    candidate = _Candidate(
        provider,
        read_source(code),
        limits,
        preload,
        environment,
        tuple(hidden),
        totals,
        order,
    )
    groups: dict[int, list[Case]] = {}
    for case in cases:
        groups.setdefault(case.hash_seed or 0, []).append(case)
    with subreaper():
        for hash_seed, members in groups.items():
            candidate.run(members, hash_seed)
    return Execution(
        provider=provider.name,
        level=provider.level,
        cases=tuple(candidate.results[key] for key in ids),
        load_status=candidate.load_status,
        load_message=candidate.load_message,
        wall_s=totals.wall_s,
        cpu_s=totals.cpu_s,
        peak_mb=candidate.peak_mb,
        measured_by=candidate.measured_by,
    )
