"""Orders, ties and weighted pair counts behind the rank metrics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Ties",
    "ascending",
    "constant_rows",
    "inversions",
    "merge_levels",
    "midranks",
    "pairs_within",
]

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

#: Variance of a resample below this share of the whole's is examined for being exactly zero.
_SUSPICIOUS_VARIANCE = 1e-9
#: Fewer values are sorted as fast at once.
_STEPS_FROM = 4000
#: Mean number of values in a step beyond which sorting by steps first saves nothing.
_MOST_IN_A_STEP = 16


@dataclass(frozen=True)
class Ties:
    """Rows sorted by value, with equal values grouped.

    Attributes
    ----------
    order : (n,) array of int
        Rows in ascending order of value; equal values in any order.
    starts : (G,) array of int
        Where each group of equal values begins in that order.
    group : (n,) array of int
        Group of each row, in the original order: a dense rank from 0.
    """

    order: Indices
    starts: Indices
    group: Indices

    @classmethod
    def of(cls, values: NDArray[Any], *, stable: bool = False) -> Ties:
        """Sort and group `values`, which holds no NaN.

        With `stable`, equal values keep their order, which may take several times longer.
        """
        order = ascending(values, stable=stable)
        ordered = values[order]
        is_start = np.empty(len(values), dtype=bool)
        is_start[:1] = True
        np.not_equal(ordered[1:], ordered[:-1], out=is_start[1:])
        group = np.empty(len(values), dtype=np.intp)
        group[order] = np.cumsum(is_start) - 1
        return cls(order, np.flatnonzero(is_start), group)

    @property
    def any(self) -> bool:
        """Whether any two values are equal."""
        return len(self.starts) < len(self.order)

    def sums(self, ordered: Floats) -> Floats:
        """Sum weights (b, n), already in sorted order, over each group: (b, G)."""
        return np.add.reduceat(ordered, self.starts, axis=1) if self.any else ordered


def ascending(values: NDArray[Any], *, stable: bool = False) -> Indices:
    """Return the places of `values`, which hold no NaN, in ascending order of the value.

    Numbers that are spread out are first sorted by which of 65,536 equal steps they fall into,
    which takes a fraction of the time of sorting them by value; what is left to do is little.

    Parameters
    ----------
    values : (n,) array
    stable : bool
        Whether equal values keep their order; with no promise it may be faster.

    Returns
    -------
    (n,) array of int
    """
    steps = _steps(values)
    if steps is not None:
        order = np.argsort(steps, kind="stable")
        ordered = steps[order]
        if np.count_nonzero(ordered[1:] != ordered[:-1]) >= len(values) / _MOST_IN_A_STEP:
            return order[np.argsort(values[order], kind="stable")]
    return np.argsort(values, kind="stable" if stable else None)


def _steps(values: NDArray[Any]) -> NDArray[np.uint16] | None:
    """Return a 16-bit number for each value that never falls where the value rises, or None."""
    if len(values) < _STEPS_FROM or values.dtype != np.float64:
        return None
    low = values.min()
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        scale = np.float64(np.iinfo(np.uint16).max) / (values.max() - low)
    if not 0 < scale < np.inf:
        return None
    steps: NDArray[np.uint16] = ((values - low) * scale).astype(np.uint16)
    return steps


def midranks(values: NDArray[Any]) -> Floats:
    """Return ranks from 1, equal values sharing their mean rank.

    Examples
    --------
    >>> midranks(np.array([10.0, 30.0, 10.0, 20.0])).tolist()
    [1.5, 4.0, 1.5, 3.0]
    """
    ties = Ties.of(values)
    sizes = np.diff(ties.starts, append=len(values))
    return (ties.starts + (sizes + 1) / 2.0)[ties.group]


def constant_rows(counts: Floats, group: Indices, variance: Floats, total: float) -> NDArray[Any]:
    """Find the resamples in which all values drawn are equal.

    Parameters
    ----------
    counts : (b, n) array
        Resamples.
    group : (n,) array of int
        Dense rank of the values.
    variance : (b,) array
        Variance of each resample from moments, which rounding keeps from being exactly 0.
    total : float
        Variance of all values.

    Returns
    -------
    (b,) array of bool
    """
    constant = np.zeros(len(counts), dtype=bool)
    for i in np.flatnonzero(~(variance > _SUSPICIOUS_VARIANCE * total)):
        drawn = group[counts[i] > 0]
        constant[i] = drawn.min() == drawn.max()
    return constant


class MergeLevel(NamedTuple):
    """One level of the merge tree over which :func:`inversions` counts.

    Attributes
    ----------
    order : (n,) array of int
        Positions sorted by block and then rank, left halves first among equals.
    is_right : (n,) array of float
        1 where a position, in that order, is in its block's right half, else 0.
    left : (m,) array of int
        Where in that order the positions of left halves are.
    block_start : (m,) array of int
        Where in that order the block of each of them begins.
    """

    order: Indices
    is_right: Floats
    left: Indices
    block_start: Indices


def merge_levels(rank: Indices) -> list[MergeLevel]:
    """Prepare the counting of inversions of `rank`, (n,) dense ranks."""
    n = len(rank)
    order = np.arange(n)
    levels = []
    size = 2
    while size < 2 * n:
        # Sorted halves lie side by side already, and a stable sort of runs is a merge.
        key = (order // size) * (n + 1) + rank[order]
        order = order[np.argsort(key, kind="stable")]
        is_right = (order % size) >= size // 2
        left = np.flatnonzero(~is_right)
        levels.append(
            MergeLevel(order, is_right.astype(np.float64), left, (order[left] // size) * size)
        )
        size *= 2
    return levels


def inversions(levels: list[MergeLevel], left: Floats, right: Floats) -> Floats:
    """Sum left[i] * right[j] over the pairs i < j with rank[j] < rank[i].

    Parameters
    ----------
    levels
        From :func:`merge_levels`.
    left, right : (b, n) array
        Weights by position.

    Returns
    -------
    (b,) array

    Notes
    -----
    Knight's merge-sort count with weights: O(n log n) for each row of weights, and exact as
    long as the sums stay below 2^53.

    References
    ----------
    Knight WR. A computer method for calculating Kendall's tau with ungrouped data.
    J. Am. Stat. Assoc. 61 (1966) 436-439.
    """
    total = np.zeros(len(left))
    before = np.zeros((len(left), left.shape[1] + 1))
    for level in levels:
        weights = np.take(right, level.order, axis=1)
        weights *= level.is_right
        np.cumsum(weights, axis=1, out=before[:, 1:])
        smaller = np.take(before, level.left, axis=1)
        smaller -= np.take(before, level.block_start, axis=1)
        smaller *= np.take(left, level.order[level.left], axis=1)
        total += smaller.sum(axis=1)
    return total


def pairs_within(group_sums: Floats) -> Floats:
    """Return the number of pairs of rows with equal values, from the size of each group."""
    result: Floats = (group_sums * (group_sums - 1.0)).sum(axis=1) / 2.0
    return result
