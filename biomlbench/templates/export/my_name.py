"""`my-name`: `pairs.jsonl`, a line for each run; an example, to be replaced by your own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pyarrow as pa

    from biomlbench.export.forms import About

FORM = "my-name"


def write(tables: Mapping[str, pa.Table], to: Path, about: About) -> list[Path]:
    """Write one line a pair; of the tables only `pairs` is always there."""
    path = to / "pairs.jsonl"
    lines = [json.dumps(row, default=str) + "\n" for row in tables["pairs"].to_pylist()]
    path.write_text("".join(lines), encoding="utf-8")
    return [path]
