"""Bytes from anywhere to plain data; see :mod:`codec` for the layout."""

from __future__ import annotations

import array
import json
import math
import re
import sys

from . import layout, shared_memory
from .arrays import CodecError, array_from_bytes
from .layouts import TRAITS, arrange

# Spelt out because nothing here may import what a case does not need; checkers know the name.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from numpy.typing import NDArray

__all__ = ["decode", "weigh"]


def decode(data: bytes | bytearray | memoryview, *, layouts: bool = False) -> Any:
    """Turn bytes back into plain data.

    Parameters
    ----------
    data : bytes
        What :func:`encode` made, or anything at all.
    layouts : bool
        Whether arrays may say how they lie in memory, as arguments may and results may not.

    Returns
    -------
    object
        Built-in types, base-class NumPy arrays and scalars, pandas tables.

    Raises
    ------
    CodecError
        If the bytes are anything but one well-formed message.
    """
    return _read(data, layouts)[0]


def weigh(data: bytes | bytearray | memoryview) -> int:
    """Decode bytes and return about how many bytes of memory they take as plain data.

    Parameters
    ----------
    data : bytes
        Anything at all.

    Returns
    -------
    int
        The bytes themselves included.

    Raises
    ------
    CodecError
        As :func:`decode`.
    """
    return len(data) + _read(data)[1]


def _read(data: bytes | bytearray | memoryview, layouts: bool = False) -> tuple[Any, int]:
    """Return the value and about how much memory it takes beyond the arrays' own bytes."""
    data = bytes(data)
    if len(data) < layout.HEAD.size:
        raise CodecError("the message is shorter than its header")
    magic, manifest_length, count = layout.HEAD.unpack_from(data)
    if magic != layout.MAGIC:
        raise CodecError("the message does not begin with the codec's mark")
    if manifest_length > min(layout.MAX_MANIFEST, len(data) - layout.HEAD.size):
        raise CodecError("the manifest is longer than allowed or than the message")
    position = layout.HEAD.size + manifest_length
    if count > min(layout.MAX_BLOBS, (len(data) - position) // layout.LENGTH.size):
        raise CodecError("more arrays are announced than the message can hold")
    blobs = []
    for _ in range(count):
        if len(data) - position < layout.LENGTH.size:
            raise CodecError("the message ends inside an array's length")
        (length,) = layout.LENGTH.unpack_from(data, position)
        position += layout.LENGTH.size
        if length > len(data) - position:
            raise CodecError("the message ends inside an array")
        blobs.append(memoryview(data)[position : position + length])
        position += length
    if position != len(data):
        raise CodecError(f"{len(data) - position} bytes follow the end of the message")
    decoder = _Decoder(blobs, layouts)
    value = decoder.run(data[layout.HEAD.size : layout.HEAD.size + manifest_length])
    return value, decoder.weight + _NODE_BYTES * decoder.nodes


_NODE_BYTES = 64
"""An object of the interpreter and the place that holds it."""
_CHARACTER_BYTES = 4
_MAX_WORDS = 200
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


def _check_depth(manifest: bytes) -> None:
    """Refuse deep nesting before a recursive parser sees it."""
    brackets = _STRING.sub(b"", manifest).translate(None, _NOT_BRACKETS)
    # A container may take three brackets of manifest: {"d":[[key, ...
    for _ in range(3 * layout.MAX_DEPTH + 3):
        if not brackets:
            return
        brackets = brackets.replace(b"[]", b"").replace(b"{}", b"")
    if brackets:
        raise CodecError("the manifest is nested too deep, or its brackets do not match")


def _refuse_constant(text: str) -> None:
    raise CodecError(f"{text} is not allowed in the manifest")


def _named(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error)[:_MAX_WORDS]}"


def _one_key(pairs: list[tuple[str, Any]]) -> _Tagged:
    if len(pairs) != 1:
        raise CodecError("an object of the manifest must have exactly one key")
    return _Tagged(*pairs[0])


def _bounded_int(text: str) -> int:
    if len(text) > 20:
        raise CodecError("an integer of the manifest is too long")
    return int(text)


class _Tagged:
    __slots__ = ("body", "tag")

    def __init__(self, tag: str, body: Any) -> None:
        self.tag = tag
        self.body = body


class _Decoder:
    def __init__(self, blobs: list[memoryview], layouts: bool) -> None:
        self.blobs = blobs
        self.used = bytearray(len(blobs))
        self.nodes = 0
        self.compound_keys = 0
        self.weight = 0
        self.layouts = layouts
        self.owners: dict[int, NDArray[Any]] = {}
        self.views: dict[str, NDArray[Any]] = {}

    def run(self, manifest: bytes) -> Any:
        self.weight += _CHARACTER_BYTES * len(manifest)
        _check_depth(manifest)
        try:
            tree = json.loads(
                manifest.decode("utf-8"),
                object_pairs_hook=_one_key,
                parse_constant=_refuse_constant,
                parse_int=_bounded_int,
            )
        except CodecError:
            raise
        except Exception as error:
            raise CodecError(f"the manifest is not JSON: {_named(error)}") from error
        try:
            value = self.value(tree)
        except CodecError:
            raise
        except Exception as error:
            # Whoever chose the bytes has chosen what the libraries make of them.
            raise CodecError(f"the manifest is inconsistent: {_named(error)}") from error
        if not all(self.used):
            raise CodecError("an array is not referred to by the manifest")
        return value

    def take(self, index: int) -> memoryview:
        """Return a blob; each may be referred to once, so nothing can be multiplied."""
        if type(index) is not int or not 0 <= index < len(self.blobs):
            raise CodecError("the manifest refers to an array that is not there")
        if self.used[index]:
            raise CodecError("the manifest refers twice to one array")
        self.used[index] = 1
        return self.blobs[index]

    def array(self, index: int) -> NDArray[Any]:
        return array_from_bytes(self.take(index))

    def key(self, node: Any) -> Any:
        """Return a key of a dict or an item of a set, with a cap on costly collisions."""
        if type(node) is list or type(node) is _Tagged:
            self.compound_keys += 1
            if self.compound_keys > layout.MAX_COMPOUND_KEYS:
                raise CodecError(f"more than {layout.MAX_COMPOUND_KEYS} keys are not simple")
        return self.value(node)

    def keys(self, nodes: Any) -> list[Any]:
        if type(nodes) is not list:
            raise CodecError("a set needs a list")
        return [self.key(node) for node in nodes]

    def values(self, nodes: Any) -> list[Any]:
        if type(nodes) is not list:
            raise CodecError("a list was expected in the manifest")
        return [self.value(node) for node in nodes]

    def value(self, node: Any) -> Any:
        self.nodes += 1
        if self.nodes > layout.MAX_NODES:
            raise CodecError(f"the message holds more than {layout.MAX_NODES} values")
        kind = type(node)
        if kind is list:
            return [self.value(item) for item in node]
        if kind is str:
            node.encode("utf-8")
            return node
        if kind is float and not math.isfinite(node):
            raise CodecError("a float of the manifest overflows")
        if kind is not _Tagged:
            return node
        reader = _READERS.get(node.tag)
        if reader is None:
            raise CodecError("the manifest holds an unknown tag")
        return reader(self, node.body)


def _read_float(_: _Decoder, body: Any) -> float:
    if body not in ("nan", "inf", "-inf"):
        raise CodecError("a tagged float must be nan, inf or -inf")
    return float(body)


def _read_integer(_: _Decoder, body: Any) -> int:
    if type(body) is not str or not re.fullmatch(r"-?[0-9a-f]{1,20000}", body):
        raise CodecError("a large integer is not hexadecimal")
    return int(body, 16)


def _read_complex(decoder: _Decoder, body: Any) -> complex:
    parts = decoder.values(body)
    if len(parts) != 2 or any(type(part) is not float for part in parts):
        raise CodecError("a complex number needs two floats")
    return complex(*parts)


def _read_dict(decoder: _Decoder, body: Any) -> dict[Any, Any]:
    if type(body) is not list:
        raise CodecError("a dict needs a list of pairs")
    result = {}
    for pair in body:
        if type(pair) is not list or len(pair) != 2:
            raise CodecError("a dict needs pairs of key and value")
        key = decoder.key(pair[0])
        if key in result:
            raise CodecError("a dict holds one key twice")
        result[key] = decoder.value(pair[1])
    return result


def _read_packed(decoder: _Decoder, body: Any) -> list[Any]:
    code, index = body
    data = decoder.take(index)
    if code not in ("d", "q") or len(data) % 8:
        raise CodecError("a packed list must be a row of 8-byte numbers")
    decoder.weight += len(data) // 8 * _NODE_BYTES
    row = array.array(code, bytes(data))
    if sys.byteorder != "little":
        row.byteswap()
    return row.tolist()


def _read_scalar(decoder: _Decoder, body: Any) -> Any:
    if type(body) is not _Tagged or body.tag not in ("a", "m"):
        raise CodecError("a NumPy scalar needs an array")
    array = decoder.value(body)
    if array.ndim:
        raise CodecError("a NumPy scalar needs an array without dimensions")
    return array[()]


_UNITS = ("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as", "generic")


def _read_time(decoder: _Decoder, body: Any) -> NDArray[Any]:
    kind, unit, count, index = body
    if kind not in ("m", "M") or unit not in _UNITS:
        raise CodecError("an unknown unit of time")
    if type(count) is not int or not 1 <= count < 1 << 31:
        raise CodecError("an impossible multiple of a unit of time")
    array = decoder.array(index)
    if array.dtype.str != "<i8":
        raise CodecError("times must be stored as i8")
    return array.view(f"<{kind}8" if unit == "generic" else f"<{kind}8[{count}{unit}]")


def _read_objects(decoder: _Decoder, body: Any) -> NDArray[Any]:
    import numpy as np

    shape, nodes = body
    items = decoder.values(nodes)
    if type(shape) is not list or len(shape) > 32:
        raise CodecError("an object array has an impossible shape")
    if any(type(n) is not int or not 0 <= n <= 10**6 for n in shape):
        raise CodecError("an object array has an impossible shape")
    if math.prod(shape) != len(items):
        raise CodecError("an object array's shape does not match its items")
    array = np.empty(len(items), dtype=object)
    for position, item in enumerate(items):
        array[position] = item
    return array.reshape(shape)


def _read_arranged(decoder: _Decoder, body: Any) -> NDArray[Any]:
    if not decoder.layouts:
        raise CodecError("the manifest holds an unknown tag")
    traits, strides, index = body
    if type(traits) is not list or any(trait not in TRAITS for trait in traits):
        raise CodecError("an array lies in memory in an unknown way")
    return arrange(decoder.array(index), traits, strides)


def _read_shared(decoder: _Decoder, body: Any) -> NDArray[Any]:
    if not decoder.layouts:
        raise CodecError("the manifest holds an unknown tag")
    index, *place = body
    if index not in decoder.owners:
        decoder.owners[index] = decoder.array(index)
    # what was one object is one again: code may ask by `is`
    key = repr(body)
    if key not in decoder.views:
        decoder.views[key] = shared_memory.view_of(decoder.owners[index], place)
    return decoder.views[key]


def _read_table(decoder: _Decoder, body: Any) -> Any:
    from . import tables

    return tables.from_node(body, decoder.value)


_READERS: dict[str, Callable[[_Decoder, Any], Any]] = {
    "a": _Decoder.array,
    "b": lambda decoder, body: bytes(decoder.take(body)),
    "c": _read_complex,
    "d": _read_dict,
    "f": _read_float,
    "i": _read_integer,
    "l": _read_packed,
    "m": _read_time,
    "n": _read_scalar,
    "o": _read_objects,
    "p": _read_table,
    "s": lambda decoder, body: set(decoder.keys(body)),
    "t": lambda decoder, body: tuple(decoder.values(body)),
    "v": _read_arranged,
    "w": _read_shared,
    "z": lambda decoder, body: frozenset(decoder.keys(body)),
}
