"""A task's own tables, in any format that submissions may have; each state of a file read once."""

from __future__ import annotations

import os
import sys
import threading
from typing import TYPE_CHECKING, Any

from biomlbench.arrow import one_array
from biomlbench.errors import InvalidSubmissionError, TaskError, folder_remedy
from biomlbench.outcomes import Reason
from biomlbench.submission._parquet_reader import floats_as_text
from biomlbench.submission.csv_hints import header_hint
from biomlbench.submission.csv_table import BOOLEAN, clean_numbers, not_a_table, read_header
from biomlbench.submission.ids import PLAIN_INTEGER
from biomlbench.submission.reading import delimiter_of, submission_format
from biomlbench.submission.unpacked_text import csv_text, gunzip

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Sequence
    from pathlib import Path

    import pyarrow as pa

    from biomlbench.task.task import Task

__all__ = [
    "cached",
    "columns_hint",
    "number_or_text",
    "numbers_or_text",
    "own_format",
    "own_table",
    "own_text",
    "text_table",
    "typed",
]

# Numbers as programs write them. What people write as text looks otherwise (007, +1), or has more
# digits than a float holds.
_PLAIN = r"^(-?(0|[1-9][0-9]{0,14})|-?(0|[1-9][0-9]*)(\.[0-9]+|(\.[0-9]+)?[eE][+-]?[0-9]+)|-?inf)$"
# Held while a file is read, so that threads read it once; an answers file needs its sample.
_lock = threading.RLock()
#: Most files whose content is kept.
MAX_CACHED = 64
_cache: dict[tuple[str, str], tuple[tuple[int, int], Any]] = {}


def cached(kind: str, path: Path, build: Callable[[], Any], task: Task) -> Any:
    """Return what `build` makes of a file, made once for each state of the file.

    Parameters
    ----------
    kind : str
        What is made, and everything beside the file that it depends on.
    path : Path
    build : callable
    task : Task
        Whose file it is.

    Raises
    ------
    NotPreparedError
        If the file is not there.
    TaskError
        If it cannot be looked at.
    """
    try:
        state = path.stat()
    except (FileNotFoundError, NotADirectoryError) as error:
        from biomlbench.task.registry import not_prepared

        raise not_prepared(task, path) from error
    except OSError as error:
        raise TaskError(
            f"{path}: {error.strerror}; {folder_remedy(path, error.errno or 0)}"
        ) from error
    key, stamp = (kind, os.fspath(path)), (state.st_mtime_ns, state.st_size)
    with _lock:
        held = _cache.pop(key, None)
        if held is None or held[0] != stamp:
            held = (stamp, build())
        _cache[key] = held  # now the most recently used one
        while len(_cache) > MAX_CACHED:
            del _cache[next(iter(_cache))]
    return held[1]


def own_table(path: Path, reason: Reason = Reason.BROKEN_TASK) -> pa.Table:
    """Read a table of the task's own, in any format that submissions may have, as text.

    Parameters
    ----------
    path : Path
    reason : Reason
        Of the error.

    Raises
    ------
    TaskError
        If it cannot be read.
    """
    import pyarrow as pa

    try:
        if own_format(path, reason) == ".parquet":
            import pyarrow.parquet as pq

            table = pq.read_table(path)
            columns = [_plain(table.column(name)) for name in table.column_names]
        else:
            table = text_table(*own_text(path))
            columns = table.columns
    except (OSError, pa.ArrowException, InvalidSubmissionError) as error:
        raise TaskError(f"{path}: cannot be read: {error}", reason) from error
    names = table.column_names
    if len(set(names)) != len(names):
        raise TaskError(f"{path}: a column occurs twice: {names}", reason)
    return pa.Table.from_arrays([one_array(column) for column in columns], names=names)


def numbers_or_text(table: pa.Table, text_columns: Container[str]) -> pa.Table:
    """Return a table of text whose columns are float64 where every value is a number.

    Parameters
    ----------
    table : pyarrow.Table
    text_columns : container of str
        Columns to leave as text.
    """
    import pyarrow as pa

    columns = [
        column if name in text_columns else number_or_text(column)
        for name, column in zip(table.column_names, table.columns, strict=True)
    ]
    return pa.Table.from_arrays(list(map(one_array, columns)), names=table.column_names)


def text_table(data: bytes, delimiter: str) -> pa.Table:
    """Return what CSV text holds, as text.

    Raises
    ------
    InvalidSubmissionError
        If it is no table, with how it was meant.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    names = read_header(data, delimiter)
    try:
        return arrow_csv.read_csv(
            pa.BufferReader(data),
            read_options=arrow_csv.ReadOptions(use_threads=False, block_size=len(data) + 1),
            parse_options=arrow_csv.ParseOptions(delimiter=delimiter),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
            ),
        )
    except pa.ArrowException as error:
        raise not_a_table(error, header_hint(names, delimiter, names)) from error


def columns_hint(path: Path, names: Sequence[str], wanted: Iterable[str]) -> str:
    """Return what would help where a task's own table lacks columns; may be empty.

    Parameters
    ----------
    path : Path
    names : sequence of str
        Columns that it has.
    wanted : iterable of str
    """
    kind = own_format(path)
    return "" if kind == ".parquet" else header_hint(names, delimiter_of(kind), wanted)


def own_format(path: Path, reason: Reason = Reason.BROKEN_TASK) -> str:
    """Return which of the formats of submissions the name of a task's own table claims.

    Raises
    ------
    TaskError
        With the reason, if it is none of them.
    """
    try:
        return submission_format(path)
    except InvalidSubmissionError as error:
        raise TaskError(
            f"{path}: {error.message}; convert it to one of these formats, and name that file "
            "under `dataset` in config.yaml",
            reason,
        ) from error


def own_text(path: Path) -> tuple[bytes, str]:
    """Return the text of a task's own table, unpacked and in UTF-8, and what separates its cells.

    Raises
    ------
    InvalidSubmissionError
        If it is no text, or cannot be unpacked.
    """
    data, kind = path.read_bytes(), own_format(path)
    if kind.endswith(".gz"):
        data = gunzip(data, sys.maxsize)
    return csv_text(data, sys.maxsize), delimiter_of(kind)


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column of a Parquet file as the text that CSV would hold."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_boolean(column.type):
        column = pc.if_else(column, "True", "False")
    # whole numbers alone are whole numbers, which pandas makes floats for a missing one
    elif (
        pa.types.is_floating(column.type)
        and not pc.all(pc.equal(column, pc.round(column)), min_count=0).as_py()
    ):
        column = floats_as_text(column)
    return pc.fill_null(column.cast(pa.string()), "")


def number_or_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column of text as numbers, where all of it can be read as such."""
    import pyarrow as pa

    try:
        return column.cast(pa.float64())
    except pa.ArrowInvalid:
        pass
    try:
        return clean_numbers(column, "")
    except InvalidSubmissionError:
        return column


def typed(column: pa.ChunkedArray, *, numeric: bool = False) -> pa.ChunkedArray:
    """Return a column of text as what it certainly is: numbers, booleans, or else text.

    An empty cell is missing, and nothing else is: a group may be called NA. Numbers are those of
    which every cell is written plainly: ``007`` is text, and so is what stands beside it.

    Parameters
    ----------
    column : ChunkedArray of string
    numeric : bool
        Whether numbers are expected: then all that can be read as numbers are, and the usual
        spellings of a missing one are missing.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    def every(pattern: str) -> bool:
        found = pc.match_substring_regex(column, pattern)
        return bool(pc.all(pc.or_(found, empty), min_count=0).as_py())

    empty = pc.equal(column, "")
    there, some = not pc.any(empty).as_py(), pc.any(pc.invert(empty), min_count=0).as_py()
    filled = pc.if_else(empty, pa.scalar(None, pa.string()), column)
    if there and every(PLAIN_INTEGER):
        return filled.cast(pa.int64())
    if some and every(BOOLEAN):
        return pc.equal(pc.utf8_lower(filled), "true")
    if numeric and not pa.types.is_string((numbers := number_or_text(column)).type):
        return numbers
    return filled.cast(pa.float64()) if every(_PLAIN) else filled
