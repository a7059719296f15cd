"""What of the tables is for whoever ran the benchmark alone, as it tells what hidden cases hold.

Code sees the inputs of hidden and adversarial cases, and can err or wait by any amount: each number
that depends on a single one of them, or on the worst, carries some digits of it out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from biomlbench.outcomes import Suite

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["COARSE", "FIGURES", "OWNER_ONLY", "for_others"]

OWNER_ONLY = {"checks": ("margin",), "telemetry": ("hidden_wall_s",), "margins": ("margin",)}
"""Columns by table: null for others; those of `checks` stay for the visible suite."""
COARSE = {"pairs": ("wall_s", "cpu_s", "peak_mb")}
"""Columns by table that are sums or maxima over all cases: for others, of two digits."""
FIGURES = ("margins", "runtime_variance")
"""Figures that are drawn from such columns."""
_DIGITS = 2


def for_others(tables: Mapping[str, pa.Table]) -> dict[str, pa.Table]:
    """Return tables as whoever did not run the benchmark may have them.

    Parameters
    ----------
    tables : mapping of str to pyarrow.Table
        By their names in :data:`biomlbench.contracts.SCHEMAS`.

    Returns
    -------
    dict of str to pyarrow.Table
        Of the same schemas and rows.
    """
    return {name: _for_others(name, table) for name, table in tables.items()}


def _for_others(name: str, table: pa.Table) -> pa.Table:
    for column in OWNER_ONLY.get(name, ()):
        place, kind = table.schema.get_field_index(column), table.schema.field(column)
        values = pa.chunked_array([pa.nulls(len(table), kind.type)])
        if "suite" in table.column_names:
            is_visible = pc.equal(table.column("suite"), str(Suite.VISIBLE))
            values = pc.if_else(is_visible, table.column(column), values)
        table = table.set_column(place, kind, values)
    for column in COARSE.get(name, ()):
        place, kind = table.schema.get_field_index(column), table.schema.field(column)
        rounded = pa.array(_rounded(table.column(column)), kind.type)
        table = table.set_column(place, kind, rounded)
    return table


def _rounded(column: pa.ChunkedArray) -> list[float | None]:
    return [
        value if value is None or not np.isfinite(value) else float(f"{value:.{_DIGITS}g}")
        for value in column.to_pylist()
    ]
