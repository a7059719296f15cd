"""The grading reports that BioML-bench and MLE-bench publish, key for key and digit for digit."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from biomlbench.export.forms import published_forms

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from biomlbench.scoring.task_report import TaskReport

__all__ = ["published_text"]


def published_text(reports: Iterable[TaskReport], form: str, created_at: datetime) -> str:
    """Return a published grading report.

    Parameters
    ----------
    reports : iterable of TaskReport
    form : str
        One of :func:`biomlbench.export.forms.published_forms`.
    created_at : datetime
        For reports that do not say when they were made.

    Returns
    -------
    str
        As the published programs write it: two blanks of indent, no line break at the end. Scores
        have five decimals, percentiles one. Medals are ours, of unrounded scores; a task without
        a leaderboard has null thresholds.
    """
    report = published_forms()[form].report(list(reports), created_at)
    return json.dumps(report, indent=2, allow_nan=False)
