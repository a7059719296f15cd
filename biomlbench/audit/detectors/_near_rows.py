"""Rows of numbers and categories that are those of another table but for a little."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

__all__ = ["PROBES", "Twins", "is_text", "near_rows"]

PROBES = 400
"""Rows at most whose nearest ones are looked for, on either side."""
NEAR = 0.1
"""Share of the distance at which the training rows are from each other."""
EQUAL = 1e-3
"""Standard deviations within which values are equal where one column may be another."""
DIGITS = 4
"""As in `duplicates-across-split`, which has the rows that are equal to so many digits."""
LEAST_COLUMNS = 3
LEAST_VARIED = 6
"""Columns of many values below which it is by chance that rows are equal in all but one."""
MANY_VALUES = 0.05
"""Probability that two rows have the same value, below which a column has many."""
LEAST_LENGTH = 8
"""Mean length of a text below which it is a category."""
GLANCE = 1000
"""Values by which a column of numbers is told."""
MAX_COLUMNS = 60
MAX_CELLS = 400_000_000
"""Numbers that are compared at most."""
BLOCK = 4_000_000
_BLANK = 1e9


class Twins(NamedTuple):
    """Test rows that are training rows but for a little.

    Attributes
    ----------
    asked : ndarray of int
        The test rows that were looked at.
    rows : ndarray of int
        The training row of each, -1 for none.
    how : ndarray of str
        How each is like it.
    probes, among : int
        The training rows that were looked at, and those with a twin among the other ones.
    """

    asked: np.ndarray
    rows: np.ndarray
    how: np.ndarray
    probes: int
    among: int


def is_text(values: pd.Series) -> bool:
    """Whether a column holds long texts, most of which are different."""
    there = values.dropna().astype(str)
    if pd.to_numeric(there.head(GLANCE), errors="coerce").notna().mean() > 0.5 or not len(there):
        return False
    return bool(there.str.len().mean() >= LEAST_LENGTH and there.nunique() > len(there) // 2)


def near_rows(test: pd.DataFrame, train: pd.DataFrame, rng: np.random.Generator) -> Twins | None:
    """Compare the numbers and categories of rows.

    Parameters
    ----------
    test, train : DataFrame
        As text, of the same columns.
    rng : Generator

    Returns
    -------
    Twins or None
        None where the columns are too few to tell.

    Notes
    -----
    The distance of two rows is the mean over the columns of their difference in standard
    deviations of the training column, 1 at most; categories, and blanks and values, are 1 apart.
    A twin is nearer than a tenth of the median distance of training rows to the nearest other one;
    or equal in all columns but one. Rows that are equal to four digits are none.
    """
    looked = rng.permutation(test.shape[1])[: 2 * MAX_COLUMNS]
    columns = {name: coded for name in test.columns[looked]
               if (coded := _coded(train[name], test[name]))}  # fmt: skip
    if len(columns) < LEAST_COLUMNS:
        return None
    names = list(columns)[:MAX_COLUMNS]
    known, asked = (np.column_stack([columns[n][side] for n in names]) for side in (0, 1))
    varied = sum(_same_by_chance(known[:, i]) < MANY_VALUES for i in range(len(names)))
    most = max(2 * PROBES, MAX_CELLS // (2 * PROBES * len(names)))
    there = np.sort(rng.permutation(len(known))[:most])
    known = known[there]
    probes = np.sort(rng.permutation(len(known))[:PROBES])

    apart, _, unlike, _ = _nearest(known[probes], known, probes)
    limit = NEAR * float(np.median(apart))
    fewest = 1 if varied >= LEAST_VARIED else -1
    among = int(((apart < limit) | (unlike <= fewest)).sum())

    apart, nearest, unlike, likest = _nearest(asked, known)
    near, but_one = apart < limit, unlike <= fewest
    rows = np.where(near, there[nearest], np.where(but_one, there[likest], -1))
    found = np.flatnonzero(rows >= 0)
    rows[found[_equal(test.iloc[found], train.iloc[there[nearest[found]]])]] = -1
    within = float(np.max(apart[near & (rows >= 0)], initial=0.0))
    how = np.where(near, f"features within {within:.1g} standard deviations in the mean",
                   "all features but one equal")  # fmt: skip
    return Twins(np.arange(len(test)), rows, how.astype(object), len(probes), among)


def _coded(train: pd.Series, test: pd.Series) -> tuple[np.ndarray, np.ndarray] | None:
    """Return a column of both tables in standard deviations, categories as whole numbers.

    None for one that does not vary, and for texts and names of which each row has its own.
    """
    sides = [side.where(side.notna(), "").astype(str).str.strip() for side in (train, test)]
    blanks = [(side == "").to_numpy() for side in sides]
    numbers = [pd.to_numeric(side, errors="coerce").to_numpy(float) for side in sides]
    if all((np.isfinite(n) | blank).all() for n, blank in zip(numbers, blanks, strict=True)):
        given = numbers[0][~blanks[0]]
        spread = float(given.std()) if len(given) else 0.0
        if not spread > 0 or _counts_rows(numbers):
            return None
        scaled = [(values - given.mean()) / spread for values in numbers]
        known, asked = (np.where(b, _BLANK, v) for b, v in zip(blanks, scaled, strict=True))
    else:
        codes, _ = pd.factorize(pd.concat(sides))
        known, asked = codes[: len(train)].astype(float), codes[len(train) :].astype(float)
        kinds = len(np.unique(known))
        if kinds < 2 or kinds > len(train) // 2:
            return None
    return known.astype(np.float32), asked.astype(np.float32)


def _counts_rows(numbers: list[np.ndarray]) -> bool:
    """Whether numbers are those of the rows: whole, all different, with few gaps."""
    known = numbers[0]
    whole = np.isfinite(known).all() and (known == np.round(known)).all()
    rows = sum(len(side) for side in numbers)
    return bool(whole and len(np.unique(known)) == len(known) and np.ptp(known) < 2 * rows)


def _same_by_chance(values: np.ndarray) -> float:
    shares = np.unique(values, return_counts=True)[1] / len(values)
    return float((shares**2).sum())


def _nearest(
    asked: np.ndarray, known: np.ndarray, own: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the least distance of each row and to which, and the fewest unlike columns and where.

    `own` is the place of each row itself among the known ones, to which it is not compared.
    """
    found = []
    block = max(1, BLOCK // len(known))
    for start in range(0, len(asked), block):
        rows = asked[start : start + block]
        total = np.zeros((len(rows), len(known)), np.float32)
        unlike = np.zeros(total.shape, np.uint8)
        for column in range(asked.shape[1]):
            apart = np.abs(rows[:, column, None] - known[None, :, column])
            unlike += apart > EQUAL
            total += np.minimum(apart, 1, out=apart)
        if own is not None:
            total[np.arange(len(rows)), own[start : start + block]] = np.inf
            unlike[np.arange(len(rows)), own[start : start + block]] = 255
        places, likest = total.argmin(axis=1), unlike.argmin(axis=1)
        there = np.arange(len(rows))
        found.append((total[there, places] / asked.shape[1], places, unlike[there, likest], likest))
    apart, places, unlike, likest = (np.concatenate(one) for one in zip(*found, strict=True))
    return apart, places, unlike, likest


def _equal(test: pd.DataFrame, train: pd.DataFrame) -> np.ndarray:
    """Return which rows are equal to four digits."""
    equal = np.ones(len(test), bool)
    for name in test:
        one, other = test[name].to_numpy(), train[name].to_numpy()
        numbers = [pd.to_numeric(side[name], errors="coerce") for side in (test, train)]
        texts = [[f"{value:.{DIGITS}g}" for value in side] for side in numbers]
        there = numbers[0].notna().to_numpy()
        same = np.where(there, np.equal(*map(np.array, texts)), _text(one) == _text(other))
        equal &= same.astype(bool)
    return equal


def _text(values: np.ndarray) -> np.ndarray:
    return np.array(["" if pd.isna(value) else str(value) for value in values], object)
