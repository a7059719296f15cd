"""Errors of real-valued predictions: RMSE, MSE, MAE and R²."""

from __future__ import annotations

from typing import Any

import numpy as np

from biomlbench.outcomes import Fault

from ._base import metric
from ._errors import MetricError
from ._inputs import Floats, check_varied, paired_numbers
from ._order import Ties, constant_rows
from ._resample import Scorer, mean_scorer, safe_divide

__all__ = ["mae", "mse", "r2", "rmse"]


def _rmse_scorer(y_true: Any, y_pred: Any) -> Scorer:
    truth, predictions = paired_numbers(y_true, y_pred)
    mean = mean_scorer((truth - predictions) ** 2)

    def score(counts: Floats) -> Floats:
        return np.sqrt(mean(counts))

    return score


@metric(
    direction="minimize",
    range=(0.0, np.inf),
    best=0.0,
    kind="regression",
    decomposable=True,
    symmetric=True,
    resampler=_rmse_scorer,
)
def rmse(y_true: Any, y_pred: Any) -> float:
    """Root mean square error.

    Parameters
    ----------
    y_true, y_pred : (n,) array_like
        True and predicted values, in the units of the target.

    Returns
    -------
    float
        In the units of the target, at least 0.

    Raises
    ------
    MetricError
        ``nan_predictions``, ``missing_truth``, ``not_numeric``, ``shape_mismatch``,
        ``empty``; predictions so large that their squares overflow are ``non_finite_score``.

    References
    ----------
    Hyndman RJ, Koehler AB. Another look at measures of forecast accuracy.
    Int. J. Forecast. 22 (2006) 679-688.

    Examples
    --------
    >>> rmse([1.0, 2.0, 3.0], [1.0, 2.0, 6.0])
    1.7320508075688772
    """
    truth, predictions = paired_numbers(y_true, y_pred)
    with np.errstate(over="ignore"):
        error = truth - predictions
        return float(np.sqrt(np.mean(error * error)))


def _mse_scorer(y_true: Any, y_pred: Any) -> Scorer:
    truth, predictions = paired_numbers(y_true, y_pred)
    return mean_scorer((truth - predictions) ** 2)


@metric(
    direction="minimize",
    range=(0.0, np.inf),
    best=0.0,
    kind="regression",
    decomposable=True,
    symmetric=True,
    resampler=_mse_scorer,
)
def mse(y_true: Any, y_pred: Any) -> float:
    """Mean square error.

    Parameters
    ----------
    y_true, y_pred : (n,) array_like
        True and predicted values, in the units of the target.

    Returns
    -------
    float
        In squared units of the target, at least 0.

    Raises
    ------
    MetricError
        As :func:`rmse`.

    References
    ----------
    Hyndman RJ, Koehler AB. Another look at measures of forecast accuracy.
    Int. J. Forecast. 22 (2006) 679-688.

    Examples
    --------
    >>> mse([0.0, 0.0], [3.0, 4.0])
    12.5
    """
    truth, predictions = paired_numbers(y_true, y_pred)
    return float(np.mean((truth - predictions) ** 2))


def _mae_scorer(y_true: Any, y_pred: Any) -> Scorer:
    truth, predictions = paired_numbers(y_true, y_pred)
    return mean_scorer(np.abs(truth - predictions))


@metric(
    direction="minimize",
    range=(0.0, np.inf),
    best=0.0,
    kind="regression",
    decomposable=True,
    symmetric=True,
    resampler=_mae_scorer,
)
def mae(y_true: Any, y_pred: Any) -> float:
    """Mean absolute error.

    Parameters
    ----------
    y_true, y_pred : (n,) array_like
        True and predicted values, in the units of the target.

    Returns
    -------
    float
        In the units of the target, at least 0.

    Raises
    ------
    MetricError
        As :func:`rmse`.

    References
    ----------
    Willmott CJ, Matsuura K. Advantages of the mean absolute error (MAE) over the root mean
    square error (RMSE) in assessing average model performance. Clim. Res. 30 (2005) 79-82.

    Examples
    --------
    >>> mae([1.0, 2.0, 3.0], [1.0, 2.0, 6.0])
    1.0
    """
    truth, predictions = paired_numbers(y_true, y_pred)
    with np.errstate(over="ignore"):
        return float(np.abs(truth - predictions).mean())


def _checked_r2(y_true: Any, y_pred: Any) -> tuple[Floats, Floats]:
    truth, predictions = paired_numbers(y_true, y_pred)
    if len(truth) < 2:
        raise MetricError("too_few_rows", "R² needs at least two rows", Fault.TASK)
    check_varied(truth, Fault.TASK, "R²")
    # Powers of two round nothing; squares of what is left neither overflow nor vanish.
    _, exponent = np.frexp(np.abs(truth).max())
    return np.ldexp(truth, -exponent), np.ldexp(predictions, -exponent)


def _r2_scorer(y_true: Any, y_pred: Any) -> Scorer:
    truth, predictions = _checked_r2(y_true, y_pred)
    centred = truth - truth.mean()
    statistics = np.column_stack([(truth - predictions) ** 2, centred, centred**2])
    total = float(np.mean(centred**2))
    group = Ties.of(truth).group

    def score(counts: Floats) -> Floats:
        n = counts.sum(axis=1)
        residual, first, second = (counts @ statistics).T
        spread = second - first**2 / n
        result = 1.0 - safe_divide(residual, spread)
        result[constant_rows(counts, group, spread / n, total)] = np.nan
        return result

    return score


@metric(
    direction="maximize",
    range=(-np.inf, 1.0),
    best=1.0,
    kind="regression",
    decomposable=True,
    resampler=_r2_scorer,
)
def r2(y_true: Any, y_pred: Any) -> float:
    """Coefficient of determination, one minus residual over total sum of squares.

    Parameters
    ----------
    y_true, y_pred : (n,) array_like
        True and predicted values, n at least 2.

    Returns
    -------
    float
        At most 1; 0 for the constant mean of the truth, negative for worse.

    Raises
    ------
    MetricError
        As :func:`rmse`, and ``constant_truth`` or ``too_few_rows`` where the total sum of
        squares is 0 by the task's fault. Constant predictions are scored.

    References
    ----------
    Kvålseth TO. Cautionary note about R². Am. Stat. 39 (1985) 279-285 (its R²₁).

    Examples
    --------
    >>> r2([1.0, 2.0, 3.0], [1.0, 2.0, 2.0])
    0.5
    """
    truth, predictions = _checked_r2(y_true, y_pred)
    with np.errstate(over="ignore", invalid="ignore"):
        residual = truth - predictions
        centred = truth - truth.mean()
        return float(1.0 - np.sum(residual * residual) / np.sum(centred * centred))
