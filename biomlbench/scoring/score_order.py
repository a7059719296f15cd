"""Which of two scores of a task is the better one, and which differ by rounding only."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from biomlbench.task.task import Task

__all__ = ["ROUNDING", "ScoreOrder", "score_order"]

ROUNDING = 1e-9
"""Share of the scale of a task's scores by which two of them may differ by rounding only."""


class ScoreOrder(NamedTuple):
    """How two scores of a task compare.

    Attributes
    ----------
    direction : str
        ``maximize`` or ``minimize``.
    scale : float
        How far scores of the task lie apart; 0 where nothing tells it. There is no scale for all
        tasks: errors of concentrations in moles are some 1e-9, and far from each other.

    Examples
    --------
    >>> ScoreOrder("minimize", scale=1.0).better(0.0, 1e-12)
    False
    >>> ScoreOrder("minimize", scale=1e-9).better(0.0, 1e-12)
    True
    """

    direction: str
    scale: float = 0.0

    def better(self, one: float, other: float) -> bool:
        """Whether a score is better than another, beyond rounding."""
        off = one - other if self.direction == "maximize" else other - one
        return bool(off > self.tolerance(one, other))

    def same(self, one: float, other: float) -> bool:
        """Whether two scores differ by rounding only."""
        return not self.better(one, other) and not self.better(other, one)

    def tolerance(self, one: float, other: float) -> float:
        """Return the difference that rounding explains."""
        return ROUNDING * max(self.scale, abs(one), abs(other))


def score_order(task: Task, known: Iterable[float | None]) -> ScoreOrder:
    """Return how scores of a task compare, on the scale that the task itself gives.

    Parameters
    ----------
    task : Task
        Of predictions.
    known : iterable of float or None
        Scores of submissions of different worth; None without one. They are not looked at where
        the metric has a lowest and a highest value.

    Returns
    -------
    ScoreOrder
        The scale is the width of the metric's range; where that is infinite, how far the known
        scores and the metric's best value lie apart.
    """
    metric = task.metric
    ends = () if metric is None else metric.range
    if not ends or not all(map(math.isfinite, ends)):
        best = [] if metric is None else [metric.best]
        found = [one for one in (*best, *known) if one is not None and math.isfinite(one)]
        ends = (min(found), max(found)) if found else (0.0, 0.0)
    return ScoreOrder(task.direction, max(ends) - min(ends))
