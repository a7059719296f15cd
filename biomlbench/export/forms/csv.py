"""`csv`: a file for each table; lists are JSON text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from biomlbench.plain_text import spreadsheet_cell

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pyarrow as pa

    from biomlbench.export.forms import About

FORM = "csv"


def write(tables: Mapping[str, pa.Table], to: Path, about: About) -> list[Path]:
    """Write one file a table."""
    from pyarrow import csv

    paths = []
    for name, table in tables.items():
        paths.append(to / f"{name}.csv")
        csv.write_csv(_safe(_flat(table)), paths[-1])
    return paths


def _flat(table: pa.Table) -> pa.Table:
    """Return a table whose lists are JSON text, since CSV has no lists."""
    import pyarrow as pa

    for number, field in enumerate(table.schema):
        if pa.types.is_list(field.type):
            cells = [v if v is None else json.dumps(v) for v in table[field.name].to_pylist()]
            table = table.set_column(number, field.name, pa.array(cells, pa.string()))
    return table


def _safe(table: pa.Table) -> pa.Table:
    """Return a table whose text neither a terminal nor a spreadsheet takes for a command."""
    import pyarrow as pa

    for number, field in enumerate(table.schema):
        if pa.types.is_string(field.type) or pa.types.is_dictionary(field.type):
            texts = table[field.name].to_pylist()
            cells = [text if text is None else spreadsheet_cell(text) for text in texts]
            table = table.set_column(number, field.name, pa.array(cells, pa.string()))
    return table
