"""Tables among the files that a competitor gets: which there are, and what they hold as text."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from biomlbench.errors import InvalidSubmissionError, TaskError
from biomlbench.submission.csv_table import read_header
from biomlbench.submission.own_tables import own_table, text_table
from biomlbench.submission.reading import FORMATS
from biomlbench.submission.unpacked_text import csv_text, gunzip

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    *("ENDINGS", "PublicFiles", "may_be_no_table", "public_files", "public_table"),
    "table_files",
]

MAX_BYTES = 64 << 20
"""Larger files are not searched, nor those that unpack to more."""
MAX_ALL_BYTES = 512 << 20
"""Files beyond so many bytes in all are not searched."""
MAX_FILES = 200
"""Tables beyond so many are not searched."""
MAX_CELLS = 32 << 20
"""Parquet of more cells, which may be many in few bytes, is not read."""
_TEXT = (".txt", ".txt.gz")
ENDINGS = (*FORMATS, ".tab", ".tab.gz", *_TEXT)
"""How the names of files end that are read as tables."""
_SEPARATORS = (",", "\t", ";", "|")
# Numbers that have a comma for a point, as in text that semicolons separate.
_DECIMAL_COMMA = r"^([+-]?\d+),(\d+(?:[eE][+-]?\d+)?)$"


class PublicFiles(NamedTuple):
    """The public files whose names are those of tables, sorted.

    Attributes
    ----------
    searched : list of Path
    beyond : list of Path
        Those that are too large, or too many, to be searched.
    """

    searched: list[Path]
    beyond: list[Path]


def public_files(folder: Path) -> list[Path]:
    """Return the files of a folder of data, in folders as well, sorted."""
    found = (Path(base, name) for base, _, names in os.walk(folder) for name in names)
    return sorted(path for path in found if path.is_file())


def table_files(folder: Path, sample: Path | None, more: tuple[str, ...] = ()) -> PublicFiles:
    """Return the public tables.

    Parameters
    ----------
    folder : Path
        Of the public files.
    sample : Path or None
        The sample submission, which is left out.
    more : tuple of str
        How the names of other files end that are wanted, too.
    """
    found = PublicFiles([], [])
    left = MAX_ALL_BYTES
    for path in public_files(folder):
        if path == sample or not path.name.lower().endswith((*ENDINGS, *more)):
            continue
        size = path.stat().st_size
        if size > min(MAX_BYTES, left) or len(found.searched) == MAX_FILES:
            found.beyond.append(path)
        else:
            found.searched.append(path)
            left -= size
    return found


def may_be_no_table(path: Path) -> bool:
    """Tell whether a file's name is that of any text, so that it need not hold a table."""
    return path.name.lower().endswith(_TEXT)


def public_table(path: Path) -> pa.Table | None:
    """Read a public table, whatever separates its cells; None where that cannot be done.

    Returns
    -------
    pyarrow.Table or None
        As text.
    """
    import pyarrow as pa

    try:
        if path.name.lower().endswith(".parquet"):
            return own_table(path) if _cells(path) <= MAX_CELLS else None
        data = path.read_bytes()
        if path.name.lower().endswith(".gz"):
            data = gunzip(data, MAX_BYTES)
        data = csv_text(data, MAX_BYTES)
        delimiter = _delimiter(data, path)
        table = text_table(data, delimiter)
    except (OSError, ValueError, pa.ArrowException, InvalidSubmissionError, TaskError):
        return None
    if len(set(table.column_names)) != table.num_columns:
        return None
    return _with_points(table) if delimiter == ";" else table


def _cells(path: Path) -> int:
    import pyarrow.parquet as pq

    found = pq.read_metadata(path)
    return int(found.num_rows * found.num_columns)


def _delimiter(data: bytes, path: Path) -> str:
    """Return what splits the header into most names; the one of the file's name where level."""
    if may_be_no_table(path):
        return max(("\t", *_SEPARATORS, " "), key=lambda one: _width(data, one))
    named = "\t" if {"tsv", "tab"} & set(path.name.lower().split(".")) else ","
    return max((named, *_SEPARATORS), key=lambda one: _width(data, one))


def _width(data: bytes, delimiter: str) -> int:
    try:
        return len(read_header(data, delimiter))
    except InvalidSubmissionError:
        return 0


def _with_points(table: pa.Table) -> pa.Table:
    import pyarrow.compute as pc

    columns = [
        pc.replace_substring_regex(column, _DECIMAL_COMMA, r"\1.\2") for column in table.columns
    ]
    return table.from_arrays(columns, names=table.column_names)
