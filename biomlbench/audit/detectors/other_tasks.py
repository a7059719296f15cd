"""Answers in other tasks: test labels that the public files of another task in the folder tell."""

from __future__ import annotations

from itertools import chain, combinations, islice, product
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from biomlbench.audit.package_tables import codes_of
from biomlbench.audit.public_tables import (
    LEAST_JOINED,
    mixed_codes,
    only_rows,
    other_public,
    read_other,
)

from ._chance import CHANCE, tells
from ._known_rows import known_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from biomlbench.audit.findings import Found
    from biomlbench.audit.public_tables import OtherTable
    from biomlbench.audit.subject import Subject

ORDER = 16
SCORES = False
MEDAL = "whose answers another task gives"
FINDINGS = {
    "answers-in-other-tasks": "leave the column or the rows out of the other task's public files, "
    "or have the same rows in the test set of both",
}
LEAST_VALUES = 10
"""Columns of fewer different values tell no rows apart."""
LEAST_CLASSED = 40
"""Rows that must be found where the answers are classes: few agree by chance."""
MOST_COLUMNS = 8
"""Features by which rows are sought."""
MOST_PARTNERS = 3
"""Columns of a table that are tried for each column of the answers."""
UNIQUE = 0.9
"""Share of different values from which a single column of answers is known by its values."""
CONTAINED = 0.95
"""Share of such values that a column must have to hold them."""
GLANCE = 1000
"""Values by which a column is looked at first."""
FOLLOWS = 0.98
"""Rank correlation, or area under the curve, from which a column stands for the answer."""


def find(subject: Subject) -> Iterable[Found]:
    """Search the other tasks' public tables for the answers, by their values and by the rows."""
    paths, left_out = other_public(subject.task)
    if left_out:
        subject.not_tried.append(
            f"other tasks: {left_out} of their public tables, too large or too many"
        )
    if not paths:
        subject.not_tried.append("other tasks: none is prepared in the same data folder")
        return
    keys, truths = _keys(subject), _numbers(subject)
    for path in paths:
        table = read_other(path, subject.task)
        if table is None:
            continue
        found = next(chain(_held(subject, truths, table), _joined(subject, keys, table)), None)
        if found is not None:
            rows, how = found
            filled = np.full(subject.n, None, object)
            filled[rows] = True
            what = f"the public {table.name} tells the answers ({how})"
            yield known_rows(subject, "answers-in-other-tasks", int(rows.sum()), filled, what)
            return


def _numbers(subject: Subject) -> Mapping[str, np.ndarray]:
    """Return the columns of the answers that are numbers of enough values to be known by them."""
    found = {name: truth for name, truth in subject.truths.items() if truth.dtype.kind == "f"}
    if not found or subject.n < LEAST_JOINED:
        return {}
    rows = pd.DataFrame(found)
    different = len(rows.drop_duplicates()) / subject.n
    return found if rows.notna().all(axis=None) and different >= UNIQUE else {}


def _held(
    subject: Subject, truths: Mapping[str, np.ndarray], table: OtherTable
) -> Iterator[tuple[np.ndarray, str]]:
    """Yield which test rows' answers a table holds, known by their values alone."""
    from scipy.stats import binom

    if not truths:
        return
    wanted = [codes_of(pd.Series(truth)) for truth in truths.values()]
    partners = [_partners(codes, name, table) for codes, name in zip(wanted, truths, strict=True)]
    least = max(LEAST_JOINED, CONTAINED * subject.n if len(wanted) == 1 else 0)
    for columns in product(*partners):
        if len(set(columns)) < len(columns):
            continue
        held = mixed_codes([table.codes[:, c] for c in columns])
        rows = np.isin(mixed_codes(wanted), held)
        if rows.sum() < least:
            continue
        chance = np.isin(mixed_codes(_others(truths, subject)), held).mean()
        if binom.sf(rows.sum() - 1, subject.n, max(chance, 1 / subject.n)) < CHANCE:
            names = ", ".join(str(table.frame.columns[c]) for c in columns)
            yield rows, f"{names} has the values of {', '.join(truths)}"
            return


def _others(truths: Mapping[str, np.ndarray], subject: Subject) -> list[np.ndarray]:
    """Return codes of no answers, which are as likely to be met: of two rows, or beside one."""
    if len(truths) > 1:
        first, *rest = (codes_of(pd.Series(truth)) for truth in truths.values())
        return [first[subject.rng(5).permutation(len(first))], *rest]
    (truth,) = truths.values()
    digits = max(len(repr(value).partition(".")[2]) for value in truth.tolist())
    return [codes_of(pd.Series(np.round(truth + 10.0**-digits, digits)))]


def _partners(codes: np.ndarray, name: str, table: OtherTable) -> list[int]:
    """Return the columns that have most of the values, one of the same name before all others."""
    values = np.unique(codes)
    some = values[:: max(1, len(values) // GLANCE)]
    shares = [np.isin(some, table.codes[:, c]).mean() for c in range(table.codes.shape[1])]
    order = sorted(range(len(shares)), key=lambda c: (table.frame.columns[c] != name, -shares[c]))
    return [c for c in order if shares[c] > 0][:MOST_PARTNERS]


def _keys(subject: Subject) -> dict[str, np.ndarray]:
    """Return the codes of what test rows are known by: ids, and the features of most values."""
    found = {name: codes_of(subject.sample[name]) for name in subject.ids}
    for table, rows in subject.tests:
        for name in subject.features(table):
            found.setdefault(name, codes_of(table.frame[name])[rows])
    counts = {name: len(np.unique(codes)) for name, codes in found.items()}
    chosen = [name for name in sorted(found, key=lambda name: -counts[name])
              if counts[name] >= LEAST_VALUES]  # fmt: skip
    return {name: found[name] for name in chosen[:MOST_COLUMNS]}


def _joined(
    subject: Subject, keys: Mapping[str, np.ndarray], table: OtherTable
) -> Iterator[tuple[np.ndarray, str]]:
    """Yield which test rows' answers a table tells in rows that have the same features."""
    own = {name for test, _ in subject.tests for name in subject.features(test)}
    columns = [c for c, name in enumerate(table.frame.columns) if name not in own]
    tried = set[bytes]()
    for names, rows in _rows_of(keys, table):
        there = rows >= 0
        if rows.tobytes() in tried:
            continue
        tried.add(rows.tobytes())
        for c in columns:
            values = table.frame.iloc[:, c].to_numpy()[rows[there]]
            for target, truth in subject.truths.items():
                if _stands_for(values, truth[there]):
                    column = table.frame.columns[c]
                    yield there, f"{column} stands for {target}, rows found by {names}"
                    return


def _rows_of(keys: Mapping[str, np.ndarray], table: OtherTable) -> Iterator[tuple[str, np.ndarray]]:
    """Yield by what test rows are found in a table, and the row of each, -1 for none."""
    pairs = []
    for name, codes in keys.items():
        partners = _partners(codes, name, table)
        if partners and np.isin(codes, table.codes[:, partners[0]]).sum() >= LEAST_JOINED:
            pairs.append((name, codes, table.codes[:, partners[0]]))
    singles = [(pair,) for pair in pairs]
    for group in islice([*combinations(pairs, 2), *singles], 2 * MOST_COLUMNS):
        _, mine, theirs = zip(*group, strict=True)
        rows = only_rows(mixed_codes(mine), mixed_codes(theirs))
        there = rows[rows >= 0]
        # what many test rows share, such as a position, is no row's own
        if len(there) >= LEAST_JOINED and len(np.unique(there)) >= len(there) / 2:
            yield ", ".join(pair[0] for pair in group), rows


def _stands_for(values: np.ndarray, truth: np.ndarray) -> bool:
    """Whether values are the answers, other names of them, or numbers that follow them."""
    numeric = truth.dtype.kind == "f" and len(np.unique(truth)) >= LEAST_VALUES
    if not numeric and len(truth) < LEAST_CLASSED:
        return False
    return tells(values, truth) > 0 or _follow(values, truth, numeric=numeric)


def _follow(values: np.ndarray, truth: np.ndarray, *, numeric: bool) -> bool:
    from scipy.stats import mannwhitneyu, spearmanr

    numbers = pd.to_numeric(pd.Series(values), errors="coerce").to_numpy(float)
    classes = np.unique(truth)
    if not np.isfinite(numbers).all() or len(np.unique(numbers)) < LEAST_VALUES:
        return False
    if numeric:
        strength, chance = spearmanr(numbers, truth)
        return bool(abs(strength) >= FOLLOWS and chance < CHANCE)
    if len(classes) != 2:
        return False
    one, other = (numbers[truth == value] for value in classes)
    wins, chance = mannwhitneyu(one, other)
    area = float(wins) / (len(one) * len(other))
    return bool(max(area, 1 - area) >= FOLLOWS and chance < CHANCE)
