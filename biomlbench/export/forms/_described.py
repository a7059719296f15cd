"""Parquet files with a description beside them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from biomlbench.export.forms import parquet

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    import pyarrow as pa

    from biomlbench.contracts.mappings import JsonObject
    from biomlbench.export.forms import About

__all__ = ["write_described"]


def write_described(
    tables: Mapping[str, pa.Table],
    to: Path,
    about: About,
    name: str,
    describe: Callable[..., JsonObject],
) -> list[Path]:
    """Write the tables as Parquet, and under `name` what `describe` says of the files.

    Parameters
    ----------
    tables : mapping of str to pyarrow.Table
    to : Path
    about : About
    name : str
        Of the description's file.
    describe : callable
        Takes paths, title, date and licence; returns JSON.

    Returns
    -------
    list of Path
        The description last.
    """
    paths = parquet.write(tables, to, about)
    description = describe(paths, about.title, about.date, about.licence)
    path = to / name
    path.write_text(json.dumps(description, indent=2, ensure_ascii=False) + "\n", "utf-8")
    return [*paths, path]
