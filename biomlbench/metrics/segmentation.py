"""Agreement of binary masks: Dice, IoU and the 95th percentile Hausdorff distance.

Masks are boolean, or numbers 0 and 1. Anything else (0 and 255, probabilities, labels) is
refused with the reason ``non_binary_mask``, since sums over it would give a Dice above 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from biomlbench.outcomes import Fault

from ._base import metric
from ._errors import MetricError
from ._inputs import Floats, images
from ._resample import Scorer, mean_scorer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

__all__ = ["dice", "hausdorff95", "iou"]


def _as_mask(array: NDArray[Any], fault: Fault, number: int) -> NDArray[np.bool_]:
    """Return a boolean mask, refusing values other than 0 and 1."""
    if array.dtype.kind == "b":
        return array
    side = "true" if fault == Fault.TASK else "predicted"
    if array.dtype.kind not in "iuf" or not ((array == 0) | (array == 1)).all():
        raise MetricError(
            "non_binary_mask",
            f"{side} mask {number} holds values other than 0 and 1: threshold it first",
            fault,
        )
    result: NDArray[np.bool_] = array != 0
    return result


def _masks(y_true: Any, y_pred: Any) -> list[tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
    truths, predictions = images(y_true, y_pred)
    return [
        (_as_mask(truth, Fault.TASK, i), _as_mask(prediction, Fault.SUBMISSION, i))
        for i, (truth, prediction) in enumerate(zip(truths, predictions, strict=True), start=1)
    ]


def _sizes(y_true: Any, y_pred: Any) -> Floats:
    """Return pixels of the intersection, the true and the predicted mask: (images, 3)."""
    return np.array(
        [
            (np.count_nonzero(t & p), np.count_nonzero(t), np.count_nonzero(p))
            for t, p in _masks(y_true, y_pred)
        ],
        dtype=np.float64,
    )


def _dice_of(sizes: Floats) -> Floats:
    both, true, predicted = sizes.T
    total = true + predicted
    return np.where(total > 0, 2.0 * both / np.maximum(total, 1.0), 1.0)


def _iou_of(sizes: Floats) -> Floats:
    both, true, predicted = sizes.T
    union = true + predicted - both
    return np.where(union > 0, both / np.maximum(union, 1.0), 1.0)


def _overlap_scorer(sizes: Floats, reduction: str, overlap: Callable[[Floats], Floats]) -> Scorer:
    if reduction not in ("mean", "pooled"):
        raise ValueError(f"reduction is 'mean' or 'pooled', not {reduction!r}")
    if reduction == "mean":
        return mean_scorer(overlap(sizes))

    def score(counts: Floats) -> Floats:
        return overlap(counts @ sizes)

    return score


def _single(score: Scorer, n_images: int) -> float:
    return float(score(np.ones((1, n_images)))[0])


def _dice_scorer(y_true: Any, y_pred: Any, reduction: str = "mean") -> Scorer:
    return _overlap_scorer(_sizes(y_true, y_pred), reduction, _dice_of)


@metric(
    direction="maximize",
    range=(0.0, 1.0),
    best=1.0,
    kind="mask",
    decomposable=True,
    symmetric=True,
    resampler=_dice_scorer,
)
def dice(y_true: Any, y_pred: Any, reduction: Literal["mean", "pooled"] = "mean") -> float:
    """Dice coefficient: twice the overlap over the sum of both masks' sizes.

    Parameters
    ----------
    y_true, y_pred : list of array_like, or one ndarray
        A list is several images, which may differ in shape; an ndarray is one image or
        volume. Values are boolean, or 0 and 1.
    reduction : {"mean", "pooled"}
        Mean over the images, or the coefficient of all images' pixels together.

    Returns
    -------
    float
        In [0, 1]. Two empty masks agree perfectly: 1. One empty mask of two: 0.

    Raises
    ------
    MetricError
        ``non_binary_mask``, ``shape_mismatch``, ``empty``.

    References
    ----------
    Dice LR. Measures of the amount of ecologic association between species.
    Ecology 26 (1945) 297-302.

    Examples
    --------
    >>> import numpy as np
    >>> dice(np.array([[0, 1], [1, 1]]), np.array([[0, 1], [0, 0]]))
    0.5
    """
    sizes = _sizes(y_true, y_pred)
    return _single(_overlap_scorer(sizes, reduction, _dice_of), len(sizes))


def _iou_scorer(y_true: Any, y_pred: Any, reduction: str = "mean") -> Scorer:
    return _overlap_scorer(_sizes(y_true, y_pred), reduction, _iou_of)


@metric(
    direction="maximize",
    range=(0.0, 1.0),
    best=1.0,
    kind="mask",
    decomposable=True,
    symmetric=True,
    resampler=_iou_scorer,
)
def iou(y_true: Any, y_pred: Any, reduction: Literal["mean", "pooled"] = "mean") -> float:
    """Intersection over union, Jaccard's index.

    Parameters
    ----------
    y_true, y_pred, reduction
        As for :func:`dice`.

    Returns
    -------
    float
        In [0, 1]. Two empty masks agree perfectly: 1. One empty mask of two: 0.

    Raises
    ------
    MetricError
        As :func:`dice`.

    References
    ----------
    Jaccard P. The distribution of the flora in the alpine zone. New Phytol. 11 (1912) 37-50.

    Examples
    --------
    >>> import numpy as np
    >>> iou(np.array([[0, 1], [1, 1]]), np.array([[0, 1], [0, 0]]))
    0.3333333333333333
    """
    sizes = _sizes(y_true, y_pred)
    return _single(_overlap_scorer(sizes, reduction, _iou_of), len(sizes))


def _surface(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the pixels of a mask that have a face neighbour outside it or outside the image."""
    from scipy import ndimage

    return mask & ~ndimage.binary_erosion(mask)


def _bounding_box(mask: NDArray[np.bool_]) -> tuple[slice, ...]:
    box = []
    for axis in range(mask.ndim):
        others = tuple(a for a in range(mask.ndim) if a != axis)
        occupied = np.flatnonzero(mask.any(axis=others))
        box.append(slice(int(occupied[0]), int(occupied[-1]) + 1))
    return tuple(box)


def _percentile_distance(
    truth: NDArray[np.bool_],
    prediction: NDArray[np.bool_],
    spacing: Sequence[float] | float | None,
    percentile: float,
) -> float:
    """Return the percentile Hausdorff distance of two masks of one image."""
    from scipy import ndimage

    steps = np.broadcast_to(1.0 if spacing is None else spacing, (truth.ndim,)).astype(float)
    if not (np.isfinite(steps) & (steps > 0)).all():
        raise ValueError("spacing must be positive")
    has_truth, has_prediction = bool(truth.any()), bool(prediction.any())
    if not has_truth and not has_prediction:
        return 0.0
    if not (has_truth and has_prediction):
        return float(np.linalg.norm(steps * truth.shape))
    # Surfaces of the cropped masks are those of the whole: what is cut off is empty.
    box = _bounding_box(truth | prediction)
    surfaces = [_surface(truth[box]), _surface(prediction[box])]
    directed = []
    for here, there in (surfaces, surfaces[::-1]):
        distance = ndimage.distance_transform_edt(~there, sampling=steps)
        directed.append(np.percentile(distance[here], percentile))
    return float(max(directed))


def _hausdorff_scorer(
    y_true: Any,
    y_pred: Any,
    spacing: Sequence[float] | float | None = None,
    percentile: float = 95.0,
) -> Scorer:
    pairs = _masks(y_true, y_pred)
    return mean_scorer(np.array([_percentile_distance(*p, spacing, percentile) for p in pairs]))


@metric(
    direction="minimize",
    range=(0.0, np.inf),
    best=0.0,
    kind="mask",
    decomposable=True,
    symmetric=True,
    resampler=_hausdorff_scorer,
)
def hausdorff95(
    y_true: Any,
    y_pred: Any,
    spacing: Sequence[float] | float | None = None,
    percentile: float = 95.0,
) -> float:
    """95th percentile of the Hausdorff distance between mask surfaces, mean over the images.

    Parameters
    ----------
    y_true, y_pred
        As for :func:`dice`.
    spacing : float or sequence of float, optional
        Distance between pixels, along each axis, in the unit of the result; 1 by default.
    percentile : float
        Percentile of the distances from one surface to the other; 100 gives the Hausdorff
        distance itself.

    Returns
    -------
    float
        At least 0, in the unit of `spacing`: the larger of the two directed percentiles
        (linearly interpolated). Two empty masks agree perfectly: 0. One empty mask of two:
        the image's diagonal, more than any distance in it.

    Raises
    ------
    MetricError
        As :func:`dice`.

    Notes
    -----
    A pixel is on the surface when a face neighbour is outside the mask or the image.

    References
    ----------
    Huttenlocher DP, Klanderman GA, Rucklidge WJ. Comparing images using the Hausdorff
    distance. IEEE Trans. PAMI 15 (1993) 850-863.
    Taha AA, Hanbury A. Metrics for evaluating 3D medical image segmentation.
    BMC Med. Imaging 15 (2015) 29.

    Examples
    --------
    >>> import numpy as np
    >>> hausdorff95(np.array([[1, 0, 0, 0]]), np.array([[0, 0, 0, 1]]), spacing=[1.0, 0.5])
    1.5
    """
    score = _hausdorff_scorer(y_true, y_pred, spacing, percentile)
    return _single(score, len(images(y_true, y_pred)[0]))
