"""Run tables in Parquet, as the lines of the CSV file that would hold the same rows.

So the same checks find the same faults in both. The first row is line 2, as in a CSV.
"""

from __future__ import annotations

import csv
import io
import json
import math
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from biomlbench.runtime.regular_file import MAX_LIST_MB

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    import pyarrow as pa

__all__ = ["csv_lines"]

# A line break within a cell would shift the numbers of the lines that follow; as a break of
# another kind it is refused just so.
_BREAKS = str.maketrans("\n\r", "\x0b\x0b")
_SUBMISSION = "submission"
_NO_SUBMISSION = "null"
MOST_ROWS = 2_000_000
MOST_CELLS = 40_000_000


def csv_lines(data: bytes, plain: Collection[str] = ()) -> list[str]:
    """Return the lines of the CSV file that would hold a Parquet file's rows.

    Parameters
    ----------
    data : bytes
        Of the user's own: a damaged file can crash the decoder.
    plain : collection of str
        Columns that hold no lists or structs.

    Returns
    -------
    list of str
        Header and rows. A null is an empty cell, in ``submission`` ``null``; a time is as ISO 8601
        has it; a byte that is not UTF-8 is a lone surrogate; a list or struct is JSON. A value
        that Python cannot hold is described, which no column but one of free text takes.

    Raises
    ------
    ValueError
        If it is no Parquet file, or holds what no CSV does.
    """
    try:
        table = _table(data)
        columns = [
            _cells(table.column(n), name, is_plain=name in plain)
            for n, name in enumerate(table.column_names)
        ]
    except Exception as error:  # the decoder's are of many kinds: KeyError, too
        raise ValueError(str(error)) from error
    return [_line(table.column_names), *map(_line, zip(*columns, strict=True))]


def _table(data: bytes) -> pa.Table:
    """Decode a file that holds no more than a list of runs: some kilobytes can hold terabytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pq.read_metadata(pa.BufferReader(data)).schema
    parts = [schema.column(number) for number in range(len(schema))]
    # Of equal texts one is kept, until it is known how long all are together.
    file = pq.ParquetFile(pa.BufferReader(data), read_dictionary=[part.path for part in parts])
    meta = file.metadata
    groups = [meta.row_group(number) for number in range(meta.num_row_groups)]
    counts = [
        sum(group.column(number).num_values for group in groups) for number in range(len(parts))
    ]
    size = sum(group.total_byte_size for group in groups)
    size += sum(
        count * part.length
        for count, part in zip(counts, parts, strict=True)
        if part.physical_type == "FIXED_LEN_BYTE_ARRAY"
    )
    cells = max(meta.num_rows * max(1, meta.num_columns), sum(counts))
    if meta.num_rows > MOST_ROWS or cells > MOST_CELLS or size > MAX_LIST_MB << 20:
        raise ValueError(
            f"{meta.num_rows} rows of {meta.num_columns} columns with {cells} values and {size} "
            "bytes are more than a list of runs has; split it"
        )
    table = file.read(use_threads=False)
    _check_size(sum(_text_bytes(chunk) for column in table.columns for chunk in column.chunks))
    return table


def _check_size(size: int) -> None:
    if size > MAX_LIST_MB << 20:
        raise ValueError(f"its texts have {size} bytes; at most {MAX_LIST_MB} MiB are read")


def _text_bytes(array: pa.Array) -> int:
    """Return how long all texts are together of which one of each is kept."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = array.type
    if pa.types.is_dictionary(kind) and _is_text(kind.value_type):
        lengths = pc.take(pc.binary_length(array.dictionary), array.indices)
        return pc.sum(pc.cast(lengths, pa.int64())).as_py() or 0
    if pa.types.is_struct(kind):
        return sum(_text_bytes(array.field(number)) for number in range(kind.num_fields))
    if pa.types.is_map(kind):
        return _text_bytes(array.keys) + _text_bytes(array.items)
    return _text_bytes(array.values) if pa.types.is_nested(kind) else 0


def _is_text(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return any(
        known(kind)
        for known in (
            *(pa.types.is_string, pa.types.is_large_string),
            *(pa.types.is_binary, pa.types.is_large_binary),
        )
    )


def _cells(column: pa.ChunkedArray, name: str, *, is_plain: bool) -> list[str]:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_nested(column.type):
        if is_plain:
            raise ValueError(f"its column {name!r} is of the type {column.type}")
        return list(_nested_cells(column))
    if pa.types.is_string(column.type):
        column = column.cast(pa.binary())
    elif pa.types.is_large_string(column.type):
        column = column.cast(pa.large_binary())
    elif pa.types.is_timestamp(column.type):
        # In microseconds, as Python has them; a fraction below that tells no runs apart.
        column = _in_microseconds(column)
    missing = _NO_SUBMISSION if name == _SUBMISSION else ""
    return [missing if value is None else _cell(value) for value in _values(column)]


def _in_microseconds(column: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa

    try:
        return column.cast(pa.timestamp("us", column.type.tz), safe=False)
    except pa.ArrowInvalid:  # one of them has none that fit into 64 bits
        return column


def _values(column: pa.ChunkedArray) -> list[Any]:
    """Return a column's values, those that Python cannot hold as text that tells of them."""
    try:
        values: list[Any] = column.to_pylist()
    except Exception:  # an overflow, a zone, a text that is not UTF-8
        values = [_value(scalar) for scalar in column]
    return values


def _value(scalar: pa.Scalar) -> Any:
    try:
        return scalar.as_py()
    except OverflowError:
        return f"out of range, a {scalar.type}"
    except Exception:
        zone = getattr(scalar.type, "tz", None)
        return f"in the unknown zone {zone}" if zone else f"not to be read, a {scalar.type}"


def _nested_cells(column: pa.ChunkedArray) -> Iterator[str]:
    """Yield lists and structs as JSON: one after the other, as names of fields may be long."""
    size = 0
    for scalar in column:
        value = _value(scalar)
        text = "" if value is None else json.dumps(value, ensure_ascii=False, default=_cell)
        _check_size(size := size + len(text))
        yield text


def _cell(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    # What pandas makes of a gap in a column of numbers.
    return "" if isinstance(value, float) and math.isnan(value) else str(value)


def _line(cells: Any) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow([cell.translate(_BREAKS) for cell in cells])
    return text.getvalue()
