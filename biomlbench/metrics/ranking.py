"""Quality of scores that separate classes: ROC AUC and average precision."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from biomlbench.outcomes import Fault

from ._base import metric
from ._errors import MetricError
from ._inputs import (
    Floats,
    array_of,
    binary_truth,
    check_length,
    classes_of,
    labels,
    numbers,
    positive_label,
)
from ._order import Ties, ascending
from ._resample import Scorer, safe_divide

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["average_precision", "roc_auc"]


def _scores(
    y_true: Any,
    y_pred: Any,
    pos_label: Any,
    class_labels: Sequence[Any] | None = None,
) -> Floats:
    """Return finite scores: (n,) for two classes, (n, K) for more."""
    scores = numbers(y_pred, Fault.SUBMISSION, ndim=(1, 2))
    check_length(len(np.atleast_1d(array_of(y_true, Fault.TASK))), len(scores))
    if scores.ndim == 2 and scores.shape[1] == 2:
        scores = scores[:, _positive_column(y_true, scores, pos_label, class_labels)]
    return scores


def _check_not_constant(scores: Floats, name: str) -> None:
    if (scores == scores[0]).all():
        raise MetricError("constant_predictions", f"all predictions are equal: {name} is undefined")


def _positive_column(
    y_true: Any, scores: Floats, pos_label: Any, class_labels: Sequence[Any] | None
) -> int:
    """Return which of two columns is that of the positive class."""
    binary_truth(y_true, pos_label)  # what is wrong with the truth comes first
    truth = labels(y_true, Fault.TASK)
    places = np.flatnonzero(
        classes_of(truth, class_labels, scores) == positive_label(truth, pos_label)
    )
    if len(places) != 1:
        raise MetricError("unknown_label", "the positive class is not one of `labels`", Fault.TASK)
    return int(places[0])


def _without_constants(score: Scorer, scores: Floats) -> Scorer:
    """Give NaN to the resamples in which every column of the scores is constant."""
    columns = [Ties.of(column) for column in scores.T.reshape(-1, len(scores))]
    if not all(ties.any for ties in columns):
        # Of a column without ties a constant resample holds one row, and one class.
        return score

    def checked(counts: Floats) -> Floats:
        n = counts.sum(axis=1)
        constant = np.ones(len(counts), dtype=bool)
        for ties in columns:
            largest = ties.sums(np.take(counts, ties.order, axis=1)).max(axis=1)
            constant &= largest == n
        result = score(counts)
        result[constant] = np.nan
        return result

    return checked


def _auc_scorer(positive: NDArray[np.bool_], scores: Floats) -> Scorer:
    """Return the scorer of the Mann-Whitney form of the area under the ROC curve."""
    ties = Ties.of(scores)
    positive_sorted = positive[ties.order].astype(np.float64)

    def score(counts: Floats) -> Floats:
        ordered = np.take(counts, ties.order, axis=1)
        wins = ties.sums(ordered * positive_sorted)
        losses = ties.sums(ordered) - wins if ties.any else ordered - wins
        below = np.cumsum(losses, axis=1)
        n_positive, n_negative = wins.sum(axis=1), below[:, -1].copy()
        below -= 0.5 * losses
        area = np.einsum("ij,ij->i", wins, below)
        return safe_divide(area, n_positive * n_negative)

    return score


def _auc(positive: NDArray[np.bool_], scores: Floats) -> float:
    """Return the area under the ROC curve from rank sums: one sort, no resample arrays."""
    order = ascending(scores)
    ordered, is_positive = scores[order], positive[order]
    n_positive = int(np.count_nonzero(positive))
    rises = ordered[1:] != ordered[:-1]
    # Twice the count of pairs, so that half credits for ties stay integers.
    if rises.all():
        ranks = int(np.flatnonzero(is_positive).sum())
        doubled = 2 * ranks - n_positive * (n_positive - 1)
    else:
        starts = np.flatnonzero(np.concatenate([[True], rises]))
        wins = np.add.reduceat(is_positive.astype(np.int64), starts)
        losses = np.diff(starts, append=len(scores)) - wins
        doubled = int(np.dot(wins, 2 * np.cumsum(losses) - losses))
    return doubled / (2.0 * n_positive * (len(scores) - n_positive))


def _multiclass_parts(
    y_true: Any, scores: Floats, multi_class: str, average: str, class_labels: Sequence[Any] | None
) -> list[tuple[NDArray[np.intp], NDArray[np.bool_], Floats, float]]:
    """Split a multiclass AUC into binary ones: (rows, positive, scores, weight) each.

    The weights are for the macro average; the weighted one scales them by prevalence.
    """
    if multi_class not in ("ovr", "ovo") or average not in ("macro", "weighted"):
        raise ValueError("multi_class is 'ovr' or 'ovo', average is 'macro' or 'weighted'")
    truth = labels(y_true, Fault.TASK)
    classes = classes_of(truth, class_labels, scores)
    if not np.isin(truth, classes).all():
        raise MetricError("unknown_label", "the truth has labels outside `labels`", Fault.TASK)
    member = [truth == label for label in classes]
    if not all(m.any() for m in member):
        raise MetricError("missing_class", "a class has no row in the truth", Fault.TASK)
    everything = np.arange(len(truth))
    if multi_class == "ovr":
        return [(everything, m, scores[:, k], 1.0) for k, m in enumerate(member)]
    parts = []
    for a, b in combinations(range(len(classes)), 2):
        rows = np.flatnonzero(member[a] | member[b])
        parts.append((rows, member[a][rows], scores[rows, a], 0.5))
        parts.append((rows, member[b][rows], scores[rows, b], 0.5))
    return parts


def _roc_auc_scorer(
    y_true: Any,
    y_pred: Any,
    pos_label: Any = None,
    multi_class: Literal["ovr", "ovo"] = "ovr",
    average: Literal["macro", "weighted"] = "macro",
    labels: Sequence[Any] | None = None,
) -> Scorer:
    scores = _scores(y_true, y_pred, pos_label, labels)
    if scores.ndim == 1:
        positive = binary_truth(y_true, pos_label)
        _check_not_constant(scores, "ROC AUC")
        return _without_constants(_auc_scorer(positive, scores), scores)
    parts = _multiclass_parts(y_true, scores, multi_class, average, labels)
    _check_not_constant(scores, "ROC AUC")
    scorers = [
        (rows, positive, weight, _auc_scorer(positive, column))
        for rows, positive, column, weight in parts
    ]

    def score(counts: Floats) -> Floats:
        total = np.zeros(len(counts))
        weights = np.zeros(len(counts))
        for rows, positive, weight, scorer in scorers:
            drawn = np.take(counts, rows, axis=1)
            factor = np.full(len(counts), weight)
            if average == "weighted":
                factor *= (drawn @ positive) if multi_class == "ovr" else drawn.sum(axis=1)
            total += factor * scorer(drawn)
            weights += factor
        return total / weights

    return _without_constants(score, scores)


@metric(
    direction="maximize",
    range=(0.0, 1.0),
    best=1.0,
    kind="binary",
    rank_invariant=True,
    resampler=_roc_auc_scorer,
)
def roc_auc(
    y_true: Any,
    y_pred: Any,
    pos_label: Any = None,
    multi_class: Literal["ovr", "ovo"] = "ovr",
    average: Literal["macro", "weighted"] = "macro",
    labels: Sequence[Any] | None = None,
) -> float:
    """Area under the receiver operating characteristic curve.

    The probability that a positive row scores higher than a negative one, ties counting half.

    Parameters
    ----------
    y_true : (n,) array_like
        Class labels.
    y_pred : (n,) or (n, K) array_like
        Scores, higher for the positive class; for K > 2 classes a column a class. Of two
        columns that of the positive class counts.
    pos_label : int or str, optional
        Label of the positive class; of use with two classes only;
        by default 1, beside 0 or -1.
    multi_class : {"ovr", "ovo"}
        With K > 2 classes: each class against the rest, or all pairs of classes (Hand and
        Till's M).
    average : {"macro", "weighted"}
        With K > 2 classes: plain mean, or mean weighted by prevalence.
    labels : sequence, optional
        Classes in the order of the columns; by default the sorted labels of the truth.

    Returns
    -------
    float
        In [0, 1]; 0.5 is chance.

    Raises
    ------
    MetricError
        ``constant_predictions``, ``nan_predictions``, ``not_numeric``,
        ``shape_mismatch`` by the submission; ``one_class``, ``not_binary``,
        ``missing_class``, ``missing_truth``, ``unknown_label``, ``empty`` by the task.

    References
    ----------
    Hanley JA, McNeil BJ. The meaning and use of the area under a receiver operating
    characteristic (ROC) curve. Radiology 143 (1982) 29-36.
    Hand DJ, Till RJ. A simple generalisation of the area under the ROC curve for multiple
    class classification problems. Mach. Learn. 45 (2001) 171-186.

    Examples
    --------
    >>> roc_auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    scores = _scores(y_true, y_pred, pos_label, labels)
    if scores.ndim == 1:
        positive = binary_truth(y_true, pos_label)
        _check_not_constant(scores, "ROC AUC")
        return _auc(positive, scores)
    parts = _multiclass_parts(y_true, scores, multi_class, average, labels)
    _check_not_constant(scores, "ROC AUC")
    total = weights = 0.0
    for _, positive, column, weight in parts:
        if average == "weighted":
            weight *= np.count_nonzero(positive) if multi_class == "ovr" else len(positive)
        total += weight * _auc(positive, column)
        weights += weight
    return total / weights


def _average_precision_scorer(y_true: Any, y_pred: Any, pos_label: Any = None) -> Scorer:
    scores, positive = _checked_binary(y_true, y_pred, pos_label)
    ties = Ties.of(-scores)
    positive_sorted = positive[ties.order].astype(np.float64)

    def score(counts: Floats) -> Floats:
        ordered = np.take(counts, ties.order, axis=1)
        hits = ties.sums(ordered * positive_sorted)
        found = np.cumsum(hits, axis=1)
        retrieved = np.cumsum(ties.sums(ordered), axis=1)
        # Above the first row drawn nothing is retrieved, and there are no hits to weigh.
        precision = found / np.maximum(retrieved, 1.0)
        n_positive, n = found[:, -1], retrieved[:, -1]
        result = safe_divide(np.einsum("ij,ij->i", hits, precision), n_positive)
        result[n_positive == n] = np.nan
        return result

    return _without_constants(score, scores)


def _checked_binary(y_true: Any, y_pred: Any, pos_label: Any) -> tuple[Floats, NDArray[np.bool_]]:
    scores = _scores(y_true, y_pred, pos_label)
    if scores.ndim != 1:
        raise MetricError(
            "shape_mismatch",
            f"average precision takes one column of scores, not {scores.shape[1]}",
        )
    positive = binary_truth(y_true, pos_label)
    _check_not_constant(scores, "average precision")
    return scores, positive


@metric(
    direction="maximize",
    range=(0.0, 1.0),
    best=1.0,
    kind="binary",
    rank_invariant=True,
    resampler=_average_precision_scorer,
)
def average_precision(y_true: Any, y_pred: Any, pos_label: Any = None) -> float:
    """Average precision: precision at each threshold, weighted by the gain in recall.

    Parameters
    ----------
    y_true : (n,) array_like
        Labels of two classes.
    y_pred : (n,) or (n, 2) array_like
        Scores, higher for the positive class. Rows with equal scores pass a threshold
        together. Of a column for each of two classes, that of the positive class counts.
    pos_label : int or str, optional
        Label of the positive class;
        by default 1, beside 0 or -1.

    Returns
    -------
    float
        In (0, 1]; the prevalence is chance.

    Raises
    ------
    MetricError
        As :func:`roc_auc` with two classes.

    References
    ----------
    Davis J, Goadrich M. The relationship between precision-recall and ROC curves.
    Proc. 23rd ICML (2006) 233-240; without interpolation, as in Zhu M. Recall, precision and
    average precision. University of Waterloo, working paper 2004-09.

    Examples
    --------
    >>> average_precision([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.8333333333333333
    """
    scores, positive = _checked_binary(y_true, y_pred, pos_label)
    ties = Ties.of(-scores)
    hits = np.bincount(ties.group[positive], minlength=len(ties.starts))
    retrieved = np.append(ties.starts[1:], len(scores))
    return float(np.sum(hits * (np.cumsum(hits) / retrieved)) / hits.sum())
