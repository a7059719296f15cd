"""How an array lies in memory, apart from its values: told, and made again after transport.

Fortran order travels in an array's own header, and the strides of a view beside it. The rest are
the traits below.
"""

from __future__ import annotations

import math

# Spelt out because nothing here may import what a case does not need; checkers know the name.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

__all__ = ["TRAITS", "arrange", "strides_of", "traits_of", "viewed"]

TRAITS = ("swapped", "readonly")
"""Of the byte order that the machine does not have; not to be written to."""
MOST_APART = 16
"""A view reaches over so many times its own elements at most; a wider one is laid closer."""


def traits_of(array: NDArray[Any]) -> list[str]:
    """Return the traits that an array has, in the order of :data:`TRAITS`."""
    has = (not array.dtype.isnative, not array.flags.writeable)
    return [trait for trait, there in zip(TRAITS, has, strict=True) if there]


def strides_of(array: NDArray[Any]) -> list[int]:
    """Return the strides of a view that is not contiguous, in elements; none of another array.

    Those of one that reaches far, or whose strides are no whole elements, are other ones.
    """
    if array.flags.c_contiguous or array.flags.f_contiguous:
        return []
    strides = [stride // array.itemsize for stride in array.strides]
    whole = all(stride % array.itemsize == 0 for stride in array.strides)
    if whole and _reach(array.shape, strides) <= MOST_APART * array.size:
        return strides
    return [2 * math.prod(array.shape[axis + 1 :]) for axis in range(array.ndim)]


def viewed(array: NDArray[Any], strides: Sequence[int]) -> NDArray[Any]:
    """Return equal numbers as a view that has these strides, in elements.

    Parameters
    ----------
    array : numpy.ndarray
    strides : sequence of int
        Under which no two elements that differ have one place.

    Returns
    -------
    numpy.ndarray
    """
    import numpy as np

    if not array.size:
        return array
    flat = np.zeros(_reach(array.shape, strides), array.dtype)
    first = sum(-step * (n - 1) for n, step in zip(array.shape, strides, strict=True) if step < 0)
    offset, *steps = (step * array.itemsize for step in (first, *strides))
    view: NDArray[Any] = np.ndarray(array.shape, array.dtype, flat, offset, steps)
    view[...] = array
    return view


def _reach(shape: Sequence[int], strides: Sequence[int]) -> int:
    """Return from how many elements of memory a view takes its own."""
    return 1 + sum(abs(step) * (n - 1) for n, step in zip(shape, strides, strict=True))


def arrange(array: NDArray[Any], traits: Sequence[str], strides: Sequence[int]) -> NDArray[Any]:
    """Return equal numbers that lie in memory as the traits and the strides say.

    Parameters
    ----------
    array : numpy.ndarray
        Contiguous, native and writable; it may be taken over.
    traits : sequence of str
        Some of :data:`TRAITS`.
    strides : sequence of int
        Of :func:`strides_of`.

    Returns
    -------
    numpy.ndarray
    """
    if "swapped" in traits:
        array = array.astype(array.dtype.newbyteorder("S"))
    if strides:
        array = viewed(array, strides)
    if "readonly" in traits:
        array.setflags(write=False)
    return array
