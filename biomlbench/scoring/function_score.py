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

    import pyarrow as pa

    from biomlbench.submission.validation import Inspection
    from biomlbench.task.task import Task

__all__ = ["is_own_fault"]

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
    gold = once(("gold submission", task), partial(_of_gold, task, score))
    return gold == reason or fault_of(gold) == Fault.GRADER


def _of_gold(task: Task, score: Callable[[pa.Table, Inspection], Reason]) -> Reason:
    """Return why the gold submission has no score; ``ok`` where it has one, or is not usable."""
    try:
        table, inspection = _read(task)
        if inspection.first_failure:
            return Reason.OK
    except (InvalidSubmissionError, TaskError, OSError) as error:
        logger.info("%s: its gold submission tells nothing of the grader: %s", task.id, error)
        return Reason.OK
    try:
        return score(table, inspection)
    except (InvalidSubmissionError, TaskError, GraderError) as error:
        return error.reason


def _read(task: Task) -> tuple[pa.Table, Inspection]:
    from biomlbench.submission.reading import read_table
    from biomlbench.submission.sample import sample_of
    from biomlbench.submission.validation import inspect_submission

    table = read_table(task.gold_submission, sample_of(task).columns)
    return table, inspect_submission(table, task)  # a table is nobody's private file
