"""Medals: which rank earns one, the scores that it takes, and how sure a medal is.

The rules are those that Kaggle's progression system had, by size of the leaderboard:

=========  ================  ======  ========
teams      gold              silver  bronze
=========  ================  ======  ========
1-99       10 %              20 %    40 %
100-249    10                20 %    40 %
250-999    10 + 0.2 %        50      100
1000+      10 + 0.2 %        5 %     10 %
=========  ================  ======  ========

Shares are rounded down, to at least one team. A score that ties with the last medal rank's
earns the medal. The better medal comes first.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

from biomlbench.scoring.leaderboard import (
    Leaderboard,
    as_leaderboard,
    lower_is_better,
    read_leaderboard,
)
from biomlbench.scoring.score_cells import given_score

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike

__all__ = [
    "MEDALS",
    "THRESHOLDS",
    "Leaderboard",
    "MedalProbabilities",
    "Ranked",
    "Thresholds",
    "as_leaderboard",
    "medal_note",
    "medal_of",
    "medal_probabilities",
    "medal_ranks",
    "rank_score",
    "read_leaderboard",
    "thresholds",
]

MEDALS = ("gold", "silver", "bronze")
ROUNDING = 1e-12
"""Relative difference of a resample's score from a threshold that the order of its sum explains."""
#: Contestants that a medal is usually won against, which needs no saying.
PEOPLE = ("teams", "people")


class Thresholds(NamedTuple):
    """Scores that earn a medal, and the median."""

    gold: float
    silver: float
    bronze: float
    median: float


THRESHOLDS = tuple(f"{name}_threshold" for name in Thresholds._fields)
"""Columns of the thresholds, in every table."""


class Ranked(TypedDict):
    """What a leaderboard says of a score; see :func:`rank_score`."""

    gold_medal: bool
    silver_medal: bool
    bronze_medal: bool
    above_median: bool
    gold_threshold: float
    silver_threshold: float
    bronze_threshold: float
    median_threshold: float
    leaderboard_percentile: float | None
    leaderboard_size: int


class MedalProbabilities(NamedTuple):
    """How sure a medal is, over the bootstrap distribution of a score.

    Attributes
    ----------
    p_gold, p_silver, p_bronze : float
        Probability of exactly that medal: a frequency over bootstrap resamples, which moves in
        steps, half a percent each for the 201 quantiles that are kept of them.
    p_above_median : float
        Probability of a score better than the leaderboard's median.
    on_boundary : bool
        The 95 % interval spans the threshold of a medal.
    """

    p_gold: float
    p_silver: float
    p_bronze: float
    p_above_median: float
    on_boundary: bool


def medal_ranks(n_teams: int) -> tuple[int, int, int]:
    """Return the last rank that earns gold, silver and bronze.

    Parameters
    ----------
    n_teams : int
        Teams on the leaderboard, at least 1.

    Raises
    ------
    ValueError
        If there is no team.

    Examples
    --------
    >>> medal_ranks(5), medal_ranks(100), medal_ranks(999), medal_ranks(1000)
    ((1, 1, 2), (10, 20, 40), (11, 50, 100), (12, 50, 100))
    """
    if n_teams < 1:
        raise ValueError("a leaderboard has at least one team")
    if n_teams < 250:
        gold = n_teams // 10 if n_teams < 100 else 10
        return max(1, gold), max(1, n_teams // 5), max(1, n_teams * 2 // 5)
    gold = 10 + n_teams // 500
    if n_teams < 1000:
        return gold, 50, 100
    return gold, n_teams // 20, n_teams // 10


def thresholds(leaderboard: Any, direction: str) -> Thresholds:
    """Return the scores that earn a medal.

    Parameters
    ----------
    leaderboard : Leaderboard, DataFrame with a ``score`` column, or array_like
        In any order; of a team that occurs more than once the best score counts.
    direction : {"maximize", "minimize"}

    Raises
    ------
    LeaderboardError
        If the leaderboard is empty or holds a score that is no finite number.

    Examples
    --------
    >>> thresholds(range(1, 11), "maximize")
    Thresholds(gold=10.0, silver=9.0, bronze=7.0, median=5.5)
    """
    lower = lower_is_better(direction)
    board = as_leaderboard(leaderboard, direction=direction)
    if direction not in board._thresholds:
        import numpy as np

        best_first = board.ascending if lower else board.ascending[::-1]
        gold, silver, bronze = (float(best_first[rank - 1]) for rank in medal_ranks(len(board)))
        board._thresholds[direction] = Thresholds(
            gold, silver, bronze, float(np.median(board.ascending))
        )
    return board._thresholds[direction]


def medal_of(score: float, limits: Thresholds, direction: str) -> str:
    """Return the medal that a score earns: ``gold``, ``silver``, ``bronze`` or ``none``."""
    lower = lower_is_better(direction)
    for medal, limit in zip(MEDALS, limits, strict=False):
        if (score <= limit) if lower else (score >= limit):
            return medal
    return "none"


def rank_score(score: float | None, leaderboard: Any, direction: str) -> Ranked:
    """Rank a score: the one place where medals and the leaderboard's percentile are computed.

    Parameters
    ----------
    score : float or None
        Unrounded. None, NaN or infinite: an invalid score, which earns nothing. Text is read as
        in a file.
    leaderboard : Leaderboard, DataFrame with a ``score`` column, or array_like
        In any order; of a team that occurs more than once the best score counts.
    direction : {"maximize", "minimize"}
        Which way is better; declared by the metric, never guessed.

    Returns
    -------
    dict
        ``gold_medal``, ``silver_medal``, ``bronze_medal`` (at most one is true),
        ``above_median`` (strictly better than the median), ``gold_threshold``,
        ``silver_threshold``, ``bronze_threshold``, ``median_threshold``,
        ``leaderboard_percentile`` (percent of the leaderboard strictly worse; None for an
        invalid score) and ``leaderboard_size``.

    Raises
    ------
    LeaderboardError
        If the leaderboard is empty or holds a score that is no finite number.

    Examples
    --------
    >>> ranking = rank_score(8.0, range(1, 11), "maximize")
    >>> ranking["bronze_medal"], ranking["leaderboard_percentile"]
    (True, 70.0)
    """
    lower = lower_is_better(direction)
    board = as_leaderboard(leaderboard, direction=direction)
    limits = thresholds(board, direction)
    value = given_score(score)
    medal, above, percentile = "none", False, None
    if value is not None:
        medal = medal_of(value, limits, direction)
        above = value < limits.median if lower else value > limits.median
        percentile = 100.0 * _worse(board, value, lower) / len(board)
    return {
        "gold_medal": medal == "gold",
        "silver_medal": medal == "silver",
        "bronze_medal": medal == "bronze",
        "above_median": above,
        "gold_threshold": limits.gold,
        "silver_threshold": limits.silver,
        "bronze_threshold": limits.bronze,
        "median_threshold": limits.median,
        "leaderboard_percentile": percentile,
        "leaderboard_size": len(board),
    }


def _worse(board: Leaderboard, score: float, lower: bool) -> int:
    if lower:
        return len(board) - int(board.ascending.searchsorted(score, side="right"))
    return int(board.ascending.searchsorted(score, side="left"))


def leaderboard_position(score: float, leaderboard: Any, direction: str) -> int:
    """Return the rank that a score would have, 1 for the best; ties share the better rank.

    Examples
    --------
    >>> leaderboard_position(9.0, [10.0, 9.0, 8.0], "maximize")
    2
    """
    lower = lower_is_better(direction)
    board = as_leaderboard(leaderboard, direction=direction)
    if lower:
        return 1 + int(board.ascending.searchsorted(score, side="left"))
    return 1 + len(board) - int(board.ascending.searchsorted(score, side="right"))


def medal_note(
    leaderboard: Any, direction: str, contestants: str = "", *, inferred: bool = False
) -> str:
    """Return what is to be known of a medal: against whom, and which ones are out of reach.

    Parameters
    ----------
    leaderboard : Leaderboard, DataFrame with a ``score`` column, array_like or None
        None: there is no leaderboard.
    direction : {"maximize", "minimize"}
    contestants : str
        Who stands on the leaderboard, where those are no people, for instance
        ``fitted models``.
    inferred : bool
        Whether the direction was read off the leaderboard's order.

    Returns
    -------
    str
        Empty where all three medals can be earned against people, and the direction is declared.

    Examples
    --------
    >>> medal_note(range(40), "maximize", "fitted models")
    'against 40 fitted models'
    >>> medal_note([0.9, 0.8, 0.7, 0.6, 0.5], "maximize")
    'silver is out of reach: its threshold is that of gold'
    >>> medal_note(None, "maximize")
    'the task has no leaderboard, so it awards no medals'
    """
    if leaderboard is None:
        return "the task has no leaderboard, so it awards no medals"
    board = as_leaderboard(leaderboard, direction=direction)
    limits = thresholds(board, direction)
    notes = []
    if contestants and contestants not in PEOPLE:
        notes.append(f"against {len(board)} {contestants}")
    if inferred:
        notes.append(f"that the score is {direction}d is inferred from the leaderboard's order")
    if limits.silver == limits.gold:
        notes.append("silver is out of reach: its threshold is that of gold")
    if limits.bronze == limits.silver:
        better = "gold" if limits.bronze == limits.gold else "silver"
        notes.append(f"bronze is out of reach: its threshold is that of {better}")
    return "; ".join(notes)


def medal_probabilities(
    quantiles: ArrayLike,
    leaderboard: Any,
    direction: str,
    interval: tuple[float, float] | None = None,
) -> MedalProbabilities:
    """Return how sure each medal is, over the bootstrap distribution of a score.

    Parameters
    ----------
    quantiles : array_like of float, shape (q,)
        The distribution at q evenly spaced quantiles from 0 to 1, q at least 2. One that
        differs from a threshold by rounding ties with it: where all rows have the same error,
        each resample sums it up in another way.
    leaderboard : Leaderboard, DataFrame with a ``score`` column, or array_like
    direction : {"maximize", "minimize"}
    interval : tuple of float, optional
        The score's 95 % interval; by default that of the quantiles.

    Returns
    -------
    MedalProbabilities

    Raises
    ------
    ValueError
        If there are fewer than two quantiles, or one is not finite.

    Examples
    --------
    >>> import numpy as np
    >>> medal_probabilities(np.linspace(8, 12, 201), range(1, 11), "maximize").p_gold
    0.5025
    """
    import numpy as np

    lower = lower_is_better(direction)
    values = np.sort(np.asarray(quantiles, dtype=np.float64))
    if len(values) < 2 or not np.isfinite(values).all():
        finite = int(np.isfinite(values).sum())
        raise ValueError(
            "medal probabilities need at least two quantiles, all of them finite; there are "
            f"{len(values)}, {finite} of them finite"
        )
    limits = thresholds(leaderboard, direction)
    weights = np.full(len(values), 1.0 / (len(values) - 1))
    weights[[0, -1]] /= 2

    def share(hits: np.ndarray) -> float:
        return min(1.0, max(0.0, float(np.round(weights[hits].sum(), 12))))

    near = Thresholds(*(limit + (1 if lower else -1) * ROUNDING * abs(limit) for limit in limits))
    beyond = 2 * limits.median - near.median
    reached = [share(values <= limit if lower else values >= limit) for limit in near[:3]]
    above = share(values < beyond if lower else values > beyond)
    low, high = interval or _interval(values)
    spans = medal_of(low, near, direction) != medal_of(high, near, direction)
    gold, silver, bronze = reached
    return MedalProbabilities(
        gold, max(0.0, round(silver - gold, 12)), max(0.0, round(bronze - silver, 12)), above, spans
    )


def _interval(values: np.ndarray) -> tuple[float, float]:
    last = len(values) - 1
    return float(values[math.floor(0.025 * last)]), float(values[math.ceil(0.975 * last)])
