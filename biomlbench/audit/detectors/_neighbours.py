"""The nearest training row of each test row: by numbers, by text, by the number in the id."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["id_numbers", "neighbours"]

MAX_CELLS = 20_000_000
"""Numbers that are compared at most."""
LEAST_LENGTH = 5
"""Mean length of a text below which it is the name of a class."""
GRAMS = (1, 3)
"""Lengths of the parts by which texts are compared."""


def neighbours(
    test: pd.DataFrame, train: pd.DataFrame, ids: Sequence[str]
) -> Iterator[tuple[str, np.ndarray]]:
    """Yield how rows were compared, and the nearest training row of each test row.

    Parameters
    ----------
    test, train : DataFrame
        As text.
    ids : sequence of str
    """
    shared = [name for name in test if name in train and name not in ids]
    numbers, others = (_numbers(frame[shared]) for frame in (train, test))
    both = [name for name in shared if name in numbers and name in others
            and numbers[name].std() > 0]  # fmt: skip
    if both and len(test) * len(train) * len(both) <= MAX_CELLS:
        scale = [(numbers[name].mean(), numbers[name].std()) for name in both]
        known, asked = (
            np.column_stack([(side[n] - m) / s for n, (m, s) in zip(both, scale, strict=True)])
            for side in (numbers, others)
        )
        yield "features", _nearest(known, asked, "euclidean")
    if len(test) * len(train) <= MAX_CELLS:
        for name in shared:
            if name not in both and _is_text(train[name]):
                yield f"text in {name}", _by_text(train[name], test[name])
    name = ids[0]
    if name in train and name in test:
        known_ids, asked_ids = id_numbers(train[name]), id_numbers(test[name])
        if known_ids is not None and asked_ids is not None:
            yield f"number in {name}", _by_number(known_ids, asked_ids)


def id_numbers(ids: pd.Series) -> np.ndarray | None:
    """Return the last number in each id; None where some have none, or half are the same."""
    found = pd.to_numeric(ids.str.extract(r"(\d{1,15})\D*$")[0], errors="coerce")
    if found.isna().any() or found.nunique() <= len(found) // 2:
        return None
    return found.to_numpy(float)


def _numbers(frame: pd.DataFrame) -> dict[str, np.ndarray]:
    columns = {str(c): pd.to_numeric(frame[c], errors="coerce").to_numpy(float) for c in frame}
    return {name: values for name, values in columns.items() if np.isfinite(values).all()}


def _is_text(values: pd.Series) -> bool:
    long = values.str.len().mean() >= LEAST_LENGTH and values.nunique() > len(values) // 2
    return bool(long and not pd.to_numeric(values, errors="coerce").notna().any())


def _by_text(known: pd.Series, asked: pd.Series) -> np.ndarray:
    from sklearn.feature_extraction.text import HashingVectorizer

    parts = HashingVectorizer(analyzer="char", ngram_range=GRAMS, n_features=2**14)
    return _nearest(parts.transform(known), parts.transform(asked), "cosine")


def _by_number(known: np.ndarray, asked: np.ndarray) -> np.ndarray:
    order = np.argsort(known, kind="stable")
    ranked = known[order]
    after = np.clip(np.searchsorted(ranked, asked), 1, len(ranked) - 1)
    nearer = asked - ranked[after - 1] <= ranked[after] - asked
    return np.asarray(order[np.where(nearer, after - 1, after)])


def _nearest(known: object, asked: object, metric: str) -> np.ndarray:
    from sklearn.neighbors import NearestNeighbors

    index = NearestNeighbors(n_neighbors=1, metric=metric).fit(known)
    return np.asarray(index.kneighbors(asked, return_distance=False)[:, 0])
