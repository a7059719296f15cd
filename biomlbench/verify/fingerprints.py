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
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from biomlbench.metrics._order import midranks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

__all__ = [
    "DIRECTIONS",
    "Similarity",
    "fingerprint",
    "is_fingerprint",
    "near_duplicates",
    "similarity",
]

DIRECTIONS = 64
#: Values as fine as this share of the rows are not the same by chance.
FINE = 0.5
# Between the parts; no letter of base64.
_JOINT = ","
# Runs that are compared with all others at once, and by how much single precision may be off.
_BLOCK = 256
_ROUGHLY = 1e-4
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


def similarity(first: str, second: str) -> Similarity:
    """Estimate from their fingerprints how much two sets of predictions are alike.

    Parameters
    ----------
    first, second : str

    Returns
    -------
    Similarity
    """
    pairs = zip(_parts([first]), _parts([second]), strict=True)
    return Similarity(*(float(np.clip(a[0] @ b[0], -1.0, 1.0)) for a, b in pairs))


def is_fingerprint(text: str) -> bool:
    """Tell whether a text is a fingerprint, so that it can be compared with others."""
    return any(_vector(part) is not None for part in text.split(_JOINT)[:2])


def near_duplicates(
    fingerprints: Sequence[str], groups: Sequence[str], threshold: Similarity
) -> Iterator[tuple[int, list[int]]]:
    """Find near-duplicates between different groups of runs.

    Parameters
    ----------
    fingerprints : sequence of str, length n
        One a run; an empty one is like no other.
    groups : sequence of str, length n
        Runs of one group, an agent's for instance, may be alike.
    threshold : Similarity
        From which on two runs are near-duplicates; either suffices.

    Yields
    ------
    int, list of int
        Position of a run that has near-duplicates, and theirs, both in ascending order.

    Examples
    --------
    >>> one = fingerprint(["a", "b", "c"], [1.0, 2.0, 4.0])
    >>> dict(near_duplicates([one, one, one], ["x", "x", "y"], Similarity(0.9995, 0.8)))
    {0: [2], 1: [2], 2: [0, 1]}
    """
    parts = _parts(fingerprints)
    # All are compared with all, which takes most of the time, so roughly: what comes near to the
    # threshold is looked at again.
    rough = [part.astype(np.float32) for part in parts]
    names = np.unique(np.asarray(groups), return_inverse=True)[1]
    for start in range(0, len(names), _BLOCK):
        block = slice(start, start + _BLOCK)
        near = np.zeros((len(names[block]), len(names)), bool)
        for matrix, least in zip(rough, threshold, strict=True):
            near |= matrix[block] @ matrix.T >= least - _ROUGHLY
        for row in np.flatnonzero(near.any(axis=1)).tolist():
            place = start + row
            others = np.flatnonzero(near[row] & (names != names[place]))
            alike = np.zeros(len(others), bool)
            for matrix, least in zip(parts, threshold, strict=True):
                alike |= matrix[others] @ matrix[place] >= least
            if alike.any():
                yield place, others[alike].tolist()


def _parts(fingerprints: Iterable[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return both parts of fingerprints as matrices, a row a run; zeros where there is none."""
    fingerprints = list(fingerprints)
    parts = np.zeros((2, len(fingerprints), DIRECTIONS))
    for row, text in enumerate(fingerprints):
        for place, part in enumerate(text.split(_JOINT)[:2]):
            vector = _vector(part)
            if vector is not None:
                parts[place, row] = vector
    lengths = np.linalg.norm(parts, axis=2, keepdims=True)
    parts = np.divide(parts, lengths, out=np.zeros_like(parts), where=lengths > 0)
    return parts[0], parts[1]


def _vector(text: str) -> np.ndarray | None:
    """Return a part as it was written; None for what is no fingerprint."""
    try:
        vector = np.frombuffer(base64.b64decode(text, validate=True), "<f4")
    except ValueError:
        return None
    return vector if vector.shape == (DIRECTIONS,) and np.isfinite(vector).all() else None
