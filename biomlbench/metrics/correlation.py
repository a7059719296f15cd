"""Agreement in trend or order: Pearson, Spearman and Kendall correlation."""

from __future__ import annotations

from typing import Any

import numpy as np

from biomlbench.outcomes import Fault

from ._base import metric
from ._errors import MetricError
from ._inputs import Floats, check_varied, paired_numbers
from ._order import Ties, constant_rows, inversions, merge_levels, midranks, pairs_within
from ._resample import Scorer, safe_divide

__all__ = ["kendall", "pearson", "spearman"]


def _checked(y_true: Any, y_pred: Any, name: str) -> tuple[Floats, Floats]:
    truth, predictions = paired_numbers(y_true, y_pred)
    if len(truth) < 2:
        raise MetricError("too_few_rows", f"{name} needs at least two rows", Fault.TASK)
    check_varied(truth, Fault.TASK, name)
    check_varied(predictions, Fault.SUBMISSION, name)
    return truth, predictions


def _centred(values: Floats) -> Floats:
    """Centre and scale to a largest absolute value of 1/2 to 1, so that squares stay in range."""
    # Powers of two round nothing, and neither does the difference of numbers that are close: the
    # mean of what is left is exact enough where all differ by little from something large.
    near = _in_unit(values)
    near = _in_unit(near - near[0])
    return _in_unit(near - np.mean(near))


def _in_unit(values: Floats) -> Floats:
    """Return numbers times the power of two by which the largest is next to 1."""
    _, exponent = np.frexp(np.abs(values).max())
    result: Floats = np.ldexp(values, -exponent)
    return result


def _correlation(x: Floats, y: Floats) -> float:
    """Correlate two centred arrays."""
    # The root of the product is exact where x and y are equal: a perfect match gives 1.
    r = np.sum(x * y) / np.sqrt(np.sum(x * x) * np.sum(y * y))
    return float(np.clip(r, -1.0, 1.0))


def _pearson_scorer(y_true: Any, y_pred: Any) -> Scorer:
    truth, predictions = _checked(y_true, y_pred, "Pearson's correlation")
    x, y = _centred(truth), _centred(predictions)
    statistics = np.column_stack([x, y, x * x, y * y, x * y])
    groups = Ties.of(truth).group, Ties.of(predictions).group
    totals = float(np.mean(x * x)), float(np.mean(y * y))

    def score(counts: Floats) -> Floats:
        n = counts.sum(axis=1)
        sx, sy, sxx, syy, sxy = (counts @ statistics).T / n
        vx, vy = sxx - sx * sx, syy - sy * sy
        result = np.clip(safe_divide(sxy - sx * sy, np.sqrt(vx * vy)), -1.0, 1.0)
        for group, variance, total in zip(groups, (vx, vy), totals, strict=True):
            result[constant_rows(counts, group, variance, total)] = np.nan
        return result

    return score


@metric(
    direction="maximize",
    range=(-1.0, 1.0),
    best=1.0,
    kind="regression",
    decomposable=True,
    symmetric=True,
    resampler=_pearson_scorer,
)
def pearson(y_true: Any, y_pred: Any) -> float:
    """Pearson's product-moment correlation.

    Parameters
    ----------
    y_true, y_pred : (n,) array_like
        True and predicted values, n at least 2.

    Returns
    -------
    float
        In [-1, 1]; unchanged by a positive linear transform of either side.

    Raises
    ------
    MetricError
        ``constant_predictions`` (the submission's fault), ``constant_truth`` or
        ``too_few_rows`` (the task's); ``nan_predictions``, ``missing_truth``,
        ``not_numeric``, ``shape_mismatch``, ``empty``.

    References
    ----------
    Pearson K. Mathematical contributions to the theory of evolution. III. Regression,
    heredity, and panmixia. Phil. Trans. R. Soc. A 187 (1896) 253-318.

    Examples
    --------
    >>> pearson([1.0, 2.0, 3.0], [10.0, 20.0, 30.0])
    1.0
    """
    truth, predictions = _checked(y_true, y_pred, "Pearson's correlation")
    return _correlation(_centred(truth), _centred(predictions))


def _spearman_scorer(y_true: Any, y_pred: Any) -> Scorer:
    truth, predictions = _checked(y_true, y_pred, "Spearman's correlation")
    x, y = Ties.of(truth), Ties.of(predictions)
    # Rows are put in the order of the truth once, so that only one side needs reordering.
    y_order = np.argsort(y.group[x.order], kind="stable")
    y_group, x_group = y.group[x.order], x.group[x.order]

    def deviations(sums: Floats, middle: Floats) -> Floats:
        return np.cumsum(sums, axis=1) - (sums - 1.0) / 2.0 - middle

    def score(counts: Floats) -> Floats:
        by_x = np.take(counts, x.order, axis=1)
        middle = (counts.sum(axis=1, keepdims=True) + 1.0) / 2.0
        sums_x, sums_y = x.sums(by_x), y.sums(np.take(by_x, y_order, axis=1))
        rank_x, rank_y = deviations(sums_x, middle), deviations(sums_y, middle)
        variance = np.einsum("ij,ij,ij->i", sums_x, rank_x, rank_x) * np.einsum(
            "ij,ij,ij->i", sums_y, rank_y, rank_y
        )
        by_x *= np.take(rank_x, x_group, axis=1) if x.any else rank_x
        covariance = np.einsum("ij,ij->i", by_x, np.take(rank_y, y_group, axis=1))
        return np.clip(safe_divide(covariance, np.sqrt(variance)), -1.0, 1.0)

    return score


@metric(
    direction="maximize",
    range=(-1.0, 1.0),
    best=1.0,
    kind="ranking",
    rank_invariant=True,
    symmetric=True,
    resampler=_spearman_scorer,
)
def spearman(y_true: Any, y_pred: Any) -> float:
    """Spearman's rank correlation: Pearson's of the ranks, ties sharing their mean rank.

    Parameters
    ----------
    y_true, y_pred : (n,) array_like
        True and predicted values, n at least 2.

    Returns
    -------
    float
        In [-1, 1].

    Raises
    ------
    MetricError
        As :func:`pearson`.

    References
    ----------
    Spearman C. The proof and measurement of association between two things.
    Am. J. Psychol. 15 (1904) 72-101.

    Examples
    --------
    >>> spearman([1.0, 2.0, 3.0, 4.0], [1.0, 8.0, 27.0, 64.0])
    1.0
    """
    truth, predictions = _checked(y_true, y_pred, "Spearman's correlation")
    middle = (len(truth) + 1) / 2.0
    return _correlation(midranks(truth) - middle, midranks(predictions) - middle)


def _kendall_scorer(y_true: Any, y_pred: Any) -> Scorer:
    truth, predictions = _checked(y_true, y_pred, "Kendall's correlation")
    x, y = Ties.of(truth), Ties.of(predictions)
    # Sorted by x and then y, a discordant pair is an inversion of y and ties of x are none.
    order = np.lexsort((y.group, x.group))
    levels = merge_levels(y.group[order])
    both = Ties.of(x.group * len(y.starts) + y.group)

    def score(counts: Floats) -> Floats:
        weights = np.take(counts, order, axis=1)
        discordant = inversions(levels, weights, weights)
        n = counts.sum(axis=1)
        pairs = n * (n - 1.0) / 2.0
        ties_x, ties_y, ties_both = (
            pairs_within(t.sums(np.take(counts, t.order, axis=1))) for t in (x, y, both)
        )
        excess = pairs - ties_x - ties_y + ties_both - 2.0 * discordant
        scale = np.sqrt((pairs - ties_x) * (pairs - ties_y))
        return np.clip(safe_divide(excess, scale), -1.0, 1.0)

    return score


@metric(
    direction="maximize",
    range=(-1.0, 1.0),
    best=1.0,
    kind="ranking",
    rank_invariant=True,
    symmetric=True,
    resampler=_kendall_scorer,
)
def kendall(y_true: Any, y_pred: Any) -> float:
    """Kendall's rank correlation, tau-b.

    Parameters
    ----------
    y_true, y_pred : (n,) array_like
        True and predicted values, n at least 2.

    Returns
    -------
    float
        In [-1, 1]; concordant minus discordant pairs over the geometric mean of the pairs
        untied on either side.

    Raises
    ------
    MetricError
        As :func:`pearson`.

    References
    ----------
    Kendall MG. The treatment of ties in ranking problems. Biometrika 33 (1945) 239-251.

    Examples
    --------
    >>> kendall([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 4.0, 3.0])
    0.6666666666666666
    """
    return float(_kendall_scorer(y_true, y_pred)(np.ones((1, len(y_true))))[0])
