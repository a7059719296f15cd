"""Values of predictions: exchanged between rows, and matched with names of classes."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["class_of", "exchanged", "filled", "informs", "label", "row_texts"]


def row_texts(frame: pd.DataFrame) -> np.ndarray:
    """Return each row of a table as one text."""
    columns = [frame[name].map(str).astype(object) for name in frame]
    joined = reduce(lambda one, other: one + "\x1f" + other, columns)
    return np.asarray(joined.to_numpy(), object)


def exchanged(texts: np.ndarray, rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return for each row the row whose predictions it gets: other ones, where there are any."""
    source = np.arange(len(texts))
    order = rng.permutation(rows)
    # Sorted by value and turned by half, so that few rows keep their own value.
    order = order[np.argsort(texts[order], kind="stable")]
    source[order] = np.roll(order, len(order) // 2)
    everything = np.arange(len(texts))
    for row in order[texts[source[order]] == texts[order]]:
        others = everything[texts != texts[row]]
        if len(others):
            source[row] = rng.choice(others)
    return source


def label(value: Any) -> str:
    """Return a class as a column's name would have it."""
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if whole else str(value)


def class_of(column: str, target: str) -> str:
    """Return the class that a column of probabilities is about."""
    for start in (f"{target}_", "prob_", "p_", "class_"):
        column = column.removeprefix(start)
    return column


def informs(column: pd.Series) -> bool:
    """Whether a column may be a truth: neither the same everywhere nor a number of the row."""
    values = column.to_numpy()
    if values.dtype.kind == "f" and len(values) > 1 and bool((np.diff(values) == 1).all()):
        return False
    return column.nunique(dropna=False) > 1


def filled(values: np.ndarray) -> np.ndarray:
    """Return a truth as it can be predicted: rows without one, which are not graded, get one."""
    if values.dtype.kind != "f" or not np.isnan(values).any() or np.isnan(values).all():
        return values
    return np.where(np.isnan(values), np.nanmedian(values), values)
