"""The program of the Parquet reader process; run by `submission.parquet`.

Nothing of it is imported but how floating-point numbers are written as text. It knows nothing of
the rest of the package. Each request is a frame of JSON and a frame with the file; each answer a
frame of JSON and the columns' bare buffers. A fork reads and answers each request and then ends, so
that no file meets what an earlier one left behind; this process itself only imports the decoder.
"""

from __future__ import annotations

import base64
import ctypes
import json
import os
import re
import resource
import select
import signal
import struct
import sys

# Spelt out because nothing may be imported here but what reads files; checkers know the name.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, BinaryIO, TypedDict

    class Request(TypedDict):
        """What is asked for: the columns with the kind of each, and what is too much."""

        columns: dict[str, str]
        max_columns: int
        max_rows: int
        max_bytes: int

    class Header(TypedDict, total=False):
        """The columns' rows and types; or the names that there are; or why it is refused."""

        rows: int
        types: list[str]
        names: list[str]
        message: str
        reason: str


_LENGTH = struct.Struct("!Q")
# Beyond what the imports took: the file, what is decoded, and copies of columns.
_COPIES = 4
_SPARE = 64 * 2**20
_PAGE = os.sysconf("SC_PAGE_SIZE")
_CPU_S = 120
# linux/prctl.h
_PR_SET_PDEATHSIG = 1
_AT_END = 3
# What Arrow writes of its own types into a file's footer.
_ARROW_SCHEMA = re.compile(rb"ARROW:schema.{1,8}?([A-Za-z0-9+/]{40,}={0,2})", re.DOTALL)
_NOT_IMPLEMENTED = "Not yet implemented"


class RefusedError(Exception):
    """The file is not what was asked for."""


def _exactly(length: int) -> bytes:
    data = sys.stdin.buffer.read(length)
    if len(data) < length:
        os._exit(_AT_END)
    return data


def _frame() -> bytes:
    (length,) = _LENGTH.unpack(_exactly(_LENGTH.size))
    return _exactly(length)


def _send(out: BinaryIO, header: Header, buffers: Sequence[bytes] = ()) -> None:
    for frame in (json.dumps({**header, "buffers": len(buffers)}).encode(), *buffers):
        out.write(_LENGTH.pack(len(frame)))
        out.write(frame)
    out.flush()


def _read(request: Request, data: bytes) -> tuple[Header, list[bytes]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    wanted = request["columns"]
    schema = _schema(data)
    file = pq.ParquetFile(
        pa.BufferReader(data),
        read_dictionary=[
            field.name
            for field in schema
            if pa.types.is_string(field.type) or pa.types.is_large_string(field.type)
        ],
        thrift_string_size_limit=2**24,
        thrift_container_size_limit=2**20,
    )
    meta = file.metadata
    if meta.num_columns > request["max_columns"]:
        raise RefusedError(f"there are {meta.num_columns} columns", "too_large")
    names = list(schema.names)
    if sorted(names) != sorted(wanted):
        return {"names": names}, []
    if meta.num_rows > request["max_rows"]:
        raise RefusedError(
            f"there are {meta.num_rows} rows; at most {request['max_rows']} are read", "too_large"
        )
    size = sum(
        meta.row_group(group).column(column).total_uncompressed_size
        for group in range(meta.num_row_groups)
        for column in range(meta.num_columns)
    )
    if size > request["max_bytes"] or meta.num_rows * 8 * len(wanted) > request["max_bytes"]:
        raise RefusedError("the decoded columns are too large", "too_large")
    table = file.read(columns=list(wanted), use_threads=False)
    types: list[str] = []
    buffers: list[bytes] = []
    left = request["max_bytes"]
    for name, kind in wanted.items():
        found, parts = _column(table.column(name), name, kind, left)
        types.append(found)
        buffers.extend(parts)
        left -= sum(map(len, parts))
        if left < 0:
            raise RefusedError("the decoded columns are too large", "too_large")
    return {"rows": table.num_rows, "types": types}, buffers


def _schema(data: bytes) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.read_schema(pa.BufferReader(data))
    except (pa.ArrowException, OSError):
        if not _has_extensions(data):
            raise
        raise RefusedError(
            "the Parquet file has columns of a type that is not read, such as an extension type; "
            "write them as numbers or as text, as the sample submission has them",
            "wrong_type",
        ) from None


def _has_extensions(data: bytes) -> bool:
    """Tell whether a file whose schema cannot be read names extension types in it."""
    found = _ARROW_SCHEMA.search(data, data.rfind(b"ARROW:schema"))
    try:
        return found is not None and b"ARROW:extension:name" in base64.b64decode(found[1])
    except ValueError:
        return False


def _column(column: Any, name: str, kind: str, left: int) -> tuple[str, list[bytes]]:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    label = f"`{json.dumps(name[:60])[1:-1]}`"
    if pa.types.is_dictionary(column.type):
        lengths = [
            pc.sum(pc.take(pc.binary_length(chunk.dictionary), chunk.indices)).as_py() or 0
            for chunk in column.chunks
        ]
        if sum(lengths) > left:
            raise RefusedError(f"column {label} is too large when decoded", "too_large")
        column = column.cast(column.type.value_type)
    is_view = getattr(pa.types, "is_string_view", lambda _: False)
    # Arrow's floats of decimals are not always the nearest ones: their text is read instead.
    if (
        pa.types.is_large_string(column.type)
        or is_view(column.type)
        or (pa.types.is_decimal(column.type) and kind != "integer")
    ):
        column = column.cast(pa.string())
    text = pa.types.is_string(column.type)
    number = (
        pa.types.is_integer(column.type)
        or pa.types.is_floating(column.type)
        or pa.types.is_boolean(column.type)
        or pa.types.is_decimal(column.type)
    )
    if not (text or number or pa.types.is_null(column.type)):
        raise RefusedError(
            f"column {label} is of the type {str(column.type)[:60]}; write it as numbers or as "
            "text, as the sample submission has it",
            "wrong_type",
        )
    whole = kind == "integer"  # ids, which must not be rounded on their way
    if whole and pa.types.is_integer(column.type) and not column.null_count:
        try:
            return "integer", [column.cast(pa.int64()).to_numpy().astype("int64").tobytes()]
        except pa.ArrowInvalid:  # an unsigned one beyond int64
            pass
    # Text is sent as it is: what of it is a number, all formats are told by the same code.
    if kind == "text" or text or (whole and not pa.types.is_floating(column.type)):
        if pa.types.is_boolean(column.type):  # as Python and pandas write them
            column = pc.if_else(column, "True", "False")
        elif pa.types.is_floating(column.type):
            column = floats_as_text(column)
        column = pc.fill_null(column.cast(pa.large_string()), "")
        array = column.combine_chunks()
        array = pa.concat_arrays(array.chunks) if isinstance(array, pa.ChunkedArray) else array
        raw = [np.zeros(1, "int64").tobytes(), b""]
        if len(array):
            offsets = np.frombuffer(array.buffers()[1], "int64", len(array) + 1, array.offset * 8)
            content = array.buffers()[2]
            body = memoryview(content)[offsets[0] : offsets[-1]] if content else b""
            raw = [(offsets - offsets[0]).tobytes(), bytes(body)]
        return "text", raw
    if pa.types.is_boolean(column.type) or pa.types.is_null(column.type):
        values = column.cast(pa.int8()).cast(pa.float64())
    else:
        values = column.cast(pa.float64(), safe=False)
    return "number", [values.to_numpy(zero_copy_only=False).astype("float64").tobytes()]


def floats_as_text(column: Any) -> Any:
    """Write floating-point numbers as Python and pandas write them, 3.0 as ``3.0``."""
    import pyarrow as pa

    values = column.to_numpy(zero_copy_only=False)
    texts = [None if value != value else str(value) for value in values]
    return pa.chunked_array([pa.array(texts, pa.large_string())])


def main() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    # Once, before the forks: all that reading a file imports. Arrow imports pandas when it first
    # makes a scalar of a value of Python.
    import pandas as pd  # noqa: F401
    import pyarrow.compute
    import pyarrow.parquet  # noqa: F401

    while True:
        select.select([sys.stdin.fileno()], [], [])
        child = os.fork()
        if not child:
            # Whoever gives up on the file ends this process's parent, and may be gone itself.
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            resource.setrlimit(resource.RLIMIT_CPU, (_CPU_S, _CPU_S))
            _answer(out)
            os._exit(0)
        if os.waitpid(child, 0)[1]:
            os._exit(1)  # what has crashed, or the end of all requests


def _answer(out: BinaryIO) -> None:
    request = json.loads(_frame())
    data = _frame()
    with open("/proc/self/statm") as pages:  # noqa: PTH123 - nothing more is imported here
        has = int(pages.read().split()[0]) * _PAGE
    most = has + _COPIES * request["max_bytes"] + _SPARE
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    buffers: list[bytes] = []
    try:
        header, buffers = _read(request, data)
    except RefusedError as error:
        header = {"message": error.args[0], "reason": error.args[1]}
    except MemoryError:
        header = {"message": "the decoded file is too large", "reason": "too_large"}
    except Exception as error:
        header = {"message": _unreadable(error), "reason": "unreadable"}
    _send(out, header, buffers)


def _unreadable(error: Exception) -> str:
    if _NOT_IMPLEMENTED in str(error):
        return (
            "the Parquet file has pages of an encoding that is not read; write it with the usual "
            "encodings, as pandas does"
        )
    return "the Parquet file is damaged"


if __name__ == "__main__":
    main()
