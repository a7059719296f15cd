"""Whether a column stands for the answers: themselves, other names of them, or their order."""

from __future__ import annotations

from functools import cached_property
from math import lgamma, log
from typing import NamedTuple

import numpy as np
import pandas as pd

from ._chance import CHANCE, tells

__all__ = ["SAME_ROWS", "Bounds", "Truth", "stands_for"]

LEAST_VALUES = 10
"""Numbers of fewer different values are classes."""

ROUNDING = 1e-9


class Bounds(NamedTuple):
    """From where on a column stands for the answers.

    Attributes
    ----------
    follows : float
        Rank correlation with numbers, or area under the curve of two classes.
    classed : int
        Rows, where the answers are classes.
    values : int
        Different values of a column that may follow the answers.
    """

    follows: float
    classed: int
    values: int


SAME_ROWS = Bounds(follows=0.999, classed=20, values=3)
"""Of columns that belong to a task's own test rows. Features and a baseline's predictions are among
them, which may follow the answers closely."""


class Truth:
    """Answers of test rows that a table has, and what of them is compared with its columns.

    Parameters
    ----------
    values : ndarray, shape (n,)
        Float or text.
    """

    def __init__(self, values: np.ndarray) -> None:
        self.values = values

    @cached_property
    def _unique(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return np.unique(self.values, return_inverse=True, return_counts=True)

    @property
    def n_classes(self) -> int:
        """Number of different values."""
        return len(self._unique[0])

    @cached_property
    def is_numeric(self) -> bool:
        """Whether they are numbers of too many values to be classes."""
        return self.values.dtype.kind == "f" and self.n_classes >= LEAST_VALUES

    @cached_property
    def first(self) -> np.ndarray:
        """Which of them are of the first class, in the order of their values."""
        return np.asarray(self._unique[1] == 0)

    @cached_property
    def ranks(self) -> np.ndarray:
        """Ranks of numbers, or places of classes, less their mean."""
        _, places, counts = self._unique
        ranks = (np.cumsum(counts) - (counts - 1) / 2)[places] if self.is_numeric else places
        return np.asarray(ranks - ranks.mean())


def stands_for(values: np.ndarray, truth: Truth, bounds: Bounds) -> bool:
    """Whether values are the answers, other names of them, or numbers that follow them.

    Parameters
    ----------
    values : ndarray of text or numbers, shape (n,)
        Of the same rows as the answers.
    truth : Truth
    bounds : Bounds
    """
    if not truth.is_numeric and len(truth.values) < bounds.classed:
        return False
    return tells(values, truth.values) > 0 or _follow(values, truth, bounds)


def _follow(values: np.ndarray, truth: Truth, bounds: Bounds) -> bool:
    from scipy.stats import mannwhitneyu, rankdata, spearmanr

    if not truth.is_numeric and truth.n_classes != 2:
        return False
    numbers = pd.to_numeric(pd.Series(values), errors="coerce").to_numpy(float)
    if not np.isfinite(numbers).all() or len(np.unique(numbers)) < bounds.values:
        return False
    ranks = rankdata(numbers) - (len(numbers) + 1) / 2
    if truth.is_numeric:
        length = np.linalg.norm(ranks) * np.linalg.norm(truth.ranks)
        # the tests take long, and most columns follow nothing
        if not abs(ranks @ truth.ranks) >= (bounds.follows - ROUNDING) * length:
            return False
        strength, chance = spearmanr(numbers, truth.values)
        # a perfect order has no probability by that test, however few rows there are
        fewest = log(2) - lgamma(len(numbers) + 1)
        return bool(abs(strength) >= bounds.follows and max(chance, np.exp(fewest)) < CHANCE)
    one, other = numbers[truth.first], numbers[~truth.first]
    area = 0.5 + ranks[truth.first].sum() / (len(one) * len(other))
    if max(area, 1 - area) < bounds.follows - ROUNDING:
        return False
    return bool(mannwhitneyu(one, other).pvalue < CHANCE)
