"""`json`: `grading_report.json`, with medals, probabilities and reasons."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from biomlbench.summary.grading_report import GRADING_REPORT

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pyarrow as pa

    from biomlbench.export.forms import About

FORM = "json"


def write(tables: Mapping[str, pa.Table], to: Path, about: About) -> list[Path]:
    """Write the report of all runs, as the workflow does."""
    from biomlbench.summary.grading_report import grading_report

    text = json.dumps(grading_report(tables["pairs"]), indent=2, allow_nan=False)
    path = to / GRADING_REPORT
    path.write_text(text + "\n", encoding="utf-8")
    return [path]
