"""Bootstrap resamples of a metric, vectorised and in bounded memory.

A metric's `resampler(y_true, y_pred, **options)` does once what all resamples share (checks,
sorting, scores of single images) and returns a function that maps a (b, n) float array of
counts to b scores. Counts come to it in chunks, so that memory does not grow with the number
of resamples.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._errors import MetricError
from ._inputs import take
from ._truth_first import truth_first

if TYPE_CHECKING:
    from biomlbench.contracts.mappings import Arguments

    from ._base import Metric

__all__ = [
    "Scorer",
    "bootstrap",
    "draw_counts",
    "mean_scorer",
    "resampled",
    "safe_divide",
    "units",
]

Floats = NDArray[np.float64]
Scorer = Callable[[Floats], Floats]

#: Elements of a working array of one chunk: 2 MB of float64, which a core's cache holds.
CHUNK_ELEMENTS = 1 << 18
#: Most bytes of counts that are kept, of one task or several: 1,000 resamples of 100,000 rows.
KEPT_BYTES = 1 << 27
#: Up to so many bytes counts are kept as the numbers that scorers take: 1,000 resamples of 2,000
#: rows, which the processor's last cache holds. Longer ones take an eighth, and are converted.
KEPT_AS_NUMBERS = 1 << 24


def safe_divide(numerator: Any, denominator: Any, undefined: float = np.nan) -> Floats:
    """Divide elementwise; `undefined` where the denominator is 0."""
    numerator, denominator = np.broadcast_arrays(
        np.asarray(numerator, dtype=np.float64), np.asarray(denominator, dtype=np.float64)
    )
    result = np.full(numerator.shape, undefined)
    np.divide(numerator, denominator, out=result, where=denominator != 0)
    return result


def mean_scorer(values: Floats) -> Scorer:
    """Return the scorer of a metric that is the mean of `values` over the units."""
    # Sums of values and of counts by one product: it reads the counts once.
    columns = np.column_stack([values, np.ones(len(values))])

    def score(counts: Floats) -> Floats:
        sums = counts @ columns
        result: Floats = sums[:, 0] / sums[:, 1]
        return result

    return score


def _scorer(metric: Metric, y_true: Any, y_pred: Any, options: Arguments) -> Scorer:
    """Return the metric's vectorised scorer, or a loop where it has none."""
    if metric.resampler is not None:
        return metric.resampler(y_true, y_pred, **options)
    return _looped_scorer(metric, y_true, y_pred, options)


def _looped_scorer(metric: Metric, y_true: Any, y_pred: Any, options: Arguments) -> Scorer:
    """Return a scorer that calls the metric for each resample."""
    metric(y_true, y_pred, **options)
    if metric.kind in ("mask", "instance_mask"):
        from ._inputs import as_images

        y_true, y_pred = as_images(y_true), as_images(y_pred)
    rows = np.arange(units(metric, y_true))

    def score(counts: Floats) -> Floats:
        scores = np.full(len(counts), np.nan)
        for i, row_counts in enumerate(counts.astype(np.intp)):
            drawn = np.repeat(rows, row_counts)
            try:
                scores[i] = metric(take(y_true, drawn), take(y_pred, drawn), **options)
            except MetricError:
                continue
        return scores

    return score


def _chunks(n_resamples: int, n_rows: int) -> Iterator[slice]:
    step = max(1, CHUNK_ELEMENTS // max(n_rows, 1))
    for start in range(0, n_resamples, step):
        yield slice(start, min(start + step, n_resamples))


def _apply(score: Scorer, counts: NDArray[Any]) -> Floats:
    result = np.empty(len(counts))
    with np.errstate(all="ignore"):
        for part in _chunks(*counts.shape):
            result[part] = score(counts[part].astype(np.float64))
    result[~np.isfinite(result)] = np.nan
    return result


def resampled(
    metric: Metric, y_true: Any, y_pred: Any, counts: NDArray[Any], options: Arguments
) -> Floats:
    """Score resamples; see :meth:`Metric.resampled`."""
    counts = np.asarray(counts)
    if counts.ndim != 2 or counts.dtype.kind not in "iu":
        raise ValueError("counts is a (B, n) array of integers: how often each row is drawn")
    if counts.shape[1] != units(metric, y_true):
        raise ValueError(f"counts has {counts.shape[1]} columns for {units(metric, y_true)} rows")
    if counts.size and (counts.min() < 0 or (counts.sum(axis=1) == 0).any()):
        raise ValueError("counts must be at least 0, and each resample must hold a row")
    with truth_first(metric, y_true, y_pred, options):
        score = _scorer(metric, y_true, y_pred, options)
    return _apply(score, counts)


def units(metric: Metric, y_true: Any) -> int:
    """Return the number of units that a resample draws: rows, images or structures."""
    if metric.kind == "structure":
        from ._targets import as_list

        return len(as_list(y_true))
    if metric.kind in ("mask", "instance_mask"):
        from ._inputs import as_images

        return len(as_images(y_true))
    return len(y_true)


def draw_counts(rng: np.random.Generator, n_resamples: int, n_rows: int) -> Floats:
    """Draw how often each row occurs in each of `n_resamples` bootstrap resamples.

    Returns
    -------
    (n_resamples, n_rows) array of float
        Whole numbers; each row sums to `n_rows`.
    """
    counts = np.empty((n_resamples, n_rows))
    drawn = rng.integers(0, n_rows, size=(n_resamples, n_rows), dtype=np.int32)
    # Row by row, what bincount writes to stays in the cache.
    for row, chosen in zip(counts, drawn, strict=True):
        row[:] = np.bincount(chosen, minlength=n_rows)
    return counts


def bootstrap(
    metric: Metric,
    y_true: Any,
    y_pred: Any,
    n_resamples: int,
    seed: int,
    options: Arguments,
) -> Floats:
    """Score bootstrap resamples; see :meth:`Metric.bootstrap`."""
    if n_resamples < 1:
        raise ValueError("n_resamples must be at least 1")
    with truth_first(metric, y_true, y_pred, options):
        score = _scorer(metric, y_true, y_pred, options)
    n_rows = units(metric, y_true)
    scores = np.empty(n_resamples)
    with np.errstate(all="ignore"):
        for part, counts in _resamples(seed, n_resamples, n_rows):
            scores[part] = score(counts)
    scores[~np.isfinite(scores)] = np.nan
    return scores


def _resamples(seed: int, n_resamples: int, n_rows: int) -> Iterator[tuple[slice, Floats]]:
    """Yield the counts of a seed's resamples, chunk by chunk, each until the next is asked for.

    They are not for writing.

    All submissions to a task are scored on the same resamples, so they are drawn once for many
    where that takes bounded memory.
    """
    parts = _chunks(n_resamples, n_rows)
    if n_resamples * n_rows > KEPT_BYTES:
        rng = np.random.default_rng(seed)
        for part in parts:
            yield part, draw_counts(rng, part.stop - part.start, n_rows)
        return
    kept = _kept_counts(seed, n_resamples, n_rows)
    for part in parts:
        if kept.dtype == np.float64:
            yield part, kept[part]
            continue
        counts = _working_array(part.stop - part.start, n_rows)
        counts[:] = kept[part]
        yield part, counts


_working = threading.local()


def _working_array(n_resamples: int, n_rows: int) -> Floats:
    """Return an array to write to, of each thread the same memory: new memory costs its pages."""
    size = n_resamples * n_rows
    if size > CHUNK_ELEMENTS:
        return np.empty((n_resamples, n_rows))
    if not hasattr(_working, "array"):
        _working.array = np.empty(CHUNK_ELEMENTS)
    array: Floats = _working.array[:size].reshape(n_resamples, n_rows)
    return array


_kept: dict[tuple[int, int, int], NDArray[Any]] = {}
_drawing = threading.Lock()


def _kept_counts(seed: int, n_resamples: int, n_rows: int) -> NDArray[Any]:
    """Return the counts of all resamples, drawn once as long as there is room for them."""
    key = (seed, n_resamples, n_rows)
    with _drawing:
        counts = _kept.pop(key, None)
        if counts is None:
            counts = _drawn_counts(*key)
        _kept[key] = counts  # now the most recently used ones
        while len(_kept) > 1 and sum(held.nbytes for held in _kept.values()) > KEPT_BYTES:
            del _kept[next(iter(_kept))]
    return counts


def _drawn_counts(seed: int, n_resamples: int, n_rows: int) -> NDArray[Any]:
    """Draw the counts of all resamples, as numbers where those are few, else as bytes.

    How often a row is drawn is nearly Poisson with mean 1: a count beyond a byte has a
    probability of 1e-507.
    """
    few = n_resamples * n_rows * np.dtype(np.float64).itemsize <= KEPT_AS_NUMBERS
    counts = np.empty((n_resamples, n_rows), np.float64 if few else np.uint8)
    rng = np.random.default_rng(seed)
    for part in _chunks(n_resamples, n_rows):
        counts[part] = draw_counts(rng, part.stop - part.start, n_rows)
    counts.flags.writeable = False
    return counts
