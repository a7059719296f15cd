"""Whether values agree with the answers more often than chance explains."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

__all__ = ["Agreement", "agreement", "rounding_of", "same_order", "tells", "tells_classes"]

RELATIVE = 1e-6
"""Relative difference of two numbers that writing them as text explains."""
CHANCE = 1e-6
"""Probability below which an agreement is no chance."""
GLANCE = 100
"""Rows by which a long column is looked at first."""
CORRELATED = 1 - 1e-9
LEAST_SHARE = 0.9
"""Share of the compared rows that must agree."""
CLASSED = 5
"""Rows for each class, at least, where classes may have other names."""


class Agreement(NamedTuple):
    """How values agree with the answers.

    Attributes
    ----------
    compared, equal : int
        Rows.
    real : bool
        Nearly all agree, and chance does not explain it.
    """

    compared: int
    equal: int
    real: bool


def agreement(values: Any, truth: np.ndarray) -> Agreement:
    """Compare values with the answers of the same rows; blank ones are left out.

    Parameters
    ----------
    values : array_like of text or numbers, shape (n,)
    truth : ndarray, shape (n,)
        Float or text.

    Notes
    -----
    Chance is that two values drawn from both columns are the same, in as many rows as agree:
    the tail of a binomial distribution.
    """
    from scipy.stats import binom

    if len(truth) > 4 * GLANCE:
        some = np.linspace(0, len(truth) - 1, GLANCE).astype(int)
        glance = _compared(np.asarray(values)[some], truth[some])[2]
        if len(glance) and glance.mean() < LEAST_SHARE / 2:
            return Agreement(len(truth), 0, False)
    one, other, hits = _compared(values, truth)
    n, equal = len(hits), int(hits.sum())
    if not n or equal < LEAST_SHARE * n:
        return Agreement(n, equal, False)
    frequency = pd.Series(other).value_counts(normalize=True)
    share = pd.Series(one).value_counts(normalize=True)
    by_chance = float(frequency.mul(share, fill_value=0).sum())
    return Agreement(n, equal, bool(binom.sf(equal - 1, n, by_chance) < CHANCE))


def tells(values: np.ndarray, truth: np.ndarray) -> int:
    """Return of how many rows values tell the truth: themselves, or as other names of classes."""
    found = agreement(values, truth)
    if not found.real and tells_classes(values, truth):
        names = dict(zip(values.tolist(), truth.tolist(), strict=True))
        found = agreement([names[value] for value in values.tolist()], truth)
    return found.equal if found.real else 0


def tells_classes(texts: np.ndarray, truth: np.ndarray) -> bool:
    """Whether each of few values of a column has one class, and each class one value."""
    values, classes = pd.factorize(texts)[0], pd.factorize(truth)[0]
    n_values, n_classes = values.max() + 1, classes.max() + 1
    if n_classes < 2 or n_values != n_classes or n_classes > len(truth) // CLASSED:
        return False
    return bool(len(set(zip(values.tolist(), classes.tolist(), strict=True))) == n_values)


def same_order(values: np.ndarray, truth: np.ndarray) -> bool:
    """Whether numbers put rows in the order of the truth, or the opposite one."""
    from scipy.stats import rankdata

    if not np.isfinite(values).all() or len(np.unique(values)) < 2:
        return False
    one, other = (rankdata(side) - (len(truth) + 1) / 2 for side in (values, truth))
    length = float(np.linalg.norm(one) * np.linalg.norm(other))
    return bool(length > 0 and abs(one @ other) >= CORRELATED * length)


def rounding_of(truth: np.ndarray) -> np.ndarray:
    """Return the absolute difference from numbers that writing them as text explains.

    It is for those near zero among larger ones: where all are small, so is the difference, which
    grows with their median magnitude up to 1.

    Parameters
    ----------
    truth : ndarray of float, shape (n,) or (n, p)
        Of each column by itself.

    Returns
    -------
    ndarray of float, shape () or (p,)
    """
    sizes = np.where(np.isfinite(truth) & (truth != 0), np.abs(truth), np.nan)
    # one NaN more, so that no numbers at all have a middle, too
    in_order = np.sort(np.concatenate([sizes, np.full((1, *sizes.shape[1:]), np.nan)]), axis=0)
    count = np.isfinite(in_order).sum(axis=0)
    middle = np.take_along_axis(in_order, np.stack([(count - 1) // 2, count // 2]), axis=0)
    return np.asarray(RELATIVE * np.fmin(1.0, (0.5 * middle).sum(axis=0)))


def _compared(values: Any, truth: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return values and truth of the rows that have both, and where they are equal."""
    if truth.dtype.kind == "f":
        found = pd.to_numeric(pd.Series(values), errors="coerce").to_numpy(float)
        there = np.isfinite(found) & np.isfinite(truth)
        slack = rounding_of(truth)
        close = np.isclose(found[there], truth[there], rtol=RELATIVE, atol=slack)
        return _coded(found[there]), _coded(truth[there]), close
    texts = pd.Series(values).astype(str).str.strip().to_numpy()
    there = (texts != "") & (truth != "")
    return texts[there], truth[there], np.asarray(texts[there] == truth[there], bool)


def _coded(values: np.ndarray) -> np.ndarray:
    """Return numbers rounded so that those which count as equal are mostly equal."""
    return np.array([float(f"{value:.5g}") for value in values])
