"""Whether a task's answers can be graded against, told before there are runs."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from biomlbench.errors import TaskError
from biomlbench.outcomes import Fault, Reason
from biomlbench.scoring.effective_task import EffectiveTask
from biomlbench.scoring.gold import OwnSubmissions, look_at_own
from biomlbench.scoring.positive_class import check_positive_class
from biomlbench.scoring.score import check_truth, score_submission
from biomlbench.submission.answers import answers_of
from biomlbench.submission.own_tables import own_table
from biomlbench.submission.sample import has_rows, sample_of
from biomlbench.submission.validation import text_failure

if TYPE_CHECKING:
    from biomlbench.task.task import Task

__all__ = ["check_gradable", "refused_tables"]

logger = logging.getLogger(__name__)

_EMPTY_ANSWER = (
    "; where an empty text is a right answer, list '' under `allowed` of the column, or declare "
    "`type: free`"
)


def check_gradable(task: Task) -> OwnSubmissions:
    """Refuse answers that the task's metric or `inputs_fn` cannot grade, or nobody can give.

    Parameters
    ----------
    task : Task
        Prepared.

    Returns
    -------
    OwnSubmissions
        What else is to be known of the gold and the sample submission.

    Raises
    ------
    TaskError
        Naming file, column and row, as for answers with a missing label. Functions of the task
        can be loaded, and take the tables in their order. What a metric takes is
        its own to say: it grades the sample submission, whose score does not matter, and the
        answers themselves, in their order and in another. Words and text of the gold submission
        pass the checks of a submission, and its score is not worse than that of the sample
        submission.

    Notes
    -----
    A leaderboard or human baselines that grading will refuse are logged: the data are in order,
    and the folder of the tasks may come by better ones.
    """
    for told in refused_tables(task).values():
        logger.warning("%s: %s; until then no submission can be graded", task.id, told)
    if task.is_card or not has_rows(task):
        return OwnSubmissions()
    task.grader.check_functions()
    if task.metric is not None:
        check_positive_class(task)
        result = score_submission(task.sample_submission, task)
        if result.fault in (Fault.TASK, Fault.GRADER):
            raise TaskError(result.message, result.reason)
        if result.inspection is not None:
            check_truth(task, result.inspection)
    elif task.grader.spec is None:
        answers_of(task)  # which refuses what its function cannot get
    _check_gold(task)
    own = look_at_own(task)
    if own.broken:
        raise TaskError(own.gold, Reason.BROKEN_ANSWERS)
    return own


def refused_tables(task: Task) -> dict[str, str]:
    """Return what scores are held against and cannot be, and why.

    Parameters
    ----------
    task : Task
        Of either kind.

    Returns
    -------
    dict of str to str
        ``leaderboard`` and ``human baselines``, those that grading refuses.
    """
    graded, found = EffectiveTask(task), {}
    for item, read in (
        ("leaderboard", graded.read_leaderboard),
        ("human baselines", graded.read_humans),
    ):
        try:
            read()
        except TaskError as error:
            found[item] = error.message
    return found


def _check_gold(task: Task) -> None:
    """Refuse a gold submission whose words or text could not be handed in.

    Numbers may be another thing than the answers that it repeats: a probability for a class.
    """
    gold, sample = task.gold_submission, sample_of(task)
    if task.published is not None or not gold.is_file():
        return
    table = own_table(gold)
    if not set(sample.columns) <= set(table.column_names):
        return
    if failure := text_failure(table, sample, task):
        reason, message = failure
        raise TaskError(
            f"{gold}: the right answers are refused as a submission: {message}"
            f"{_EMPTY_ANSWER if reason == Reason.NAN_PREDICTIONS else ''}",
            Reason.BROKEN_ANSWERS,
        )
