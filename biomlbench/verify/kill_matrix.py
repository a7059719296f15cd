"""Which check of a problem card catches which of its wrong solutions, by running them all."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomlbench.outcomes import Outcome, Reason, Severity, Verdict, sentence
from biomlbench.verify import impure, side_effects, stock
from biomlbench.verify.candidate import Own, for_candidate
from biomlbench.verify.constants import constants_of
from biomlbench.verify.disputes import settled
from biomlbench.verify.judging import RUNS, GraderError, Judge, Results, judge
from biomlbench.verify.policy import GATE, decide, not_passed
from biomlbench.verify.written import show, transportable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from biomlbench.contracts.mappings import JsonObject
    from biomlbench.verify.card import Card
    from biomlbench.verify.cases import Finding
    from biomlbench.verify.execution import Executor
    from biomlbench.verify.oracle import Oracle
    from biomlbench.verify.plan import Plan
    from biomlbench.verify.policy import CheckOutcome

NO_EVIDENCE = "no check that looks at values passes"
REFERENCE = "reference"
STOCK = "stock/"
"""Name of the reference among a card's solutions."""

__all__ = ["KillMatrix", "KillRow", "kill_matrix"]


@dataclass(frozen=True)
class KillRow:
    """What became of one solution.

    Parameters
    ----------
    solution : str
    right : bool
    patterns, claims : tuple of str
        Failure patterns that it shows, and what it says it is caught by.
    verdict : str
    outcomes : tuple of CheckOutcome
    raised : str
        What the first check that broke raised on the reference's own result, or found wrong in
        it, and in which case; empty where none did.
    failure : str
        What the first check that failed found wrong, and in which case; empty for wrong solutions.
    """

    solution: str
    right: bool
    patterns: tuple[str, ...]
    claims: tuple[str, ...]
    verdict: str
    outcomes: tuple[CheckOutcome, ...] = field(repr=False)
    raised: str = ""
    failure: str = ""

    @property
    def caught_by(self) -> tuple[str, ...]:
        """Checks that failed on it, each once; `gate` for one that did not run."""
        failed = [row for row in self.outcomes if row.outcome == Outcome.FAILED]
        return tuple(dict.fromkeys(GATE if r.check == RUNS else r.check for r in failed))

    @property
    def problems(self) -> list[str]:
        """What is wrong with the card, going by this solution."""
        found = []
        failed = [row for row in self.outcomes if row.outcome == Outcome.FAILED]
        broken = [row.check for row in self.outcomes if row.outcome == Outcome.ERROR]
        if broken:
            text = f"checks that broke, or refuse the reference: {', '.join(dict.fromkeys(broken))}"
            found.append(f"{text} ({self.raised})" if self.raised else text)
        if self.right:
            if self.verdict != Verdict.PASS:
                by = self.caught_by or not_passed(self.outcomes) or (NO_EVIDENCE,)
                text = f"right solution gets {self.verdict}: {', '.join(by)}"
                found.append(f"{text} ({self.failure})" if self.failure else text)
            return found
        if self.verdict == Verdict.PASS:
            made = self.solution.partition(STOCK)[2]
            found.append(f"wrong solution passes{f'; {stock.remedy(made)}' if made else ''}")
        names = {row.check for row in failed} | {row.mode for row in failed}
        kept = [claim for claim in self.claims if claim in names]
        lost = [claim for claim in self.claims if claim not in names]
        if lost:
            others = ", ".join(self.caught_by) or "nothing"
            found.append(f"not caught by {', '.join(lost)}, as it claims; caught by {others}")
        if not kept and self.claims:
            found.append("nothing that it claims catches it")
        return found


@dataclass(frozen=True)
class KillMatrix:
    """Solutions against checks.

    Parameters
    ----------
    task : str
    checks : tuple of (str, str, str)
        Name, mode and severity, `gate` first.
    rows : tuple of KillRow
    patterns : tuple of str
        The card's failure patterns.
    """

    task: str
    checks: tuple[tuple[str, str, str], ...]
    rows: tuple[KillRow, ...]
    patterns: tuple[str, ...]

    def kills(self) -> dict[str, set[str]]:
        """Return, for each check, the wrong solutions that it catches."""
        wrong = [row for row in self.rows if not row.right]
        return {
            name: {row.solution for row in wrong if name in row.caught_by}
            for name, _, _ in self.checks
        }

    @property
    def idle(self) -> list[str]:
        """Checks that catch no wrong solution at all."""
        return [
            name
            for name, mode, _ in self.checks
            # the rows that every card has need not be shown to catch something by each
            if mode != GATE and not self.kills()[name]
        ]

    @property
    def redundant(self) -> list[str]:
        """Checks that catch nothing but what one other check catches as well."""
        kills = self.kills()
        order = list(kills)
        found = []
        for name in order:
            others = [other for other in order if other != name and other != GATE]
            for other in others:
                equal = kills[name] == kills[other] and order.index(other) < order.index(name)
                if kills[name] and name != GATE and (kills[name] < kills[other] or equal):
                    found.append(name)
                    break
        return found

    @property
    def uncaught_patterns(self) -> list[str]:
        """Failure patterns of which no known-bad solution is kept from passing."""
        caught = {
            pattern
            for row in self.rows
            if not row.right and row.verdict != Verdict.PASS
            for pattern in row.patterns
        }
        return [pattern for pattern in self.patterns if pattern not in caught]

    @property
    def problems(self) -> list[str]:
        """Everything that keeps the checks from being trusted."""
        found = [f"{row.solution}: {text}" for row in self.rows for text in row.problems]
        found += self._of_reference()
        found += [f"pattern {pattern}: nothing catches it" for pattern in self.uncaught_patterns]
        return found

    def _of_reference(self) -> Iterator[str]:
        """Say where the reference, not the right solutions, is what the checks do not fit."""
        right = {row.solution: row for row in self.rows if row.right}
        own = right.pop(REFERENCE, None)
        if own is None:
            return
        if own.verdict != Verdict.PASS:
            for row in own.outcomes:
                is_refused = row.outcome == Outcome.FAILED or row.reason == Reason.REFERENCE_REFUSED
                if is_refused and row.severity != Severity.ADVISORY:
                    yield (
                        f"{REFERENCE}: the card's own checks reject it, so what other right "
                        "solutions get says nothing of them. Correct reference.py, or check "
                        f"`{row.check}`: {row.message}"
                    )
                    return
        elif len(right) > 1 and all(row.verdict != Verdict.PASS for row in right.values()):
            common = set.intersection(*(set(row.caught_by) for row in right.values()))
            if names := ", ".join(name for name, _, _ in self.checks if name in common):
                yield (
                    f"{REFERENCE}: all other right solutions fail {names}, so it may be the "
                    "reference that is wrong: see whether it returns the type and the values that "
                    "the statement says"
                )

    def records(self) -> list[JsonObject]:
        """Return one mapping for each solution and check, for tables and figures."""
        return [
            {
                "task": self.task,
                "solution": row.solution,
                "right": row.right,
                "patterns": ", ".join(row.patterns),
                "verdict": row.verdict,
                "check": name,
                "mode": mode,
                "severity": severity,
                "caught": name in row.caught_by,
                "claimed": name in row.claims or mode in row.claims,
            }
            for row in self.rows
            for name, mode, severity in self.checks
        ]


def kill_matrix(
    card: Card,
    executor: Executor | None = None,
    *,
    plan: Plan | None = None,
    oracle: Oracle | None = None,
    with_stock: bool = True,
    only: Sequence[str] | None = None,
    track: Callable[[list[Any]], Iterable[Any]] = iter,
) -> KillMatrix:
    """Run all solutions of a card and see which check catches which.

    Parameters
    ----------
    card : Card
        With a `verifier.yaml`.
    executor : Executor, optional
        By default the sandbox.
    plan : Plan, optional
        The cases to run, the card's own by default. Fewer show less of what is caught.
    oracle : Oracle, optional
        Of these cases, or of more; computed when not given.
    with_stock : bool
        Also run the candidates of :mod:`biomlbench.verify.stock` and of
        :mod:`biomlbench.verify.impure`.
    only : sequence of str, optional
        Names of solutions; all by default.
    track : callable, optional
        Goes through the solutions, to show how far it is.

    Returns
    -------
    KillMatrix
    """
    from biomlbench.verify.execution import in_sandbox
    from biomlbench.verify.oracle import compute

    executor = executor or in_sandbox
    plan = plan or card.plan()
    oracle = oracle or compute(card, plan)
    rows = []
    with tempfile.TemporaryDirectory(prefix="biomlbench-stock-") as scratch:
        jobs = [(s.name, s.path, s.right, s.patterns, s.caught_by) for s in card.solutions]
        if with_stock:
            extra = stock.write(Path(scratch), card, plan, oracle)
            extra |= impure.write(Path(scratch), card, plan, oracle)
            jobs += [(f"{STOCK}{name}", path, False, (), ()) for name, path in extra.items()]
        jobs = [job for job in jobs if only is None or job[0] in only]
        for name, path, right, patterns, claims in track(jobs):
            # what is known to be wrong must fail on the card's own cases
            own = Own(constants_of(path.read_bytes())) if right else Own()
            whole, right_outputs = for_candidate(card, plan, oracle, own)
            results = Results(executor(path, whole.cases, card))
            outcomes = judge(card, whole, right_outputs, results)
            verdict = decide(outcomes).verdict
            raised = _raised(Judge(card, whole, right_outputs, Results({})), outcomes)
            failure = ""
            if right and verdict != Verdict.PASS:
                counted = settled(card, whole, right_outputs, results)
                failure = _failure(Judge(card, counted, right_outputs, results), outcomes)
            rows.append(
                KillRow(name, right, patterns, claims, verdict, tuple(outcomes), raised, failure)
            )
    return KillMatrix(
        card.name,
        (
            (GATE, GATE, Severity.BLOCKER),
            *((name, GATE, Severity.CRITICAL) for name in side_effects.NAMES),
            *((c.name, c.mode, c.severity) for c in card.checks),
        ),
        tuple(rows),
        tuple(card.verifier.patterns) if card.verifier else (),
    )


def _raised(judged: Judge, outcomes: Iterable[CheckOutcome]) -> str:
    """Return what the first check that broke finds in the oracle's own output, for its author.

    The outcomes themselves do not say so: learners may see them, and an exception may name values.
    """
    checks = {check.name: check for check in judged.card.checks}
    broken = [row for row in outcomes if row.outcome == Outcome.ERROR and row.check in checks]
    for row in broken:
        for spec in judged.plan.units[row.check, row.suite]:
            try:
                judged.look(checks[row.check], spec, judged.oracle.values)
            except GraderError as error:
                cause = error.__cause__
                what = error.found if cause is None else f"{type(cause).__name__}: {cause}"
                name = _name_of(judged, spec.case_id)
                return f"`{row.check}` on case `{name}`: {what}"
    return ""


def _failure(judged: Judge, outcomes: Iterable[CheckOutcome]) -> str:
    """Return what the first failed check that decides says of the first case that fails it.

    As outcomes do not name hidden cases, this is for the card's author alone.
    """
    failed = [
        row
        for row in outcomes
        if row.outcome == Outcome.FAILED and row.severity != Severity.ADVISORY
    ]
    checks = {check.name: check for check in judged.card.checks}
    # as they are judged: what is not of the right form is looked at no further
    failed.sort(key=lambda row: row.check in checks and checks[row.check].semantic)
    for row in failed:
        if row.check == RUNS:
            return f"`{GATE}` on {_lost(judged, row)}"
        if row.check not in checks:
            return f"`{row.check}`: {row.message}"
        for spec in judged.plan.units[row.check, row.suite]:
            if judged.unfit.keys() & {spec.case_id, *spec.variant_ids}:
                continue
            with suppress(GraderError):
                finding = judged.look(checks[row.check], spec)
                if not finding.ok:
                    return f"`{row.check}` on {_differing(judged, spec.case_id, finding)}"
    return ""


def _lost(judged: Judge, row: CheckOutcome) -> str:
    """Return the first case of a suite that gave no result for the row's reason, and why."""
    case_id = next(
        case.id for case in judged.plan.suite(row.suite) if judged.unfit.get(case.id) == row.reason
    )
    said = judged.results.said(case_id)[0] or sentence(row.reason)
    return f"case `{_name_of(judged, case_id)}`: {transportable(said)}"


def _differing(judged: Judge, case_id: str, finding: Finding) -> str:
    return transportable(
        f"case `{_name_of(judged, case_id)}`: {finding.message}; "
        f"expected {show(judged.oracle.values[case_id])}, "
        f"got {show(judged.results.get(case_id)[1])}"
    )


def _name_of(judged: Judge, case_id: str) -> str:
    return next(case.name for case in judged.plan.cases if case.id == case_id)
