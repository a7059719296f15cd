"""Plain data to bytes; see :mod:`codec` for the layout."""

from __future__ import annotations

import array
import json
import math
import sys

from . import layout, shared_memory
from .arrays import CodecError, array_to_bytes
from .layouts import strides_of, traits_of

# Spelt out because nothing here may import what a case does not need; checkers know the name.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from numpy.typing import NDArray

    from biomlbench.contracts.mappings import JsonObject

__all__ = ["encode"]

PACK_FROM = 16
"""Lists of this many equal-typed numbers travel as one array."""

_SAFE_INT = 1 << 53
_PLAIN = (str, int, float, bool, bytes, type(None))
_COLLECTION_DICTS = {
    ("collections", "OrderedDict"),
    ("collections", "defaultdict"),
    ("collections", "Counter"),
}


class _Blobs(list[bytes]):
    """The arrays of a message, and whether it says how each lies in memory.

    Of arrays that lie in another one's memory, `owners` has that one by its id, and the number of
    its blob once it has one.
    """

    def __init__(self, layouts: bool) -> None:
        self.layouts = layouts
        self.owners: dict[int, Any] = {}
        self.numbers: dict[int, int] = {}

    def in_one_memory(self, array: NDArray[Any]) -> JsonObject:
        """Return the node of an array in another one's memory; of any other an empty one."""
        owner = self.owners.get(id(shared_memory.owner(array)))
        if owner is None:
            return {}
        if id(owner) not in self.numbers:
            self.numbers[id(owner)] = _blob(array_to_bytes(owner), self)
        return {"w": [self.numbers[id(owner)], *shared_memory.place_of(array, owner)]}


def encode(value: object, *, layouts: bool = False, shared: bool = False) -> bytes:
    """Turn plain data into bytes.

    Parameters
    ----------
    value : object
        None, bool, int, float, complex, str, bytes, list, tuple, dict, set, frozenset, NumPy
        arrays and scalars, pandas DataFrame and Series, nested at most 64 deep.
    layouts : bool
        Whether arrays keep how they lie in memory: what is read-only, not contiguous or of the
        other byte order arrives so. Meant for arguments; a result is values only.
    shared : bool
        Whether arrays among positional and keyword arguments, ``(args, kwargs)``, that overlap in
        memory do so where they arrive. Only with `layouts`.

    Returns
    -------
    bytes

    Raises
    ------
    CodecError
        If a value is of any other type (subclasses included) or too large.
    """
    blobs = _Blobs(layouts)
    if shared:
        blobs.owners = shared_memory.owners_of(value)
    try:
        manifest = json.dumps(
            _to_node(value, blobs, 0), allow_nan=False, separators=(",", ":"), check_circular=False
        ).encode("utf-8")
    except UnicodeEncodeError as error:
        raise CodecError("a string holds a lone surrogate") from error
    if len(manifest) > layout.MAX_MANIFEST:
        raise CodecError(
            f"the structure takes {len(manifest)} bytes, at most {layout.MAX_MANIFEST}"
        )
    if len(blobs) > layout.MAX_BLOBS:
        raise CodecError(f"the value holds {len(blobs)} arrays, at most {layout.MAX_BLOBS}")
    parts = [layout.HEAD.pack(layout.MAGIC, len(manifest), len(blobs)), manifest]
    for blob in blobs:
        parts += [layout.LENGTH.pack(len(blob)), blob]
    return b"".join(parts)


def _in_order(item: Any) -> tuple[str, str]:
    return type(item).__name__, repr(item) if type(item) in _PLAIN else ""


def _blob(value: bytes, blobs: _Blobs) -> int:
    blobs.append(value)
    return len(blobs) - 1


def _to_node(value: Any, blobs: _Blobs, depth: int) -> Any:
    kind = type(value)
    if value is None or kind is bool:
        return value
    if kind is str:
        value.encode("utf-8")
        return value
    if kind is int:
        return value if -_SAFE_INT <= value <= _SAFE_INT else {"i": _hex(value)}
    if kind is float:
        return value if math.isfinite(value) else {"f": repr(value)}
    if depth >= layout.MAX_DEPTH:
        raise CodecError(f"the value is nested more than {layout.MAX_DEPTH} deep")
    if kind is list:
        return _list_to_node(value, blobs, depth)
    if kind is tuple or (issubclass(kind, tuple) and hasattr(kind, "_fields")):
        return {"t": [_to_node(item, blobs, depth + 1) for item in tuple.__iter__(value)]}
    if kind is dict or (kind.__module__, kind.__qualname__) in _COLLECTION_DICTS:
        return {
            "d": [
                [_to_node(key, blobs, depth + 1), _to_node(item, blobs, depth + 1)]
                for key, item in dict.items(value)
            ]
        }
    if kind is complex:
        parts = (value.real, value.imag)
        return {"c": [_to_node(part, blobs, depth + 1) for part in parts]}
    if kind is bytes:
        return {"b": _blob(value, blobs)}
    if kind is set or kind is frozenset:
        # equal sets are to give equal bytes, whatever the hash seed
        items = [_to_node(item, blobs, depth + 1) for item in sorted(value, key=_in_order)]
        return {"s" if kind is set else "z": items}
    return _library_to_node(value, kind, blobs, depth)


def _hex(value: int) -> str:
    text = f"{value:x}"
    if len(text) > layout.MAX_INTEGER_HEX:
        raise CodecError(f"an integer of {4 * len(text)} bits is too large")
    return text


def _list_to_node(value: list[Any], blobs: _Blobs, depth: int) -> Any:
    kinds = set(map(type, value)) if len(value) >= PACK_FROM else ()
    if kinds == {float}:
        return {"l": ["d", _blob(_packed("d", value), blobs)]}
    if kinds == {int} and all(-(1 << 63) <= item < 1 << 63 for item in value):
        return {"l": ["q", _blob(_packed("q", value), blobs)]}
    return [_to_node(item, blobs, depth + 1) for item in value]


def _packed(code: Any, value: list[Any]) -> bytes:
    row = array.array(code, value)
    if sys.byteorder != "little":
        row.byteswap()
    return row.tobytes()


def _library_to_node(value: Any, kind: type, blobs: _Blobs, depth: int) -> Any:
    module = kind.__module__.partition(".")[0]
    if module == "numpy":
        import numpy as np

        if kind is np.ndarray:
            return _array_to_node(value, blobs, depth, np)
        if issubclass(kind, np.generic):
            node = _array_to_node(np.asarray(value), blobs, depth, np)
            return {"n": node}
    if module == "pandas":
        from . import tables

        return tables.to_node(value, kind, blobs, depth, _to_node)
    raise CodecError(
        f"a {kind.__module__}.{kind.__qualname__} is not plain data; return numbers, strings, "
        "lists, tuples, dicts, NumPy arrays or pandas tables"
    )


def _array_to_node(value: Any, blobs: _Blobs, depth: int, np: ModuleType) -> JsonObject:
    if value.dtype.kind == "O":
        items = [_to_node(item, blobs, depth + 1) for item in value.ravel().tolist()]
        return {"o": [list(value.shape), items]}
    if value.dtype.kind in "mM":
        unit = np.datetime_data(value.dtype)
        raw = np.ascontiguousarray(value).reshape(value.shape).view("i8")
        return {"m": [value.dtype.kind, unit[0], unit[1], _blob(array_to_bytes(raw), blobs)]}
    if node := blobs.in_one_memory(value):
        return node
    index = _blob(array_to_bytes(value), blobs)
    traits, strides = (traits_of(value), strides_of(value)) if blobs.layouts else ([], [])
    return {"v": [traits, strides, index]} if traits or strides else {"a": index}
