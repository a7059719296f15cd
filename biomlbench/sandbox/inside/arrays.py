"""One NumPy array to bare ``.npy`` bytes and back, header first.

NumPy's own reader evaluates the header as a Python literal and knows object arrays; this one
matches the header against one pattern and accepts numbers, booleans and strings only.
"""

from __future__ import annotations

import math
import re
import struct

# Spelt out because nothing here may import what a case does not need; checkers know the name.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

__all__ = ["CodecError", "array_from_bytes", "array_to_bytes"]


class CodecError(ValueError):
    """A value cannot be transported, or the bytes are not a well-formed message."""


NPY_MAGIC = b"\x93NUMPY\x01\x00"
MAX_DIMS = 32
MAX_HEADER = 1024
MAX_EMPTY_DIM = 1_000_000
"""Longest axis of an array without elements: a sum over the empty axis must stay small."""

_DTYPE = re.compile(r"[<|](?:[?]|[biufcSU][0-9]{1,9})")
_HEADER = re.compile(
    r"\{'descr': '([<|][?biufcSU][0-9]{0,9})', 'fortran_order': (False|True), "
    r"'shape': \(((?:[0-9]{1,18},(?: [0-9]{1,18},)*)?|[0-9]{1,18}(?:, [0-9]{1,18})+)\), \} *\n"
)
_SIZES = {"b": (1,), "i": (1, 2, 4, 8), "u": (1, 2, 4, 8), "f": (2, 4, 8, 16), "c": (8, 16, 32)}


def array_to_bytes(array: NDArray[Any]) -> bytes:
    """Turn one array into ``.npy`` bytes.

    Parameters
    ----------
    array : numpy.ndarray
        Of dtype kind ``b i u f c S U``.

    Returns
    -------
    bytes

    Raises
    ------
    CodecError
        If the dtype is structured, of objects, of times, or otherwise not plain.
    """
    import numpy as np

    dtype = array.dtype
    if dtype.kind not in "biufcSU" or dtype.hasobject or dtype.names or dtype.subdtype:
        raise CodecError(f"an array of dtype {dtype} is not plain data")
    if array.ndim > MAX_DIMS:
        raise CodecError(f"an array has {array.ndim} dimensions, at most {MAX_DIMS}")
    if dtype.itemsize == 0:
        dtype = np.dtype(dtype.kind + "1")
    dtype = dtype.newbyteorder("<")
    if not array.size and max(array.shape) > MAX_EMPTY_DIM:
        raise CodecError(f"an empty array has an axis of more than {MAX_EMPTY_DIM}")
    fortran = array.flags.f_contiguous and not array.flags.c_contiguous
    body = array.astype(dtype, copy=False).tobytes(order="F" if fortran else "C")
    shape = "".join(f"{n}, " for n in array.shape)
    shape = shape[:-1] if array.ndim == 1 else shape[:-2]
    header = f"{{'descr': '{dtype.str}', 'fortran_order': {fortran}, 'shape': ({shape}), }}"
    padding = -(len(NPY_MAGIC) + 2 + len(header) + 1) % 64
    header += " " * padding + "\n"
    return NPY_MAGIC + struct.pack("<H", len(header)) + header.encode("ascii") + body


def array_from_bytes(data: bytes | memoryview) -> NDArray[Any]:
    """Read one array; nothing is allocated before the header has been checked.

    Parameters
    ----------
    data : bytes-like

    Returns
    -------
    numpy.ndarray
        A fresh, writable array of the base class that owns its memory, as most arrays do.

    Raises
    ------
    CodecError
        If the bytes are anything but one plain array.
    """
    import numpy as np

    start = len(NPY_MAGIC) + 2
    if len(data) < start or bytes(data[: len(NPY_MAGIC)]) != NPY_MAGIC:
        raise CodecError("an array does not begin as .npy version 1")
    (length,) = struct.unpack_from("<H", data, len(NPY_MAGIC))
    if length > MAX_HEADER or start + length > len(data):
        raise CodecError("an array's header is longer than allowed")
    found = _HEADER.fullmatch(bytes(data[start : start + length]).decode("latin-1"))
    if found is None or not _DTYPE.fullmatch(found[1]):
        raise CodecError("an array's header is not that of a plain array")
    descr, order, dims = found[1], found[2], found[3]
    itemsize = _itemsize(descr)
    shape = tuple(int(n) for n in re.findall("[0-9]+", dims))
    body = data[start + length :]
    if len(shape) > MAX_DIMS or math.prod(shape) * itemsize != len(body):
        raise CodecError("an array's shape does not match the bytes that follow")
    if 0 in shape and max(shape) > MAX_EMPTY_DIM:
        raise CodecError(f"an empty array has an axis of more than {MAX_EMPTY_DIM}")
    try:
        flat = np.frombuffer(body, dtype=np.dtype(descr))
    except (TypeError, ValueError) as error:
        raise CodecError(f"an array cannot be read: {error}") from error
    _check_elements(flat)
    array = np.empty(shape, flat.dtype, order="F" if order == "True" else "C")
    array.reshape(-1, order="A")[:] = flat
    return array


def _itemsize(descr: str) -> int:
    kind, digits = descr[1], descr[2:]
    if kind == "?":
        return 1
    count = int(digits)
    if kind in "SU":
        if not 0 < count <= 1 << 28:
            raise CodecError("an array's strings are of impossible length")
        return count * (4 if kind == "U" else 1)
    if count not in _SIZES[kind]:
        raise CodecError(f"an array's dtype {descr!r} does not exist")
    return count


def _check_elements(flat: NDArray[Any]) -> None:
    """Refuse bit patterns that NumPy itself would never have made."""
    if flat.dtype.kind == "b" and flat.size and int(flat.view("u1").max()) > 1:
        raise CodecError("a boolean is neither 0 nor 1")
    if flat.dtype.kind == "U" and flat.size:
        codes = flat.view("<u4")
        if int(codes.max()) > 0x10FFFF or bool(((codes & 0xFFFFF800) == 0xD800).any()):
            raise CodecError("a string holds what is not a character")
