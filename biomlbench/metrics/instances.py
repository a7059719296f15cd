"""Agreement of instance segmentations: panoptic quality."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from biomlbench.outcomes import Fault

from ._base import metric
from ._errors import MetricError
from ._inputs import Floats, images
from ._resample import Scorer, mean_scorer

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["panoptic_quality"]

#: A true and a predicted instance match when their IoU exceeds this; then neither can match
#: another one (Kirillov et al. 2019, theorem 1).
MATCHING_IOU = 0.5


def _as_labels(array: NDArray[Any], fault: Fault, number: int) -> NDArray[np.int64]:
    """Return an image of instance numbers from 0 to the number of instances, 0 the background."""
    side = "true" if fault == Fault.TASK else "predicted"
    whole = array.dtype.kind in "biu" or (
        array.dtype.kind == "f"
        and bool(np.isfinite(array).all() and (array == np.rint(array)).all())
    )
    if not whole or (array.dtype.kind != "b" and (array < 0).any()):
        raise MetricError(
            "not_labels",
            f"{side} label image {number} must hold whole numbers: 0 for the background, "
            "another one for each instance",
            fault,
        )
    values, codes = np.unique(array, return_inverse=True)
    return codes.reshape(array.shape) + (0 if values[0] == 0 else 1)


def _statistics(truth: NDArray[np.int64], prediction: NDArray[np.int64]) -> tuple[float, ...]:
    """Return summed IoU of the matches, their number, and unmatched predicted and true ones."""
    true_sizes = np.bincount(truth.ravel())
    predicted_sizes = np.bincount(prediction.ravel())
    overlapping = (truth > 0) & (prediction > 0)
    pair_codes = truth[overlapping] * len(predicted_sizes) + prediction[overlapping]
    pairs, shared = np.unique(pair_codes, return_counts=True)
    t, p = np.divmod(pairs, len(predicted_sizes))
    overlap = shared / (true_sizes[t] + predicted_sizes[p] - shared)
    matched = overlap > MATCHING_IOU
    n_matched = int(np.count_nonzero(matched))
    return (
        float(overlap[matched].sum()),
        float(n_matched),
        float(len(predicted_sizes) - 1 - n_matched),
        float(len(true_sizes) - 1 - n_matched),
    )


def _quality(statistics: Floats) -> Floats:
    overlap, matched, spurious, missed = statistics.T
    total = matched + 0.5 * spurious + 0.5 * missed
    return np.where(total > 0, overlap / np.maximum(total, 0.5), 1.0)


def _panoptic_scorer(y_true: Any, y_pred: Any, reduction: str = "pooled") -> Scorer:
    if reduction not in ("mean", "pooled"):
        raise ValueError(f"reduction is 'mean' or 'pooled', not {reduction!r}")
    truths, predictions = images(y_true, y_pred)
    statistics = np.array(
        [
            _statistics(_as_labels(t, Fault.TASK, i), _as_labels(p, Fault.SUBMISSION, i))
            for i, (t, p) in enumerate(zip(truths, predictions, strict=True), start=1)
        ]
    )
    if reduction == "mean":
        return mean_scorer(_quality(statistics))

    def score(counts: Floats) -> Floats:
        return _quality(counts @ statistics)

    return score


@metric(
    direction="maximize",
    range=(0.0, 1.0),
    best=1.0,
    kind="instance_mask",
    decomposable=True,
    symmetric=True,
    resampler=_panoptic_scorer,
)
def panoptic_quality(
    y_true: Any, y_pred: Any, reduction: Literal["mean", "pooled"] = "pooled"
) -> float:
    """Panoptic quality of one class of instances.

    Summed IoU of the matched instances over the number of matches plus half the unmatched
    ones of either side; an instance matches where the IoU exceeds 0.5.

    Parameters
    ----------
    y_true, y_pred : list of array_like, or one ndarray
        Label images: 0 for the background, another whole number for each instance. A list is
        several images; an ndarray is one image or volume. The numbers themselves do not
        matter.
    reduction : {"pooled", "mean"}
        Over the instances of all images together, as published, or the mean over the images.

    Returns
    -------
    float
        In [0, 1]. Images without any instance, true or predicted, agree perfectly: 1.

    Raises
    ------
    MetricError
        ``not_labels`` (negative or fractional labels), ``shape_mismatch``, ``empty``.

    References
    ----------
    Kirillov A, He K, Girshick R, Rother C, Dollár P. Panoptic segmentation.
    Proc. CVPR (2019) 9404-9413.

    Examples
    --------
    >>> import numpy as np
    >>> panoptic_quality(np.array([[1, 1, 0, 2]]), np.array([[7, 7, 0, 0]]))
    0.6666666666666666
    """
    score = _panoptic_scorer(y_true, y_pred, reduction)
    return float(score(np.ones((1, len(images(y_true, y_pred)[0]))))[0])
