"""All numbers of a result, however deep they are in dicts and lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["every_number"]

_WORD = 63
"""Bits of the largest whole number that an array of integers holds."""
_LARGEST = int(np.finfo(float).max)


def every_number(value: Any, others: bool = False) -> np.ndarray:
    """Return all numbers of a decoded result in one line, truth values among them.

    Parameters
    ----------
    value : object
        A number, an array of them, or dicts, lists, tuples and sets of them.
    others : bool
        Whether texts, None and what else is no number may be among them; they are left out.

    Returns
    -------
    numpy.ndarray
        Of floats, or of complex numbers where one is among them.

    Raises
    ------
    TypeError
        If there is something that is no number, and may not be there.

    Examples
    --------
    >>> every_number({"scores": [1, [2.5]], "best": True})
    array([1. , 2.5, 1. ])
    """
    parts = [np.ravel(part) for part in _parts(value, others)]
    found = np.concatenate(parts) if parts else np.zeros(0)
    return found if found.dtype.kind == "c" else found.astype(float)


def _parts(value: Any, others: bool) -> Iterator[np.ndarray]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _parts(item, others)
        return
    if isinstance(value, int) and value.bit_length() > _WORD:
        value = float(max(min(value, _LARGEST), -_LARGEST))
    array = _array(value)
    if array is not None:
        yield array
    elif isinstance(value, (list, tuple, set, frozenset)):
        for item in value:
            yield from _parts(item, others)
    elif not others:
        raise TypeError("there is something that is no number")


def _array(value: Any) -> np.ndarray | None:
    """Return a number, or numbers that are as many along each axis, as an array."""
    try:
        array = np.asarray(value)
    except ValueError:  # a ragged list
        return None
    return array if array.dtype.kind in "biufc" else None
