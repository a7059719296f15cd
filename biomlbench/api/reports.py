"""The report of a score: its rank, its medal, and the comparison with humans."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from biomlbench.runtime.once import once
from biomlbench.scoring.grader import TaskReport

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from biomlbench.contracts.mappings import Arguments
    from biomlbench.scoring.score import ScoreResult
    from biomlbench.task.registry import Task

__all__ = ["leaderboard_of", "report_of"]


def report_of(
    result: ScoreResult, task: Task, submission: str | Path, *, created_at: datetime | None = None
) -> TaskReport:
    """Return the report of a score: its rank, its medal, and the comparison with humans.

    Parameters
    ----------
    result : ScoreResult
        Valid, or invalid by the submission's own fault.
    task : Task
    submission : path
        As it is to stand in the report.
    created_at : datetime, optional

    Returns
    -------
    TaskReport

        Broken leaderboards and human baselines are told by its `reason`: the score stands.
    """
    from biomlbench.scoring.award import award
    from biomlbench.scoring.effective_task import EffectiveTask

    earned = award(
        once(("as it is", task), partial(EffectiveTask, task)),
        result.score if result.valid else None,
        result.direction,
        result.score_quantiles,
        (result.score_low, result.score_high),
    )
    # the submission's own fault comes first
    faulty = earned.error if earned.error is not None and result.valid else result
    columns: Arguments = {**earned.columns()}
    del columns["medal"]
    return TaskReport(
        task_id=task.id,
        score=result.score,
        submission_exists=result.exists,
        valid_submission=result.valid,
        is_lower_better=result.direction == "minimize",
        created_at=created_at,
        submission_path=str(submission),
        metric=result.metric,
        direction=result.direction,
        reason=str(faulty.reason),
        fault=str(faulty.fault),
        message=faulty.message,
        n_rows=result.n_rows,
        score_low=result.score_low,
        score_high=result.score_high,
        **columns,
    )


def leaderboard_of(task: Task, direction: str) -> Any:
    """Return a task's leaderboard, checked against its metric; None if it has none.

    Raises
    ------
    LeaderboardError
        If it is empty, broken, or contradicts the metric's direction or range.
    """
    from biomlbench.scoring.effective_task import EffectiveTask

    return EffectiveTask(task).read_leaderboard(direction)
