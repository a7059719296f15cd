"""What a score is worth: thresholds, medal, percentile, probabilities, and humans beaten.

The one place that knows; a report of the API, the last stage of the workflow and the server's
answers are filled in from an :class:`Award`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from biomlbench.errors import TaskError
from biomlbench.scoring.humans import compare_with_humans
from biomlbench.scoring.medals import (
    MEDALS,
    leaderboard_position,
    medal_probabilities,
    rank_score,
)
from biomlbench.scoring.suspicion import beyond_the_board

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from biomlbench.contracts.mappings import Arguments
    from biomlbench.contracts.rows import AwardColumns
    from biomlbench.scoring.effective_task import EffectiveTask
    from biomlbench.scoring.leaderboard import Leaderboard

__all__ = ["Award", "award"]


@dataclass(frozen=True, kw_only=True)
class Award:
    """What a score is worth; the fields that :meth:`columns` gives are columns of ``medal``.

    Attributes
    ----------
    medal : str
        ``gold``, ``silver``, ``bronze`` or ``none``.
    medal_note : str
        Against whom, which medals cannot be had, and why; empty where there is nothing to say.
    above_median : bool or None
        False without a score; None without a leaderboard that can be used.
    suspicion : str
        Why the score cannot be believed without a look at how it came about; empty where it can.
    error : TaskError or None
        Why the task's own files could not be used. What depends on them is left empty.
    """

    gold_medal: bool = False
    silver_medal: bool = False
    bronze_medal: bool = False
    medal: str = "none"
    medal_note: str = ""
    above_median: bool | None = None
    gold_threshold: float | None = None
    silver_threshold: float | None = None
    bronze_threshold: float | None = None
    median_threshold: float | None = None
    leaderboard_percentile: float | None = None
    leaderboard_size: int | None = None
    leaderboard_position: int | None = None
    p_gold: float | None = None
    p_silver: float | None = None
    p_bronze: float | None = None
    p_above_median: float | None = None
    on_boundary: bool | None = None
    beats_human: bool | None = None
    human_percentile: float | None = None
    suspicion: str = ""
    error: TaskError | None = None

    @property
    def any_medal(self) -> bool:
        """Whether there is a medal."""
        return self.medal != "none"

    def columns(self) -> AwardColumns:
        """Return the fields, but for suspicion and error, and ``any_medal``."""
        values = dict(vars(self))
        del values["suspicion"], values["error"]
        return cast("AwardColumns", {**values, "any_medal": self.any_medal})


def award(
    task: EffectiveTask,
    score: float | None,
    direction: str,
    quantiles: Sequence[float] | None = None,
    interval: tuple[float | None, float | None] = (None, None),
) -> Award:
    """Rank a score against a task's leaderboard and its human baselines.

    Parameters
    ----------
    task : EffectiveTask
    score : float or None
        Unrounded; None where there is no valid one.
    direction : str
        ``maximize`` or ``minimize``; empty where the task does not tell it.
    quantiles : sequence of float, optional
        The score's bootstrap distribution.
    interval : tuple of float or None
        Its 95 % interval.

    Returns
    -------
    Award
        A broken leaderboard or broken baselines are told by its `error`; nothing is raised for
        them.
    """
    values: Arguments = {}
    value = None if score is None or not math.isfinite(score) else score
    error = None
    try:
        direction = direction or task.direction
        board = task.read_leaderboard(direction)
        values["medal_note"] = task.medal_note(board, direction)
        if board is not None:
            values |= _ranked(board, value, direction, quantiles, interval)
            if value is not None:
                metric = task.task.metric
                best = None if metric is None else metric.best
                values["suspicion"] = beyond_the_board(value, board.ascending, direction, best)
    except TaskError as broken:
        error = broken
        values["medal_note"] = f"{broken.reason}: {broken}"
    try:
        if direction and value is not None:
            values |= _against_humans(task.read_humans(), value, direction)
    except TaskError as broken:
        error = error or broken
    return Award(**values, error=error)


def _ranked(
    board: Leaderboard,
    score: float | None,
    direction: str,
    quantiles: Sequence[float] | None,
    interval: tuple[float | None, float | None],
) -> Arguments:
    values: Arguments = {**rank_score(score, board, direction)}
    values["medal"] = next((medal for medal in MEDALS if values[f"{medal}_medal"]), "none")
    if score is None:
        return values
    values["leaderboard_position"] = leaderboard_position(score, board, direction)
    if quantiles:
        low, high = interval
        known = None if low is None or high is None else (low, high)
        values |= medal_probabilities(quantiles, board, direction, known)._asdict()
    return values


def _against_humans(humans: np.ndarray | None, score: float, direction: str) -> Arguments:
    return compare_with_humans(score, humans, direction)._asdict()
