"""`croissant`: the Parquet files and `croissant.json`, for data-set search and loaders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.export.forms._described import write_described

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pyarrow as pa

    from biomlbench.export.forms import About

FORM = "croissant"


def write(tables: Mapping[str, pa.Table], to: Path, about: About) -> list[Path]:
    """Write the tables, and their description in Croissant."""
    from biomlbench.export.croissant import describe

    return write_described(tables, to, about, "croissant.json", describe)
