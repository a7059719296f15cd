"""The interval of a score, from resamples of the test rows."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

    from biomlbench.metrics import Metric

__all__ = [
    "LEAST_RESAMPLES",
    "MOST_RESAMPLES",
    "N_QUANTILES",
    "ScoreInterval",
    "score_interval",
    "summarize",
]

#: Fewest resamples that an interval is made of (Efron and Tibshirani 1993, section 14.3).
LEAST_RESAMPLES = 1000
#: Most that are drawn: more change no digit that an interval shows.
MOST_RESAMPLES = 100_000
#: Evenly spaced quantiles by which a distribution is kept, 0 and 1 included.
N_QUANTILES = 201
#: Share of resamples that must have a score; with fewer, the interval would be of another
#: population (those resamples that happen to hold both classes, for instance).
LEAST_DEFINED = 0.5
#: Rows, images or targets below which resamples cannot differ.
LEAST_ROWS = 2
#: Quantiles between which 95 % of the distribution lie.
LOW, HIGH = 0.025, 0.975


class ScoreInterval(NamedTuple):
    """The bootstrap distribution of a score.

    Attributes
    ----------
    low, high : float or None
        Ends of the 95 % percentile interval.
    quantiles : tuple of float
        The distribution at :data:`N_QUANTILES` evenly spaced quantiles from 0 to 1.
    undefined : int
        Resamples without a score (of one class only, for instance), left out.
    """

    low: float | None
    high: float | None
    quantiles: tuple[float, ...]
    undefined: int


def summarize(scores: np.ndarray) -> ScoreInterval:
    """Return interval and quantiles of resampled scores.

    Parameters
    ----------
    scores : (B,) array of float
        NaN for a resample without a score.

    Returns
    -------
    ScoreInterval
        Without an interval if fewer than half of the resamples have a score.

    Notes
    -----
    Quantiles are values that occurred (inverse of the distribution function), not
    interpolated: a score that comes in steps keeps its steps, so that ties with a threshold
    stay ties.

    Examples
    --------
    >>> import numpy as np
    >>> interval = summarize(np.arange(1000.0))
    >>> interval.low, interval.high, len(interval.quantiles)
    (24.0, 974.0, 201)
    """
    import numpy as np

    defined = np.sort(scores[np.isfinite(scores)]) + 0.0  # no -0.0, as no score is
    undefined = len(scores) - len(defined)
    if len(defined) < max(2, LEAST_DEFINED * len(scores)):
        return ScoreInterval(None, None, (), undefined)
    low, high, *quantiles = defined[_positions(len(defined))].tolist()
    return ScoreInterval(low, high, tuple(quantiles), undefined)


@lru_cache(maxsize=16)
def _positions(n: int) -> np.ndarray:
    """Return where, among n sorted values, both ends of the interval and the quantiles are."""
    import numpy as np

    shares = [LOW, HIGH, *np.linspace(0, 1, N_QUANTILES)]
    places: np.ndarray = np.quantile(np.arange(n), shares, method="inverted_cdf").astype(np.intp)
    return places


def score_interval(
    metric: Metric,
    y_true: Any,
    y_pred: Any,
    options: Mapping[str, Any],
    n_resamples: int,
    seed: int,
) -> ScoreInterval:
    """Return the bootstrap distribution of a metric over the rows (or images, or targets).

    Parameters
    ----------
    metric : Metric
    y_true, y_pred
        As for the metric.
    options : mapping
        Options of the metric.
    n_resamples : int
        Raised to :data:`LEAST_RESAMPLES`.
    seed : int
        The same seed draws the same resamples, whatever the submission, so that two
        submissions are compared on the same rows.

    Returns
    -------
    ScoreInterval
        Without an interval where there is but one row, image or target: all resamples are the
        same, which says nothing of how far another row's score would be.

    Notes
    -----
    Where the task has an `inputs_fn`, resampled are the items that it returns, not the rows of
    the tables.

    References
    ----------
    Efron B, Tibshirani RJ. An Introduction to the Bootstrap. Chapman & Hall, 1993, chapter 13.
    """
    if metric.units(y_true) < LEAST_ROWS:
        return ScoreInterval(None, None, (), 0)
    count = max(LEAST_RESAMPLES, n_resamples)
    return summarize(metric.bootstrap(y_true, y_pred, n_resamples=count, seed=seed, **options))
