"""Grading reports of a results folder, and what the published ones have in common."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from biomlbench.scoring.medals import THRESHOLDS
from biomlbench.summary.grading_report import GRADING_REPORT

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pyarrow as pa

    from biomlbench.contracts.mappings import JsonObject
    from biomlbench.export.forms import About
    from biomlbench.scoring.task_report import TaskReport

__all__ = ["percent", "percentile", "shared", "totals", "write_published"]

_SCORE_DIGITS = 5
_PERCENT_DIGITS = 1
_FLAGS = (
    *("any_medal", "gold_medal", "silver_medal", "bronze_medal", "above_median"),
    *("submission_exists", "valid_submission", "is_lower_better"),
)
_TOTALS = {
    "total_runs_with_submissions": "submission_exists",
    "total_valid_submissions": "valid_submission",
    "total_medals": "any_medal",
    "total_gold_medals": "gold_medal",
    "total_silver_medals": "silver_medal",
    "total_bronze_medals": "bronze_medal",
    "total_above_median": "above_median",
}


def write_published(
    form: str, tables: Mapping[str, pa.Table], to: Path, about: About
) -> list[Path]:
    """Write the grading report of a published form.

    Raises
    ------
    ValueError
        If `about` has no date.
    """
    from biomlbench.export.published import published_text
    from biomlbench.summary.grading_report import reports_of

    if not about.date:
        raise ValueError(f"a report of {form} says when it was made: give `date`")
    day = datetime.fromisoformat(about.date)
    path = to / GRADING_REPORT
    reports = reports_of(tables["pairs"])
    path.write_text(published_text(reports, form, day), encoding="utf-8")
    return [path]


def shared(report: TaskReport, created_at: datetime) -> JsonObject:
    time = report.created_at or created_at
    return {
        "score": None if report.score is None else round(float(report.score), _SCORE_DIGITS),
        **{name: getattr(report, name) for name in THRESHOLDS},
        **{name: bool(getattr(report, name)) for name in _FLAGS},
        # The published times are local ones that do not say so.
        "created_at": time.replace(tzinfo=None).isoformat(),
        "submission_path": report.submission_path,
    }


def totals(entries: list[JsonObject]) -> dict[str, int]:
    counts = {total: sum(entry[name] for entry in entries) for total, name in _TOTALS.items()}
    return {"total_runs": len(entries), **counts}


def percentile(report: TaskReport) -> float | None:
    """Return the percentile from the number of entries beaten, in the published order of steps."""
    if report.leaderboard_percentile is None or not report.leaderboard_size:
        return None
    size = report.leaderboard_size
    worse = round(report.leaderboard_percentile * size / 100)
    return percent(worse / size * 100)


def percent(value: float | None) -> float | None:
    """Round as NumPy does, whose numbers the published ones are: 12.35 becomes 12.4."""
    if value is None:
        return None
    import numpy as np

    return float(np.round(value, _PERCENT_DIGITS))
