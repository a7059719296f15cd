"""`ro-crate`: the Parquet files and `ro-crate-metadata.json`, for archives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.export.forms._described import write_described

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pyarrow as pa

    from biomlbench.export.forms import About

FORM = "ro-crate"


def write(tables: Mapping[str, pa.Table], to: Path, about: About) -> list[Path]:
    """Write the tables, and their description in RO-Crate."""
    from biomlbench.export.rocrate import describe

    return write_described(tables, to, about, "ro-crate-metadata.json", describe)
