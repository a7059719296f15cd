"""Faults of the truth are told before those of the predictions, whichever a metric meets first."""

from __future__ import annotations

import math
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from biomlbench.outcomes import Fault

from ._errors import MetricError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ._base import Metric

__all__ = ["fault_of_truth", "plain_score", "truth_first"]

_SCORES_OF_CLASSES = ("binary", "probabilities", "survival")
_OF_FILES = ("mask", "instance_mask", "structure")


def plain_score(metric: Metric, y_true: Any, y_pred: Any, options: Mapping[str, Any]) -> float:
    """Score predictions, whoever's fault it is that they have no score.

    Raises
    ------
    MetricError
        As the metric's function raises it, or ``non_finite_score``.
    """
    import numpy as np

    with np.errstate(all="ignore"):  # what is not finite is told by the error below
        score = float(metric.function(y_true, y_pred, **options))
    if not math.isfinite(score):
        raise MetricError(
            "non_finite_score",
            f"{metric.name} of these predictions is not a finite number; "
            "their values are too large to be scored",
        )
    return score + 0.0  # of -0.0 it is 0.0


@contextmanager
def truth_first(
    metric: Metric, y_true: Any, y_pred: Any, options: Mapping[str, Any]
) -> Iterator[None]:
    """Raise a fault of the truth instead of one of the predictions.

    Where predictions have no score, others are tried that have one if any have: a truth that
    refuses them as well has no score for anybody. That these have the wrong number of columns
    is told before what is wrong with their values.

    Raises
    ------
    MetricError
        The task's fault if there is one, else what the metric itself raised.
    """
    try:
        yield
    except MetricError as error:
        if error.fault != Fault.TASK:
            first = fault_of_truth(metric, y_true, y_pred, options, error.reason)
            if first is not None:
                raise first from error
        raise


def fault_of_truth(
    metric: Metric,
    y_true: Any,
    like: Any,
    options: Mapping[str, Any],
    reason: str | None = None,
) -> MetricError | None:
    """Try a truth with predictions of our own: itself, and itself in another order.

    A constant is not tried, of which measures of order have no score, right as the truth may be.

    Parameters
    ----------
    metric : Metric
    y_true
        As for the metric.
    like
        Predictions, of which only the shape counts.
    options : mapping
        Of the metric.
    reason : str, optional
        Why predictions have no score: of that kind are the faults that are looked for, and the
        task's. By default any.

    Returns
    -------
    MetricError or None
        The task's fault; or ``shape_mismatch``, where no predictions of the shape of `like` have
        a score. None where some have one, or nothing can be told.
    """
    try:
        errors = [_error(metric, y_true, other, options) for other in _others(metric, y_true, like)]
    except Exception:  # of somebody's metric or values, of which nothing more is known
        return None
    found = [error for error in errors if error is not None]
    for error in found:
        if error.fault == Fault.TASK or error.reason == "shape_mismatch":
            return error
    if any(error.reason == "non_finite_score" for error in found):
        if reason not in (None, "non_finite_score"):
            return None
        told = (
            f"{metric.name} is not a finite number even of predictions that are as large as the "
            "truth, whose values differ by too much"
        )
        return MetricError("non_finite_score", told, Fault.TASK)
    if errors and len(found) == len(errors) and reason in (None, *(e.reason for e in found)):
        told = f"no predictions at all have a score: {found[0].message}"
        return MetricError(found[0].reason, told, Fault.TASK)
    return None


def _error(
    metric: Metric, y_true: Any, y_pred: Any, options: Mapping[str, Any]
) -> MetricError | None:
    try:
        plain_score(metric, y_true, y_pred, options)
    except MetricError as error:
        return error
    return None


def _others(metric: Metric, y_true: Any, like: Any) -> list[Any]:
    """Return predictions of which a sound truth of the metric's kind has a score for the first."""
    import numpy as np

    from ._inputs import take

    if metric.kind in _OF_FILES:
        return [y_true]
    rows, shape = np.arange(len(y_true)), np.shape(like)
    if metric.kind not in _SCORES_OF_CLASSES:
        of_truth = np.shape(y_true)[1:]
        if of_truth not in ((), (1,), shape[1:]):  # nobody hands in the truth
            return []
        return [y_true, take(y_true, np.roll(rows, 1))]
    several = shape[1:] if len(shape) == 2 and metric.kind != "survival" else ()
    shape = (len(rows), *several)
    if metric.kind == "probabilities":
        return [np.full(shape, 1.0 / shape[1] if several else 0.5)]
    ascending = np.arange(1.0, np.prod(shape) + 1).reshape(shape) / (np.prod(shape) + 1)
    return [ascending, ascending[::-1]]
