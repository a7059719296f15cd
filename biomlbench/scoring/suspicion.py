"""Scores that are too good to be believed without a look at how they came about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["LEAST_TEAMS", "SHARE_LEFT", "beyond_the_board"]

SHARE_LEFT = 0.5
"""A score whose distance from perfect is below this share of the best team's is suspicious."""
LEAST_TEAMS = 10
"""With fewer teams the best of them says little about what can be reached."""


def beyond_the_board(score: float, board: ArrayLike, direction: str, perfect: float | None) -> str:
    """Tell whether a score beats all of a leaderboard by far.

    Parameters
    ----------
    score : float
    board : array_like of float
        The leaderboard's scores.
    direction : str
        ``maximize`` or ``minimize``.
    perfect : float or None
        The metric's best value; None where it is not known. Then the lead over the best team is
        compared with that team's lead over the worst.

    Returns
    -------
    str
        Why it is suspicious; empty where it is not.

    Examples
    --------
    >>> board = [0.90, 0.88, 0.87, 0.86, 0.85, 0.84, 0.83, 0.82, 0.81, 0.80]
    >>> beyond_the_board(0.92, board, "maximize", 1.0)
    ''
    >>> beyond_the_board(0.99, board, "maximize", 1.0)
    "the score is nearer to a perfect one than half the best team's distance"
    """
    sign = 1.0 if direction == "maximize" else -1.0
    scores = sign * np.asarray(board, float)
    if len(scores) < LEAST_TEAMS:
        return ""
    best, mine = float(scores.max()), sign * score
    if mine <= best:
        return ""
    if perfect is not None:
        if sign * perfect - mine < SHARE_LEFT * (sign * perfect - best):
            return "the score is nearer to a perfect one than half the best team's distance"
        return ""
    if mine - best > best - float(scores.min()):
        return "the lead over the best team is larger than that team's over the worst"
    return ""
