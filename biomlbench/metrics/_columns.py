"""What columns of answers and submissions each metric compares, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ._base import Metric

__all__ = ["Columns", "columns_of"]


class Columns(NamedTuple):
    """Columns that a task's config names as `target` and `prediction`, in words."""

    targets: str
    predictions: str


_OF_CLASSES = "a column of scores; of three or more classes a column a class"
_OF_SEVERAL = "one or more columns"
_OF_KIND: Mapping[str, Columns] = {
    "binary": Columns(
        "a column of labels, of two classes", "a column of scores, higher for the positive class"
    ),
    "labels": Columns("a column of labels", "a column of labels"),
    "probabilities": Columns(
        "a column of labels", "a column of probabilities of the positive class, or one a class"
    ),
    "regression": Columns("a column of numbers", "a column of numbers"),
    "ranking": Columns("a column of numbers", "a column of numbers; only their order counts"),
    "survival": Columns("two columns, time and event", "a column of numbers"),
    "mask": Columns("a column of type `rle`", "a column of type `rle`"),
    "instance_mask": Columns("a column of type `rle`, a code an instance", "the same"),
    "structure": Columns("those of which an `inputs_fn` makes structures", "the same"),
}


def columns_of(metric: Metric) -> Columns:
    """Return what columns a metric compares.

    Examples
    --------
    >>> from biomlbench.metrics import get_metric
    >>> columns_of(get_metric("rmse")).targets, columns_of(get_metric("matrix_rmse")).targets
    ('a column of numbers', 'one or more columns of numbers')
    """
    found = _OF_KIND[metric.kind]
    if metric.several:
        return Columns(*(text.replace("a column", _OF_SEVERAL, 1) for text in found))
    if metric.kind == "binary" and "multi_class" in metric.options:
        return Columns("a column of labels", _OF_CLASSES)
    return found
