"""Arguments that lie in one memory: views of one array, as callers pass halves, rows or a reverse.

Code that asks whether arrays may share memory, in order to take them for one and the same, is right
on separate arrays only.
"""

from __future__ import annotations

from itertools import permutations, product
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from biomlbench.contracts.mappings import Arguments
    from biomlbench.verify.declarations import ArgumentSpec

__all__ = ["WINDOWS", "can_share", "in_one_memory", "mirrored", "overlapping", "window_of"]

WINDOWS = {"later": (1, 1), "every-other": (0, 2)}
"""Where windows of a longer array begin beside the one that is its first rows, and their step."""


def in_one_memory(args: Iterable[Any], kwargs: Arguments) -> tuple[tuple[Any, ...], Arguments]:
    """Return an equal call whose arrays of one dtype overlap in memory.

    An array that equals another one becomes the same object, one that equals it backwards or
    transposed a view of it, and one that goes on as it does from its second row on, or begins with
    every other row of it, a window of the same longer array. All others become columns of one
    table, entry by entry beside each other.

    Parameters
    ----------
    args : iterable
    kwargs : dict

    Returns
    -------
    args : tuple
    kwargs : dict
    """
    values: dict[int | str, Any] = dict([*enumerate(args), *kwargs.items()])
    groups: dict[str, list[int | str]] = {}
    for place, value in values.items():
        if _fits(value):
            groups.setdefault(value.dtype.str, []).append(place)
    for places in groups.values():
        if len(places) > 1:
            laid = _in_one_table([values[place] for place in places])
            values |= {place: laid[_key(values[place])] for place in places}
    named = {key: values.pop(key) for key in kwargs}
    return tuple(values.values()), named


def _fits(value: Any) -> bool:
    plain = isinstance(value, np.ndarray) and value.dtype.kind in "biufc"
    return bool(plain and value.dtype.isnative and value.ndim and value.size)


def _key(array: np.ndarray) -> tuple[Any, ...]:
    return array.shape, array.tobytes()


def _in_one_table(arrays: list[np.ndarray]) -> dict[tuple[Any, ...], np.ndarray]:
    """Return by key the views that take the place of arrays, and those of the arrays backwards."""
    kept: dict[tuple[Any, ...], np.ndarray] = {}
    windows: dict[tuple[Any, ...], tuple[str, np.ndarray]] = {}
    for array in arrays:
        if any(_key(view) in kept for view in _views(array)):
            continue
        for (key, one), way in product(kept.items(), WINDOWS):
            if key not in windows and _is_window(one, array, way):
                windows[key] = way, array
                break
        else:
            kept[_key(array)] = array
    # a window reaches less than one array beyond
    most = 2 * max(array.size for array in kept.values())
    table = np.zeros((most, len(kept)), arrays[0].dtype)
    laid: dict[tuple[Any, ...], np.ndarray] = {}
    for column, (key, array) in enumerate(kept.items()):
        row = array[0].size
        rows = table[: most // row * row, column].reshape(-1, *array.shape[1:])
        view = rows[: len(array)]
        view[...] = array
        laid |= {_key(turned): turned for turned in _views(view)}
        laid[key] = view
        if key in windows:
            way, other = windows[key]
            start, step = WINDOWS[way]
            window = rows[start::step][: len(other)]
            window[...] = other
            laid[_key(other)] = window
    return laid


def _is_window(one: np.ndarray, other: np.ndarray, way: str) -> bool:
    """Whether one array and another can be windows of one that is longer."""
    if one.shape != other.shape or one.dtype != other.dtype or len(one) < 2:
        return False
    start, step = WINDOWS[way]
    seen = one[start::step]
    return seen.tobytes() == other[: len(seen)].tobytes()


def _views(array: np.ndarray) -> list[np.ndarray]:
    """Return an array as it is, backwards, and a matrix transposed."""
    return [array, array[::-1], *([array.T] if array.ndim == 2 else [])]


def mirrored(values: Iterable[Any]) -> set[str]:
    """Return how arrays among arguments are others turned, and not others as they are.

    Returns
    -------
    set of str
        ``backwards``, ``transposed``, and the windows of :data:`WINDOWS`; several or none.
    """
    arrays = [value for value in values if _fits(value)]
    keys = {(array.dtype, *_key(array)) for array in arrays}
    found = {
        way
        for array in arrays
        for way, view in zip(("backwards", "transposed"), _views(array)[1:], strict=False)
        if _key(view) != _key(array) and (array.dtype, *_key(view)) in keys
    }
    return found | {
        way
        for way, (one, other) in product(WINDOWS, permutations(arrays, 2))
        if _is_window(one, other, way) and _key(one) != _key(other)
    }


def window_of(array: np.ndarray, way: str) -> np.ndarray:
    """Return an array of the same rows that can be a window of a longer one that begins with it.

    Parameters
    ----------
    array : ndarray
    way : str
        Of :data:`WINDOWS`.
    """
    start, step = WINDOWS[way]
    first = np.arange(start, len(array), step)
    rest = np.setdiff1d(np.arange(len(array)), first)
    return np.asarray(array[[*first, *rest]])


def overlapping(values: Mapping[Any, Any]) -> dict[Any, list[Any]]:
    """Return the places or names of arguments that lie in one memory with another one.

    Parameters
    ----------
    values : mapping

    Returns
    -------
    dict of list
        The places of those that have the same shape and other entries: most like being the same.
    """
    arrays = {name: value for name, value in values.items() if isinstance(value, np.ndarray)}
    found: dict[Any, list[Any]] = {}
    for name, array in arrays.items():
        beside = [
            place
            for place, other in arrays.items()
            if place != name and np.may_share_memory(array, other)
        ]
        if beside:
            found[name] = [
                place
                for place in beside
                if array.shape == arrays[place].shape and _key(array) != _key(arrays[place])
            ]
    return found


def can_share(arguments: Mapping[str, ArgumentSpec]) -> set[tuple[str, str]]:
    """Return the arguments and dtypes of an entry point that another argument may have as well."""
    typed = [
        (name, dtype)
        for name, spec in arguments.items()
        if spec.get("shape") != []
        for dtype in spec.get("array", ())
    ]
    return {
        (name, dtype)
        for name, dtype in typed
        if any(dtype == of_other and name != other for other, of_other in typed)
    }
