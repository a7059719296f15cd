"""Which of many vectors of length 1 have another one near, without comparing whole vectors.

All n vectors of a task's runs are compared with all others, n² / 2 times, so what a comparison
takes decides. Most are ruled out by a few numbers each. With a vector cut in two, ``x = (a, b)``,
the Cauchy-Schwarz inequality bounds the cosine of two by ``a · a' + |b| |b'|``: the product of the
shorter vectors ``(a, |b|)``. The cut is made along the principal axes, so that what tells vectors
apart comes first. Nor is anything compared that lies further apart along the first axis than two
near vectors can.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ROUGHLY", "with_close_ones"]

ROUGHLY = 1e-4
"""By how much a cosine in single precision may be off."""
# Vectors that are compared with many others at once: the cosines of a block fill at most 4 MB, and
# stay in the processor's cache.
_BLOCK, _MOST = 256, 4096
# Vectors by which the length of the shorter ones is chosen, and the lengths to choose from.
_SAMPLED = 512
_LENGTHS = (8, 16, 24, 32, 40, 48)
# What a comparison takes beside its products, and what one takes that its bound does not rule out,
# in the time of one product (20 ps on one core).
_BESIDE, _NOT_RULED_OUT = 40, 8_000
# One in so many comparisons from which on whole blocks are compared anew.
_FEW = 64


def with_close_ones(vectors: NDArray[np.float64], least: float) -> NDArray[np.bool_]:
    """Tell which vectors have another one whose cosine with them is at least so large.

    Parameters
    ----------
    vectors : (n, k) array
        Of length 1 each, or of zeros: those are close to none.
    least : float
        Larger than 0.

    Returns
    -------
    (n,) array of bool
        True for every vector that has one, and for some whose nearest is below `least` by no more
        than the rounding of single precision.

    Notes
    -----
    It takes time in proportion to n² and memory in proportion to n: 4 MB and four copies of the
    vectors.

    Examples
    --------
    >>> with_close_ones(np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8], [0.0, 0.0]]), 0.8).tolist()
    [False, True, True, False]
    """
    found = np.zeros(len(vectors), bool)
    there = np.flatnonzero(vectors.any(axis=1))
    if len(there) < 2:
        return found
    turned = vectors[there] @ _principal_axes(vectors[there])
    # No two vectors of length 1 and such a cosine are further apart, in any direction.
    reach = np.sqrt(max(2 - 2 * (least - ROUGHLY), 0.0))
    order = np.argsort(turned[:, 0])
    there, turned = there[order], turned[order]
    whole = turned.astype(np.float32)
    bounds = _shortened(turned, _best_length(turned, least))
    first = turned[:, 0]
    for start in range(0, len(there), _BLOCK):
        block = slice(start, start + _BLOCK)
        end = int(np.searchsorted(first, first[block][-1] + reach, side="right"))
        for left in range(start, end, _MOST):
            others = slice(left, min(left + _MOST, end))
            bound = bounds[block] @ bounds[others].T
            if left == start:  # each vector with itself
                np.fill_diagonal(bound, -1.0)
            rows, columns = _close(whole[block], whole[others], bound, least - ROUGHLY)
            found[there[block][rows]] = True
            found[there[others][columns]] = True
    return found


def _close(
    one: NDArray[np.float32], other: NDArray[np.float32], bound: NDArray[np.float32], least: float
) -> tuple[NDArray[np.intp], ...]:
    """Return the places of close vectors of two blocks, by the bounds of their cosines."""
    open_ones = bound >= least
    if np.count_nonzero(open_ones) > open_ones.size // _FEW:
        return np.nonzero(open_ones & (one @ other.T >= least))
    # Faster than `nonzero` of a matrix.
    rows, columns = np.divmod(np.flatnonzero(open_ones), len(other))
    close = np.einsum("ij,ij->i", one[rows], other[columns]) >= least
    return rows[close], columns[close]


def _principal_axes(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the directions in which vectors differ, as columns, the widest first."""
    centred = vectors - vectors.mean(axis=0)
    axes: NDArray[np.float64] = np.linalg.eigh(centred.T @ centred)[1][:, ::-1]
    return axes


def _shortened(turned: NDArray[np.float64], length: int) -> NDArray[np.float32]:
    """Return vectors of that length, whose products are no smaller than those of the whole ones."""
    if length >= turned.shape[1]:
        return turned.astype(np.float32)
    rest = np.linalg.norm(turned[:, length - 1 :], axis=1)
    return np.column_stack([turned[:, : length - 1], rest]).astype(np.float32)


def _best_length(turned: NDArray[np.float64], least: float) -> int:
    """Return the length of shorter vectors by which comparing takes the least time."""
    full = int(turned.shape[1])
    sample = turned[:: -(-len(turned) // _SAMPLED)]
    costs = {full: float(full + _BESIDE)}
    for length in _LENGTHS:
        if length < full:
            short = _shortened(sample, length)
            bound = short @ short.T
            left = np.count_nonzero(bound >= least - ROUGHLY) - len(sample)
            share = left / max(len(sample) * (len(sample) - 1), 1)
            costs[length] = length + _BESIDE + _NOT_RULED_OUT * share
    return min(costs, key=lambda length: costs[length])
