"""Means as they are compared: equal but for the rounding of their sums, they are level."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["level_mean", "level_means"]

DIGITS = 12
"""Significant digits that count. A mean of doubles is good to about 15, less where many are
summed; percentiles and rates that truly differ do so in far earlier digits."""


def level_mean(value: float) -> float:
    """Return a number with the digits that count.

    Examples
    --------
    >>> level_mean(93.4782608695652) == level_mean(93.47826086956522)
    True
    """
    return float(f"{value:.{DIGITS}g}")


def level_means(values: pd.Series) -> pd.Series:
    """Return numbers with the digits that count, NaN where there is none.

    Parameters
    ----------
    values : pandas.Series of float
    """
    return values.astype(float).map(level_mean)
