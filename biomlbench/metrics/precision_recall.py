"""Quality of predicted class labels, class by class: precision, recall and F1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from biomlbench.outcomes import Fault
from biomlbench.plain_text import as_python

from ._base import metric
from ._confusion import Confusion, single
from ._errors import MetricError
from ._inputs import Floats, paired_labels, positive_label, positives
from ._resample import Scorer, safe_divide

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["f1", "precision", "recall"]

Average = Literal["binary", "macro", "weighted", "micro"]
AVERAGES = get_args(Average)


def _rate_scorer(y_true: Any, y_pred: Any, average: str, pos_label: Any, rate: str) -> Scorer:
    """Return the scorer of precision, recall or F1."""
    if average not in AVERAGES:
        raise ValueError(f"average is one of {', '.join(AVERAGES)}, not {average!r}")
    truth, predictions = paired_labels(y_true, y_pred)
    if average == "binary":
        return _binary_rate_scorer(truth, predictions, pos_label, rate)
    confusion = Confusion(truth, predictions)

    def score(counts: Floats) -> Floats:
        c = confusion.of(counts)
        result: Floats
        if average == "micro":
            result = c.hits.sum(axis=1) / c.n
            return result
        by_class = _rate(c.hits, c.true, c.predicted, rate)
        weights = c.true if average == "weighted" else ((c.true + c.predicted) > 0)
        result = (by_class * weights).sum(axis=1) / weights.sum(axis=1)
        return result

    return score


def _rate(hits: Floats, true: Floats, predicted: Floats, rate: str) -> Floats:
    """Return precision, recall or F1 from counts, 0 where the denominator is 0."""
    if rate == "f1":
        return safe_divide(2.0 * hits, true + predicted, 0.0)
    return safe_divide(hits, true if rate == "recall" else predicted, 0.0)


def _binary_rate_scorer(
    truth: NDArray[Any], predictions: NDArray[Any], pos_label: Any, rate: str
) -> Scorer:
    try:
        pos_label = positive_label(truth, pos_label)
        true = positives(truth, pos_label)
    except MetricError as error:
        if error.reason != "not_binary":
            raise
        hint = "average over them: `options: {average: macro}` under `grader` in config.yaml"
        raise MetricError(error.reason, f"{error.message}; {hint}", error.fault) from None
    if not true.any():
        told = f"no row is of the class {as_python(pos_label)!r}"
        raise MetricError("no_positives", told, Fault.TASK)
    if len(np.union1d(truth, predictions)) > 2:
        raise MetricError("unknown_label", "a predicted label is not one of the task's two")
    predicted = predictions == pos_label
    statistics = np.column_stack([true & predicted, true, predicted]).astype(np.float64)

    def score(counts: Floats) -> Floats:
        hits, n_true, n_predicted = (counts @ statistics).T
        result = _rate(hits, n_true, n_predicted, rate)
        result[n_true == 0] = np.nan
        return result

    return score


def _f1_scorer(y_true: Any, y_pred: Any, average: str = "binary", pos_label: Any = None) -> Scorer:
    return _rate_scorer(y_true, y_pred, average, pos_label, "f1")


def _precision_scorer(
    y_true: Any, y_pred: Any, average: str = "binary", pos_label: Any = None
) -> Scorer:
    return _rate_scorer(y_true, y_pred, average, pos_label, "precision")


def _recall_scorer(
    y_true: Any, y_pred: Any, average: str = "binary", pos_label: Any = None
) -> Scorer:
    return _rate_scorer(y_true, y_pred, average, pos_label, "recall")


@metric(
    direction="maximize",
    range=(0.0, 1.0),
    best=1.0,
    kind="labels",
    decomposable=True,
    symmetric=True,
    resampler=_f1_scorer,
)
def f1(y_true: Any, y_pred: Any, average: Average = "binary", pos_label: Any = None) -> float:
    """F1 score, the harmonic mean of precision and recall.

    Parameters
    ----------
    y_true, y_pred : (n,) array_like
        True and predicted labels.
    average : {"binary", "macro", "weighted", "micro"}
        Score of the positive class of two; mean over the classes, plain or weighted by their
        true rows; or pooled over the classes.
    pos_label : int or str, optional
        Positive class; of use with ``binary`` only;
        by default 1, beside 0 or -1.

    Returns
    -------
    float
        In [0, 1]. A class that is never predicted, or predicted and never true, scores 0.

    Raises
    ------
    MetricError
        As :func:`biomlbench.metrics.classification.accuracy`; with ``binary`` also
        ``no_positives`` and ``not_binary`` (the task's fault) and ``unknown_label`` (a
        predicted label beyond the task's two).

    References
    ----------
    van Rijsbergen CJ. Information Retrieval. 2nd ed. Butterworths (1979), chapter 7.

    Examples
    --------
    >>> f1([0, 1, 1, 1], [0, 1, 1, 0])
    0.8
    """
    return single(_f1_scorer(y_true, y_pred, average, pos_label), y_true)


@metric(
    direction="maximize",
    range=(0.0, 1.0),
    best=1.0,
    kind="labels",
    decomposable=True,
    resampler=_precision_scorer,
)
def precision(
    y_true: Any, y_pred: Any, average: Average = "binary", pos_label: Any = None
) -> float:
    """Share of the rows predicted positive that are positive.

    Parameters
    ----------
    y_true, y_pred, average, pos_label
        As for :func:`f1`.

    Returns
    -------
    float
        In [0, 1]. A class that is never predicted scores 0.

    Raises
    ------
    MetricError
        As :func:`f1`.

    References
    ----------
    Sokolova M, Lapalme G. A systematic analysis of performance measures for classification
    tasks. Inf. Process. Manag. 45 (2009) 427-437.

    Examples
    --------
    >>> precision([0, 0, 1, 1], [0, 1, 1, 1])
    0.6666666666666666
    """
    return single(_precision_scorer(y_true, y_pred, average, pos_label), y_true)


@metric(
    direction="maximize",
    range=(0.0, 1.0),
    best=1.0,
    kind="labels",
    decomposable=True,
    resampler=_recall_scorer,
)
def recall(y_true: Any, y_pred: Any, average: Average = "binary", pos_label: Any = None) -> float:
    """Share of the positive rows that are predicted positive.

    Parameters
    ----------
    y_true, y_pred, average, pos_label
        As for :func:`f1`.

    Returns
    -------
    float
        In [0, 1]. A class that is predicted and never true scores 0.

    Raises
    ------
    MetricError
        As :func:`f1`.

    References
    ----------
    Sokolova M, Lapalme G. A systematic analysis of performance measures for classification
    tasks. Inf. Process. Manag. 45 (2009) 427-437.

    Examples
    --------
    >>> recall([0, 1, 1, 1], [0, 1, 1, 0])
    0.6666666666666666
    """
    return single(_recall_scorer(y_true, y_pred, average, pos_label), y_true)
