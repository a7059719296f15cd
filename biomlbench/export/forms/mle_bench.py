"""`mle-bench`: `grading_report.json` as MLE-bench publishes it; the medals are ours.

Scores are unrounded where they are ranked; without a leaderboard the thresholds are null.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.export.forms._reports import shared, totals, write_published

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path

    import pyarrow as pa

    from biomlbench.contracts.mappings import JsonObject
    from biomlbench.export.forms import About
    from biomlbench.scoring.task_report import TaskReport

FORM = "mle-bench"


def write(tables: Mapping[str, pa.Table], to: Path, about: About) -> list[Path]:
    """Write the report as the published program does."""
    return write_published(FORM, tables, to, about)


def report(reports: list[TaskReport], created_at: datetime) -> JsonObject:
    """Return the report of MLE-bench."""
    entries = [
        # A competition's id has no domain.
        {"competition_id": r.task_id.rpartition("/")[2], **shared(r, created_at)}
        for r in reports
    ]
    return {**totals(entries), "competition_reports": entries}
