"""Intervals for the mean of a bounded quantity over few tasks."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

__all__ = ["Interval", "best_shares", "mean_interval"]

LEVEL = 0.95
#: Draws of the weights; the ends of an interval vary by about 0.003 of its width with the seed.
DRAWS = 20_000
SEED = 20211110


class Interval(NamedTuple):
    """Ends of a 95 % interval; NaN where there is no value to make one of."""

    low: float
    high: float


def mean_interval(values: np.ndarray, low: float = 0.0, high: float = 1.0) -> Interval:
    """Return Gaffke's 95 % interval for the mean of a bounded quantity.

    Parameters
    ----------
    values : (n,) array of float
        One value a task; NaN for a task without one.
    low, high : float
        What a value can be at least and at most. With n values the interval reaches towards
        these bounds, since a task of that value may be among those not seen.

    Returns
    -------
    Interval
        ``(nan, nan)`` without any value.

    Raises
    ------
    ValueError
        If a value lies outside the bounds.

    Notes
    -----
    The upper end is the 97.5 % quantile of the values' mean under random weights that are
    uniform on the simplex, with one value more, put at `high`; the lower end likewise with one
    at `low`. For values that are all 0 or 1 this is the interval of Clopper and Pearson, but
    for the error of the draws. No
    distribution over tasks is assumed, so that it also holds where most values are 0, where
    mean ± 1.96 standard errors covers the truth in as little as a third of the cases; the
    price is a longer interval where the values happen to be close together. Tasks are the
    independent unit: replicates belong into a task's value.

    References
    ----------
    Gaffke N. Three test statistics for a nonparametric one-sided hypothesis on the mean of a
    nonnegative variable. Math. Methods Statist. 14 (2005) 451-467.
    Learned-Miller E, Thomas PS. A new confidence interval for the mean of a bounded random
    variable. arXiv:1905.06208 (2019).

    Examples
    --------
    >>> import numpy as np
    >>> found = mean_interval(np.array([0.0, 0.0, 0.0, 1.0, 1.0]))
    >>> round(found.low, 2), round(found.high, 2)
    (0.05, 0.85)
    """
    values = np.asarray(values, dtype=float)
    values = values[~np.isnan(values)]
    if not len(values):
        return Interval(float("nan"), float("nan"))
    if values.min() < low or values.max() > high:
        raise ValueError(f"a value lies outside [{low}, {high}]")
    return _interval(tuple(np.sort(values).tolist()), low, high)


# Agents of one benchmark often have the same values on the tasks of a domain.
@lru_cache(maxsize=4096)
def _interval(values: tuple[float, ...], low: float, high: float) -> Interval:
    weights = _weights(len(values) + 1)
    means = weights[:, :-1] @ np.array(values)
    tail = (1 - LEVEL) / 2
    # Rounding may carry an end beyond what is possible.
    ends = (
        max(low, float(np.quantile(means + weights[:, -1] * low, tail))),
        min(high, float(np.quantile(means + weights[:, -1] * high, 1 - tail))),
    )
    return Interval(*ends)


def best_shares(table: np.ndarray) -> np.ndarray:
    """Return how probable it is that each column has the largest mean over all tasks like these.

    Parameters
    ----------
    table : (n, k) array of float
        A row a task, a column an agent, without NaN.

    Returns
    -------
    (k,) array of float
        Shares of reweighted tasks in which the column's mean is the largest, ties shared; they
        add up to 1. The same weights for all columns, so that tasks are paired.

    References
    ----------
    Rubin DB. The Bayesian bootstrap. Ann. Statist. 9 (1981) 130-134.

    Examples
    --------
    >>> import numpy as np
    >>> best_shares(np.array([[1.0, 0.0], [1.0, 0.0]])).tolist()
    [1.0, 0.0]
    """
    means = _weights(len(table)) @ table
    # Means that are equal but for rounding are ties.
    largest = means >= means.max(axis=1, keepdims=True) - 1e-12
    shares: np.ndarray = (largest / largest.sum(axis=1, keepdims=True)).mean(axis=0)
    return shares


@lru_cache(maxsize=64)
def _weights(n: int) -> np.ndarray:
    """Return draws from the uniform distribution on the simplex, shape (draws, n)."""
    drawn = np.random.default_rng(SEED).exponential(size=(DRAWS, n))
    weights: np.ndarray = drawn / drawn.sum(axis=1, keepdims=True)
    return weights
