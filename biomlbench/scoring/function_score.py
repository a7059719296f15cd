"""Whose fault it is that a task's own function leaves a submission without a score."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

from biomlbench.errors import GraderError, InvalidSubmissionError, TaskError
from biomlbench.outcomes import Fault, Reason, fault_of
from biomlbench.runtime.once import once

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pyarrow as pa

    from biomlbench.submission.validation import Inspection
    from biomlbench.task.task import Task

__all__ = ["gold_is_refused", "grades_others", "is_own_fault"]

logger = logging.getLogger(__name__)


def is_own_fault(
    task: Task, reason: Reason, score: Callable[[pa.Table, Inspection], Reason]
) -> bool:
    """Tell whether a submission has no score by a fault of the task's own function.

    Parameters
    ----------
    task : Task
    reason : Reason
        Why the submission, whose form is right, has no score.
    score : callable
        Scores a table of that form, and returns the reason; errors are raised.

    Returns
    -------
    bool
        The gold submission, which has a score if any has, has none for the same reason, or the
        function fails with it. False where no function of the task takes part.
    """
    if fault_of(reason) != Fault.SUBMISSION or not task.grader.is_own:
        return False
    gold = _of_own(task.gold_submission, task, score)
    return gold is not None and (gold == reason or fault_of(gold) == Fault.GRADER)


def grades_others(task: Task, score: Callable[[pa.Table, Inspection], Reason]) -> bool:
    """Tell whether a task's own function gives its gold, or else its sample, submission a score.

    Parameters
    ----------
    task : Task
    score : callable
        As for :func:`is_own_fault`.

    Returns
    -------
    bool
        Then a submission that it cannot cope with is at fault: who expects a bad score could make
        the function fail, and so have the run left out.
    """
    if not task.grader.is_own:
        return False
    gold = _of_own(task.gold_submission, task, score)
    if gold is not None:
        return gold is Reason.OK
    return _of_own(task.sample_submission, task, score) is Reason.OK


def gold_is_refused(task: Task, reason: Reason) -> bool:
    """Tell whether the form of a task's gold submission is refused for a reason.

    Parameters
    ----------
    task : Task
    reason : Reason
    """
    if not task.gold_submission.is_file():
        return False

    def refused() -> Reason:
        try:
            return (_read(task.gold_submission, task)[1].first_failure or (Reason.OK, ""))[0]
        except (InvalidSubmissionError, TaskError, OSError):
            return Reason.OK

    return once(("form of the gold submission", task), refused) == reason


def _of_own(
    path: Path, task: Task, score: Callable[[pa.Table, Inspection], Reason]
) -> Reason | None:
    """Return why a submission of the task's own has no score; None where it is not usable."""
    return once(("own submission", task, path), partial(_looked_up, path, task, score))


def _looked_up(
    path: Path, task: Task, score: Callable[[pa.Table, Inspection], Reason]
) -> Reason | None:
    try:
        table, inspection = _read(path, task)
        if inspection.first_failure:
            return None
    except (InvalidSubmissionError, TaskError, OSError) as error:
        logger.info("%s: %s tells nothing of the grader: %s", task.id, path, error)
        return None
    try:
        return score(table, inspection)
    except (InvalidSubmissionError, TaskError, GraderError) as error:
        return error.reason


def _read(path: Path, task: Task) -> tuple[pa.Table, Inspection]:
    from biomlbench.submission.reading import read_table
    from biomlbench.submission.sample import sample_of
    from biomlbench.submission.validation import inspect_submission

    table = read_table(path, sample_of(task).columns)
    return table, inspect_submission(table, task)  # a table is nobody's private file
