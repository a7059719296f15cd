"""Second implementations of the common metrics, each by another way than the first.

They follow the definitions, not speed: pairs are compared one by one, and rows counted one
by one. A score on which both agree is not an accident of one implementation. SciPy and
scikit-learn are not needed, so that the check costs milliseconds.
"""

from __future__ import annotations

import inspect
import math
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from biomlbench.contracts.mappings import Arguments

__all__ = ["MAX_PAIRS", "SECOND", "applies", "second_score"]

MAX_PAIRS = 30_000_000
"""Pairs of rows that are compared one by one at most; beyond that there is no second score."""

MAX_MEMBERSHIPS = 3_000_000
"""Rows times classes of a table of class membership at most; likewise."""


def second_score(name: str, y_true: Any, y_pred: Any, options: Arguments) -> float | None:
    """Score predictions by the second implementation of a metric.

    Parameters
    ----------
    name : str
        Of a registered metric.
    y_true, y_pred
        As the metric takes them.
    options : dict
        The metric's options.

    Returns
    -------
    float or None
        None where the metric, or one of these options, has no second implementation.

    Examples
    --------
    >>> second_score("roc_auc", [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], {})
    0.75
    """
    if not applies(name, options):
        return None
    function = SECOND[name]
    with np.errstate(all="ignore"):
        result = function(y_true, y_pred, **options)
    return None if result is None else float(result)


def applies(name: str, options: Arguments) -> bool:
    """Tell whether a metric has a second implementation that takes these options.

    Parameters
    ----------
    name : str
        Of a metric.
    options : dict
        The metric's options.

    Examples
    --------
    >>> applies("roc_auc", {"average": "weighted"}), applies("roc_auc", {"multi_class": "ovo"})
    (True, False)
    """
    if name not in SECOND:
        return False
    known = inspect.signature(SECOND[name]).parameters
    without = WITHOUT.get(name, {})
    return all(key in known and value not in without.get(key, ()) for key, value in options.items())


def _pairs(n: int, m: int) -> bool:
    return n * m <= MAX_PAIRS


def _floats(values: Any) -> list[float]:
    return np.asarray(values, float).ravel().tolist()


def _mse(y_true: Any, y_pred: Any) -> float:
    terms = [(a - b) ** 2 for a, b in zip(_floats(y_true), _floats(y_pred), strict=True)]
    return math.fsum(terms) / len(terms)


def _rmse(y_true: Any, y_pred: Any) -> float:
    return math.sqrt(_mse(y_true, y_pred))


def _rowwise_rmse(y_true: Any, y_pred: Any, clip: float | None = None) -> float:
    rows = zip(np.asarray(y_true, float), np.asarray(y_pred, float), strict=True)
    terms = [
        _rmse(a, b if clip is None else np.minimum(np.maximum(b, -clip), clip)) for a, b in rows
    ]
    return math.fsum(terms) / len(terms)


def _mean_spearman(y_true: Any, y_pred: Any) -> float:
    truth, predictions = np.asarray(y_true, float), np.asarray(y_pred, float)
    columns = predictions.reshape(len(predictions), -1).T
    terms = [_spearman(truth if truth.ndim == 1 else truth[:, k], c) for k, c in enumerate(columns)]
    return math.fsum(terms) / len(terms)


def _mae(y_true: Any, y_pred: Any) -> float:
    terms = [abs(a - b) for a, b in zip(_floats(y_true), _floats(y_pred), strict=True)]
    return math.fsum(terms) / len(terms)


def _r2(y_true: Any, y_pred: Any) -> float:
    truth = _floats(y_true)
    mean = math.fsum(truth) / len(truth)
    return 1 - _mse(truth, y_pred) / (math.fsum((a - mean) ** 2 for a in truth) / len(truth))


def _unit(x: list[float]) -> list[float]:
    size = math.frexp(max(map(abs, x)))[1]
    return [math.ldexp(a, -size) for a in x]


def _about_the_mean(values: Any) -> list[float]:
    """Return how far numbers are from their mean, in a unit in which the farthest is about 1."""
    x = _floats(values)
    # Powers of two round nothing, and neither does the difference of numbers that are close.
    x = _unit(x)
    x = _unit([a - x[0] for a in x])
    mean = math.fsum(x) / len(x)
    return [a - mean for a in x]


def _pearson(y_true: Any, y_pred: Any) -> float:
    x, y = _about_the_mean(y_true), _about_the_mean(y_pred)
    xy = math.fsum(a * b for a, b in zip(x, y, strict=True))
    xx, yy = math.fsum(a * a for a in x), math.fsum(b * b for b in y)
    return xy / math.sqrt(xx) / math.sqrt(yy)


def _ranks(values: Any) -> np.ndarray:
    """Return mean ranks from how many values are smaller and how many are not larger."""
    x = np.asarray(values, float)
    ordered = np.sort(x)
    return (np.searchsorted(ordered, x, "left") + np.searchsorted(ordered, x, "right") + 1) / 2


def _spearman(y_true: Any, y_pred: Any) -> float:
    return _pearson(_ranks(y_true), _ranks(y_pred))


def _kendall(y_true: Any, y_pred: Any) -> float | None:
    x, y = np.asarray(y_true, float), np.asarray(y_pred, float)
    if not _pairs(len(x), len(x)):
        return None
    total = tied_x = tied_y = 0.0
    for i in range(len(x) - 1):
        a, b = np.sign(x[i + 1 :] - x[i]), np.sign(y[i + 1 :] - y[i])
        total += float(a @ b)
        tied_x += float(np.count_nonzero(a))
        tied_y += float(np.count_nonzero(b))
    return total / math.sqrt(tied_x * tied_y)


def _positive(y_true: Any, pos_label: Any) -> np.ndarray:
    """Tell which rows are positive, by default those of 1; labels may be numbers or text."""
    pos_label = 1 if pos_label is None else pos_label
    truth = np.asarray(y_true)
    if truth.dtype.kind in "US" or truth.dtype == object:
        return np.array([str(item) == str(pos_label) for item in truth.ravel()])
    result: np.ndarray = truth.ravel() == pos_label
    return result


def _of_positive(y_true: Any, scores: np.ndarray, pos_label: Any, labels: Any = None) -> np.ndarray:
    """Return the column of the positive class, of two in the order of the labels."""
    classes = sorted(set(_labels(y_true))) if labels is None else list(labels)
    result: np.ndarray = scores[:, classes.index(1 if pos_label is None else pos_label)]
    return result


def _auc_of(positive: np.ndarray, scores: np.ndarray) -> float | None:
    """Return the share of (positive, negative) pairs in the right order, ties half."""
    high, low = scores[positive], scores[~positive]
    if not _pairs(len(high), len(low)):
        return None
    won = sum(np.count_nonzero(low < s) + 0.5 * np.count_nonzero(low == s) for s in high)
    return won / (len(high) * len(low))


def _roc_auc(
    y_true: Any,
    y_pred: Any,
    pos_label: Any = None,
    multi_class: str = "ovr",
    average: str = "macro",
    labels: Any = None,
) -> float | None:
    """Score one class against the rest, the only `multi_class` that :data:`WITHOUT` leaves."""
    scores = np.asarray(y_pred, float)
    if scores.ndim == 2 and scores.shape[1] == 2:
        scores = _of_positive(y_true, scores, pos_label, labels)
    if scores.ndim == 1:
        return _auc_of(_positive(y_true, pos_label), scores)
    truth = np.asarray(y_true)
    classes = np.unique(truth) if labels is None else np.asarray(labels)
    found = [_auc_of(truth == c, scores[:, k]) for k, c in enumerate(classes)]
    areas = [area for area in found if area is not None]
    if len(areas) < len(found):
        return None
    weights = [1.0 if average == "macro" else np.count_nonzero(truth == c) for c in classes]
    return math.fsum(w * a for w, a in zip(weights, areas, strict=True)) / math.fsum(weights)


def _average_precision(y_true: Any, y_pred: Any, pos_label: Any = None) -> float | None:
    positive, scores = _positive(y_true, pos_label), np.asarray(y_pred, float)
    if scores.ndim == 2 and scores.shape[1] == 2:
        scores = _of_positive(y_true, scores, pos_label)
    thresholds = np.unique(scores)
    if scores.ndim != 1 or not _pairs(len(thresholds), len(scores)):
        return None
    area, found = 0.0, 0
    for threshold in thresholds[::-1]:
        kept = scores >= threshold
        hits = int(np.count_nonzero(positive & kept))
        area += (hits - found) * hits / np.count_nonzero(kept)
        found = hits
    return area / np.count_nonzero(positive)


def _log_loss(y_true: Any, y_pred: Any, pos_label: Any = None, labels: Any = None) -> float:
    p = np.asarray(y_pred, float)
    if p.ndim == 1:
        p = np.where(_positive(y_true, pos_label), p, 1 - p)
    else:
        truth = np.asarray(y_true)
        classes = (np.unique(truth) if labels is None else np.asarray(labels)).tolist()
        column = [classes.index(label) for label in truth.tolist()]
        p = np.array([row[c] / row.sum() for row, c in zip(p, column, strict=True)])
    eps = np.finfo(float).eps
    return -math.fsum(math.log(min(max(value, eps), 1 - eps)) for value in p.tolist()) / len(p)


def _labels(values: Any) -> list[Any]:
    """Return labels as plain values, so that 1, 1.0 and True are one label."""
    return np.asarray(values).ravel().tolist()


def _accuracy(y_true: Any, y_pred: Any) -> float:
    pairs = list(zip(_labels(y_true), _labels(y_pred), strict=True))
    result: float = sum(a == b for a, b in pairs) / len(pairs)
    return result


def _counts(y_true: Any, y_pred: Any) -> dict[Any, tuple[int, int, int]]:
    """Return, for each class, rows rightly predicted, truly in it, and predicted in it."""
    truth, guess = _labels(y_true), _labels(y_pred)
    found = Counter(zip(truth, guess, strict=True))
    true, guessed = Counter(truth), Counter(guess)
    return {c: (found[c, c], true[c], guessed[c]) for c in sorted({*true, *guessed}, key=str)}


def _balanced_accuracy(y_true: Any, y_pred: Any) -> float:
    recalls = [hits / true for hits, true, _ in _counts(y_true, y_pred).values() if true]
    return math.fsum(recalls) / len(recalls)


def _rate(kind: str) -> Callable[..., float | None]:
    def of(hits: int, true: int, guessed: int) -> float:
        below = {"precision": guessed, "recall": true, "f1": (true + guessed) / 2}[kind]
        return hits / below if below else 0.0

    def score(
        y_true: Any, y_pred: Any, average: str = "binary", pos_label: Any = None
    ) -> float | None:
        counts = _counts(y_true, y_pred)
        if average == "binary":
            return of(*counts.get(1 if pos_label is None else pos_label, (0, 0, 0)))
        if average == "micro":
            return of(*(sum(row[i] for row in counts.values()) for i in range(3)))
        weights = [1 if average == "macro" else row[1] for row in counts.values()]
        rates = [of(*row) for row in counts.values()]
        return math.fsum(w * r for w, r in zip(weights, rates, strict=True)) / sum(weights)

    return score


def _mcc(y_true: Any, y_pred: Any) -> float | None:
    """Return Gorodkin's R_K as the correlation of the two tables of class membership."""
    truth, guess = _labels(y_true), _labels(y_pred)
    classes = sorted(set(truth) | set(guess), key=str)
    if len(truth) * len(classes) > MAX_MEMBERSHIPS:
        return None
    x = np.array([[a == c for c in classes] for a in truth], float)
    y = np.array([[b == c for c in classes] for b in guess], float)
    x -= x.mean(axis=0)
    y -= y.mean(axis=0)
    scale = math.sqrt(float((x * x).sum()) * float((y * y).sum()))
    return float((x * y).sum()) / scale if scale else 0.0


def _concordance(y_true: Any, y_pred: Any, higher: str = "risk") -> float | None:
    data, risk = np.asarray(y_true, float), np.asarray(y_pred, float).ravel()
    if not _pairs(len(risk), len(risk)):
        return None
    if higher != "risk":
        risk = -risk
    won = total = 0.0
    for time, event, score in zip(data[:, 0], data[:, 1], risk, strict=True):
        if event:
            outlives = (data[:, 0] > time) | ((data[:, 0] == time) & (data[:, 1] == 0))
            won += np.count_nonzero(risk[outlives] < score)
            won += 0.5 * np.count_nonzero(risk[outlives] == score)
            total += np.count_nonzero(outlives)
    return won / total


def _images(masks: Any) -> list[set[int]]:
    images = [masks] if isinstance(masks, np.ndarray) else masks
    return [set(np.flatnonzero(np.asarray(image)).tolist()) for image in images]


def _overlap(kind: str) -> Callable[..., float]:
    def of(true: int, guessed: int, both: int) -> float:
        if kind == "dice":
            return 2 * both / (true + guessed) if true + guessed else 1.0
        union = true + guessed - both
        return both / union if union else 1.0

    def score(y_true: Any, y_pred: Any, reduction: str = "mean") -> float:
        sizes = [
            (len(a), len(b), len(a & b))
            for a, b in zip(_images(y_true), _images(y_pred), strict=True)
        ]
        if reduction == "pooled":
            return of(*(sum(row[i] for row in sizes) for i in range(3)))
        return math.fsum(of(*row) for row in sizes) / len(sizes)

    return score


SECOND: dict[str, Callable[..., float | None]] = {
    "accuracy": _accuracy,
    "average_precision": _average_precision,
    "balanced_accuracy": _balanced_accuracy,
    "concordance_index": _concordance,
    "dice": _overlap("dice"),
    "f1": _rate("f1"),
    "iou": _overlap("iou"),
    "kendall": _kendall,
    "log_loss": _log_loss,
    "mae": _mae,
    "matrix_rmse": _rmse,
    "mcc": _mcc,
    "mean_spearman": _mean_spearman,
    "mse": _mse,
    "pearson": _pearson,
    "precision": _rate("precision"),
    "r2": _r2,
    "recall": _rate("recall"),
    "rmse": _rmse,
    "roc_auc": _roc_auc,
    "rowwise_rmse": _rowwise_rmse,
    "spearman": _spearman,
}

#: Values of options that a second implementation does not have.
WITHOUT: dict[str, dict[str, tuple[Any, ...]]] = {"roc_auc": {"multi_class": ("ovo",)}}
