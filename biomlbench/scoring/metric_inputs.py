"""What a task's metric compares: the answers and a submission, as they are or by an `inputs_fn`."""

from __future__ import annotations

import traceback
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomlbench.errors import (
    GraderError,
    InvalidSubmissionError,
    TaskError,
    function_error,
    words_of,
)
from biomlbench.runtime.random_states import fresh_random_states

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from biomlbench.scoring.grader import Grader
    from biomlbench.submission.answers import Answers

__all__ = ["metric_inputs", "own_inputs"]


def metric_inputs(
    grader: Grader, answers: Answers, table: pa.Table, order: np.ndarray | None
) -> tuple[Any, Any]:
    """Return what a grader's metric takes as truth and predictions.

    Parameters
    ----------
    grader : Grader
    answers : Answers
    table : pyarrow.Table
        The submission.
    order : ndarray of int or None
        Position in it of each row of the sample submission; None for the same order.
    """
    if grader.inputs_fn is None:
        truth, predictions = answers.truth, answers.predictions(table, order)
        if (
            grader.skips_missing_truth
            and truth.dtype.kind == "f"
            and (gone := truth != truth).any()
        ):
            truth, predictions = truth[~gone], predictions[~gone]
        return truth, predictions
    return own_inputs(grader, answers.submission_frame(table, order), answers.frame.copy())


def own_inputs(grader: Grader, submission: Any, answers: Any) -> tuple[Any, Any]:
    """Return what a task's `inputs_fn` makes of two tables; its failure is named as its own."""
    return grader.apart("inputs_fn", partial(_made_inputs, grader, submission, answers))


def _made_inputs(grader: Grader, submission: Any, answers: Any) -> tuple[Any, Any]:
    from biomlbench.metrics import MetricError

    function = grader.inputs_fn
    if function is None:
        raise GraderError(f"grader {grader.name!r} has no `inputs_fn`")
    columns = [list(table.columns) for table in (submission, answers)]
    try:
        with fresh_random_states():
            y_true, y_pred = function(submission, answers)
    except (InvalidSubmissionError, TaskError, GraderError, MetricError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise function_error(
            f"`inputs_fn` {grader.inputs_name} raised {words_of(error)} "
            f"({_last_place(error)}); it got a submission with the columns {columns[0]} and "
            f"answers with {columns[1]}",
            error,
        ) from None
    return y_true, y_pred


def _last_place(error: BaseException) -> str:
    """Return where a function failed, the last of its lines that is no installed package's."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "site-packages" not in frame.filename] or frames
    return f"{Path(own[-1].filename).name}, line {own[-1].lineno}"
