"""Reading of submitted tables, which are hostile until shown to be harmless.

CSV is decoded here; Parquet, whose decoder has crashed on damaged files, in a process of its own
(:mod:`biomlbench.submission.parquet`). Messages name columns, counts and rows, never values.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.errors import InvalidSubmissionError
from biomlbench.outcomes import Reason
from biomlbench.submission.content import known_table, parsed
from biomlbench.submission.csv_table import MAX_ROWS, read_csv_table
from biomlbench.submission.submitted_file import MAX_BYTES, expected_digest, opened, read_bytes
from biomlbench.submission.unpacked_text import csv_text, gunzip

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from biomlbench.submission.private_files import PrivateFiles

__all__ = ["FORMATS", "delimiter_of", "read_table", "submission_format"]

#: File name endings that are read.
FORMATS = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet")


def submission_format(name: str | Path) -> str:
    """Return which of :data:`FORMATS` a file's name claims.

    Raises
    ------
    InvalidSubmissionError
        With the reason ``wrong_format``.

    Examples
    --------
    >>> submission_format("runs/1/Submission.CSV")
    '.csv'
    """
    lower = Path(name).name.lower()
    for ending in FORMATS:
        if lower.endswith(ending):
            return ending
    hint = "; a program is one .py file: save the notebook's code as such"
    raise InvalidSubmissionError(
        f"the file's name must end in one of {', '.join(FORMATS)}"
        f"{hint if lower.endswith('.ipynb') else ''}",
        Reason.WRONG_FORMAT,
    )


def delimiter_of(kind: str) -> str:
    """Return what separates the cells of a file of one of :data:`FORMATS`."""
    return "\t" if kind.startswith(".tsv") else ","


def read_table(
    source: str | Path | bytes,
    columns: Mapping[str, str],
    name: str | Path | None = None,
    root: str | Path | None = None,
    private: PrivateFiles | None = None,
    most_rows: int = MAX_ROWS,
    most_bytes: int | None = None,
) -> pa.Table:
    """Read a submission as a table with exactly the given columns.

    Parameters
    ----------
    source : path or bytes
        The file, or its content.
    columns : mapping of str to str
        Name to type: ``number`` (float64), ``integer`` (int64, where every value is one) or
        ``text`` (string, exactly as written).
    name : path, optional
        Name that tells the format of `source`, where that is bytes (default: CSV).
    root, private : optional
        As for :func:`read_bytes`; content that comes as bytes is nobody's file.
    most_rows : int
        A submission with more rows is refused, if possible before it is parsed.
    most_bytes : int, optional
        A file that is larger is refused, and a compressed one that holds more; by default
        :data:`MAX_BYTES`.

    Returns
    -------
    pyarrow.Table
        The columns in the order of `columns`, the rows in the order of the file. A missing
        number is null or NaN; a missing text is empty. A column that was asked for as
        ``integer`` is as it was given where a value is no integer: float64 of Parquet, or string.

    Raises
    ------
    InvalidSubmissionError
        With a reason code, and a message that names columns, counts and rows only.
    """
    try:
        kind = submission_format(name if name is not None else _name_of(source))
    except InvalidSubmissionError:
        if not isinstance(source, bytes):
            with opened(source, root):
                pass  # that a file is missing comes before what its name says
        raise
    most_bytes = MAX_BYTES if most_bytes is None else most_bytes
    how = (kind, most_rows, most_bytes, *columns.items())
    # What may be a copy, or another file, is read again: the very bytes are looked at.
    if not isinstance(source, bytes) and expected_digest(source) is None:
        if private is not None:
            private.refuse_path(source)
        with opened(source, root) as (descriptor, size):
            if private is not None:
                private.refuse_file(descriptor)
            known = private is None or not private.may_hold(size)
            if known and (table := known_table(descriptor, how)) is not None:
                return table
    data = source if isinstance(source, bytes) else read_bytes(source, most_bytes, root, private)
    return parsed(data, how, lambda: _parsed(data, kind, columns, most_rows, most_bytes))


def _parsed(
    data: bytes, kind: str, columns: Mapping[str, str], most_rows: int, most_bytes: int
) -> pa.Table:
    if kind == ".parquet":
        from biomlbench.submission.parquet import read_parquet

        return read_parquet(data, columns, most_rows, most_bytes)
    if kind.endswith(".gz"):
        data = gunzip(data, most_bytes)
    return read_csv_table(csv_text(data, most_bytes), columns, delimiter_of(kind), most_rows)


def _name_of(source: str | Path | bytes) -> str | Path:
    return "submission.csv" if isinstance(source, bytes) else source
