"""What both descriptions of the results say."""

from __future__ import annotations

__all__ = ["DESCRIPTION", "MEDIA_TYPE", "table_description"]

DESCRIPTION = (
    "Graded and verified runs of agents on biomedical machine-learning tasks: scores with "
    "intervals, medals with probabilities, verdicts with the checks behind them."
)
MEDIA_TYPE = "application/x-parquet"
"""As Croissant's reference reader knows it."""
_ROW = {
    "pairs": "One row for each run of a task: score, medal, verdict, and whose fault a failure is.",
    "checks": "One row for each check of each run: mode, suite, outcome and reason.",
    "agents": "One row for each agent, in all and by domain: rates with standard errors.",
    "tasks": "One row for each task: leaderboard, and what evidence its checks have.",
    "telemetry": "One row for each run: week, attempt, hints, failed checks and times.",
}


def table_description(name: str) -> str:
    """Say what a table holds."""
    return _ROW[name]
