"""Answers in packages: test labels that data files of installed packages tell a program."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from biomlbench.audit.package_tables import all_codes, codes_of, held_share, package_tables
from biomlbench.audit.public_tables import mixed_codes, only_rows

from ._chance import tells
from ._known_rows import known_rows
from ._stands_for import SAME_ROWS, Truth, stands_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from biomlbench.audit.findings import Found
    from biomlbench.audit.package_tables import PackageTable
    from biomlbench.audit.subject import Subject

ORDER = 15
SCORES = False
MEDAL = "whose answers lie in an installed package"
FINDINGS = {
    "answers-in-packages": "name the file in `installed_data` of the task's config.yaml, so that "
    "programs do not see it",
}
LEAST_VALUES = 10
"""Columns of fewer different values tell no rows apart."""
CONTAINED = 0.95
"""Share of a column's values that a package's column must have to be the same quantity."""
FOUND = 0.5
"""Share of the test rows that must be found in a package's table."""
MOST_COLUMNS = 8
"""Features that are tried."""
GLANCE = 20


def find(subject: Subject) -> Iterable[Found]:
    """Search the packages that the sandbox shows for the test rows, by ids and by features."""
    own = _features(subject)
    ids, features = _found(_ids(subject), FOUND), _found(_most(own), CONTAINED)
    if not ids and not features:
        return
    for table in package_tables(subject.task):
        for how, rows in _rows_of(table, ids, features):
            there = rows >= 0
            for number in range(table.frame.shape[1]):
                values = table.frame.iloc[:, number].to_numpy()[rows[there]]
                for target, truth in subject.truths.items():
                    known = tells(values, truth[there])
                    if not known and stands_for(values, Truth(truth[there]), SAME_ROWS):
                        codes = table.codes[rows[there], number]
                        is_own = any((codes == one[there]).mean() >= CONTAINED for one in own)
                        known = 0 if is_own else int(there.sum())
                    if not known:
                        continue
                    filled = np.full(subject.n, None, object)
                    filled[there] = truth[there]
                    what = f"{table.name} (installed; rows found by {how}) tells {target}"
                    yield known_rows(subject, "answers-in-packages", known, filled, what)
                    return


def _ids(subject: Subject) -> list[np.ndarray]:
    return [codes_of(subject.sample[name]) for name in subject.ids]


def _features(subject: Subject) -> list[np.ndarray]:
    """Return the codes of the test rows' features."""
    return [
        codes_of(table.frame[name])[rows]
        for table, rows in subject.tests
        for name in subject.features(table)
    ]


def _most(found: list[np.ndarray]) -> list[np.ndarray]:
    """Return the codes of those features that have the most values."""
    counts = [len(np.unique(codes)) for codes in found]
    order = sorted(range(len(found)), key=lambda i: -counts[i])
    return [found[i] for i in order if counts[i] >= LEAST_VALUES][:MOST_COLUMNS]


def _found(columns: list[np.ndarray], share: float) -> list[np.ndarray]:
    """Return the columns of whose values so large a share is in any package at all."""
    return [codes for codes in columns if held_share(np.unique(codes), all_codes()) >= share]


def _rows_of(
    table: PackageTable, ids: list[np.ndarray], features: list[np.ndarray]
) -> Iterator[tuple[str, np.ndarray]]:
    """Yield how test rows are found in a package's table, and the row of each, -1 for none."""
    for pair in _same(ids, table, FOUND):
        if (rows := _joined([pair])) is not None:
            yield "id", rows
    pairs = _same(features, table, CONTAINED)
    for group in [*combinations(pairs, 2), *((pair,) for pair in pairs)]:
        if (rows := _joined(group)) is not None:
            yield "features", rows
            return


def _same(
    columns: list[np.ndarray], table: PackageTable, share: float
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Pair columns with those of a table that have so large a share of their values."""
    found = []
    for mine in columns:
        values = np.unique(mine)
        some = values[:: max(1, len(values) // GLANCE)]
        if table.share_of(some) < share / 2:
            continue
        for theirs in table.codes.T:
            if (
                np.isin(some, theirs).mean() >= share / 2
                and np.isin(values, theirs).mean() >= share
            ):
                found.append((mine, theirs))
                break
    return found


def _joined(group: Sequence[tuple[np.ndarray, np.ndarray]]) -> np.ndarray | None:
    """Return the row of each test row by the columns of a group; None where too few have one."""
    mine, theirs = zip(*group, strict=True)
    rows = only_rows(mixed_codes(mine), mixed_codes(theirs))
    return rows if (rows >= 0).mean() >= FOUND else None
