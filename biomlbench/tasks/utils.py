"""Helpers that the grading functions of published task folders import.

Rows are matched by id, one to one: a submission that lacks a row, repeats one or has another
is invalid, where a join would score the rows that happen to match.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from biomlbench.contracts.mappings import Arguments

__all__ = [
    "prepare_for_accuracy_metric",
    "prepare_for_auroc_metric",
    "prepare_for_regression_metric",
]


def _columns(
    submission: pd.DataFrame, answers: pd.DataFrame, id_col: str, target_col: str
) -> tuple[Any, Any]:
    from biomlbench.errors import InvalidSubmissionError
    from biomlbench.scoring.grading_functions import matched
    from biomlbench.task.submission_columns import SubmissionSchema

    if missing := [name for name in (id_col, target_col) if name not in submission]:
        raise InvalidSubmissionError(f"missing column(s) {missing}", "missing_columns")
    arranged = matched(submission, answers, SubmissionSchema(ids=(id_col,)))
    return answers[target_col].to_numpy(), arranged[target_col].to_numpy()


def prepare_for_auroc_metric(
    submission: pd.DataFrame, answers: pd.DataFrame, id_col: str = "id", target_col: str = "label"
) -> Arguments:
    """Return ``y_true`` and ``y_score``, matched by id.

    Parameters
    ----------
    submission, answers : DataFrame
    id_col, target_col : str

    Raises
    ------
    InvalidSubmissionError
        If a column is missing, or the ids are not those of the answers.
    """
    y_true, y_score = _columns(submission, answers, id_col, target_col)
    return {"y_true": y_true, "y_score": y_score}


def prepare_for_regression_metric(
    submission: pd.DataFrame, answers: pd.DataFrame, id_col: str = "id", target_col: str = "label"
) -> Arguments:
    """Return ``y_true`` and ``y_pred``, matched by id; see :func:`prepare_for_auroc_metric`.

    Parameters
    ----------
    submission, answers : DataFrame
    id_col, target_col : str
    """
    y_true, y_pred = _columns(submission, answers, id_col, target_col)
    return {"y_true": y_true, "y_pred": y_pred}


prepare_for_accuracy_metric = prepare_for_regression_metric
