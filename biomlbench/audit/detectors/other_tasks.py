"""Answers in other tasks: test labels that the public files of another task in the folder tell."""

from __future__ import annotations

from functools import cache, cached_property
from itertools import chain, combinations, islice, product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from biomlbench.audit.other_tables import other_tables
from biomlbench.audit.package_tables import codes_of
from biomlbench.audit.public_tables import LEAST_JOINED, mixed_codes, only_rows

from ._chance import CHANCE, CLASSED, LEAST_SHARE, RELATIVE, tells
from ._known_rows import known_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
    from pathlib import Path

    from biomlbench.audit.findings import Found
    from biomlbench.audit.other_tables import OtherTable
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
FOLLOWS = 0.98
"""Rank correlation, or area under the curve, from which a column stands for the answer."""
ROUNDING = 1e-9
_BLANK = codes_of(pd.Series([""]))[0]


class _Truth:
    """Answers of test rows that a table has, and what of them is compared with its columns."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = values

    @cached_property
    def classes(self) -> np.ndarray:
        return np.unique(self.values)

    @cached_property
    def codes(self) -> np.ndarray:
        return codes_of(pd.Series(self.values))

    @cached_property
    def is_numeric(self) -> bool:
        """Whether they are numbers of too many values to be classes."""
        return self.values.dtype.kind == "f" and len(self.classes) >= LEAST_VALUES

    @cached_property
    def ranks(self) -> np.ndarray:
        """Ranks of numbers, or places of classes, less their mean."""
        from scipy.stats import rankdata

        ranks = np.searchsorted(self.classes, self.values)
        if self.is_numeric:
            ranks = rankdata(self.values)
        return np.asarray(ranks - ranks.mean())


class _Sought(NamedTuple):
    """A column of the task, and in which columns of each other table its values are."""

    name: str
    codes: np.ndarray
    columns: Mapping[Path, list[int]]


def find(subject: Subject) -> Iterable[Found]:
    """Search the other tasks' public tables for the answers, by their values and by the rows."""
    tables, others, left_out = other_tables(subject.task)
    if left_out:
        subject.not_tried.append(
            f"other tasks: {left_out} of their public tables, too large or too many"
        )
    if not others:
        subject.not_tried.append("other tasks: none is prepared in the same data folder")
        return
    answers, keys = (
        [_Sought(name, codes, tables.partners(codes, name, most)) for name, codes in held.items()]
        for held, most in ((_answers(subject), MOST_PARTNERS), (_keys(subject), 1))
    )
    own = {name for test, _ in subject.tests for name in subject.features(test)}

    @cache
    def truth_of(target: str, there: bytes) -> _Truth:
        return _Truth(subject.truths[target][np.frombuffer(there, bool)])

    for path in others:
        table = tables.tables[path]
        held = _held(subject, answers, path, table)
        joined = _joined(subject, keys, own, path, table, truth_of)
        found = next(chain(held, joined), None)
        if found is not None:
            rows, how = found
            filled = np.full(subject.n, None, object)
            filled[rows] = True
            what = f"the public {table.name} tells the answers ({how})"
            yield known_rows(subject, "answers-in-other-tasks", int(rows.sum()), filled, what)
            return


def _answers(subject: Subject) -> dict[str, np.ndarray]:
    """Return the codes of answers that are numbers of enough values to be known by them."""
    found = {name: truth for name, truth in subject.truths.items() if truth.dtype.kind == "f"}
    if not found or subject.n < LEAST_JOINED:
        return {}
    rows = pd.DataFrame(found)
    different = len(rows.drop_duplicates()) / subject.n
    if not rows.notna().all(axis=None) or different < UNIQUE:
        return {}
    return {name: codes_of(rows[name]) for name in found}


def _held(
    subject: Subject, answers: Sequence[_Sought], path: Path, table: OtherTable
) -> Iterator[tuple[np.ndarray, str]]:
    """Yield which test rows' answers a table holds, known by their values alone."""
    from scipy.stats import binom

    if not answers or not all(path in one.columns for one in answers):
        return
    wanted = mixed_codes([one.codes for one in answers])
    least = max(LEAST_JOINED, CONTAINED * subject.n if len(answers) == 1 else 0)
    for columns in product(*(one.columns[path] for one in answers)):
        if len(set(columns)) < len(columns):
            continue
        held = mixed_codes([table.codes[:, c] for c in columns])
        rows = np.isin(wanted, held)
        if rows.sum() < least:
            continue
        chance = np.isin(mixed_codes(_others(answers, subject)), held).mean()
        if binom.sf(rows.sum() - 1, subject.n, max(chance, 1 / subject.n)) < CHANCE:
            names = ", ".join(table.columns[c] for c in columns)
            told = ", ".join(one.name for one in answers)
            yield rows, f"{names} has the values of {told}"
            return


def _others(answers: Sequence[_Sought], subject: Subject) -> list[np.ndarray]:
    """Return codes of no answers, which are as likely to be met: of two rows, or beside one."""
    if len(answers) > 1:
        first, *rest = (one.codes for one in answers)
        return [first[subject.rng(5).permutation(len(first))], *rest]
    truth = subject.truths[answers[0].name]
    digits = max(len(repr(value).partition(".")[2]) for value in truth.tolist())
    return [codes_of(pd.Series(np.round(truth + 10.0**-digits, digits)))]


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
    subject: Subject,
    keys: Sequence[_Sought],
    own: Set[str],
    path: Path,
    table: OtherTable,
    truth_of: Callable[[str, bytes], _Truth],
) -> Iterator[tuple[np.ndarray, str]]:
    """Yield which test rows' answers a table tells in rows that have the same features."""
    pairs = [(one, one.columns[path][0]) for one in keys if path in one.columns]
    if not pairs:
        return
    columns = [c for c, name in enumerate(table.columns) if name not in own]
    tried = set[bytes]()
    for names, rows in _rows_of(pairs, table.codes):
        if rows.tobytes() in tried:
            continue
        tried.add(rows.tobytes())
        there = rows >= 0
        for target in subject.truths:
            truth = truth_of(target, there.tobytes())
            for c in _may_stand_for(table, rows[there], columns, truth):
                if _stands_for(table.text(c)[rows[there]], truth):
                    how = f"{table.columns[c]} stands for {target}, rows found by {names}"
                    yield there, how
                    return


def _rows_of(
    pairs: Sequence[tuple[_Sought, int]], held: np.ndarray
) -> Iterator[tuple[str, np.ndarray]]:
    """Yield by what test rows are found in a table, and the row of each, -1 for none."""
    pairs = [(one, c) for one, c in pairs if np.isin(one.codes, held[:, c]).sum() >= LEAST_JOINED]
    singles = [(pair,) for pair in pairs]
    for group in islice([*combinations(pairs, 2), *singles], 2 * MOST_COLUMNS):
        rows = only_rows(
            mixed_codes([one.codes for one, _ in group]),
            mixed_codes([held[:, c] for _, c in group]),
        )
        there = rows[rows >= 0]
        # what many test rows share, such as a position, is no row's own
        if len(there) >= LEAST_JOINED and len(np.unique(there)) >= len(there) / 2:
            yield ", ".join(one.name for one, _ in group), rows


def _may_stand_for(
    table: OtherTable, rows: np.ndarray, columns: list[int], truth: _Truth
) -> list[int]:
    """Return the columns that a look at all together does not rule out, as it does most."""
    if not columns:
        return []
    cells = np.ix_(rows, np.array(columns))
    numbers, codes = table.numbers[cells], table.codes[cells]
    classes = len(truth.classes)
    may = _mostly_equal(numbers, codes, truth)
    if 2 <= classes <= len(rows) // CLASSED:
        in_order = np.sort(codes, axis=0)
        values = 1 + (in_order[1:] != in_order[:-1]).sum(axis=0)
        may |= (values >= 2) & (values <= classes)
    finite = np.flatnonzero(np.isfinite(numbers).all(axis=0))
    may[finite] |= _ordered(numbers[:, finite], truth) >= FOLLOWS - ROUNDING
    return [c for c, one in zip(columns, may.tolist(), strict=True) if one]


def _mostly_equal(numbers: np.ndarray, codes: np.ndarray, truth: _Truth) -> np.ndarray:
    """Return which columns have nearly as many answers as :func:`~._chance.tells` wants."""
    if truth.values.dtype.kind == "f":
        answers = truth.values[:, None]
        compared = np.isfinite(numbers) & np.isfinite(answers)
        with np.errstate(invalid="ignore"):
            equal = np.abs(numbers - answers) <= RELATIVE + RELATIVE * np.abs(answers)
    else:
        compared = (codes != _BLANK) & (truth.values != "")[:, None]
        equal = codes == truth.codes[:, None]
    agree = (equal & compared).sum(axis=0)
    return np.asarray((agree > 0) & (agree >= LEAST_SHARE * compared.sum(axis=0)))


def _ordered(numbers: np.ndarray, truth: _Truth) -> np.ndarray:
    """Return how far each column puts rows in the order of the answers, or the opposite one.

    Rank correlation where answers are numbers, the area under the curve where they are two classes.
    """
    from scipy.stats import rankdata

    if not numbers.size or not (truth.is_numeric or len(truth.classes) == 2):
        return np.zeros(numbers.shape[1])
    ranks = rankdata(numbers, axis=0) - (len(numbers) + 1) / 2
    along = np.abs(truth.ranks @ ranks)
    if not truth.is_numeric:
        first = (truth.values == truth.classes[0]).sum()
        return np.asarray(0.5 + along / (first * (len(numbers) - first)))
    length = np.linalg.norm(ranks, axis=0) * np.linalg.norm(truth.ranks)
    return np.asarray(along / np.maximum(length, 1.0))


def _stands_for(values: np.ndarray, truth: _Truth) -> bool:
    """Whether values are the answers, other names of them, or numbers that follow them."""
    if not truth.is_numeric and len(truth.values) < LEAST_CLASSED:
        return False
    return tells(values, truth.values) > 0 or _follow(values, truth)


def _follow(values: np.ndarray, truth: _Truth) -> bool:
    from scipy.stats import mannwhitneyu, spearmanr

    numbers = pd.to_numeric(pd.Series(values), errors="coerce").to_numpy(float)
    if not np.isfinite(numbers).all() or len(np.unique(numbers)) < LEAST_VALUES:
        return False
    if truth.is_numeric:
        strength, chance = spearmanr(numbers, truth.values)
        return bool(abs(strength) >= FOLLOWS and chance < CHANCE)
    if len(truth.classes) != 2:
        return False
    one, other = (numbers[truth.values == value] for value in truth.classes)
    wins, chance = mannwhitneyu(one, other)
    area = float(wins) / (len(one) * len(other))
    return bool(max(area, 1 - area) >= FOLLOWS and chance < CHANCE)
