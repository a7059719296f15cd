"""Small adversarial cases share processes; what counts against a candidate is run alone.

A case of its own costs a fork, which takes longer than most calls. What fails beside others, or
takes others with it, may do so for being beside them: it is run alone, and that counts. Visible and
hidden cases, sequences and large cases always have their own processes.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from biomlbench.outcomes import Outcome, Reason, Suite, Verdict
from biomlbench.sandbox.codec import CodecError, decode, encode, weigh
from biomlbench.stages.bounded_judging import judge_bounded
from biomlbench.verify.disputes import settled
from biomlbench.verify.edges import key_of
from biomlbench.verify.judging import RUNS, GraderError, Judge, Results, judge
from biomlbench.verify.many_draws import Together, in_one_process, packed
from biomlbench.verify.policy import decide

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from biomlbench.sandbox import CaseResult
    from biomlbench.stages.cards import LoadedCard
    from biomlbench.stages.outputs import CaseOutput
    from biomlbench.task.registry import Task
    from biomlbench.verify.candidate import Own
    from biomlbench.verify.config import Check
    from biomlbench.verify.oracle import Oracle
    from biomlbench.verify.plan import Plan, PlannedCase

__all__ = ["Judged", "apart", "in_shared_processes", "judged_among_others"]

MOST = 25
"""Calls that share a process."""
MOST_BYTES = 1 << 17
"""Of them together."""
MOST_REFERENCE_S = 0.1
"""What the reference takes for them together."""
MOST_SHARE = 2 / MOST
"""Of all this; a case that takes more of it is run alone."""
_KEPT = 64


@lru_cache(maxsize=_KEPT)
def in_shared_processes(plan: Plan, oracle: Oracle) -> dict[str, Together]:
    """Return calls of a plan's small adversarial cases in processes that they share, by name.

    Parameters
    ----------
    plan : Plan
    oracle : Oracle
        Says how long the reference takes for a case.
    """
    shares = {
        case: max(
            1 / MOST,
            len(key_of(case)) / MOST_BYTES,
            oracle.seconds.get(case.id, MOST_REFERENCE_S) / MOST_REFERENCE_S,
        )
        for case in plan.calls
        if case.suite == Suite.ADVERSARIAL
    }
    small = {
        case: share
        for case, share in shares.items()
        if share <= MOST_SHARE and not _is_shared(case)
    }
    named = {f"shared-{number}": group for number, group in enumerate(packed(small))}
    return {
        name: Together(in_one_process(name, group, reuse=False), group)
        for name, group in named.items()
    }


def _is_shared(case: PlannedCase) -> bool:
    """Say whether arguments lie in each other's memory, which those of a sequence cannot."""
    sent = (tuple(case.args), dict(case.kwargs))
    return encode(sent, layouts=True, shared=True) != encode(sent, layouts=True)


def apart(groups: Mapping[str, Together], results: Mapping[str, CaseResult]) -> list[CaseResult]:
    """Return the results of the single cases of all groups, their cost in equal parts.

    Parameters
    ----------
    groups : mapping
        Of :func:`in_shared_processes`.
    results : mapping
        What became of them, by the same names.

    Returns
    -------
    list of CaseResult
        With the ids of their cases. None of a group that gave no result, or in which an argument
        or an earlier result was changed.
    """
    found: list[CaseResult] = []
    for name, group in groups.items():
        of_one = replace(
            results[name],
            wall_s=results[name].wall_s / len(group.steps),
            cpu_s=results[name].cpu_s / len(group.steps),
            stdout="",
            stderr="",
        )
        payloads = _payloads(results[name], len(group.steps))
        found += [
            replace(of_one, id=case.id, payload=payload)
            for case, payload in zip(group.steps, payloads, strict=False)
        ]
    return found


class Judged(NamedTuple):
    """What is known of a candidate some of whose cases have shared processes.

    Parameters
    ----------
    passes : bool
    doubtful : tuple of str
        Ids of such cases that are to be run alone, as a check fails for them: for each check some
        cases that it fails on, unless it fails without any of them as well.
    """

    passes: bool
    doubtful: tuple[str, ...] = ()


def judged_among_others(
    task: Task, own: Own, outputs: Mapping[str, CaseOutput], shared: Iterable[str]
) -> Judged:
    """Judge all cases of a candidate.

    Parameters
    ----------
    task : Task
    own : Own
        What cases of the candidate alone were made of.
    outputs : mapping
        Case id to what it gave.
    shared : iterable of str
        Ids of the cases that have shared processes.

    Returns
    -------
    Judged
    """
    beside = sorted(shared)
    if not beside and any(output.status != Reason.OK for output in outputs.values()):
        # it does not pass, and there is nothing to ask
        return Judged(passes=False)
    passes, doubtful = judge_bounded(task, f"{__name__}:verdict_and_doubtful", outputs, beside, own)
    return Judged(passes, tuple(doubtful))


def verdict_and_doubtful(
    loaded: LoadedCard, outputs: Mapping[str, Any], shared: list[str]
) -> tuple[bool, list[str]]:
    """Judge all cases, in a process with limits; return what :class:`Judged` holds."""
    card, plan, oracle = loaded
    results = Results(outputs)
    rows = judge(card, plan, oracle, results)
    if decide(rows).verdict == Verdict.PASS:
        return True, []
    judged = Judge(card, settled(card, plan, oracle, results), oracle, results)
    checks = {check.name: check for check in card.checks}
    doubtful: set[str] = set()
    for row in rows:
        if row.outcome != Outcome.FAILED or row.check == RUNS:
            continue
        if row.check not in checks:
            # how calls act on each other is asked of many cases at once
            return False, shared
        doubtful |= _failing(judged, checks[row.check], row.suite, {*shared})
    return False, sorted(doubtful)


def _failing(judged: Judge, check: Check, suite: str, shared: set[str]) -> set[str]:
    """Return those shared cases of one unit that a check fails on; of one with few of them."""
    units = [{unit.case_id, *unit.variant_ids} for unit in judged.plan.units[check.name, suite]]
    order = sorted(range(len(units)), key=lambda number: len(units[number] & shared))
    for number in order:
        if not judged.unfit.keys() & units[number]:
            with suppress(GraderError):
                if not judged.look(check, judged.plan.units[check.name, suite][number]).ok:
                    return units[number] & shared
    return set()


def _payloads(result: CaseResult, count: int) -> list[bytes]:
    """Return what the sandbox sent, which may be anything, if it is as many encoded values."""
    if result.status != Reason.OK or result.payload is None:
        return []
    try:
        payloads, changed = decode(result.payload)
        if type(payloads) is not list or len(payloads) != count:
            return []
        if any(one is not None for one in changed) or {*map(type, payloads)} != {bytes}:
            return []
        for payload in payloads:
            weigh(payload)
    except (CodecError, TypeError, ValueError):
        return []
    return payloads
