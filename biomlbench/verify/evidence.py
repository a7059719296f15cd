"""What evidence a task has that its checks catch wrong work and accept right work.

:func:`matrix` looks at what is there, at the cost of loading the task. :func:`report` adds the kill
matrix, for which every solution of a card is run.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from biomlbench.errors import TaskError
from biomlbench.outcomes import Verdict
from biomlbench.task.task import is_card
from biomlbench.task.task_files import description_file
from biomlbench.task.task_folders import state_of
from biomlbench.verify import card as cards
from biomlbench.verify import promises
from biomlbench.verify.judging import judge
from biomlbench.verify.kill_matrix import REFERENCE, kill_matrix
from biomlbench.verify.policy import not_passed
from biomlbench.verify.second_scores import applies
from biomlbench.verify.statement import statement_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from biomlbench.contracts.mappings import Config
    from biomlbench.verify.card import Card
    from biomlbench.verify.execution import Executor
    from biomlbench.verify.kill_matrix import KillMatrix
    from biomlbench.verify.oracle import Oracle
    from biomlbench.verify.plan import Plan

__all__ = [
    "MINIMUM",
    "REFERENCE_ITEM",
    "EvidenceItem",
    "EvidenceMatrix",
    "Report",
    "kill_matrix",
    "looked_up",
    "matrix",
    "missing",
    "refusing",
    "report",
    "state_of",
]

MINIMUM = {"hidden oracle cases": 12, "known-bad solutions": 5, "right solutions": 3}
"""How many of each a calibrated problem card has at least."""

_OF_A_FUNCTION = "a function of the task's own grades, and only a registered metric can have one"
REFERENCE_ITEM = "reference solution"
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
    def complete(self) -> bool:
        """Whether all required evidence is there in full."""
        return not self.missing

    def weakened(self, item: str, detail: str) -> EvidenceMatrix:
        """Return the matrix with something said against an item, which is added if need be."""
        found = {one.item: one for one in self.items}
        status = found[item].status if item in found else WEAK
        found[item] = EvidenceItem(item, WEAK if status == PRESENT else status, detail)
        return EvidenceMatrix(self.task, tuple(found.values()))

    def lacking(self, item: str, detail: str) -> EvidenceMatrix:
        """Return the matrix with an item missing, though it is declared."""
        gone = EvidenceItem(item, MISSING, detail)
        return EvidenceMatrix(
            self.task, tuple(gone if one.item == item else one for one in self.items)
        )


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
    return of_predictions(folder, data)


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
    return looked_up(folder).missing


def looked_up(folder: str | Path) -> EvidenceMatrix:
    """Return :func:`matrix`, looked up once for each state of a task's files."""
    folder = Path(folder).resolve()
    return _matrix(folder, state_of(folder))


@lru_cache(maxsize=256)
def _matrix(folder: Path, state: tuple[tuple[str, int], ...]) -> EvidenceMatrix:
    return matrix(folder)


def refusing(card: Card, plan: Plan, oracle: Oracle) -> str:
    """Tell which deciding checks of a card refuse the results of its own reference.

    Parameters
    ----------
    card : Card
    plan : Plan
    oracle : Oracle

    Returns
    -------
    str
        Empty where none does; else what is missing then, as in :attr:`EvidenceMatrix.missing`.
    """
    bad = not_passed(judge(card, plan, oracle, oracle.results()))
    return f"{REFERENCE_ITEM}: {_refused_by(bad)}" if bad else ""


def _refused_by(checks: Iterable[str]) -> str:
    return f"the card's own checks refuse its results: {', '.join(checks)}"


def of_card(card: Card) -> EvidenceMatrix:
    """Look at what evidence a problem card has."""
    deciding = [check for check in card.checks if check.decides]
    bad = [solution for solution in card.solutions if not solution.right]
    right = [s for s in card.solutions if s.right and s.name != "reference"]
    described = statement_path(card).is_file()
    shown = {pattern for solution in bad for pattern in solution.patterns}
    patterns = card.verifier.patterns if card.verifier else {}
    unshown = [pattern for pattern in patterns if pattern not in shown]
    items = [
        EvidenceItem("description", PRESENT if described else MISSING, "description.md"),
        EvidenceItem(REFERENCE_ITEM, PRESENT, "reference.py"),
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


def of_predictions(folder: Path, config: Config) -> EvidenceMatrix:
    """Look at what evidence a prediction task has.

    Parameters
    ----------
    folder : Path
    config : dict
        Its ``config.yaml``.

    Returns
    -------
    EvidenceMatrix
        The reference solution is the gold submission, the oracle is the second implementation
        of the metric, the properties are declared columns, the metamorphic channel is the
        order of rows, which every task has. The known-bad submissions (constant, shuffled,
        copied) are made from the task's own data.
    """
    grader, dataset, submission = (
        config.get(key) or {} for key in ("grader", "dataset", "submission")
    )
    if not all(isinstance(section, dict) for section in (grader, dataset, submission)):
        where = folder / "config.yaml"
        raise TaskError(f"{where}: `grader`, `dataset` and `submission` must be mappings")
    columns = submission.get("columns")
    metric, options = _metric_name(grader), grader.get("options") or {}
    if not isinstance(options, dict):
        raise TaskError(f"{folder / 'config.yaml'}: `options` of the grader must be a mapping")
    found = (
        ("description", description_file(folder, config).is_file(), "description.md"),
        ("gold submission", dataset.get("gold_submission"), "dataset.gold_submission"),
        (
            "second implementation of the score",
            applies(metric, options),
            f"{metric}{_shown(options)}" if metric else _OF_A_FUNCTION,
        ),
        ("declared columns", columns, "submission.columns"),
    )
    items = (EvidenceItem(item, PRESENT if is_there else MISSING, detail)
             for item, is_there, detail in found)  # fmt: skip
    return EvidenceMatrix(folder.name, tuple(items))


def _shown(options: Config) -> str:
    shown = ", ".join(f"{key}: {value}" for key, value in options.items())
    return f" ({shown})" if shown else ""


def _metric_name(grader: Config) -> str:
    """Return the registered name of a grader's metric; empty for a function or an unknown one."""
    # late: cards are loaded by stages that no metric has a part in
    from biomlbench.metrics import UnknownMetricError, get_metric

    try:
        return get_metric(str(grader["metric"])).name
    except (KeyError, UnknownMetricError):
        return ""


def _promises(card: Card) -> EvidenceItem:
    found = promises.problems(card)
    rest = f"{len(found)} in all: `biomlbench statement {card.name} --dry-run` lists them"
    detail = f"{found[0]} ({rest})" if found else "each with a case"
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
    if card.verifier is None:
        return Report(evidence, None)
    kills = kill_matrix(card, executor, track=track)
    for row in kills.rows:
        if row.solution == REFERENCE and row.verdict != Verdict.PASS:
            evidence = evidence.weakened(REFERENCE_ITEM, _refused_by(not_passed(row.outcomes)))
    return Report(evidence, kills)
