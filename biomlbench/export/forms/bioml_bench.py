"""`bioml-bench`: `grading_report.json` as BioML-bench publishes it; the medals are ours.

Scores are unrounded where they are ranked; without a leaderboard the thresholds are null.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.export.forms._reports import percent, percentile, shared, totals, write_published

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path

    import pyarrow as pa

    from biomlbench.contracts.mappings import JsonObject
    from biomlbench.export.forms import About
    from biomlbench.scoring.task_report import TaskReport

FORM = "bioml-bench"


def write(tables: Mapping[str, pa.Table], to: Path, about: About) -> list[Path]:
    """Write the report as the published program does."""
    return write_published(FORM, tables, to, about)


def report(reports: list[TaskReport], created_at: datetime) -> JsonObject:
    """Return the report of BioML-bench."""
    entries = []
    for one in reports:
        entry = {"task_id": one.task_id, **shared(one, created_at)}
        entry["leaderboard_percentile"] = percentile(one)
        entry["leaderboard_size"] = one.leaderboard_size
        entry["beats_human"] = one.beats_human
        entry["human_percentile"] = percent(one.human_percentile)
        entries.append(entry)
    ranked = [e["leaderboard_percentile"] for e in entries]
    percentiles = [value for value in ranked if value is not None]
    mean = sum(percentiles) / len(percentiles) if percentiles else None
    return {
        **totals(entries),
        "total_beats_human": sum(bool(entry["beats_human"]) for entry in entries),
        "avg_leaderboard_percentile": percent(mean),
        "best_leaderboard_percentile": max(percentiles, default=None),
        "worst_leaderboard_percentile": min(percentiles, default=None),
        "task_reports": entries,
    }
