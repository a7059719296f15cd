"""Quality of predicted probabilities: log loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.outcomes import Fault

from ._base import metric
from ._errors import MetricError
from ._inputs import Floats, check_length, classes_of, labels, numbers, positives
from ._resample import Scorer, mean_scorer

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["log_loss", "sum_tolerance"]

#: How far the probabilities of a row may be from summing to 1, and how far for each class where
#: that is more: what rounding to three decimals does.
SUM_TOLERANCE, SUM_TOLERANCE_PER_CLASS = 1e-3, 5e-4
_ROUNDING = 1e-9

#: Probabilities are kept this far from 0 and 1, so that the loss is finite.
CLIP = float(np.finfo(np.float64).eps)


def sum_tolerance(classes: int) -> float:
    """Return how far the probabilities of a row may be from summing to 1.

    Parameters
    ----------
    classes : int
        How many probabilities a row has.
    """
    return max(SUM_TOLERANCE, SUM_TOLERANCE_PER_CLASS * classes) + _ROUNDING


def _losses(y_true: Any, y_pred: Any, pos_label: Any, class_labels: Sequence[Any] | None) -> Floats:
    """Return the loss of each row: minus the logarithm of its true class's probability."""
    truth = labels(y_true, Fault.TASK)
    probabilities = numbers(y_pred, Fault.SUBMISSION, ndim=(1, 2))
    check_length(len(truth), len(probabilities))
    if (probabilities < 0).any() or (probabilities > 1).any():
        raise MetricError("not_probabilities", "probabilities must lie between 0 and 1")
    if probabilities.ndim == 1:
        positive = positives(truth, pos_label)
        assigned = np.where(positive, probabilities, 1.0 - probabilities)
    else:
        assigned = _assigned(truth, probabilities, class_labels)
    result: Floats = -np.log(np.clip(assigned, CLIP, 1.0 - CLIP))
    return result


def _assigned(truth: Any, probabilities: Floats, class_labels: Sequence[Any] | None) -> Floats:
    """Return the probability that each row gives to its true class."""
    classes = classes_of(truth, class_labels, probabilities)
    sums = probabilities.sum(axis=1)
    tolerance = sum_tolerance(probabilities.shape[1])
    off = np.abs(sums - 1.0) > tolerance
    if off.any():
        raise MetricError(
            "not_probabilities",
            f"the probabilities of {np.count_nonzero(off)} rows do not sum to 1 within "
            f"{tolerance:g}; the first is row {int(np.argmax(off)) + 1}; write at least three "
            "decimals, or divide each row by its sum",
        )
    order = np.argsort(classes, kind="stable")
    place = np.searchsorted(classes, truth, sorter=order)
    column = order[np.minimum(place, len(classes) - 1)]
    if (classes[column] != truth).any():
        raise MetricError("unknown_label", "the truth has labels outside `labels`", Fault.TASK)
    result: Floats = probabilities[np.arange(len(truth)), column] / sums
    return result


def _log_loss_scorer(
    y_true: Any, y_pred: Any, pos_label: Any = None, labels: Sequence[Any] | None = None
) -> Scorer:
    return mean_scorer(_losses(y_true, y_pred, pos_label, labels))


@metric(
    direction="minimize",
    range=(0.0, np.inf),
    best=0.0,
    kind="probabilities",
    decomposable=True,
    resampler=_log_loss_scorer,
)
def log_loss(
    y_true: Any, y_pred: Any, pos_label: Any = None, labels: Sequence[Any] | None = None
) -> float:
    """Log loss (cross-entropy) in nats, the mean over the rows.

    Parameters
    ----------
    y_true : (n,) array_like
        Class labels.
    y_pred : (n,) or (n, K) array_like
        Probability of the positive class, or of each class.
    pos_label : int or str, optional
        Positive class; of use with one column only;
        by default 1, beside 0 or -1.
    labels : sequence, optional
        Classes in the order of the columns; by default the sorted labels of the truth. Give
        it where the truth may lack a class.

    Returns
    -------
    float
        At least 0. Probabilities are clipped to [2.2e-16, 1 - 2.2e-16], so that a certain and
        wrong row costs 36.04 rather than infinity.

    Raises
    ------
    MetricError
        ``not_probabilities`` (outside [0, 1], or a row whose sum is further from 1 than 0.001
        and than 0.0005 a class; smaller differences are scaled away), ``nan_predictions``,
        ``not_numeric``, ``shape_mismatch`` by the submission; ``not_binary``,
        ``no_positives``, ``unknown_label``, ``missing_truth``, ``empty`` by the task. A truth
        of one class is scored.

    References
    ----------
    Good IJ. Rational decisions. J. R. Stat. Soc. B 14 (1952) 107-114.

    Examples
    --------
    >>> round(log_loss([1, 0], [0.9, 0.1]), 6)
    0.105361
    """
    # The clip makes the best loss -log(1 - eps), which is 0 to rounding.
    return float(np.mean(_losses(y_true, y_pred, pos_label, labels)))
