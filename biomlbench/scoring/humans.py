"""Comparison with human baselines."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from biomlbench.errors import LeaderboardError, TaskError
from biomlbench.scoring.leaderboard import (
    check_range,
    in_memory,
    lower_is_better,
    read_score_columns,
)
from biomlbench.scoring.score_cells import given_score, parse_scores

if TYPE_CHECKING:
    import numpy as np

__all__ = ["HumanComparison", "compare_with_humans", "human_tiers", "read_human_baselines"]

logger = logging.getLogger(__name__)

#: Tiers of human performance, as the share of humans that do worse.
TIERS = {"expert": 0.9, "intermediate": 0.5, "novice": 0.1}


class HumanComparison(NamedTuple):
    """How a score compares with the human baselines; None where there is nothing to compare."""

    beats_human: bool | None
    human_percentile: float | None


def human_scores(humans: Any, name: str = "human baselines") -> np.ndarray:
    """Return the human scores as finite numbers.

    Parameters
    ----------
    humans : DataFrame with a ``score`` column, or array_like
        The column may be called what a file's may be: ``Score``, ``Private Score``. A missing
        score (NaN, or what pandas takes for it in text) is left out.
    name : str
        Name for messages.

    Raises
    ------
    TaskError
        If there is no ``score`` column, or a score is infinite or no number.
    """
    scores, note = _scores_and_note(humans, name)
    if note:
        logger.warning("%s", note)
    return scores


def _scores_and_note(humans: Any, name: str) -> tuple[np.ndarray, str]:
    """Return the scores, and what is to be said of those that are missing."""
    import numpy as np

    try:
        scores = parse_scores(name, in_memory(humans, name)["score"], spellings=True)
    except LeaderboardError as error:
        raise TaskError(error.message) from error
    missing = np.isnan(scores)
    if not missing.any():
        return scores, ""
    count, first = int(missing.sum()), int(missing.argmax()) + 1
    return scores[~missing], f"{name}: {count} row(s) without a score left out, first row {first}"


def compare_with_humans(score: float | None, humans: Any, direction: str) -> HumanComparison:
    """Compare a score with human baselines.

    Parameters
    ----------
    score : float or None
    humans : DataFrame with a ``score`` column, array_like, or None
    direction : {"maximize", "minimize"}

    Returns
    -------
    HumanComparison
        Whether the score is strictly better than the median human, and the percent of humans
        that it beats or ties. Both None without a valid score or without humans.

    Examples
    --------
    >>> compare_with_humans(0.8, [0.6, 0.7, 0.8, 0.9], "maximize")
    HumanComparison(beats_human=True, human_percentile=75.0)
    """
    import numpy as np

    lower = lower_is_better(direction)
    if humans is None or (value := given_score(score)) is None:
        return HumanComparison(None, None)
    scores = human_scores(humans)
    if not len(scores):
        return HumanComparison(None, None)
    median = float(np.median(scores))
    beaten_or_tied = scores >= value if lower else scores <= value
    beats = value < median if lower else value > median
    return HumanComparison(beats, 100.0 * int(np.count_nonzero(beaten_or_tied)) / len(scores))


def human_tiers(humans: Any, direction: str) -> dict[str, float]:
    """Return the score at which each tier of human performance begins.

    Parameters
    ----------
    humans : DataFrame with a ``score`` column, or array_like
    direction : {"maximize", "minimize"}

    Returns
    -------
    dict of str to float
        ``expert``, ``intermediate`` and ``novice``: the score that 90 %, 50 % and 10 % of
        humans do not exceed in quality. An expert's is a high quantile where more is better
        and a low one where less is. Empty without humans.

    Examples
    --------
    >>> human_tiers(range(11), "maximize")["expert"], human_tiers(range(11), "minimize")["expert"]
    (9.0, 1.0)
    """
    import numpy as np

    sign = -1.0 if lower_is_better(direction) else 1.0
    scores = human_scores(humans)
    if not len(scores):
        return {}
    return {tier: sign * float(np.quantile(sign * scores, share)) for tier, share in TIERS.items()}


_cache: dict[str, tuple[tuple[int, int], Any]] = {}
_untold: dict[str, str] = {}


def read_human_baselines(
    path: str | Path, score_range: tuple[float, float] | None = None, *, quiet: bool = False
) -> np.ndarray:
    """Read a file of human baselines, once for each state of it.

    Parameters
    ----------
    path : path
        CSV with a column ``score``. A cell that is empty, or a spelling of it such as ``nan`` or
        ``NA``, is a missing score.
    score_range : tuple of float, optional
        Lowest and highest value that the metric can have.
    quiet : bool
        Leave it to a later call to say which rows are left out: each process of a run reads the
        file, and one of them says it.

    Returns
    -------
    ndarray of float

    Raises
    ------
    TaskError
        If it cannot be read, or a score is no number or outside the range.
    """
    import numpy as np

    path = Path(path)
    try:
        state = path.stat()
        stamp = (state.st_mtime_ns, state.st_size)
        cached = _cache.get(os.fspath(path))
        if cached is None or cached[0] != stamp:
            column = np.array(read_score_columns(path)["score"], object)
            scores, _untold[os.fspath(path)] = _scores_and_note(column, str(path))
            cached = _cache[os.fspath(path)] = (stamp, scores)
        if not quiet and (note := _untold.pop(os.fspath(path), "")):
            logger.warning("%s", note)
        if score_range:
            check_range(cached[1], score_range, str(path), "the human baselines are")
    except LeaderboardError as error:
        raise TaskError(error.message) from error
    except OSError as error:
        raise TaskError(f"{path}: cannot be read ({error.strerror})") from error
    return cached[1]
