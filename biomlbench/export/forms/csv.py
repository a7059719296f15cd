"""`csv`: a file for each table; lists are JSON text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from biomlbench.plain_text import spreadsheet_cell
from biomlbench.runtime.progress_bars import bar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    import pyarrow as pa

    from biomlbench.export.forms import About
    from biomlbench.runtime.progress_bars import Bar

FORM = "csv"


def write(tables: Mapping[str, pa.Table], to: Path, about: About) -> list[Path]:
    """Write one file a table."""
    from pyarrow import csv

    paths = []
    with bar("writing CSV", sum(len(t) * t.num_columns for t in tables.values())) as written:
        for name, table in tables.items():
            paths.append(to / f"{name}.csv")
            csv.write_csv(_as_text(table, written), paths[-1])
    return paths


def _as_text(table: pa.Table, written: Bar) -> pa.Table:
    """Return a table as CSV can hold it: lists as JSON, and no text that is taken for a command."""
    import pyarrow as pa

    for number, field in enumerate(table.schema):
        written.advance(len(table))
        if pa.types.is_list(field.type):
            to_text: Callable[[Any], str] = json.dumps
        elif pa.types.is_string(field.type) or pa.types.is_dictionary(field.type):
            to_text = str
        else:
            continue
        values = table[field.name].to_pylist()
        cells = [None if value is None else spreadsheet_cell(to_text(value)) for value in values]
        table = table.set_column(number, field.name, pa.array(cells, pa.string()))
    return table
