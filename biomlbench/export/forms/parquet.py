"""`parquet`: a file for each table, with its schema."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.runtime.progress_bars import track

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pyarrow as pa

    from biomlbench.export.forms import About

FORM = "parquet"


def write(tables: Mapping[str, pa.Table], to: Path, about: About) -> list[Path]:
    """Write one file a table."""
    import pyarrow.parquet as pq

    paths = []
    for name, table in track(tables.items(), "writing tables"):
        paths.append(to / f"{name}.parquet")
        pq.write_table(table, paths[-1], compression="zstd")
    return paths
