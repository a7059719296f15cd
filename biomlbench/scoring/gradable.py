"""Whether a task's answers can be graded against, told before there are runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.errors import InvalidSubmissionError, TaskError
from biomlbench.outcomes import Fault, Reason
from biomlbench.scoring.positive_class import check_positive_class
from biomlbench.scoring.score import score_submission
from biomlbench.submission.reading import read_table
from biomlbench.submission.sample import has_rows, sample_of
from biomlbench.submission.validation import inspect_submission

if TYPE_CHECKING:
    from biomlbench.task.task import Task

__all__ = ["check_gradable"]

_EMPTY_ANSWER = (
    "; where an empty text is a right answer, list '' under `allowed` of the column, or declare "
    "`type: free`"
)


def check_gradable(task: Task) -> None:
    """Refuse answers that the task's metric or `inputs_fn` cannot grade, or nobody can give.

    Parameters
    ----------
    task : Task
        Prepared.

    Raises
    ------
    TaskError
        Naming file, column and row, as for answers with a missing label. What a metric takes is
        its own to say: it grades the sample submission, whose score does not matter. A gold
        submission that the checks of a submission refuse is refused.
    """
    if task.is_card or not has_rows(task):
        return
    if task.metric is not None:
        check_positive_class(task)
        result = score_submission(task.sample_submission, task)
        if result.fault in (Fault.TASK, Fault.GRADER):
            raise TaskError(result.message, result.reason)
    _check_gold(task)


def _check_gold(task: Task) -> None:
    """Refuse a gold submission that could not be handed in; see :func:`check_gradable`."""
    gold = task.gold_submission
    if task.published is not None or not gold.is_file():
        return
    try:
        # as a table, which is nobody's private file
        table = read_table(gold, sample_of(task).columns)
    except InvalidSubmissionError as error:
        raise TaskError(f"{gold}: {error.message}", Reason.BROKEN_ANSWERS) from error
    failure = inspect_submission(table, task).first_failure
    if failure is not None:
        reason, message = failure
        raise TaskError(
            f"{gold}: the right answers are refused as a submission: {message}"
            f"{_EMPTY_ANSWER if reason == Reason.NAN_PREDICTIONS else ''}",
            Reason.BROKEN_ANSWERS,
        )
