"""Which class each column of class probabilities is of, told by the columns' names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from biomlbench.errors import TaskError
from biomlbench.outcomes import Fault, Reason
from biomlbench.submission.submitted_file import quote

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from biomlbench.metrics import Metric

__all__ = ["class_order"]

_OF_CLASSES = ("binary", "probabilities")


def class_order(
    metric: Metric, options: Mapping[str, Any], names: Sequence[str], y_true: Any
) -> list[int] | None:
    """Return the columns of predictions in the order of the classes that a metric gives them.

    Parameters
    ----------
    metric : Metric
    options : mapping
        Of the metric.
    names : sequence of str
        Of the columns of predictions.
    y_true : array_like
        Class labels.

    Returns
    -------
    list of int or None
        The position of each class's column. The names are those of the classes, or the same but
        for what they all begin and end with (``p_low``, ``p_high``). None where columns are taken
        as they are listed: the metric takes no column a class, or the order is declared.

    Raises
    ------
    TaskError
        If the labels are text, the names are not theirs, and no order is declared.
    """
    if len(names) < 2 or metric.kind not in _OF_CLASSES:
        return None
    declared = options.get("labels")
    classes = _classes(y_true if declared is None else declared, distinct=declared is None)
    if classes is None or len(classes) != len(names):
        return None  # the metric says what is wrong
    order = _order(list(names), [_written(label) for label in classes])
    if order is None and declared is None and isinstance(classes[0], str):
        raise TaskError(_undeclared(metric, names, classes), Reason.BROKEN_ANSWERS)
    return order


def _classes(values: Any, *, distinct: bool) -> list[Any] | None:
    """Return labels as plain values; None where a metric refuses them."""
    import numpy as np

    from biomlbench.metrics import MetricError
    from biomlbench.metrics._inputs import labels

    found = np.asarray(values)
    try:
        if found.dtype.kind != "b":
            found = labels(values, Fault.TASK)
    except MetricError:
        return None
    result: list[Any] = (np.unique(found) if distinct else found).tolist()
    return result


def _written(label: Any) -> str:
    return str(label) if isinstance(label, (str, bool)) else str(int(label))


def _order(names: list[str], classes: list[str]) -> list[int] | None:
    """Return the position of each class's name; None where there is no one way to tell."""
    orders = set()
    for prefix, suffix in _affixes(names[0], classes):
        wanted = [f"{prefix}{label}{suffix}" for label in classes]
        if sorted(wanted) == sorted(names):
            order = [names.index(name) for name in wanted]
            if not prefix and not suffix:
                return order
            orders.add(tuple(order))
    return list(orders.pop()) if len(orders) == 1 else None


def _affixes(name: str, classes: list[str]) -> list[tuple[str, str]]:
    """Return what may be around each class in the columns' names, of which one is given."""
    return [
        (name[:start], name[start + len(label) :])
        for label in classes
        for start in range(len(name) - len(label) + 1)
        if name.startswith(label, start)
    ]


def _undeclared(metric: Metric, names: Sequence[str], classes: Sequence[str]) -> str:
    remedy = "name the columns as the classes"
    if "labels" in metric.options:
        some = ", ".join(map(quote, classes[:20]))
        remedy += (
            ", or say in config.yaml, under `grader`, of which class each one is, as in "
            f"`options: {{labels: [...]}}` with {some} in the order of the columns"
        )
    shown = ", ".join(map(quote, names[:20]))
    return f"which class the columns {shown} are of is not declared: {remedy}"
