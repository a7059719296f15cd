"""How far a column of few values tells the answers, and whether it can be known what each means."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from biomlbench.audit.prediction_values import label

if TYPE_CHECKING:
    from collections.abc import Callable

    from biomlbench.audit.subject import Subject

__all__ = ["LEAST_VALUES", "UNLIKELY", "are_classes", "can_be_read", "strength"]

UNLIKELY = 1e-6
"""Probability below which an association is no chance."""
LEAST_VALUES = 10
"""Numbers of fewer different values are classes."""
ROWS_A_VALUE = 5


def are_classes(truth: np.ndarray) -> bool:
    """Whether answers are classes: text, or numbers of few values."""
    return truth.dtype.kind != "f" or len(np.unique(truth[~np.isnan(truth)])) < LEAST_VALUES


def strength(levels: np.ndarray, truth: np.ndarray, unlikely: float = UNLIKELY) -> float:
    """Return how far values of a column tell the answers, 0 to 1.

    Of classes, by how much the most frequent class of each value is better than the most frequent
    one of all; of numbers, the share of their variance between values, adjusted for how many there
    are. Zero where a test finds no more than chance, or values of fewer than five rows on average.

    Parameters
    ----------
    levels : ndarray, shape (n,)
    truth : ndarray, shape (n,)
        Float or text.
    unlikely : float
        Probability of as much by chance, beyond which it is zero.
    """
    there = pd.notna(truth)
    codes, truth = pd.factorize(levels[there])[0], truth[there]
    n_values, n = int(codes.max(initial=-1)) + 1, len(truth)
    if not 2 <= n_values <= n // ROWS_A_VALUE:
        return 0.0
    of = _of_classes if are_classes(truth) else _of_numbers
    return of(codes, truth, unlikely)


def _of_classes(codes: np.ndarray, truth: np.ndarray, unlikely: float) -> float:
    from scipy.stats import chi2_contingency

    classes = pd.factorize(truth)[0]
    if not 2 <= classes.max() + 1 <= len(truth) // ROWS_A_VALUE:
        return 0.0
    table = pd.crosstab(codes, classes).to_numpy()
    if chi2_contingency(table).pvalue > unlikely:
        return 0.0
    most, right = table.sum(axis=0).max(), table.max(axis=1).sum()
    return float((right - most) / (table.sum() - most))


def _of_numbers(codes: np.ndarray, truth: np.ndarray, unlikely: float) -> float:
    from scipy.stats import f, rankdata

    ranks = rankdata(truth)
    counts = np.bincount(codes)
    means = np.bincount(codes, ranks) / counts
    within = float(((ranks - means[codes]) ** 2).sum())
    total = float(((ranks - ranks.mean()) ** 2).sum())
    free, left = len(counts) - 1, len(ranks) - len(counts)
    if total <= 0:
        return 0.0
    if within > 0 and f.sf((total - within) / free / (within / left), free, left) > unlikely:
        return 0.0
    return max(0.0, 1 - within / left / (total / (len(ranks) - 1)))


def can_be_read(
    subject: Subject,
    target: str,
    column: str,
    levels: np.ndarray,
    level_of: Callable[[np.ndarray], np.ndarray],
) -> bool:
    """Whether a competitor can know what the values of a column of test rows mean.

    Few values can be guessed; of many, those are known that labelled rows have as well. So are none
    of what only tells test rows of one patient, video or plate from those of another.

    Parameters
    ----------
    subject : Subject
    target : str
        Column of the answers.
    column : str
        Public column, or part of the id, that the values are made from.
    levels : ndarray, shape (n,)
        Of the test rows.
    level_of : callable
        Makes the values from the texts of the column.
    """
    truth = subject.truths[target]
    n_classes = len({label(value) for value in truth.tolist()}) if are_classes(truth) else 2
    if len(set(levels.tolist())) <= 2 * n_classes:
        return True
    for table in subject.public:
        if column in table.columns and target in table.columns:
            known = set(level_of(table.text(column).astype(str)).tolist())
            if np.mean([value in known for value in levels.tolist()]) >= 0.5:
                return True
    return False
