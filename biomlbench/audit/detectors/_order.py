"""How far answers follow an order of the test rows, beyond that neighbours are alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from ._derived import as_dates
from ._levels import UNLIKELY, are_classes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from biomlbench.audit.public_tables import PublicTable
    from biomlbench.audit.subject import Subject

__all__ = [
    *("Followed", "followed", "is_public", "learnt_columns", "neighbours_alike", "row_numbers"),
    "within_groups",
]

LEAST_ROWS = 20
LEAST_CLASS = 5
"""Rows of the second largest class below which the number of runs is not nearly normal."""
PERFECT = 0.95
"""Strength from which a few long runs of equal answers are themselves what is to be found."""
FEW_RUNS = 3
"""Runs of equal answers a class, up to which they are blocks that can be guessed."""
MAX_COLUMNS = 30
LEFT = 0.3
"""Strength of what an order tells beyond public columns, from which it is not theirs alone."""


class Followed(NamedTuple):
    """How answers follow an order.

    Attributes
    ----------
    strength : float
        0 to 1.
    chance : float
        Probability of as much.
    """

    strength: float
    chance: float


def followed(place: np.ndarray, truth: np.ndarray) -> Followed:
    """Return how far answers rise or fall along an order, or come in a few blocks.

    Rank correlation of numbers; of classes the most that the area under the curve of one of them
    differs from a half, doubled. Rows beside one another may be alike, as those of one patient
    are, so that they count as fewer: by the correlation of neighbours that is left where the trend
    is taken away.

    Parameters
    ----------
    place : ndarray of float, shape (n,)
    truth : ndarray, shape (n,)
        Float or text.
    """
    from scipy.stats import rankdata

    there = pd.notna(truth)  # rows without an answer are not graded
    truth, place = truth[there], place[there]
    n = len(truth)
    if n < LEAST_ROWS or len(np.unique(place)) < 2:
        return Followed(0.0, 1.0)
    order = np.argsort(place, kind="stable")
    places = rankdata(place[order])
    if not are_classes(truth):
        return _trend(places, rankdata(truth[order]))
    codes = pd.factorize(truth[order])[0]
    sizes = np.bincount(codes)
    if len(sizes) < 2 or np.sort(sizes)[-2] < LEAST_CLASS:
        return Followed(0.0, 1.0)
    best = _blocks(codes, sizes) if len(np.unique(place)) > n // 2 else Followed(0.0, 1.0)
    for code in np.flatnonzero(sizes >= LEAST_CLASS):
        found = _trend(places, (codes == code).astype(float))
        best = max(best, found, key=lambda one: (one.chance < UNLIKELY, one.strength))
    return best


def _trend(places: np.ndarray, values: np.ndarray) -> Followed:
    from scipy.stats import t

    one, other = places - places.mean(), values - values.mean()
    length = float(np.linalg.norm(one) * np.linalg.norm(other))
    if length <= 0:
        return Followed(0.0, 1.0)
    r = float(one @ other) / length
    n = len(values)
    strength = abs(r)
    if set(np.unique(values)) <= {0.0, 1.0}:
        ones = values > 0
        area = places[ones].sum() / ones.sum() - (ones.sum() + 1) / 2
        strength = abs(2 * area / (n - ones.sum()) - 1)
    rest = other - one * (r * np.linalg.norm(other) / np.linalg.norm(one))
    square = float(rest @ rest)
    alike = float(rest[1:] @ rest[:-1]) / square if square > 1e-9 * float(other @ other) else 0.0
    alike = min(max(alike, 0.0), 1 - 1 / n)
    if strength >= PERFECT:
        alike = 0.0
    free = max(n * (1 - alike) / (1 + alike) - 2, 1.0)
    statistic = abs(r) * (free / max(1 - r * r, 1e-12)) ** 0.5
    return Followed(strength, float(2 * t.sf(statistic, free)))


def _blocks(codes: np.ndarray, sizes: np.ndarray) -> Followed:
    found = _runs(codes, sizes)
    runs = 1 + int((codes[1:] != codes[:-1]).sum())
    return found if runs <= FEW_RUNS * len(sizes) else Followed(0.0, 1.0)


def neighbours_alike(place: np.ndarray, truth: np.ndarray) -> Followed:
    """Return how far rows that follow one another have the same class."""
    there = pd.notna(truth)
    codes = pd.factorize(truth[there][np.argsort(place[there], kind="stable")])[0]
    sizes = np.bincount(codes) if len(codes) else np.zeros(0, int)
    enough = len(codes) >= LEAST_ROWS and 2 <= len(sizes) <= len(codes) // 2
    if not enough or np.sort(sizes)[-2] < LEAST_CLASS:
        return Followed(0.0, 1.0)
    return _runs(codes, sizes)


def _runs(codes: np.ndarray, sizes: np.ndarray) -> Followed:
    """Test runs of equal labels (Wald and Wolfowitz 1940; several: Wallis and Roberts 1956)."""
    from scipy.stats import norm

    n = len(codes)
    runs = 1 + int((codes[1:] != codes[:-1]).sum())
    square, cube = float((sizes**2).sum()), float((sizes**3).sum())
    expected = 1 + (n * n - square) / n
    variance = (square * (square + n * (n + 1)) - 2 * n * cube - n**3) / (n * n * (n - 1))
    least = len(sizes)
    if variance <= 0 or expected <= least:
        return Followed(0.0, 1.0)
    strength = max(0.0, (expected - runs) / (expected - least))
    return Followed(strength, float(norm.cdf((runs - expected) / variance**0.5)))


def row_numbers(subject: Subject) -> Iterator[tuple[str, np.ndarray]]:
    """Yield public columns that are numbers of rows of a table that was split at random.

    Whole numbers, each of one row, nearly all of a range, and those of test rows among those of
    labelled rows; where they lie before or behind them they are times.
    """
    for table, rows in subject.tests:
        for column in subject.features(table):
            asked = table.numbers(column)[rows]
            if not _are_whole(asked):
                continue
            if (
                (np.diff(asked) < 0).any()
                and _counts(asked)
                and all(
                    _counts(other.numbers(column))
                    for other in subject.public
                    if other is not table and column in other.columns
                )
            ):
                yield column, asked  # of an array or a folder beside the table
                continue
            for other in subject.public:
                if other is table or column not in other.columns or not _labelled(subject, other):
                    continue
                known = other.numbers(column)
                both = np.concatenate([known, asked])
                dense = _are_whole(known) and len(np.unique(both)) == len(both)
                dense = dense and np.ptp(both) < 1.5 * len(both)
                if dense and 0.2 < float((known < np.median(asked)).mean()) < 0.8:
                    yield column, asked


def _counts(values: np.ndarray) -> bool:
    """Whether values are the numbers of rows from 0 or 1 on, in any order."""
    if not _are_whole(values):
        return False
    first = values.min()
    return first in (0, 1) and np.array_equal(np.sort(values), np.arange(len(values)) + first)


def _are_whole(values: np.ndarray) -> bool:
    return bool(np.isfinite(values).all() and (values == np.rint(values)).all())


def _labelled(subject: Subject, table: PublicTable) -> bool:
    return bool(set(subject.truths) & set(table.columns))


def learnt_columns(subject: Subject) -> set[str]:
    """Return the features that labelled rows have."""
    return {c for t in subject.public if _labelled(subject, t) for c in subject.features(t)}


def is_public(subject: Subject, place: np.ndarray, truth: np.ndarray) -> bool:
    """Whether an order of test rows is that of public columns which labelled rows have as well.

    Of one column, or of one within the blocks that another makes, as weeks within regions are.
    What such an order tells, those columns tell anyhow, unless rows that are equal there follow one
    another as their answers do.
    """
    numbers = {name for name, _ in row_numbers(subject)}
    order = np.argsort(place, kind="stable")
    learnt = learnt_columns(subject)
    for table, rows in subject.tests:
        names = [c for c in subject.features(table) if c in learnt and c not in numbers]
        columns = {}
        for column in names[:MAX_COLUMNS]:
            values = table.numbers(column)[rows]
            if not np.isfinite(values).all():
                dates = as_dates(table.text(column)[rows].astype(str))
                values = values if dates is None else dates
            if np.isfinite(values).all() and len(np.unique(values)) > 1:
                columns[column] = values[order]
        blocks = [np.zeros(subject.n, int), *(b for _, b in _blocks_of(table, names, rows, order))]
        for block in blocks:
            inner = block[1:] == block[:-1]
            if not inner.sum() >= subject.n / 2:
                continue
            for values in columns.values():
                steps = np.diff(values)
                if (steps[inner] >= 0).all() or (steps[inner] <= 0).all():
                    inside = _inside(np.flatnonzero(np.r_[True, ~inner | (steps != 0)]), subject.n)
                    rest = followed(inside, truth[order])
                    if rest.strength < LEFT or rest.chance > UNLIKELY:
                        return True
    return False


def within_groups(subject: Subject) -> Iterator[tuple[str, np.ndarray]]:
    """Yield place of each row within the block of equal values of a public column, 0 to 1."""
    order = np.arange(subject.n)
    for table, rows in subject.tests:
        names = subject.features(table)[:MAX_COLUMNS]
        for column, block in _blocks_of(table, names, rows, order):
            starts = np.flatnonzero(np.r_[True, block[1:] != block[:-1]])
            if np.median(np.diff(np.r_[starts, len(block)])) >= LEAST_CLASS:
                yield column, _inside(starts, len(block))


def _inside(starts: np.ndarray, n: int) -> np.ndarray:
    """Return the place of each row within its block, 0 to 1."""
    sizes = np.diff(np.r_[starts, n])
    return np.asarray((np.arange(n) - np.repeat(starts, sizes) + 0.5) / np.repeat(sizes, sizes))


def _blocks_of(
    table: PublicTable, names: list[str], rows: np.ndarray, order: np.ndarray
) -> Iterator[tuple[str, np.ndarray]]:
    """Yield columns whose equal values lie together in an order, as codes."""
    for column in names[:MAX_COLUMNS]:
        codes = pd.factorize(table.text(column)[rows][order])[0]
        changes = int((codes[1:] != codes[:-1]).sum())
        if 0 < changes == codes.max() and changes < len(codes) // 2:
            yield column, codes
