"""Reading of submitted Parquet in a process of its own.

The decoder is a large piece of C++ that a damaged file can crash or make allocate without
bound. So a small reader process with a memory limit decodes it, and sends back bare columns
of numbers and text. When it dies, the submission is unreadable and a new one is started.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from biomlbench.errors import InvalidSubmissionError
from biomlbench.outcomes import Reason
from biomlbench.submission.csv_table import (
    MAX_EXTRA_COLUMNS,
    MAX_ROWS,
    check_columns,
    clean_numbers,
)
from biomlbench.submission.ids import integers_or_as_is

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from biomlbench.contracts.mappings import JsonObject

__all__ = ["read_parquet"]

#: Seconds that one file may take.
TIMEOUT_S = 120.0
#: Most bytes of decoded columns, where the caller does not know better.
MAX_DECODED_BYTES = 2**30
# An offset that a column of text has more of than rows, for each of the columns that are read.
_OFFSETS = 2**20

_SCRIPT = Path(__file__).with_name("_parquet_reader.py")
_LENGTH = struct.Struct("!Q")


class _Reader:
    """The reader process, started when first needed; a fork of it reads each file."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = os.getpid()

    def _start(self) -> subprocess.Popen[bytes]:
        if self._owner != os.getpid():  # a forked copy must not share its parent's pipes
            self._process, self._owner = None, os.getpid()
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, "-I", str(_SCRIPT)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={
                    "LANG": "C.UTF-8",
                    "OMP_NUM_THREADS": "1",
                    "ARROW_DEFAULT_MEMORY_POOL": "system",
                },
            )
        return self._process

    def stop(self) -> None:
        process, self._process = self._process, None
        if process is not None and self._owner == os.getpid():
            process.kill()
            process.wait()
            for pipe in filter(None, (process.stdin, process.stdout)):
                try:
                    pipe.close()
                except OSError:
                    continue

    def ask(
        self, request: bytes, data: bytes, most_bytes: int
    ) -> tuple[JsonObject, list[bytearray]]:
        """Send a file; return the answer's header and its buffers, which have so many bytes."""
        process = self._start()
        deadline = time.monotonic() + TIMEOUT_S
        writer = threading.Thread(target=_write, args=(process.stdin, request, data), daemon=True)
        writer.start()
        receive = _Receiver(cast("IO[bytes]", process.stdout).fileno(), deadline)
        header = json.loads(receive.frame(2**24))
        buffers, left = [], most_bytes + _OFFSETS
        for _ in range(header["buffers"]):
            buffers.append(receive.frame(left))
            left -= len(buffers[-1])
        writer.join(timeout=1.0)
        return header, buffers


def _write(pipe: Any, *frames: bytes) -> None:
    try:
        for frame in frames:
            pipe.write(_LENGTH.pack(len(frame)))
            pipe.write(frame)
        pipe.flush()
    except (OSError, ValueError):
        return  # the reader died: the receiving side sees it


class _Receiver:
    def __init__(self, descriptor: int, deadline: float) -> None:
        self._descriptor, self._deadline = descriptor, deadline

    def frame(self, limit: int) -> bytearray:
        (length,) = _LENGTH.unpack(self._exactly(_LENGTH.size))
        if length > limit:
            raise EOFError
        return self._exactly(length)

    def _exactly(self, length: int) -> bytearray:
        buffer, filled = bytearray(length), 0
        while filled < length:
            left = self._deadline - time.monotonic()
            if left <= 0 or not select.select([self._descriptor], [], [], left)[0]:
                raise TimeoutError
            count = os.readv(self._descriptor, [memoryview(buffer)[filled:]])
            if not count:
                raise EOFError
            filled += count
        return buffer


_reader = _Reader()
atexit.register(_reader.stop)


def read_parquet(
    data: bytes,
    columns: Mapping[str, str],
    most_rows: int = MAX_ROWS,
    most_bytes: int = MAX_DECODED_BYTES,
) -> pa.Table:
    """Read Parquet; see :func:`biomlbench.submission.reading.read_table`.

    Parameters
    ----------
    data : bytes
        Content of the file.
    columns : mapping of str to str
        Name to type.
    most_rows, most_bytes : int
        A file with more rows, or more bytes when decoded, is refused.

    Returns
    -------
    pyarrow.Table

    Raises
    ------
    InvalidSubmissionError
        If the file is damaged, too large, or has other columns or types.
    """
    import pyarrow as pa

    if data[:4] != b"PAR1" or data[-4:] != b"PAR1":
        raise InvalidSubmissionError("the file is not a Parquet file", Reason.UNREADABLE)
    request = json.dumps(
        {
            "columns": dict(columns),
            "max_columns": len(columns) + MAX_EXTRA_COLUMNS,
            "max_rows": most_rows,
            "max_bytes": most_bytes,
        }
    ).encode()
    with _reader.lock:
        try:
            header, buffers = _reader.ask(request, data, most_bytes)
        except (EOFError, OSError, ValueError, KeyError) as error:
            _reader.stop()
            slow = isinstance(error, TimeoutError)
            raise InvalidSubmissionError(
                f"the Parquet file took longer than {TIMEOUT_S:g} s to read"
                if slow
                else "the Parquet file is damaged, or too large to be decoded",
                Reason.TOO_LARGE if slow else Reason.UNREADABLE,
            ) from error
    if "names" in header:
        check_columns(header["names"], tuple(columns))
    if "message" in header:
        raise InvalidSubmissionError(header["message"], header["reason"])
    try:
        return _table(header, buffers, columns, pa)
    except pa.ArrowInvalid as error:
        raise InvalidSubmissionError(
            "the Parquet file holds text that is not UTF-8", Reason.UNREADABLE
        ) from error


def _table(
    header: JsonObject, buffers: list[bytearray], columns: Mapping[str, str], pa: Any
) -> pa.Table:
    arrays, queue = [], iter(buffers)
    rows = header["rows"]
    for kind, (name, wanted) in zip(header["types"], columns.items(), strict=True):
        if kind == "text":
            offsets, content = next(queue), next(queue)
            array = pa.LargeStringArray.from_buffers(
                rows, pa.py_buffer(offsets), pa.py_buffer(content)
            )
            array.validate(full=True)
            array = array.cast(pa.string())
        else:
            type_ = pa.int64() if kind == "integer" else pa.float64()
            array = pa.Array.from_buffers(type_, rows, [None, pa.py_buffer(next(queue))])
            array.validate(full=True)
        if wanted == "integer":
            array = integers_or_as_is(array)
        elif wanted == "number" and kind == "text":
            array = clean_numbers(array, name)
        arrays.append(array)
    return pa.Table.from_arrays(arrays, names=list(columns))
