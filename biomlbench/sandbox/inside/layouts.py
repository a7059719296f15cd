"""How an array lies in memory, apart from its values: told, and made again after transport.

Fortran order travels in an array's own header. The rest are the traits below.
"""

from __future__ import annotations

# Spelt out because nothing here may import what a case does not need; checkers know the name.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

__all__ = ["TRAITS", "arrange", "traits_of"]

TRAITS = ("strided", "reversed", "swapped", "readonly")
"""Not contiguous; the same backwards in memory; of the byte order that the machine does not have;
not to be written to."""


def traits_of(array: NDArray[Any]) -> list[str]:
    """Return the traits that an array has, in the order of :data:`TRAITS`."""
    contiguous = array.flags.c_contiguous or array.flags.f_contiguous
    backwards = not contiguous and any(stride < 0 for stride in array.strides)
    strided = not contiguous and not backwards
    has = (strided, backwards, not array.dtype.isnative, not array.flags.writeable)
    return [trait for trait, there in zip(TRAITS, has, strict=True) if there]


def arrange(array: NDArray[Any], traits: list[str]) -> NDArray[Any]:
    """Return equal numbers that lie in memory as the traits say.

    Parameters
    ----------
    array : numpy.ndarray
        Contiguous, native and writable; it may be taken over.
    traits : list of str
        Some of :data:`TRAITS`.

    Returns
    -------
    numpy.ndarray
    """
    import numpy as np

    if "swapped" in traits:
        array = array.astype(array.dtype.newbyteorder("S"))
    if "strided" in traits and array.ndim:
        apart = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), dtype=array.dtype)
        apart[..., ::2] = array
        array = apart[..., ::2]
    if "reversed" in traits and array.ndim:
        array = array[..., ::-1].copy(order="C")[..., ::-1]
    if "readonly" in traits:
        array.setflags(write=False)
    return array
