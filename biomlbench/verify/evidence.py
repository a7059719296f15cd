"""What evidence a task has that its checks catch wrong work and accept right work.

:func:`matrix` looks at what is there, at the cost of loading the task. :func:`kill_matrix`
runs every solution of a card and finds which check catches which known-bad one.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from biomlbench.outcomes import Outcome, Verdict
from biomlbench.task.task import is_card
from biomlbench.verify import card as cards
from biomlbench.verify import impure, promises, side_effects, stock
from biomlbench.verify.judging import RUNS, judge
from biomlbench.verify.policy import GATE, decide

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from biomlbench.verify.card import Card
    from biomlbench.verify.execution import Executor
    from biomlbench.verify.oracle import Oracle
    from biomlbench.verify.policy import CheckOutcome

__all__ = [
    "MINIMUM",
    "EvidenceItem",
    "EvidenceMatrix",
    "KillMatrix",
    "KillRow",
    "Report",
    "kill_matrix",
    "matrix",
    "missing",
    "report",
]

MINIMUM = {"hidden oracle cases": 12, "known-bad solutions": 5, "right solutions": 3}
"""How many of each a calibrated problem card has at least."""

PRESENT, WEAK, MISSING = "present", "weak", "missing"


class EvidenceItem(NamedTuple):
    """One line of the required-evidence matrix; status is present, weak or missing."""

    item: str
    status: str
    detail: str


@dataclass(frozen=True)
class EvidenceMatrix:
    """The required evidence of one task."""

    task: str
    items: tuple[EvidenceItem, ...]

    @property
    def missing(self) -> list[str]:
        """What is missing or weak, with what there is of it."""
        return [f"{i.item}: {i.detail}" for i in self.items if i.status != PRESENT]

    @property
    def calibrated(self) -> bool:
        """Whether all required evidence is there in full."""
        return not self.missing


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
    """

    solution: str
    right: bool
    patterns: tuple[str, ...]
    claims: tuple[str, ...]
    verdict: str
    outcomes: tuple[CheckOutcome, ...] = field(repr=False)

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
            found.append(f"checks that broke: {', '.join(dict.fromkeys(broken))}")
        if self.right:
            if self.verdict != Verdict.PASS:
                found.append(f"right solution gets {self.verdict}: {', '.join(self.caught_by)}")
            return found
        if self.verdict == Verdict.PASS:
            found.append("wrong solution passes")
        names = {row.check for row in failed} | {row.mode for row in failed}
        kept = [claim for claim in self.claims if claim in names]
        lost = [claim for claim in self.claims if claim not in names]
        if lost:
            found.append(f"not caught by {', '.join(lost)}, as it claims")
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
        found += [f"pattern {pattern}: nothing catches it" for pattern in self.uncaught_patterns]
        return found

    def records(self) -> list[dict[str, Any]]:
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


class Report(NamedTuple):
    """All evidence of one task; `kills` is None for a task that is no problem card."""

    evidence: EvidenceMatrix
    kills: KillMatrix | None


def matrix(folder: str | Path) -> EvidenceMatrix:
    """Look at what evidence a task has, without running a solution.

    Parameters
    ----------
    folder : path
        Folder of a task of either kind.

    Returns
    -------
    EvidenceMatrix

    Raises
    ------
    biomlbench.errors.TaskError
        If the task cannot be loaded.
    """
    folder = Path(folder)
    data = cards.config_of(folder)
    if is_card(data):
        return of_card(cards.load(folder))
    from biomlbench.verify.predictions_evidence import of_predictions

    items = tuple(EvidenceItem(*item) for item in of_predictions(folder, data))
    return EvidenceMatrix(folder.name, items)


def missing(folder: str | Path) -> list[str]:
    """Return what evidence a task lacks; looked up once for each state of its files.

    Parameters
    ----------
    folder : path

    Returns
    -------
    list of str
        Empty for a calibrated task.
    """
    folder = Path(folder).resolve()
    files = sorted(
        os.path.join(place, name)  # noqa: PTH118 - many, in the workflow once a pair
        for place, _, names in os.walk(folder)
        for name in names
        if name.endswith((".yaml", ".py", ".md"))
    )
    state = tuple((path, Path(path).stat().st_mtime_ns) for path in files)
    return list(_missing(folder, state))


@lru_cache(maxsize=256)
def _missing(folder: Path, state: tuple[tuple[str, int], ...]) -> tuple[str, ...]:
    return tuple(matrix(folder).missing)


def of_card(card: Card) -> EvidenceMatrix:
    """Look at what evidence a problem card has."""
    deciding = [check for check in card.checks if check.decides]
    bad = [solution for solution in card.solutions if not solution.right]
    right = [s for s in card.solutions if s.right and s.name != "reference"]
    described = (card.folder / str(card.config.get("description") or "description.md")).is_file()
    shown = {pattern for solution in bad for pattern in solution.patterns}
    patterns = card.verifier.patterns if card.verifier else {}
    unshown = [pattern for pattern in patterns if pattern not in shown]
    items = [
        EvidenceItem("description", PRESENT if described else MISSING, "description.md"),
        EvidenceItem("reference solution", PRESENT, "reference.py"),
        _counted("hidden oracle cases", _oracle_cases(card)),
        _any("property checks", [c.name for c in deciding if c.mode == "property_based"]),
        _any(
            "metamorphic or adversarial suite",
            [c.name for c in deciding if c.mode == "metamorphic" or "adversarial" in c.suites],
        ),
        _counted("known-bad solutions", len(bad)),
        _counted("right solutions", len(right)),
        EvidenceItem(
            "failure patterns",
            MISSING if not patterns else WEAK if unshown else PRESENT,
            f"without a known-bad: {', '.join(unshown)}" if unshown else f"{len(patterns)}",
        ),
    ]
    items.append(_promises(card))
    if card.verifier and card.verifier.draft:
        items.append(EvidenceItem("finished verifier.yaml", WEAK, "`draft: true` is set"))
    if deciding and not any(check.semantic for check in deciding):
        items.append(EvidenceItem("semantic checks", MISSING, "no check looks at values"))
    return EvidenceMatrix(card.name, tuple(items))


def _promises(card: Card) -> EvidenceItem:
    found = promises.problems(card)
    detail = f"{found[0]} ({len(found)} in all)" if found else "each with a case"
    return EvidenceItem("declared inputs", WEAK if found else PRESENT, detail)


def _oracle_cases(card: Card) -> int:
    plan = card.plan()
    return len(
        {
            unit.case_id
            for check in card.checks
            if check.decides and check.against_oracle
            for unit in plan.units.get((check.name, "hidden"), ())
        }
    )


def _counted(item: str, count: int) -> EvidenceItem:
    wanted = MINIMUM[item]
    status = PRESENT if count >= wanted else WEAK if count else MISSING
    return EvidenceItem(item, status, f"{count} of at least {wanted}")


def _any(item: str, names: list[str]) -> EvidenceItem:
    return EvidenceItem(item, PRESENT if names else MISSING, ", ".join(names) or "none")


def kill_matrix(
    card: Card,
    executor: Executor | None = None,
    *,
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
    oracle : Oracle, optional
        Computed when not given.
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
    plan = card.plan()
    oracle = oracle or compute(card, plan)
    rows = []
    with tempfile.TemporaryDirectory(prefix="biomlbench-stock-") as scratch:
        jobs = [(s.name, s.path, s.right, s.patterns, s.caught_by) for s in card.solutions]
        if with_stock:
            extra = stock.write(Path(scratch), card, plan, oracle)
            extra |= impure.write(Path(scratch), card, plan, oracle)
            jobs += [(f"stock/{name}", path, False, (), ()) for name, path in extra.items()]
        jobs = [job for job in jobs if only is None or job[0] in only]
        for name, path, right, patterns, claims in track(jobs):
            outcomes = judge(card, plan, oracle, executor(path, plan.cases, card))
            verdict = decide(outcomes).verdict
            rows.append(KillRow(name, right, patterns, claims, verdict, tuple(outcomes)))
    return KillMatrix(
        card.name,
        (
            (GATE, GATE, "blocker"),
            *((name, GATE, "critical") for name in side_effects.NAMES),
            *((c.name, c.mode, c.severity) for c in card.checks),
        ),
        tuple(rows),
        tuple(card.verifier.patterns) if card.verifier else (),
    )


def report(
    folder: str | Path,
    executor: Executor | None = None,
    track: Callable[[list[Any]], Iterable[Any]] = iter,
) -> Report:
    """Gather all evidence of a task.

    Parameters
    ----------
    folder : path
    executor : Executor, optional
        Runs the solutions of a problem card; by default in the sandbox.
    track : callable, optional
        Goes through the solutions, to show how far it is.

    Returns
    -------
    Report
    """
    evidence = matrix(folder)
    data = cards.config_of(Path(folder))
    if not is_card(data):
        return Report(evidence, None)
    card = cards.load(folder)
    return Report(evidence, kill_matrix(card, executor, track=track) if card.verifier else None)
