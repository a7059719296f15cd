"""Run tables in Parquet, as the lines of the CSV file that would hold the same rows.

So the same checks find the same faults in both. The first row is line 2, as in a CSV.
"""

from __future__ import annotations

import csv
import io
import math
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from biomlbench.runtime.regular_file import MAX_LIST_MB

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["csv_lines"]

# A line break within a cell would shift the numbers of the lines that follow; as a break of
# another kind it is refused just so.
_BREAKS = str.maketrans("\n\r", "\x0b\x0b")
_SUBMISSION = "submission"
_NO_SUBMISSION = "null"
MOST_ROWS = 2_000_000
MOST_CELLS = 40_000_000


def csv_lines(data: bytes) -> list[str]:
    """Return the lines of the CSV file that would hold a Parquet file's rows.

    Parameters
    ----------
    data : bytes
        Of the user's own: a damaged file can crash the decoder.

    Returns
    -------
    list of str
        Header and rows. A null is an empty cell, in ``submission`` ``null``; a time is as ISO 8601
        has it; a byte that is not UTF-8 is a lone surrogate.

    Raises
    ------
    ValueError
        If it is no Parquet file, or holds what no CSV does.
    """
    import pyarrow as pa

    try:
        table = _table(data)
        columns = [_cells(table.column(n), name) for n, name in enumerate(table.column_names)]
    except (pa.ArrowException, OSError) as error:
        raise ValueError(str(error)) from error
    return [_line(table.column_names), *map(_line, zip(*columns, strict=True))]


def _table(data: bytes) -> pa.Table:
    """Decode a file that holds no more than a list of runs: some kilobytes can hold terabytes."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    names = pq.read_schema(pa.BufferReader(data)).names
    # Of equal texts one is kept, until it is known how long all are together.
    file = pq.ParquetFile(pa.BufferReader(data), read_dictionary=names)
    meta = file.metadata
    groups = [meta.row_group(number) for number in range(meta.num_row_groups)]
    size = sum(group.total_byte_size for group in groups)
    cells = meta.num_rows * max(1, meta.num_columns)
    if meta.num_rows > MOST_ROWS or cells > MOST_CELLS or size > MAX_LIST_MB << 20:
        raise ValueError(
            f"{meta.num_rows} rows of {meta.num_columns} columns with {size} bytes are more than a "
            "list of runs has; split it"
        )
    table = file.read(use_threads=False)
    size = 0
    for column in table.columns:
        for chunk in column.chunks:
            if pa.types.is_dictionary(chunk.type) and _is_text(chunk.type.value_type):
                lengths = pc.take(pc.binary_length(chunk.dictionary), chunk.indices)
                size += pc.sum(pc.cast(lengths, pa.int64())).as_py() or 0
    if size > MAX_LIST_MB << 20:
        raise ValueError(f"its texts have {size} bytes; at most {MAX_LIST_MB} MiB are read")
    return table


def _is_text(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return any(
        known(kind)
        for known in (
            *(pa.types.is_string, pa.types.is_large_string),
            *(pa.types.is_binary, pa.types.is_large_binary),
        )
    )


def _cells(column: pa.ChunkedArray, name: str) -> list[str]:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_string(column.type):
        column = column.cast(pa.binary())
    elif pa.types.is_large_string(column.type):
        column = column.cast(pa.large_binary())
    elif pa.types.is_timestamp(column.type):
        # In microseconds, as Python has them; a fraction below that tells no runs apart.
        column = column.cast(pa.timestamp("us", column.type.tz), safe=False)
    elif pa.types.is_nested(column.type):
        raise ValueError(f"its column {name!r} is of the type {column.type}")
    missing = _NO_SUBMISSION if name == _SUBMISSION else ""
    return [missing if value is None else _cell(value) for value in column.to_pylist()]


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
