"""Whether a task's answers can be graded against, told before there are runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.errors import TaskError
from biomlbench.outcomes import Fault
from biomlbench.scoring.positive_class import check_positive_class
from biomlbench.scoring.score import score_submission
from biomlbench.submission.sample import has_rows

if TYPE_CHECKING:
    from biomlbench.task.task import Task

__all__ = ["check_gradable"]


def check_gradable(task: Task) -> None:
    """Refuse answers that the task's metric refuses when it grades a run.

    Parameters
    ----------
    task : Task
        Prepared.

    Raises
    ------
    TaskError
        Naming file, column and row, as for answers with a missing label. What a metric takes is
        its own to say: it grades the sample submission, whose score does not matter.
    """
    if task.is_card or task.metric is None or not has_rows(task):
        return
    check_positive_class(task)
    result = score_submission(task.sample_submission, task)
    if result.fault == Fault.TASK:
        raise TaskError(result.message, result.reason)
