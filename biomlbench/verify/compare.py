"""Comparison of transported values, element by element, with the place of the worst one.

Values are numbers, strings, None, arrays, and lists, tuples and dicts of them. A value that
a candidate returned is hostile: nothing here calls its methods, for it has been decoded into
these types before it gets here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from biomlbench.verify.cases import MARGIN_FLOOR
from biomlbench.verify.written import describe

__all__ = ["Difference", "Tolerance", "difference", "kind_of"]


@dataclass(frozen=True)
class Tolerance:
    """Allowed deviation of an element from the expected value ``e``.

    The limit is ``atol + rtol * |e| + scale_rtol * max|e| + ulp * spacing(e)``, where the
    maximum runs over the finite elements of the array that the element is in.
    """

    atol: float = 0.0
    rtol: float = 0.0
    scale_rtol: float = 0.0
    ulp: float = 0.0

    def limits(self, expected: np.ndarray) -> np.ndarray:
        """Return the limit of every element of `expected`, in the shape of it."""
        size = np.abs(np.where(np.isfinite(expected), expected, 0.0))
        limit = self.atol + self.rtol * size
        if self.scale_rtol and size.size:
            limit = limit + self.scale_rtol * size.max()
        if self.ulp:
            limit = limit + self.ulp * np.spacing(size)
        return limit


EXACT = Tolerance()


@dataclass(frozen=True)
class Difference:
    """The worst disagreement between two values.

    Parameters
    ----------
    kind : str
        ``none``; ``structure`` (type, length, keys, shape, dtype); or ``value``.
    place : str
        Where it is, as an index expression; empty for the value itself.
    margin : float
        1 - deviation / limit of the worst element; 1 where all are equal.
    detail : str
        For a difference in structure, what differs. Names no value.
    """

    kind: str
    place: str = ""
    margin: float = 1.0
    detail: str = ""


_ARRAY_KINDS = {"b": "bool", "U": "text", "S": "bytes", "O": "other", "m": "time", "M": "time"}
_SCALARS = {
    type(None): "none",
    bool: "bool",
    np.bool_: "bool",
    int: "number",
    float: "number",
    complex: "number",
    np.float64: "number",
    np.int64: "number",
    str: "text",
    bytes: "bytes",
}
"""Kinds of the types that most values have, without asking for each what it is an instance of."""
_NUMERIC = {"number", "bool"}


def kind_of(value: Any) -> str:
    """Return the canonical kind of a value.

    One of bool, number, time, text, bytes, none, list, dict, set or other.
    """
    if (known := _SCALARS.get(type(value))) is not None:
        return known
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return "time"
    if isinstance(value, (int, float, complex, np.number)):
        return "number"
    if isinstance(value, (str, np.str_)):
        return "text"
    if isinstance(value, bytes):
        return "bytes"
    if isinstance(value, np.ndarray):
        return _ARRAY_KINDS.get(value.dtype.kind, "number")
    if isinstance(value, (list, tuple)):
        return "list"
    if isinstance(value, dict):
        return "dict"
    if isinstance(value, (set, frozenset)):
        return "set"
    return "other"


def _as_array(value: Any) -> np.ndarray | None:
    """Return an array of a list or array whose elements are all of one scalar kind."""
    if isinstance(value, np.ndarray):
        return value
    if not isinstance(value, (list, tuple)) or (kinds := _numeric_kinds(value)) is None:
        return None
    try:
        array = np.array(value)
    except (ValueError, TypeError, OverflowError):
        return None
    if array.dtype.kind not in "biufc":
        return None
    if array.dtype.kind != "b" and "bool" in kinds:
        return None
    return array


def _numeric_kinds(value: list[Any] | tuple[Any, ...]) -> set[str] | None:
    """Return the kinds of scalars in a list and the lists below it; None unless all are numeric.

    To be asked before NumPy is: it makes every element as long as the longest text.
    """
    found: set[str] = set()
    others = set(map(type, value))
    for known in others & _SCALARS.keys():
        found.add(_SCALARS[known])
    if not found <= _NUMERIC:
        return None
    others -= _SCALARS.keys()
    for item in value if others else ():
        if type(item) not in others:
            continue
        below = _numeric_kinds(item) if isinstance(item, (list, tuple)) else {kind_of(item)}
        if below is None or not below <= _NUMERIC:
            return None
        found |= below
    return found


def difference(
    got: Any,
    expected: Any,
    tolerance: Tolerance = EXACT,
    *,
    dtype: bool = False,
    types: bool = False,
    unordered: bool = False,
) -> Difference:
    """Find the worst disagreement of `got` with `expected`.

    NaN equals NaN, NaT equals NaT and infinity equals infinity of the same sign. A list of numbers
    equals an array of the same shape, and a tuple equals a list, unless `types` is set. Truth
    values and numbers are never equal.

    Parameters
    ----------
    got, expected
        Decoded values.
    tolerance : Tolerance
        Applied to every number.
    dtype : bool
        Arrays must agree in dtype, numbers in being integer or float.
    types : bool
        Containers must be of the same type.
    unordered : bool
        The order of the outermost list does not matter; repeated items count.

    Returns
    -------
    Difference

    Examples
    --------
    >>> difference([1.0, 2.5], [1.0, 2.0], Tolerance(atol=1.0)).margin
    0.5
    >>> difference([2, 1], [1, 2], unordered=True).kind
    'none'
    >>> difference(True, 1).kind
    'structure'
    """
    # what is no list has no order
    look = _unordered if unordered and _is_list(expected) else _walk
    with np.errstate(all="ignore"):
        try:
            return look(got, expected, tolerance, dtype, types, "")
        except Exception:
            # Values that NumPy cannot compare differ, unless the expected one is at fault.
            look(expected, expected, tolerance, dtype, types, "")
            return Difference("structure", "", MARGIN_FLOOR, "the two cannot be compared")


def _walk(
    got: Any, expected: Any, tolerance: Tolerance, dtype: bool, types: bool, place: str
) -> Difference:
    want_array, got_array = _as_array(expected), _as_array(got)
    if types and (_container(got) != _container(expected)):
        return _structure(got, expected, place)
    if want_array is not None and got_array is not None:
        return _arrays(got_array, want_array, tolerance, dtype, place)
    kind = kind_of(expected)
    if isinstance(expected, np.ndarray) or isinstance(got, np.ndarray):
        # 0-d arrays and scalars are the same thing unless types are declared
        if _has_no_axes(expected) and _has_no_axes(got) and not types:
            return _walk(_item(got), _item(expected), tolerance, dtype, types, place)
        return _structure(got, expected, place)
    if kind_of(got) != kind or kind == "other":
        return _structure(got, expected, place)
    if kind in ("number", "time"):
        return _arrays(np.asarray(got), np.asarray(expected), tolerance, dtype, place)
    if kind in ("list", "dict"):
        return _containers(got, expected, tolerance, dtype, types, place)
    if got == expected and (kind != "set" or _same_members(got, expected, dtype, types)):
        return Difference("none")
    return Difference("value", place, MARGIN_FLOOR)


def _same_members(got: Any, expected: Any, dtype: bool, types: bool) -> bool:
    """Tell whether equal sets, or keys, are also of the same kinds: as a key True is 1."""
    own = {item: item for item in got}
    pairs = ((own[item], item) for item in expected)
    return all(
        _walk(a, b, EXACT, dtype, types, "").kind == "none"
        for a, b in pairs
        if type(a) is not type(b) or isinstance(b, (tuple, frozenset))
    )


def _has_no_axes(value: Any) -> bool:
    return not isinstance(value, (list, tuple, dict)) and getattr(value, "ndim", 0) == 0


def _item(value: Any) -> Any:
    return value.item() if isinstance(value, np.ndarray) else value


def _container(value: Any) -> str:
    if isinstance(value, (np.ndarray, list, tuple, dict)):
        return type(value).__name__
    return "scalar"


def _structure(got: Any, expected: Any, place: str) -> Difference:
    detail = f"expected {describe(expected)}, got {describe(got)}"
    return Difference("structure", place, MARGIN_FLOOR, detail)


def _containers(
    got: Any, expected: Any, tolerance: Tolerance, dtype: bool, types: bool, place: str
) -> Difference:
    if len(got) != len(expected):
        return _structure(got, expected, place)
    if isinstance(expected, dict):
        if got.keys() != expected.keys() or not _same_members(got, expected, dtype, types):
            return Difference("structure", place, MARGIN_FLOOR, "the keys differ")
        pairs = [(f"{place}[{key!r}]", got[key], expected[key]) for key in expected]
    else:
        pairs = [
            (f"{place}[{i}]", a, b) for i, (a, b) in enumerate(zip(got, expected, strict=True))
        ]
    worst = Difference("none")
    for where, a, b in pairs:
        found = _walk(a, b, tolerance, dtype, types, where)
        if found.kind == "structure":
            return found
        if found.margin < worst.margin or (found.kind != "none" and worst.kind == "none"):
            worst = found
    return worst


def _arrays(
    got: np.ndarray, expected: np.ndarray, tolerance: Tolerance, dtype: bool, place: str
) -> Difference:
    if got.shape != expected.shape:
        return _structure(got, expected, place)
    if kind_of(got) != kind_of(expected):
        # an empty list has no element to tell its kind
        if got.size == 0 and not dtype:
            return Difference("none")
        return _structure(got, expected, place)
    if dtype and _dtype_of(got) != _dtype_of(expected):
        return _structure(got, expected, place)
    if got.size == 0:
        return Difference("none")
    if got.dtype.kind not in "iufc" or expected.dtype.kind not in "iufc":
        unequal = np.atleast_1d(got != expected)
        if got.dtype.kind == expected.dtype.kind and got.dtype.kind in "mM":
            # a time that is not one is unequal to itself, as NaN is
            unequal &= ~(np.isnat(got) & np.isnat(expected))
        if not unequal.any():
            return Difference("none")
        return Difference("value", place + _index(unequal, got.ndim), MARGIN_FLOOR)
    return _numbers(np.atleast_1d(got), np.atleast_1d(expected), tolerance, place, got.ndim)


def _dtype_of(array: np.ndarray) -> Any:
    return array.dtype.kind if array.ndim == 0 else array.dtype


def _numbers(
    got: np.ndarray, expected: np.ndarray, tolerance: Tolerance, place: str, ndim: int
) -> Difference:
    equal = (got == expected) | (np.isnan(got) & np.isnan(expected))
    if equal.all():
        return Difference("none")
    if got.dtype.kind in "iu" and expected.dtype.kind in "iu":
        # whole numbers beyond 2**53 must not be rounded before they are subtracted
        deviation = np.abs(got.astype(object) - expected.astype(object)).astype(float)
    else:
        deviation = np.abs(got - expected)
    both_finite = np.isfinite(got) & np.isfinite(expected)
    deviation = np.where(equal, 0.0, np.where(both_finite, deviation, np.inf))
    limit = tolerance.limits(np.asarray(expected, dtype=_float_type(expected)))
    ratio = np.where(
        deviation == 0,
        0.0,
        np.divide(deviation, limit, where=limit > 0, out=np.full(deviation.shape, np.inf)),
    )
    worst = int(np.argmax(ratio))
    margin = max(1 - float(ratio.flat[worst]), MARGIN_FLOOR)
    where = place + _index_of(worst, got.shape, ndim)
    return Difference("none" if margin >= 0 else "value", where, margin)


def _float_type(array: np.ndarray) -> Any:
    return array.dtype if array.dtype.kind in "fc" else float


def _index(mask: np.ndarray, ndim: int) -> str:
    return _index_of(int(np.argmax(mask)), mask.shape, ndim)


def _index_of(flat: int, shape: tuple[int, ...], ndim: int) -> str:
    if ndim == 0:
        return ""
    return "[" + ", ".join(str(int(i)) for i in np.unravel_index(flat, shape)) + "]"


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple, np.ndarray)) and not _has_no_axes(value)


def _unordered(
    got: Any, expected: Any, tolerance: Tolerance, dtype: bool, types: bool, place: str
) -> Difference:
    if not _is_list(got) or len(got) != len(expected):
        return _structure(got, expected, place)
    if types and type(got) is not type(expected):
        return _structure(got, expected, place)
    left = list(got)
    worst = Difference("none")
    for index, item in enumerate(expected):
        found = [_walk(other, item, tolerance, dtype, types, "") for other in left]
        best = max(range(len(found)), key=lambda i: (found[i].kind == "none", found[i].margin))
        if found[best].kind != "none":
            return Difference("value", f"[{index}]", found[best].margin, "an item has no partner")
        if found[best].margin < worst.margin:
            worst = found[best]
        del left[best]
    return worst
