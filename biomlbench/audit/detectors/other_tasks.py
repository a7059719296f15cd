"""Answers in other tasks: test labels that the public files of another task in the folder tell."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from itertools import accumulate, chain, combinations, islice, pairwise, product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from biomlbench.audit.other_tables import other_tables
from biomlbench.audit.package_tables import are_held, codes_of
from biomlbench.audit.public_tables import LEAST_JOINED, mixed_codes, only_rows

from ._chance import CHANCE, CLASSED, LEAST_SHARE, RELATIVE, rounding_of
from ._known_rows import known_rows
from ._stands_for import LEAST_VALUES, Bounds, Truth, stands_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
    from pathlib import Path

    from biomlbench.audit.findings import Found
    from biomlbench.audit.other_tables import OtherTable, OtherTables
    from biomlbench.audit.subject import Subject

ORDER = 16
SCORES = False
MEDAL = "whose answers another task gives"
FINDINGS = {
    "answers-in-other-tasks": "leave the column or the rows out of the other task's public files, "
    "or have the same rows in the test set of both",
}
LEAST_DIFFERENT = 10
"""Columns of fewer different values tell no rows apart."""
MOST_COLUMNS = 8
"""Features by which rows are sought."""
MOST_PARTNERS = 3
"""Columns of a table that are tried for each column of the answers."""
MOST_CELLS = 1 << 21
"""Cells of tables that are compared together, at about that."""
UNIQUE = 0.9
"""Share of different values from which a single column of answers is known by its values."""
CONTAINED = 0.95
"""Share of such values that a column must have to hold them."""
BOUNDS = Bounds(follows=0.98, classed=40, values=10)
"""A folder has thousands of columns, of which few rows agree by chance."""
ROUNDING = 1e-9
_BLANK = codes_of(pd.Series([""]))[0]


class _Place(NamedTuple):
    """Where test rows are in a table, and what their answers there are compared with."""

    table: OtherTable
    names: str  # of the columns by which rows are found
    there: np.ndarray  # which test rows
    rows: np.ndarray  # of the table, as many
    columns: list[int]


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
    def truth_of(target: str, there: bytes) -> Truth:
        return Truth(subject.truths[target][np.frombuffer(there, bool)])

    for some in _portions(subject, others, tables):
        places = [_places(keys, own, path, tables.tables[path]) for path in some]
        told = _told(places, subject, truth_of)
        for path, joined in zip(some, told, strict=True):
            table = tables.tables[path]
            found = next(chain(_held(subject, answers, path, table), joined), None)
            if found is not None:
                rows, how = found
                filled = np.full(subject.n, None, object)
                filled[rows] = True
                what = f"the public {table.name} tells the answers ({how})"
                yield known_rows(subject, "answers-in-other-tasks", int(rows.sum()), filled, what)
                return


def _portions(
    subject: Subject, others: Sequence[Path], tables: OtherTables
) -> Iterator[list[Path]]:
    """Yield so many tables at a time that what is compared of them stays small."""
    portion: list[Path] = []
    cells = 0
    for path in others:
        portion.append(path)
        cells += subject.n * (len(tables.tables[path].columns) + 2 * MOST_COLUMNS)
        if cells > MOST_CELLS:
            yield portion
            portion, cells = [], 0
    yield portion


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
              if counts[name] >= LEAST_DIFFERENT]  # fmt: skip
    return {name: found[name] for name in chosen[:MOST_COLUMNS]}


def _places(keys: Sequence[_Sought], own: Set[str], path: Path, table: OtherTable) -> list[_Place]:
    """Return where a table has rows that have the same features as test rows."""
    pairs = [(one, one.columns[path][0]) for one in keys if path in one.columns]
    if not pairs:
        return []
    columns = [c for c, name in enumerate(table.columns) if name not in own]
    found: dict[bytes, _Place] = {}
    for names, rows in _rows_of(pairs, table.codes):
        there = rows >= 0
        found.setdefault(rows.tobytes(), _Place(table, names, there, rows[there], columns))
    return list(found.values())


def _told(
    places: Sequence[Sequence[_Place]], subject: Subject, truth_of: Callable[[str, bytes], Truth]
) -> list[Iterator[tuple[np.ndarray, str]]]:
    """Return for each table an iterator over which test rows' answers it tells, and how."""
    every = [place for of_table in places for place in of_table]
    own_keys = {
        name: values
        for table, rows in subject.tests
        for name in subject.features(table)
        if np.isfinite(values := table.numbers(name)[rows]).all()
    }
    may = {target: _may_stand_for(every, truth) for target, truth in subject.truths.items()}

    def tell(numbers: range) -> Iterator[tuple[np.ndarray, str]]:
        for number, target in product(numbers, may):
            table, names, there, rows, _ = every[number]
            for c in may[target][number]:
                truth = truth_of(target, there.tobytes())
                if stands_for(table.text(c)[rows], truth, BOUNDS):
                    if _by_itself(own_keys, names, there, truth):
                        return
                    yield there, f"{table.columns[c]} stands for {target}, rows found by {names}"
                    return

    ends = [0, *accumulate(map(len, places))]
    return [tell(range(*bounds)) for bounds in pairwise(ends)]


def _by_itself(own: Mapping[str, np.ndarray], names: str, there: np.ndarray, truth: Truth) -> bool:
    """Whether a column by which rows were found has the order of the truth by itself."""
    return any(
        stands_for(own[name][there], truth, BOUNDS) for name in names.split(", ") if name in own
    )


def _rows_of(
    pairs: Sequence[tuple[_Sought, int]], held: np.ndarray
) -> Iterator[tuple[str, np.ndarray]]:
    """Yield by what test rows are found in a table, and the row of each, -1 for none."""
    pairs = [
        (one, c)
        for one, c in pairs
        if np.count_nonzero(are_held(one.codes, np.sort(held[:, c]))) >= LEAST_JOINED
    ]
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


def _may_stand_for(places: Sequence[_Place], truth: np.ndarray) -> list[list[int]]:
    """Return of each place the columns that a look at many together does not rule out.

    It rules out most. Those of places with equally many rows are looked at in one array: a folder
    has hundreds of small tables, each of which would cost the calls of a large one.
    """
    found: list[list[int]] = [[] for _ in places]
    alike = defaultdict[int, list[int]](list)
    for number, place in enumerate(places):
        if place.columns:
            alike[len(place.rows)].append(number)
    answers = truth if truth.dtype.kind == "f" else codes_of(pd.Series(truth))
    for numbers in alike.values():
        own = [places[number] for number in numbers]
        cells = [(place.table, np.ix_(place.rows, np.array(place.columns))) for place in own]
        owner = np.repeat(np.arange(len(own)), [len(place.columns) for place in own])
        may = _compared(
            np.hstack([table.numbers[cell] for table, cell in cells]),
            np.hstack([table.codes[cell] for table, cell in cells]),
            np.column_stack([answers[place.there] for place in own]),
            owner,
        )
        columns = [c for place in own for c in place.columns]
        for k in np.flatnonzero(may).tolist():
            found[numbers[owner[k]]].append(columns[k])
    return found


def _compared(
    numbers: np.ndarray, codes: np.ndarray, answers: np.ndarray, owner: np.ndarray
) -> np.ndarray:
    """Return which columns may stand for the answers in the column of `owner`.

    Answers are numbers, or codes of texts.
    """
    may = _mostly_equal(numbers, codes, answers, owner)
    is_number = answers.dtype.kind == "f"
    classes = _different(answers)
    numeric = is_number & (classes >= LEAST_VALUES)
    classed = np.flatnonzero((classes[owner] >= 2) & (classes[owner] <= len(numbers) // CLASSED))
    if len(classed):
        values = _different(codes[:, classed])
        may[classed] |= (values >= 2) & (values <= classes[owner[classed]])
    ranked = (numeric | (classes == 2))[owner]
    ranked = np.flatnonzero(ranked & np.isfinite(numbers).all(axis=0))
    if len(ranked):
        strength = _ordered(numbers[:, ranked], answers, numeric, owner[ranked])
        may[ranked] |= strength >= BOUNDS.follows - ROUNDING
    return may


def _different(values: np.ndarray) -> np.ndarray:
    """Return the number of different values of each column; all NaN are one."""
    in_order = np.sort(values, axis=0)
    before = in_order[:-1]
    rises = (in_order[1:] != before) & (before == before)
    return np.asarray(1 + rises.sum(axis=0))


def _mostly_equal(
    numbers: np.ndarray, codes: np.ndarray, answers: np.ndarray, owner: np.ndarray
) -> np.ndarray:
    """Return which columns have nearly as many answers as :func:`~._chance.tells` wants."""
    values = answers[:, owner]
    if values.dtype.kind == "f":
        compared = np.isfinite(numbers) & np.isfinite(values)
        slack = rounding_of(answers)[owner]
        with np.errstate(invalid="ignore"):
            equal = np.abs(numbers - values) <= slack + RELATIVE * np.abs(values)
    else:
        compared = (codes != _BLANK) & (values != _BLANK)
        equal = codes == values
    agree = (equal & compared).sum(axis=0)
    return np.asarray((agree > 0) & (agree >= LEAST_SHARE * compared.sum(axis=0)))


def _ordered(
    numbers: np.ndarray, answers: np.ndarray, numeric: np.ndarray, owner: np.ndarray
) -> np.ndarray:
    """Return how far each column puts rows in the order of the answers, or the opposite one.

    Rank correlation where answers are numbers, the area under the curve where they are two classes.
    """
    from scipy.stats import rankdata

    first = answers == answers.min(axis=0)
    places = np.where(numeric, rankdata(answers, axis=0), ~first)
    wanted = (places - places.mean(axis=0))[:, owner]
    ranks = rankdata(numbers, axis=0) - (len(numbers) + 1) / 2
    along = np.abs((wanted * ranks).sum(axis=0))
    length = np.linalg.norm(ranks, axis=0) * np.linalg.norm(wanted, axis=0)
    ones = first.sum(axis=0)[owner]
    strength: np.ndarray = np.where(
        numeric[owner],
        along / np.maximum(length, 1.0),
        0.5 + along / np.maximum(ones * (len(numbers) - ones), 1),
    )
    return strength
