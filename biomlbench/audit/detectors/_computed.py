"""Of which public columns of test rows the answers are a function: arithmetic, lines, lags."""

from __future__ import annotations

from itertools import combinations, islice
from math import lgamma, log
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ._chance import CHANCE, CORRELATED, agreement, same_order

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["computed_from", "known_within", "shifted_from"]

LEAST_VALUES = 10
LEAST_ROWS = 20
MAX_COLUMNS = 30
MAX_GROUPINGS = 10
ROWS_A_COLUMN = 4
"""Rows for each coefficient of a line, at least."""
COUNTS = 1e-3
"""Share of the spread of the answers from which a column belongs to what a line is made of."""
LAGS = (1, -1, 2, -2)
GLANCE = 20
"""Rows by which columns are looked at first, as nearly all have nothing to do with the answers."""
NEAR = 1e-3


@np.errstate(all="ignore")  # of huge numbers
def computed_from(numbers: Mapping[str, np.ndarray], truth: np.ndarray) -> str:
    """Return of which columns the truth is a function; empty for none.

    One column that has its order, arithmetic on two, or a line through any number of them, which
    has to hold in rows that it was not fitted to.

    Parameters
    ----------
    numbers : mapping of str to ndarray, shape (n,)
    truth : ndarray of float, shape (n,)
    """
    varied = _varied(numbers)
    for label, values in varied.items():
        if same_order(values, truth):
            return label
    line = _unit(truth)
    for (one, a), (other, b) in combinations(varied.items(), 2):
        made = {"+": a + b, "-": a - b, "*": a * b, "/": a / b, "\\": b / a}
        for sign, values in made.items():
            if np.isfinite(values).all() and abs(_unit(values) @ line) >= CORRELATED:
                return f"{one} {sign} {other}"
    return _line(varied, truth)


def _varied(numbers: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    found = ((k, v) for k, v in numbers.items() if len(np.unique(v)) >= LEAST_VALUES)
    return dict(islice(found, MAX_COLUMNS))


def _line(varied: Mapping[str, np.ndarray], truth: np.ndarray) -> str:
    if len(varied) < 2 or len(truth) < ROWS_A_COLUMN * (len(varied) + 1):
        return ""
    columns = np.column_stack([(v - v.mean()) / v.std() for v in varied.values()])
    columns = np.column_stack([columns, np.ones(len(truth))])
    if not np.isfinite(columns).all():
        return ""
    fitted = np.arange(len(truth)) % 2 == 0
    weights = np.linalg.lstsq(columns[fitted], truth[fitted], rcond=None)[0]
    if abs(_unit(columns[~fitted] @ weights) @ _unit(truth[~fitted])) < CORRELATED:
        return ""
    least = COUNTS * float(truth.std())
    names = [name for name, weight in zip(varied, weights[:-1], strict=True)
             if abs(weight) >= least]  # fmt: skip
    return f"a weighted sum of {', '.join(names)}"


def _unit(values: np.ndarray) -> np.ndarray:
    centred = values - values.mean()
    length = float(np.linalg.norm(centred))
    return np.asarray(centred / length if length > 0 else centred)


@np.errstate(all="ignore")  # of huge numbers
def known_within(
    numbers: Mapping[str, np.ndarray], groups: Mapping[str, np.ndarray], truth: np.ndarray
) -> str:
    """Return which column tells the truth within each value of another one.

    Of numbers up to an offset of each, as what was measured less a baseline of each site; of two
    classes by one bound for each, as a mean that leaves the row's own answer out.

    Parameters
    ----------
    numbers, groups : mapping of str to ndarray, shape (n,)
    truth : ndarray of float, shape (n,)
        Numbers, or two classes as 0 and 1.
    """
    varied = _varied(numbers)
    of_two = len(np.unique(truth)) == 2
    for name, values in islice(groups.items(), MAX_GROUPINGS):
        codes = pd.factorize(values)[0]
        if not 2 <= codes.max() + 1 <= len(codes) // 5:
            continue
        tries = 2 * len(varied) * len(groups)
        for label, column in varied.items():
            if label != name and (
                _is_sorted(column, codes, truth, tries)
                if of_two
                else abs(_unit(_centred(column, codes)) @ _unit(_centred(truth, codes)))
                >= CORRELATED
            ):
                return f"{label} within each {name}"
    return ""


def _centred(values: np.ndarray, codes: np.ndarray) -> np.ndarray:
    return np.asarray(values - (np.bincount(codes, values) / np.bincount(codes))[codes])


def _is_sorted(column: np.ndarray, codes: np.ndarray, truth: np.ndarray, tries: int) -> bool:
    order = np.lexsort((column, codes))
    inner = codes[order][1:] == codes[order][:-1]
    steps, along = np.diff(truth[order])[inner], np.diff(column[order])[inner]
    if not ((steps >= 0).all() or (steps <= 0).all()) or (steps[along == 0] != 0).any():
        return False
    chance = log(tries)
    for group in np.unique(codes):
        counts = np.unique(truth[codes == group], return_counts=True)[1]
        chance -= lgamma(counts.sum() + 1) - sum(lgamma(count + 1) for count in counts)
    return chance < log(CHANCE)


@np.errstate(all="ignore")  # of huge numbers
def shifted_from(
    numbers: Mapping[str, np.ndarray], groups: Mapping[str, np.ndarray], truth: np.ndarray
) -> str:
    """Return which column of a row before or after has the truth of each row.

    Parameters
    ----------
    numbers, groups : mapping of str to ndarray, shape (n,)
    truth : ndarray of float, shape (n,)
    """
    varied = _varied(numbers)
    for how, order in _orders(numbers, groups, len(truth)):
        for label, column in varied.items():
            for lag in LAGS:
                here, there = (slice(None, -lag), slice(lag, None)) if lag > 0 else (
                    slice(-lag, None), slice(None, lag))  # fmt: skip
                values, wanted = column[order][there], truth[order][here]
                if len(wanted) < LEAST_ROWS:
                    continue
                other = f"of the row {abs(lag)} {'after' if lag > 0 else 'before'} it {how}"
                if _agree(values, wanted):
                    return f"{label} {other}"
                if _agree(np.abs(column[order][here] - values), np.abs(wanted)):
                    return f"{label} and that {other}, whose difference it is"
    return ""


def _agree(values: np.ndarray, wanted: np.ndarray) -> bool:
    some = np.linspace(0, len(wanted) - 1, GLANCE).astype(int)
    close = np.abs(values[some] - wanted[some]) <= NEAR * (1 + np.abs(wanted[some]))
    return bool(close.mean() >= 0.5 and agreement(values, wanted).real)


def _orders(
    numbers: Mapping[str, np.ndarray], groups: Mapping[str, np.ndarray], n: int
) -> Iterator[tuple[str, np.ndarray]]:
    yield "as the rows come", np.arange(n)
    for name, values in islice(numbers.items(), MAX_COLUMNS):
        if len(np.unique(values)) > n // 2 and (np.diff(values) < 0).any():
            yield f"by {name}", np.argsort(values, kind="stable")
    for group, codes in islice(groups.items(), 3):
        blocks = pd.factorize(codes)[0]
        for name, values in islice(numbers.items(), MAX_COLUMNS):
            both = np.column_stack([blocks, values])
            if name != group and len(np.unique(both, axis=0)) > 0.9 * n:
                yield f"by {group} and {name}", np.lexsort((values, blocks))
