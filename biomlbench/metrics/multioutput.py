"""Scores of several predicted columns at once: of genes, proteins or cross-validation schemes."""

from __future__ import annotations

from typing import Any

import numpy as np

from biomlbench.outcomes import Fault

from ._base import metric
from ._errors import MetricError
from ._inputs import Floats, numbers
from ._resample import Scorer, mean_scorer
from .correlation import _spearman_scorer, spearman

__all__ = ["matrix_rmse", "mean_spearman", "rowwise_rmse"]


def _paired_columns(y_true: Any, y_pred: Any, *, shared: bool = False) -> tuple[Floats, Floats]:
    """Return truth and predictions as matrices of one shape, a row a unit.

    Parameters
    ----------
    shared : bool
        Whether a truth of one column stands for every column of the predictions.
    """
    truth = numbers(y_true, Fault.TASK, (1, 2))
    predictions = numbers(y_pred, Fault.SUBMISSION, (1, 2))
    truth, predictions = (a[:, None] if a.ndim == 1 else a for a in (truth, predictions))
    if shared and truth.shape[1] == 1 and len(truth) == len(predictions):
        truth = np.broadcast_to(truth, predictions.shape)
    if truth.shape != predictions.shape:
        raise MetricError(
            "shape_mismatch",
            f"the predictions have shape {predictions.shape}, the true values {truth.shape}",
        )
    if not truth.size:
        raise MetricError("empty", "there are no rows to score", Fault.TASK)
    return truth, predictions


def _mean_spearman_scorer(y_true: Any, y_pred: Any) -> Scorer:
    truth, predictions = _paired_columns(y_true, y_pred, shared=True)
    scorers = [_spearman_scorer(t, p) for t, p in zip(truth.T, predictions.T, strict=True)]

    def score(counts: Floats) -> Floats:
        result: Floats = np.mean([column(counts) for column in scorers], axis=0)
        return result

    return score


@metric(
    direction="maximize",
    range=(-1.0, 1.0),
    best=1.0,
    kind="ranking",
    rank_invariant=True,
    several=True,
    resampler=_mean_spearman_scorer,
)
def mean_spearman(y_true: Any, y_pred: Any) -> float:
    """Mean over the predicted columns of Spearman's rank correlation.

    Parameters
    ----------
    y_true : (n,) or (n, k) array_like
        True values; one column stands for all predicted ones.
    y_pred : (n,) or (n, k) array_like
        Predicted values, for instance a column for each way of cross-validation.

    Returns
    -------
    float
        In [-1, 1].

    Raises
    ------
    MetricError
        As :func:`biomlbench.metrics.correlation.pearson`, for any of the columns.

    References
    ----------
    Notin P, et al. ProteinGym: large-scale benchmarks for protein fitness prediction and design.
    NeurIPS 2023.

    Examples
    --------
    >>> mean_spearman([1.0, 2.0, 3.0], [[1.0, 3.0], [2.0, 2.0], [3.0, 1.0]])
    0.0
    """
    truth, predictions = _paired_columns(y_true, y_pred, shared=True)
    return float(np.mean([spearman(t, p) for t, p in zip(truth.T, predictions.T, strict=True)]))


def _squared(y_true: Any, y_pred: Any, clip: float | None = None) -> Floats:
    """Return the mean square error of each row."""
    truth, predictions = _paired_columns(y_true, y_pred)
    if clip is not None:
        predictions = np.clip(predictions, -clip, clip)
    result: Floats = np.mean((truth - predictions) ** 2, axis=1)
    return result


def _matrix_rmse_scorer(y_true: Any, y_pred: Any) -> Scorer:
    mean = mean_scorer(_squared(y_true, y_pred))

    def score(counts: Floats) -> Floats:
        return np.sqrt(mean(counts))

    return score


@metric(
    direction="minimize",
    range=(0.0, np.inf),
    best=0.0,
    kind="regression",
    decomposable=True,
    symmetric=True,
    several=True,
    resampler=_matrix_rmse_scorer,
)
def matrix_rmse(y_true: Any, y_pred: Any) -> float:
    """Root mean square error over all entries of a matrix.

    Parameters
    ----------
    y_true, y_pred : (n,) or (n, k) array_like
        True and predicted values, in the units of the target; resamples draw rows.

    Returns
    -------
    float
        In the units of the target, at least 0.

    Raises
    ------
    MetricError
        ``nan_predictions``, ``missing_truth``, ``not_numeric``, ``shape_mismatch``, ``empty``.

    References
    ----------
    Luecken MD, et al. A sandbox for prediction and integration of DNA, RNA, and proteins in
    single cells. NeurIPS 2021.

    Examples
    --------
    >>> matrix_rmse([[0.0, 0.0], [0.0, 0.0]], [[1.0, 1.0], [1.0, 1.0]])
    1.0
    """
    return float(np.sqrt(np.mean(_squared(y_true, y_pred))))


def _rowwise_rmse_scorer(y_true: Any, y_pred: Any, clip: float | None = None) -> Scorer:
    return mean_scorer(np.sqrt(_squared(y_true, y_pred, clip)))


@metric(
    direction="minimize",
    range=(0.0, np.inf),
    best=0.0,
    kind="regression",
    decomposable=True,
    symmetric=True,
    several=True,
    resampler=_rowwise_rmse_scorer,
)
def rowwise_rmse(y_true: Any, y_pred: Any, clip: float | None = None) -> float:
    """Mean over the rows of each row's root mean square error.

    Parameters
    ----------
    y_true, y_pred : (n,) or (n, k) array_like
        True and predicted values, in the units of the target.
    clip : float, optional
        Largest absolute value of a prediction; larger ones count as this.

    Returns
    -------
    float
        In the units of the target, at least 0.

    Raises
    ------
    MetricError
        ``nan_predictions``, ``missing_truth``, ``not_numeric``, ``shape_mismatch``, ``empty``.

    References
    ----------
    Szałata A, et al. A benchmark for prediction of transcriptomic responses to chemical
    perturbations across cell types. NeurIPS 2024.

    Examples
    --------
    >>> rowwise_rmse([[0.0, 0.0], [0.0, 0.0]], [[3.0, 3.0], [1.0, 1.0]])
    2.0
    """
    return float(np.mean(np.sqrt(_squared(y_true, y_pred, clip))))
