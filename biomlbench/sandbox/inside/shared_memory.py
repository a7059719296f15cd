"""Arrays that lie in one memory: where each lies in it, and made again after transport."""

from __future__ import annotations

# Spelt out because nothing here may import what a case does not need; checkers know the name.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

__all__ = ["owner", "owners_of", "place_of", "view_of"]


def owner(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array in whose memory one lies; itself if it has its own."""
    base: Any = array
    while type(base.base).__name__ == "ndarray":
        base = base.base
    found: NDArray[Any] = base
    return found


def owners_of(call: Any) -> dict[int, NDArray[Any]]:
    """Return by id what more than one array of a call lies in, if they overlap.

    Parameters
    ----------
    call : tuple
        Positional and keyword arguments.
    """
    args, kwargs = call
    values = (*args, *kwargs.values())
    arrays = [value for value in values if type(value).__name__ == "ndarray" and _is_plain(value)]
    found: dict[int, NDArray[Any]] = {}
    for place, array in enumerate(arrays):
        base = owner(array)
        for other in arrays[:place]:
            alike = other.dtype == array.dtype == base.dtype
            if owner(other) is base and alike and _overlap(array, other):
                found[id(base)] = base
    return found


def _is_plain(array: NDArray[Any]) -> bool:
    return array.dtype.kind in "biufc" and bool(array.dtype.isnative) and array.size > 0


def _overlap(array: NDArray[Any], other: NDArray[Any]) -> bool:
    import numpy as np

    return bool(np.may_share_memory(array, other))


def place_of(array: NDArray[Any], base: NDArray[Any]) -> list[Any]:
    """Return offset and strides in bytes, the shape, and whether it may be written to."""
    start = array.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    return [start, list(array.shape), list(array.strides), bool(array.flags.writeable)]


def view_of(base: NDArray[Any], place: list[Any]) -> NDArray[Any]:
    """Return the array of :func:`place_of`; NumPy refuses what lies outside of the base."""
    import numpy as np

    start, shape, strides, writeable = place
    flat = base.ravel(order="K")
    view: NDArray[Any] = np.ndarray(shape, base.dtype, flat, start, strides)
    view.setflags(write=writeable)
    return view
