"""Quality of predicted class labels: accuracy, balanced accuracy and MCC."""

from __future__ import annotations

from typing import Any

import numpy as np

from biomlbench.outcomes import Fault

from ._base import metric
from ._confusion import Confusion, single
from ._errors import MetricError
from ._inputs import Floats, paired_labels
from ._resample import Scorer, mean_scorer, safe_divide

__all__ = ["accuracy", "balanced_accuracy", "mcc"]


def _accuracy_scorer(y_true: Any, y_pred: Any) -> Scorer:
    truth, predictions = paired_labels(y_true, y_pred)
    return mean_scorer((truth == predictions).astype(np.float64))


@metric(
    direction="maximize",
    range=(0.0, 1.0),
    best=1.0,
    kind="labels",
    decomposable=True,
    symmetric=True,
    resampler=_accuracy_scorer,
)
def accuracy(y_true: Any, y_pred: Any) -> float:
    """Share of rows whose label is right.

    Parameters
    ----------
    y_true, y_pred : (n,) array_like
        True and predicted labels: numbers with whole values, booleans or strings.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    MetricError
        ``not_labels``, ``label_type_mismatch`` (text against numbers), ``nan_predictions``,
        ``missing_truth``, ``shape_mismatch``, ``empty``.

    References
    ----------
    Sokolova M, Lapalme G. A systematic analysis of performance measures for classification
    tasks. Inf. Process. Manag. 45 (2009) 427-437.

    Examples
    --------
    >>> accuracy(["a", "b", "c", "c"], ["a", "b", "c", "a"])
    0.75
    """
    truth, predictions = paired_labels(y_true, y_pred)
    return float(np.count_nonzero(truth == predictions) / len(truth))


def _balanced_accuracy_scorer(y_true: Any, y_pred: Any) -> Scorer:
    confusion = Confusion(*paired_labels(y_true, y_pred))

    def score(counts: Floats) -> Floats:
        c = confusion.of(counts)
        result: Floats = safe_divide(c.hits, c.true, 0.0).sum(axis=1) / (c.true > 0).sum(axis=1)
        return result

    return score


@metric(
    direction="maximize",
    range=(0.0, 1.0),
    best=1.0,
    kind="labels",
    decomposable=True,
    resampler=_balanced_accuracy_scorer,
)
def balanced_accuracy(y_true: Any, y_pred: Any) -> float:
    """Mean over the classes of the share of their rows whose label is right.

    Parameters
    ----------
    y_true, y_pred : (n,) array_like
        True and predicted labels.

    Returns
    -------
    float
        In [0, 1]. The mean is over the classes that the truth holds.

    Raises
    ------
    MetricError
        As :func:`accuracy`.

    References
    ----------
    Brodersen KH, Ong CS, Stephan KE, Buhmann JM. The balanced accuracy and its posterior
    distribution. Proc. 20th ICPR (2010) 3121-3124.

    Examples
    --------
    >>> balanced_accuracy([0, 0, 0, 1], [0, 0, 0, 0])
    0.5
    """
    return single(_balanced_accuracy_scorer(y_true, y_pred), y_true)


def _mcc_scorer(y_true: Any, y_pred: Any) -> Scorer:
    truth, predictions = paired_labels(y_true, y_pred)
    if (truth == truth[0]).all():
        raise MetricError("one_class", "the truth holds a single class", Fault.TASK)
    confusion = Confusion(truth, predictions)

    def score(counts: Floats) -> Floats:
        c = confusion.of(counts)
        covariance = c.hits.sum(axis=1) * c.n - (c.true * c.predicted).sum(axis=1)
        spread_true = c.n**2 - (c.true**2).sum(axis=1)
        spread_predicted = c.n**2 - (c.predicted**2).sum(axis=1)
        scale = np.sqrt(spread_true * spread_predicted)
        result = np.clip(safe_divide(covariance, scale, 0.0), -1.0, 1.0)
        result[spread_true == 0] = np.nan
        return result

    return score


@metric(
    direction="maximize",
    range=(-1.0, 1.0),
    best=1.0,
    kind="labels",
    decomposable=True,
    symmetric=True,
    resampler=_mcc_scorer,
)
def mcc(y_true: Any, y_pred: Any) -> float:
    """Matthews correlation coefficient; with more than two classes Gorodkin's R_K.

    Parameters
    ----------
    y_true, y_pred : (n,) array_like
        True and predicted labels.

    Returns
    -------
    float
        In [-1, 1]. Predictions of a single class score 0.

    Raises
    ------
    MetricError
        As :func:`accuracy`, and ``one_class`` (the task's fault) where the truth holds a
        single class.

    References
    ----------
    Matthews BW. Comparison of the predicted and observed secondary structure of T4 phage
    lysozyme. Biochim. Biophys. Acta 405 (1975) 442-451.
    Gorodkin J. Comparing two K-category assignments by a K-category correlation coefficient.
    Comput. Biol. Chem. 28 (2004) 367-374.

    Examples
    --------
    >>> mcc([0, 0, 1, 1], [0, 1, 1, 1])
    0.5773502691896258
    """
    return single(_mcc_scorer(y_true, y_pred), y_true)
