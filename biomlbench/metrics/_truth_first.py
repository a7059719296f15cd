"""Faults of the truth are told before those of the predictions, whichever a metric meets first."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from biomlbench.outcomes import Fault

from ._errors import MetricError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ._base import Metric

__all__ = ["truth_first"]


@contextmanager
def truth_first(
    metric: Metric, y_true: Any, y_pred: Any, options: Mapping[str, Any]
) -> Iterator[None]:
    """Raise a fault of the truth instead of one of the predictions.

    Where predictions have no score, others are tried that have one if any have: a truth that
    refuses them as well has no score for anybody.

    Raises
    ------
    MetricError
        The task's fault if there is one, else what the metric itself raised.
    """
    try:
        yield
    except MetricError as error:
        if error.fault != Fault.TASK:
            of_truth = _fault_of_truth(metric, y_true, y_pred, options)
            if of_truth is not None:
                raise of_truth from error
        raise


def _fault_of_truth(
    metric: Metric, y_true: Any, y_pred: Any, options: Mapping[str, Any]
) -> MetricError | None:
    try:
        metric.function(y_true, _sound(metric.kind, y_true, y_pred), **options)
    except MetricError as error:
        return error if error.fault == Fault.TASK else None
    except Exception:  # of somebody's metric, of which nothing more is known
        return None
    return None


def _sound(kind: str, y_true: Any, y_pred: Any) -> Any:
    """Return predictions that a sound truth of a kind has a score for."""
    if kind not in ("binary", "probabilities", "survival"):
        return y_true
    import numpy as np

    shape = np.shape(y_pred)
    several = len(shape) == 2 and kind != "survival"
    shape = (len(y_true), *(shape[1:] if several else ()))
    if kind == "probabilities":
        return np.full(shape, 0.5 if len(shape) == 1 else 1.0 / max(1, shape[1]))
    return np.arange(float(np.prod(shape))).reshape(shape)
