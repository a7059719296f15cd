"""Medals that a published report gives beside those of this grader, and why they differ."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from biomlbench.errors import UserError
from biomlbench.outcomes import Reason
from biomlbench.scoring.leaderboard import read_score_columns
from biomlbench.scoring.medals import MEDALS, Thresholds, medal_of, medal_ranks
from biomlbench.scoring.score_cells import parse_scores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from biomlbench.contracts.mappings import JsonObject
    from biomlbench.importers.groups import Entry
    from biomlbench.importers.published import Published
    from biomlbench.scoring.task_report import TaskReport
    from biomlbench.task.task import Task

__all__ = ["DIFFERENCES", "Comparison", "compare", "published_thresholds"]

DECIMALS = 5
"""Published graders round a score to so many decimals before they give the medal."""

DIFFERENCES = {
    "": "the medals are the same",
    "not_in_report": "the report says nothing of this run",
    "not_graded_here": "the task or its data are not here: only the report's own figures are used",
    "contradiction": "the report's medal does not follow from its own score and thresholds",
    "validity": "the submission is valid for one grader and not for the other",
    "rounding": "the report rounds the score, and a threshold lies between",
    "score": "the score is another one: other answers, another metric or another file",
    "direction": "the report takes the other direction for the better one",
    "leaderboard_order": "the report reads its thresholds off rows that are not in order",
    "leaderboard_refused": "the leaderboard here is refused, so it awards no medals",
    "leaderboard": "the report's leaderboard is another one",
}
"""Why a medal differs; several reasons are joined by a plus sign."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One run's medal in a published report and here.

    Attributes
    ----------
    line : int
        Line of the run group's list.
    task_id, run_id : str
    published, ours : str or None
        Medals; None where there is none to compare.
    same : bool or None
        None where they cannot be compared.
    difference : str
        Keys of :data:`DIFFERENCES`, joined by ``+``.
    reason : str
        In a sentence, with figures.
    published_score, our_score : float or None
    """

    line: int
    task_id: str
    run_id: str
    published: str | None
    ours: str | None
    same: bool | None
    difference: str
    reason: str
    published_score: float | None
    our_score: float | None

    def to_dict(self) -> JsonObject:
        """Return the comparison as a row."""
        return asdict(self)


def compare(
    pairs: Iterable[tuple[Entry, Published | None]], find_task: Callable[[str], Task]
) -> list[Comparison]:
    """Grade each run here and compare its medal with the report's.

    Parameters
    ----------
    pairs : iterable of (Entry, Published or None)
        As :func:`biomlbench.importers.published.match` gives them.
    find_task : callable
        From a task id to its task; raises `TaskError` for an unknown one.

    Returns
    -------
    list of Comparison
        One a run. Every difference has a reason.
    """
    return [_compare(entry, report, find_task) for entry, report in pairs]


def _compare(
    entry: Entry, report: Published | None, find_task: Callable[[str], Task]
) -> Comparison:
    task, ours, trouble = None, None, ""
    try:
        task = find_task(entry.task_id)
        ours = _grade(task, entry)
    except UserError as error:
        trouble = str(error)
    medal = _medal(ours) if ours is not None else None
    if report is None:
        reason = DIFFERENCES["not_in_report"]
        return _row(entry, None, ours, (None, medal), None, "not_in_report", reason)
    own = own_medal(report)
    if own not in (None, report.medal):
        code = "contradiction"
        reason = f"{DIFFERENCES[code]}: {report.score} earns {own} by {_told(report.limits)}"
        same = medal == report.medal
        return _row(entry, report, ours, (report.medal, medal or own), same, code, reason)
    if ours is None or task is None:
        code = "not_graded_here"
        reason = f"{DIFFERENCES[code]} ({trouble}); its medal follows from them"
        if own is None:
            reason = f"{DIFFERENCES[code]} ({trouble}), and it gives too few of them"
        return _row(entry, report, None, (report.medal, own), None if own is None else True, code,
                    reason)  # fmt: skip
    if report.medal == medal:
        return _row(entry, report, ours, (report.medal, medal), True, "", _note(report, ours))
    code, reason = _difference(report, ours, task)
    return _row(entry, report, ours, (report.medal, medal), False, code, reason)


def _row(
    entry: Entry,
    report: Published | None,
    ours: TaskReport | None,
    medals: tuple[str | None, str | None],
    same: bool | None,
    code: str,
    reason: str,
) -> Comparison:
    return Comparison(
        line=entry.line,
        task_id=entry.task_id,
        run_id=entry.run_id,
        published=medals[0],
        ours=medals[1],
        same=same,
        difference=code,
        reason=reason,
        published_score=report.score if report else None,
        our_score=ours.score if ours else None,
    )


def _grade(task: Task, entry: Entry) -> TaskReport:
    from biomlbench.api.grading import grade_submission

    return grade_submission(entry.submission or "", task, program_seed=entry.seed or 0)


def _medal(report: TaskReport) -> str:
    return next((name for name in MEDALS if getattr(report, f"{name}_medal")), "none")


def own_medal(report: Published) -> str | None:
    """Return the medal that a report's own figures earn; None where it gives too few of them."""
    if not report.valid or report.score is None:
        return "none"
    if report.limits is None:
        return None
    return medal_of(report.score, report.limits, report.direction)


def _limits(report: TaskReport) -> Thresholds | None:
    gold, silver, bronze = report.gold_threshold, report.silver_threshold, report.bronze_threshold
    median = report.median_threshold
    if gold is None or silver is None or bronze is None or median is None:
        return None
    return Thresholds(gold, silver, bronze, median)


def _note(report: Published, ours: TaskReport) -> str:
    if report.score is None or ours.score is None or _rounded(ours.score, report.score):
        return ""
    return f"the same medal, though {DIFFERENCES['score']}"


def _rounded(full: float, short: float) -> bool:
    """Whether one score is the other one, rounded as published graders do."""
    result: bool = abs(full - short) <= 0.5 * 10**-DECIMALS * (1 + 1e-9)
    return result


def _difference(report: Published, ours: TaskReport, task: Task) -> tuple[str, str]:
    """Change one thing after the other from theirs to ours; what changes the medal is a reason."""
    if report.score is None or ours.score is None or not report.valid:
        which = "valid there, not here" if ours.score is None else "valid here, not there"
        return "validity", f"{DIFFERENCES['validity']}: {which}. {ours.message}".strip()
    codes, told = [], []
    limits, here = report.limits, _limits(ours)
    theirs = limits and medal_of(ours.score, limits, report.direction)
    rounded = _rounded(ours.score, report.score)
    if (theirs and theirs != report.medal) or not (limits or rounded):
        code = "rounding" if rounded else "score"
        codes.append(code)
        told.append(f"{DIFFERENCES[code]} ({report.score!r} there, {ours.score!r} here)")
    if theirs != _medal(ours):
        code = _board_difference(report, ours, task)
        codes.append(code)
        told.append(f"{DIFFERENCES[code]} ({_told(limits)} there, {_told(here)} here)")
        if code == "leaderboard_refused":
            told.append(ours.message)
    return "+".join(codes), "; ".join(told)


def _board_difference(report: Published, ours: TaskReport, task: Task) -> str:
    if ours.reason == Reason.BROKEN_LEADERBOARD:
        return "leaderboard_refused"
    if report.direction != ours.direction:
        return "direction"
    if task.leaderboard is not None and report.limits is not None:
        as_read = published_thresholds(task.leaderboard)
        if as_read is not None and as_read[:3] == report.limits[:3]:
            return "leaderboard_order"
    return "leaderboard"


def published_thresholds(path: Path) -> Thresholds | None:
    """Return the thresholds that published graders read off a leaderboard file.

    They count rows from the top as the file has them, whatever their order, teams without a
    score and repeated teams included.

    Parameters
    ----------
    path : Path
        CSV with a column ``score``.

    Returns
    -------
    Thresholds or None
        None where a row that counts has no score, or there is no row.
    """
    import numpy as np

    scores = parse_scores(path, read_score_columns(path)["score"])
    if not len(scores):
        return None
    gold, silver, bronze = (float(scores[rank - 1]) for rank in medal_ranks(len(scores)))
    if np.isnan([gold, silver, bronze]).any() or np.isnan(scores).all():
        return None
    return Thresholds(gold, silver, bronze, float(np.nanmedian(scores)))


def _told(limits: Thresholds | None) -> str:
    if limits is None:
        return "no thresholds"
    return f"gold {limits.gold!r}, silver {limits.silver!r}, bronze {limits.bronze!r}"
