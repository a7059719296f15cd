"""The score that a task's own function gives, and whose fault it is where it is not finite."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from biomlbench.errors import GraderError, InvalidSubmissionError, TaskError
from biomlbench.scoring.grading_functions import NoFiniteScoreError

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from biomlbench.submission.answers import Answers

__all__ = ["score_by_function"]

logger = logging.getLogger(__name__)


def score_by_function(answers: Answers, table: pa.Table, order: np.ndarray | None) -> float:
    """Score a submission with the function of its task.

    Parameters
    ----------
    answers : Answers
    table : pyarrow.Table
        The submission.
    order : ndarray of int or None
        Position in it of each row of the sample submission; None for the same order.

    Returns
    -------
    float

    Raises
    ------
    InvalidSubmissionError
        If the function refuses the submission, or gives it NaN or infinity, as a correlation of
        constant predictions is.
    GraderError
        If the function fails or returns no number; or if it gives NaN or infinity to the gold
        submission as well, which has a score if any has.
    """
    grader = answers.task.grader
    try:
        return grader.run(answers.submission_frame(table, order), answers.frame.copy())
    except NoFiniteScoreError as error:
        if _gold_has_none(answers):
            raise GraderError(f"{error.message}, and to the gold submission as well") from error
        raise


def _gold_has_none(answers: Answers) -> bool:
    """Tell whether the gold submission has no finite score either; False without a usable one."""
    from biomlbench.submission.reading import read_table
    from biomlbench.submission.validation import inspect_submission

    task = answers.task
    if not task.gold_submission.is_file():
        return False
    try:
        table = read_table(task.gold_submission, answers.sample.columns)
        gold = inspect_submission(table, task)  # a table is nobody's private file
        if gold.first_failure:
            return False
        task.grader.run(answers.submission_frame(*gold.rows), answers.frame.copy())
    except (NoFiniteScoreError, GraderError):
        return True
    except (InvalidSubmissionError, TaskError, OSError) as error:
        logger.info("%s: its gold submission tells nothing of the grader: %s", task.id, error)
    return False
