"""Compact fingerprints of predictions, by which near-duplicates among runs are found.

A fingerprint has up to two parts, each a random projection on 64 directions that depend on the
ids alone:

- of the ranks of the predictions. The cosine of two of them estimates the rank correlation, so
  that predictions are found again after any rescaling that keeps their order; its error shrinks
  as the correlation nears 1 (standard deviation (1 - r²) / 8), which is where near-duplicates are;
- of the values themselves, row by row. The cosine estimates the share of rows with the same value,
  so that a copy is found though some rows were changed, however far. Only where values are so
  fine that two models do not give the same by chance.
"""

from __future__ import annotations

import base64
import hashlib
from binascii import a2b_base64
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from biomlbench.metrics._order import midranks
from biomlbench.verify.close_vectors import ROUGHLY, with_close_ones

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

__all__ = [
    "DIRECTIONS",
    "Prints",
    "Similarity",
    "fingerprint",
    "near_duplicates",
    "parse",
    "similarity",
]

DIRECTIONS = 64
#: Values as fine as this share of the rows are not the same by chance.
FINE = 0.5
# Between the parts; no letter of base64.
_JOINT = ","
# Runs that are compared with all others at once.
_BLOCK = 256
# Constants of the generator SplitMix64 (Steele, Lea and Flood 2014, OOPSLA, section 5).
_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX = ((30, np.uint64(0xBF58476D1CE4E5B9)), (27, np.uint64(0x94D049BB133111EB)))


class Similarity(NamedTuple):
    """How much two sets of predictions are alike.

    Attributes
    ----------
    correlation : float
        Estimated rank correlation; for text the share of rows that agree. In [-1, 1]; 0 where one
        of the fingerprints has no such part.
    agreement : float
        Estimated share of rows with the same value; likewise.
    """

    correlation: float
    agreement: float


def fingerprint(ids: Any, predictions: Any) -> str:
    """Return the fingerprint of predictions, whatever the order of the rows.

    Parameters
    ----------
    ids : sequence
        One id a row.
    predictions : sequence
        One number or text a row, or (n, k) numbers.

    Returns
    -------
    str
        Empty where the predictions are constant, and have nothing to compare.

    Examples
    --------
    >>> one = fingerprint(["a", "b", "c"], [1.0, 2.0, 4.0])
    >>> two = fingerprint(["c", "a", "b"], [16.0, 1.0, 4.0])
    >>> round(similarity(one, two).correlation, 6)
    1.0
    """
    known = tuple(map(str, ids))
    keys = _keys(known)
    values = np.asarray(predictions)
    if values.dtype.kind in "biuf":
        columns = values.reshape(len(keys), -1).astype(float).T
        parts = [_projected_ranks(known, columns), _projected_values(keys, columns)]
    else:
        texts = [str(item) for item in np.ravel(np.array(predictions, dtype=object))]
        if len(set(texts)) < 2:
            return ""
        hashes = {text: _hash(text) for text in set(texts)}
        codes = np.array([hashes[text] for text in texts], np.uint64)
        parts = [_sum_of_signs(_mixed(keys ^ codes))]
    written = [_written(part) for part in parts]
    return _JOINT.join(written).rstrip(_JOINT) if written[0] else ""


def _projected_ranks(ids: tuple[str, ...], columns: np.ndarray) -> np.ndarray:
    directions, projected = _directions(ids), np.zeros(DIRECTIONS)
    for k, column in enumerate(columns):
        ranks = midranks(column)
        spread = ranks.std()
        if spread > 0 and not np.isnan(column).any():
            projected += np.roll(directions @ ((ranks - ranks.mean()) / spread), k)
    return projected


def _projected_values(keys: NDArray[np.uint64], columns: np.ndarray) -> np.ndarray:
    projected = np.zeros(DIRECTIONS)
    for k, column in enumerate(columns):
        # In single precision, so that writing and reading a number changes nothing.
        with np.errstate(over="ignore"):  # what is too large is infinite
            coarse = column.astype(np.float32)
        if len(np.unique(coarse)) > FINE * len(coarse):
            bits = coarse.view(np.uint32).astype(np.uint64) + np.uint64(k << 32)
            projected += _sum_of_signs(_mixed(keys ^ _mixed(bits)))
    return projected


def _written(projected: np.ndarray) -> str:
    length = np.linalg.norm(projected)
    if length == 0:
        return ""
    return base64.b64encode((projected / length).astype("<f4").tobytes()).decode("ascii")


# All runs of a task have the same ids.
@lru_cache(maxsize=16)
def _keys(ids: tuple[str, ...]) -> NDArray[np.uint64]:
    return np.array([_hash(item) for item in ids], np.uint64)


def _hash(text: str) -> int:
    data = text.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return numbers whose bits all depend on all bits of those given."""
    mixed = numbers + _STEP
    for shift, factor in _MIX:
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * factor
    result: NDArray[np.uint64] = mixed ^ (mixed >> np.uint64(31))
    return result


def _bits(keys: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Return 64 bits a row."""
    return np.unpackbits(keys.astype("<u8").view(np.uint8).reshape(-1, 8), axis=1)


def _sum_of_signs(keys: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Return the sum over the rows of 64 signs each: + for a bit that is set."""
    result: NDArray[np.float64] = 2.0 * _bits(keys).sum(axis=0, dtype=np.int64) - len(keys)
    return result


# Of few tasks at once, as each takes 512 bytes a row.
@lru_cache(maxsize=2)
def _directions(ids: tuple[str, ...]) -> NDArray[np.float64]:
    """Return the directions that ranks are projected on: 64 signs a row, transposed."""
    return (_bits(_keys(ids)).astype(np.float64) * 2 - 1).T


class Prints(NamedTuple):
    """Fingerprints of n runs as they are compared.

    Attributes
    ----------
    parts : tuple of two (n, 64) arrays
        Of ranks and of values: a row of length 1 a run, of zeros where it has no such part.
    known : (n,) array of bool
        Which texts are fingerprints, so that they can be compared with others.
    """

    parts: tuple[np.ndarray, np.ndarray]
    known: NDArray[np.bool_]


def parse(fingerprints: Iterable[str]) -> Prints:
    """Read fingerprints.

    Parameters
    ----------
    fingerprints : iterable of str, length n
        One a run; empty where it has none. What is no fingerprint is like no other.

    Returns
    -------
    Prints
    """
    count = 0
    places: list[tuple[int, int]] = []
    written: list[bytes] = []
    for row, text in enumerate(fingerprints):
        count += 1
        for part, half in enumerate(text.split(_JOINT)[:2]):
            try:
                data = a2b_base64(half, strict_mode=True)
            except ValueError:
                continue
            if len(data) == 4 * DIRECTIONS:
                places.append((part, row))
                written.append(data)
    vectors = np.frombuffer(b"".join(written), "<f4").reshape(-1, DIRECTIONS).astype(float)
    lengths = np.linalg.norm(vectors, axis=1)
    sound = np.isfinite(lengths)
    part, row = np.array(places, int).reshape(-1, 2)[sound].T
    parts = np.zeros((2, count, DIRECTIONS))
    scale = np.where(lengths > 0, lengths, 1.0)[sound, None]
    parts[part, row] = vectors[sound] / scale
    known = np.zeros(count, bool)
    known[row] = True
    return Prints((parts[0], parts[1]), known)


def similarity(first: str, second: str) -> Similarity:
    """Estimate from their fingerprints how much two sets of predictions are alike.

    Parameters
    ----------
    first, second : str

    Returns
    -------
    Similarity
    """
    parts = parse([first, second]).parts
    return Similarity(*(float(np.clip(part[0] @ part[1], -1.0, 1.0)) for part in parts))


def near_duplicates(
    prints: Prints, groups: Sequence[str], threshold: Similarity, most: int
) -> Iterator[tuple[int, int, list[int]]]:
    """Find near-duplicates between different groups of runs.

    Parameters
    ----------
    prints : Prints
        Of n runs.
    groups : sequence of str, length n
        Runs of one group, an agent's for instance, may be alike.
    threshold : Similarity
        From which on two runs are near-duplicates; either suffices.
    most : int
        How many of a run's near-duplicates to name: of n equal ones all would be n² of them.

    Yields
    ------
    place : int
        Of a run that has near-duplicates, in ascending order.
    count : int
        Of its near-duplicates.
    first : list of int
        The places of the first of them, ascending.

    Examples
    --------
    >>> one = fingerprint(["a", "b", "c"], [1.0, 2.0, 4.0])
    >>> prints = parse([one, one, one])
    >>> list(near_duplicates(prints, ["x", "x", "y"], Similarity(0.9995, 0.8), most=1))
    [(0, 1, [2]), (1, 1, [2]), (2, 2, [0])]
    """
    # Of honest runs few come near to another one; only those few are compared in full.
    some = [
        with_close_ones(part, least) for part, least in zip(prints.parts, threshold, strict=True)
    ]
    close = np.flatnonzero(np.logical_or(*some))
    among = [part[close] for part in prints.parts]
    names = np.unique(np.asarray(groups), return_inverse=True)[1][close]
    for place, count, first in _compared(among, names, threshold, most):
        yield int(close[place]), count, close[first].tolist()


def _compared(
    parts: Sequence[np.ndarray], names: NDArray[np.intp], threshold: Similarity, most: int
) -> Iterator[tuple[int, int, list[int]]]:
    """Find near-duplicates by comparing all with all; as :func:`near_duplicates`."""
    rough = [part.astype(np.float32) for part in parts]
    counts = np.zeros(len(names), np.int64)
    first: dict[int, list[int]] = {}
    for start in range(0, len(names), _BLOCK):
        block, later = slice(start, start + _BLOCK), slice(start, None)
        near = np.zeros((len(names[block]), len(names[later])), bool)
        for exact, matrix, least in zip(parts, rough, threshold, strict=True):
            # All are compared with all, which takes most of the time, so roughly: what comes near
            # to the threshold is looked at again.
            close = matrix[block] @ matrix[later].T
            np.fill_diagonal(close, -1.0)  # each run with itself
            if close.max() < least - ROUGHLY:
                continue
            near |= close >= least + ROUGHLY
            rows, others = np.nonzero(np.abs(close - least) < ROUGHLY)
            again = np.einsum("ij,ij->i", exact[start + rows], exact[start + others])
            near[rows, others] |= again >= least
        if not near.any():
            continue
        near &= names[block, None] != names[None, later]
        # Each two once: of a run those before it come as columns, those after it as its row.
        near = np.triu(near, 1)
        counts[later] += near.sum(axis=0)
        counts[block] += near.sum(axis=1)
        for lines in (near.T, near):
            for place in np.flatnonzero(lines.any(axis=1)).tolist():
                named = first.setdefault(start + place, [])
                if len(named) < most:
                    others = np.flatnonzero(lines[place])[: most - len(named)]
                    named += (start + others).tolist()
    for place in np.flatnonzero(counts).tolist():
        yield place, int(counts[place]), first[place]
