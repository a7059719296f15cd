"""`mle-bench`: `grading_report.json` as MLE-bench publishes it; the medals are ours.

Scores are unrounded where they are ranked; without a leaderboard the thresholds are null.
"""

from __future__ import annotations

from collections import Counter
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
    """Return the report of MLE-bench.

    A competition's id has no domain, unless tasks of two domains would have one id.
    """
    tasks = {report.task_id for report in reports}
    shares = Counter(_bare(task) for task in tasks)
    names = {task: _bare(task) if shares[_bare(task)] == 1 else task for task in tasks}
    entries = [{"competition_id": names[r.task_id], **shared(r, created_at)} for r in reports]
    return {**totals(entries), "competition_reports": entries}


def _bare(task_id: str) -> str:
    return task_id.rpartition("/")[2]
