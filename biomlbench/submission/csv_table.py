"""Reading of CSV text into typed columns, exact to the last bit and fast.

Numbers are parsed by Arrow, whose parser is correctly rounded. The common case, a file that
is as it should be, is one pass; only a file that is not is read again to say what is wrong.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from typing import TYPE_CHECKING

from biomlbench.errors import InvalidSubmissionError
from biomlbench.outcomes import Reason
from biomlbench.submission.csv_hints import cells_hint, header_hint, number_hint
from biomlbench.submission.ids import integers_or_as_is
from biomlbench.submission.spellings import difference
from biomlbench.submission.submitted_file import quote

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

__all__ = [
    "BOOLEAN",
    "MAX_ROWS",
    "MISSING",
    "are_booleans",
    "check_columns",
    "clean_numbers",
    "is_missing",
    "not_a_table",
    "read_csv_table",
    "read_header",
]

#: Most rows that are read, where the caller does not know better.
MAX_ROWS = 50_000_000
#: Longest header line, bytes, and most columns beside those that are asked for.
MAX_HEADER_BYTES = 2**20
MAX_EXTRA_COLUMNS = 10_000
#: Spellings of a missing number: those of pandas, and NAN.
MISSING = (
    *("", "NaN", "nan", "NAN", "-NaN", "-nan", "NA", "N/A", "n/a", "NULL", "null", "None", "<NA>"),
    *("#N/A", "#N/A N/A", "#NA", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
)
#: Size from which a second thread saves more than it costs, bytes.
THREADS_FROM_BYTES = 4 * 2**20
# Arrow's largest block.
_MAX_BLOCK = 2**31 - 2
_COUNTED = 2**22
# By pattern: an Arrow array of the spellings would have Arrow import pandas.
_MISSING = f"^({'|'.join(map(re.escape, MISSING))})$"
_NOT_LINE_END = re.compile(rb"[^\r\n]")
_ROW = re.compile(r"Row #(\d+)")
# How Arrow begins to say that a row has too few or too many cells; what follows is the row.
_RAGGED = re.compile(r"CSV parse error: (?:Row #(\d+): )?Expected (\d+) columns, got (\d+)")
_NUMBER = r"^\s*[+-]?((\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|(?i:inf|infinity|nan))\s*$"
# What pandas reads as a boolean, where a column has nothing else.
_TRUE, _FALSE = r"^(True|TRUE|true)$", r"^(False|FALSE|false)$"
BOOLEAN = f"{_TRUE}|{_FALSE}"
_HEXADECIMAL = (b"0x", b"0X")


def _refuse(message: str, reason: Reason) -> InvalidSubmissionError:
    return InvalidSubmissionError(message, reason)


def read_csv_table(
    data: bytes,
    columns: Mapping[str, str],
    delimiter: str = ",",
    most_rows: int = MAX_ROWS,
) -> pa.Table:
    """Read CSV text; see :func:`biomlbench.submission.reading.read_table`.

    Parameters
    ----------
    data : bytes
        UTF-8 text without a byte order mark.
    columns : mapping of str to str
        Name to type.
    delimiter : str
    most_rows : int

    Returns
    -------
    pyarrow.Table

    Raises
    ------
    InvalidSubmissionError
        If the text is no table, has other columns, or too many rows.
    """
    import pyarrow as pa

    names = read_header(data, delimiter)
    if len(names) > (most := len(columns) + MAX_EXTRA_COLUMNS):
        raise _refuse(f"there are {len(names)} columns; at most {most} are read", Reason.TOO_LARGE)
    check_columns(names, tuple(columns), header_hint(names, delimiter, columns))
    if len(data) <= MAX_HEADER_BYTES and not data.endswith((b"\n", b"\r")):
        data += b"\n"  # Arrow takes a header whose line has no end for no table at all
    # Before it is parsed, where lines are rows.
    if b'"' not in data:
        ends = _count(data, b"\n"), _count(data, b"\r") if b"\r" in data else 0
        _check_rows(max(ends) - 1, most_rows)
    types = {"number": pa.float64(), "integer": pa.int64(), "text": pa.string()}
    if "integer" in columns.values() and any(mark in data for mark in _HEXADECIMAL):
        types["integer"] = pa.string()  # Arrow alone would take 0x7 for a whole number
    try:
        table = _parse(data, delimiter, {name: types[kind] for name, kind in columns.items()})
    except pa.ArrowInvalid:
        table = _parse_slowly(data, delimiter, columns, most_rows)
    if table.column_names != names:
        raise _refuse("the header line cannot be read", Reason.UNREADABLE)
    _check_rows(table.num_rows, most_rows)
    return table.select(list(columns))


def _check_rows(rows: int, most: int) -> None:
    if rows > most:
        raise _refuse(f"there are {rows} rows; at most {most} are read", Reason.TOO_LARGE)


def read_header(data: bytes, delimiter: str) -> list[str]:
    """Return the column names of CSV text.

    Raises
    ------
    InvalidSubmissionError
        If there is no header line, or it cannot be read.
    """
    # Without a copy: the text may fill half of what memory there is.
    first = _NOT_LINE_END.search(data)
    start = first.start() if first else len(data)
    ends = [end for end in (data.find(b"\n", start), data.find(b"\r", start)) if end >= 0]
    end = min(ends, default=len(data))
    if end == start:
        raise _refuse("the file is empty", Reason.EMPTY)
    if end - start > MAX_HEADER_BYTES:
        raise _refuse(f"the header line is longer than {MAX_HEADER_BYTES} bytes", Reason.TOO_LARGE)
    try:
        line = data[start:end].decode("utf-8")
    except UnicodeDecodeError as error:
        raise _refuse(
            "the header line is not UTF-8 text; write the file as UTF-8", Reason.UNREADABLE
        ) from error
    try:
        names = next(csv.reader([line], delimiter=delimiter, strict=True))
    except (csv.Error, StopIteration) as error:
        raise _refuse("the header line cannot be read as CSV", Reason.UNREADABLE) from error
    return names


def check_columns(names: Sequence[str], expected: Sequence[str], hint: str = "") -> None:
    """Refuse a table whose columns are not exactly the expected ones, in whatever order.

    Parameters
    ----------
    names : sequence of str
        Columns of the submission.
    expected : sequence of str
        Columns of the sample submission.
    hint : str
        Added to the message.

    Raises
    ------
    InvalidSubmissionError
        With the reason ``missing_columns`` or ``extra_columns``.
    """

    def shown(items: Sequence[str]) -> str:
        listed = ", ".join(quote(item) for item in items[:5])
        return listed + (f" and {len(items) - 5} more" if len(items) > 5 else "")

    known, wanted = set(names), set(expected)
    if missing := [name for name in expected if name not in known]:
        near = [name for name in names if name not in wanted and difference([name], missing)]
        if near:
            verb = "differs" if len(near) == 1 else "differ"
            hint += f"; {shown(near)} {verb} {difference(near, missing)}"
        raise _refuse(f"missing column(s) {shown(missing)}{hint}", Reason.MISSING_COLUMNS)
    if len(known) != len(names):
        repeated = [name for name, count in Counter(names).items() if count > 1]
        raise _refuse(f"repeated column(s) {shown(repeated)}", Reason.EXTRA_COLUMNS)
    if extra := [name for name in names if name not in wanted]:
        if any(name.startswith("__index_level_") for name in extra):  # as pandas writes Parquet
            hint += "; the index of a DataFrame was written too: write it with `index=False`"
        raise _refuse(
            f"{len(extra)} extra column(s): {shown(extra)}; the submission must have exactly "
            f"{shown(expected)}{hint}",
            Reason.EXTRA_COLUMNS,
        )


def _count(data: bytes, letter: bytes) -> int:
    """Count a letter that may be everywhere, which `bytes.count` is slow at."""
    import numpy as np

    parts = (memoryview(data)[start : start + _COUNTED] for start in range(0, len(data), _COUNTED))
    return sum(
        int(np.count_nonzero(np.frombuffer(part, np.uint8) == ord(letter))) for part in parts
    )


def _parse(data: bytes, delimiter: str, types: Mapping[str, pa.DataType]) -> pa.Table:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    large = len(data) >= THREADS_FROM_BYTES
    read = arrow_csv.ReadOptions(use_threads=large)
    if not large:
        read.block_size = len(data) + 1
    return arrow_csv.read_csv(
        pa.BufferReader(data),
        read_options=read,
        parse_options=arrow_csv.ParseOptions(
            delimiter=delimiter, newlines_in_values=large and b'"' in data
        ),
        convert_options=arrow_csv.ConvertOptions(
            column_types=types, null_values=MISSING, strings_can_be_null=False
        ),
    )


def _parse_slowly(
    data: bytes, delimiter: str, columns: Mapping[str, str], most_rows: int
) -> pa.Table:
    """Read every column as text, find what is wrong, and convert what can be converted."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(data),
            read_options=arrow_csv.ReadOptions(
                use_threads=False, block_size=min(len(data) + 1, _MAX_BLOCK)
            ),
            parse_options=arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(columns, pa.string()), strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid as error:
        raise not_a_table(error) from error
    _check_rows(table.num_rows, most_rows)  # before the cells of each are looked at
    for name, kind in columns.items():
        if kind != "text":
            index = table.column_names.index(name)
            text = table.column(index)
            whole = kind == "integer"
            column = integers_or_as_is(text) if whole else clean_numbers(text, name)
            table = table.set_column(index, name, column)
    return table


def not_a_table(error: pa.ArrowException, hint: str = "") -> InvalidSubmissionError:
    """Return what Arrow says of CSV text that it cannot read, in words that hold none of its cells.

    Parameters
    ----------
    error : pyarrow.ArrowException
    hint : str
        How the text was meant, as :func:`biomlbench.submission.csv_hints.header_hint` says.
    """
    # Not by a handler of such rows, which Arrow cannot call with a row that is no UTF-8.
    if ragged := _RAGGED.match(str(error)):
        number, expected, actual = ragged.groups()
        where = f"data row {int(number) - 1}" if number else "a row"
        message = f"{where} has {actual} cell(s) where the header has {expected}"
        message += hint or cells_hint(int(actual), int(expected))
    elif "UTF8" in str(error) or "utf8" in str(error):
        row = _ROW.search(str(error))
        message = f"{f'data row {int(row[1]) - 1}' if row else 'a cell'} is not UTF-8 text"
        message += "; write the file as UTF-8"
    else:
        message = f"the file cannot be read as CSV{hint}"
    return _refuse(message, Reason.UNREADABLE)


def is_missing(text: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return where text is a spelling of a missing number."""
    import pyarrow.compute as pc

    return pc.match_substring_regex(text, _MISSING)


def are_booleans(text: pa.ChunkedArray) -> bool:
    """Tell whether text is nothing but booleans, as pandas reads them, and missing values."""
    import pyarrow.compute as pc

    found = pc.match_substring_regex(text, BOOLEAN)
    known = pc.all(pc.or_(found, is_missing(text)), min_count=0)
    return bool(known.as_py() and pc.any(found, min_count=0).as_py())


def clean_numbers(text: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """Convert text to numbers, or say which rows are none; booleans are 1 and 0.

    Parameters
    ----------
    text : ChunkedArray of string
    name : str
        Column, for the message.

    Returns
    -------
    pyarrow.ChunkedArray
        float64 with nulls for missing values.

    Raises
    ------
    InvalidSubmissionError
        With the reason ``wrong_type``.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    text = pc.utf8_trim_whitespace(text)
    missing = is_missing(text)
    numeric = pc.or_(pc.match_substring_regex(text, _NUMBER), missing)
    if not pc.all(numeric, min_count=0).as_py() and are_booleans(text):
        text = pc.replace_substring_regex(text, _TRUE, "1")
        text = pc.replace_substring_regex(text, _FALSE, "0")
    elif not pc.all(numeric, min_count=0).as_py():
        bad = pc.indices_nonzero(pc.invert(numeric))

        raise _refuse(
            f"column {quote(name)}: {len(bad)} value(s) are not numbers, first in data row "
            f"{bad[0].as_py() + 1}{number_hint(text.take(bad).to_pylist())}",
            Reason.WRONG_TYPE,
        )
    plain = pc.if_else(missing, pa.scalar(None, pa.string()), text)
    return pc.cast(pc.replace_substring_regex(plain, r"^\+", ""), pa.float64())
