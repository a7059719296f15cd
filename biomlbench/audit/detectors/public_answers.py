"""Answers in public: test labels that public files tell, by key, order, duplicates, arithmetic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from biomlbench.audit.findings import Found
from biomlbench.audit.prediction_values import row_texts
from biomlbench.audit.public_tables import LEAST_JOINED, public_files, row_positions
from biomlbench.outcomes import Gravity
from biomlbench.runtime.hashing import file_sha256

from ._chance import agreement, tells_classes
from ._computed import computed_from, known_within, shifted_from
from ._derived import are_blank, as_dates, told_by
from ._hashes import hashed_from
from ._known_rows import FEW, known_rows
from ._neighbours import id_numbers
from ._stands_for import SAME_ROWS, Truth, stands_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from biomlbench.audit.public_tables import PublicTable
    from biomlbench.audit.subject import Subject

ORDER = 10
SCORES = False
MEDAL = "whose answers are public"
FINDINGS = {
    "answers-file-public": "remove the private file from the public folder",
    "answers-by-key": "remove the column, or the rows of the test ids, from the public file",
    "answers-by-order": "remove the column from the public file; that it has no ids hides nothing",
    "answers-by-duplicates": "split by duplicates of the features, or drop test rows that are in "
    "the training data",
    "answers-by-arithmetic": "remove the columns that the label was computed from",
    "answers-in-sample": "fill the sample submission with a constant",
}
LEAST_ROWS = 20
ORDERED = SAME_ROWS._replace(follows=0.98)
LEAST_VALUES = 10
MAX_COLUMNS = 30
DIFFERENT = 0.9
"""Share of different values from which a column names its rows."""
SAMPLE_KNOWS = 0.3
"""Share of the way to the perfect score that a sample submission may not have gone."""


def find(subject: Subject) -> Iterable[Found]:
    """Search the public files."""
    yield from subject.part(_files(subject))
    told: set[str] = set()
    leaking: set[tuple[str, str]] = set()
    for name, column, how, rows, table in _joined(subject):
        if name in told or (table.name, column) in leaking:
            continue
        there = rows >= 0
        values = table.text(column)
        for target, truth in subject.truths.items():
            found = agreement(values[rows[there]], truth[there])
            if found.real:
                told.add(name)
                leaking.add((table.name, column))
                filled = np.full(subject.n, None, object)
                filled[there] = values[rows[there]]
                what = f"{table.name}: column {column} ({how}) holds {target}"
                yield known_rows(subject, name, found.equal, filled, what)
                break
    if not told:
        yield from subject.part(_duplicates(subject))
        computed = list(subject.part(_arithmetic(subject)))
        yield from computed
        yield from subject.part(_recoded(subject, tests=not computed))
    yield from subject.part(_sample(subject))


def _files(subject: Subject) -> Iterator[Found]:
    own = (subject.task.answers, subject.task.gold_submission)
    private = {file_sha256(path): path.name for path in own if path.is_file()}
    sizes = {path.stat().st_size for path in own if path.is_file()}
    for path in public_files(subject.task):
        if path.stat().st_size not in sizes:
            continue
        if name := private.get(file_sha256(path)):
            yield Found(
                name="answers-file-public",
                severity=Gravity.SEVERE,
                what=f"the public file {path.name} is the private {name}",
                before=subject.chance,
                after=subject.best,
                submission=subject.perfect,
                here=subject.doors.here(subject.perfect).words,
            )
            return


def _joined(
    subject: Subject,
) -> Iterator[tuple[str, str, str, np.ndarray, PublicTable]]:
    """Yield columns of public tables whose rows belong to test rows, by key or by order."""
    for table in subject.public:
        for key, rows in table.keys.items():
            for column in table.columns:
                if column != key and column not in subject.ids:
                    yield "answers-by-key", column, f"by {key}", rows, table
    for key, rows, table in _by_features(subject):
        for column in table.columns:
            if column != key and column not in subject.ids:
                yield "answers-by-key", column, f"by {key}", rows, table
    for table in subject.public:
        length = len(table.frame)
        if length < subject.n:
            continue
        for column in table.columns:
            for start in sorted({0, length - subject.n}):
                for step in (1, -1):
                    rows = np.arange(start, start + subject.n)[::step]
                    where = f"rows {start + 1} to {start + subject.n}"
                    yield "answers-by-order", column, where, rows, table


def _by_features(subject: Subject) -> Iterator[tuple[str, np.ndarray, PublicTable]]:
    """Yield columns of other tables that name test rows as a feature of another name does.

    Such as the number of a patient beside that of a sample: different in nearly all rows.
    """
    for test, places in subject.tests:
        for feature in subject.features(test)[:MAX_COLUMNS]:
            wanted = test.text(feature)[places].astype(str)
            if len(set(wanted.tolist())) < DIFFERENT * subject.n:
                continue
            for table in subject.public:
                for column in table.columns[:MAX_COLUMNS]:
                    texts = table.text(column).astype(str)
                    if table is test or column == feature or column in subject.ids:
                        continue
                    if len(set(texts.tolist())) < DIFFERENT * len(texts):
                        continue
                    rows = row_positions(wanted, texts)
                    if (rows >= 0).sum() >= max(LEAST_ROWS, subject.n / 2):
                        yield column, rows, table


def _recoded(subject: Subject, *, tests: bool) -> Iterator[Found]:
    """Look for columns that stand for the answers, of rows that belong to test rows.

    Features are left out: columns that the test rows have, and training rows as well, may predict
    however well. So is what the order of the rows, or of their ids, tells by itself.

    Parameters
    ----------
    subject : Subject
    tests : bool
        Whether to look at the tables that have all test rows as well.
    """
    whole = {table.name for table, _ in subject.tests}
    learnt = {
        column
        for table in subject.public
        if table.name not in whole and set(subject.truths) & set(table.columns)
        for column in subject.features(table)
    }
    truths = {k: truth for k, truth in subject.truths.items() if not _ordered(subject, truth)}
    told, looked = set[str](), 0
    for name, column, how, rows, table in _joined(subject):
        own = table.name in whole
        by_order = name == "answers-by-order"
        if name in told or (own and (column in learnt or not tests)) or (by_order and table.keys):
            continue
        looked += not by_order
        values, there = table.text(column)[rows], rows >= 0
        filled = there & ~are_blank(values)
        for target, truth in truths.items():
            part, right = "", filled
            if filled.sum() < LEAST_JOINED or not stands_for(
                values[filled], Truth(truth[filled]), SAME_ROWS
            ):
                right = there
                if not by_order and there.sum() >= LEAST_ROWS and looked <= 10 * MAX_COLUMNS:
                    part = told_by(values[there], truth[there])
                if not part:
                    continue
            told.add(name)
            known = np.full(subject.n, None, object)
            known[right] = True
            what = f"{part} tells {target}" if part else f"it stands for {target}"
            what = f"{table.name}: column {column} ({how}): {what}"
            yield known_rows(subject, name, int(right.sum()), known, what)
            break


def _ordered(subject: Subject, truth: np.ndarray) -> bool:
    """Whether the answers follow the order of the test rows, or the numbers in their ids."""
    numbers = id_numbers(subject.sample[subject.ids[0]])
    places = [np.arange(subject.n), *([] if numbers is None else [numbers])]
    return any(stands_for(place, Truth(truth), ORDERED) for place in places)


def _duplicates(subject: Subject) -> Iterator[Found]:
    tests = [table for table in subject.public if table.own_key is not None]
    for test in tests:
        rows = test.own_key
        for other in subject.public:
            if other is test or rows is None:
                continue
            there = set(subject.features(other))
            shared = [column for column in subject.features(test) if column in there]
            if not shared:
                continue
            for target in [c for c in other.columns if c not in test.columns]:
                truth = subject.truths.get(target)
                if truth is None and len(subject.truths) == 1:
                    truth = next(iter(subject.truths.values()))
                if truth is None:
                    continue
                labels = _labels_of(other, target, shared)
                keys = row_texts(test.frame[shared])[rows]
                values = np.array([labels.get(key) for key in keys], object)
                told = np.array([value is not None for value in values])
                found = agreement(values[told], truth[told])
                known = found.equal if found.real else int(told.sum())
                if found.real or (
                    known >= LEAST_ROWS and stands_for(values[told], Truth(truth[told]), SAME_ROWS)
                ):
                    what = f"rows of {other.name} with the same features ({', '.join(shared[:5])})"
                    yield known_rows(subject, "answers-by-duplicates", known, values,
                                 f"{what} tell {target}")  # fmt: skip
                    return


def _labels_of(table: PublicTable, target: str, shared: list[str]) -> dict[str, str]:
    return dict(zip(row_texts(table.frame[shared]), table.text(target), strict=True))


def _columns(subject: Subject) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield the public columns of the test rows, as numbers and as text, in their order."""
    for table, rows in subject.tests:
        for column in subject.features(table):
            label = f"{table.name}:{column}"
            yield label, table.numbers(column)[rows], table.text(column)[rows]


def _arithmetic(subject: Subject) -> Iterator[Found]:
    if subject.n < LEAST_ROWS:
        return
    columns = list(_columns(subject))[: 10 * MAX_COLUMNS]
    ids = subject.sample[subject.ids[0]].to_numpy()
    for target, truth in subject.truths.items():
        for label, _, texts in columns:
            if tells_classes(texts, truth):
                yield _whole(subject, f"{label} tells the class of {target}")
                return
        for label, _, texts in columns:
            if part := told_by(texts, truth):
                yield _whole(subject, f"{label}: {part} tells {target}")
                return
            if part := hashed_from(texts, ids, truth):
                yield _whole(subject, f"{label} is the {part} ({target})")
                return
        if how := _function_of(columns, ids, truth):
            yield _whole(subject, f"{target} is a function of {how}")
            return


def _function_of(
    columns: list[tuple[str, np.ndarray, np.ndarray]], ids: np.ndarray, truth: np.ndarray
) -> str:
    """Return of which public columns the truth is a function; empty for none."""
    there = pd.notna(truth)  # rows without an answer are not graded
    if not there.all():
        columns = [(label, values[there], texts[there]) for label, values, texts in columns]
        ids, truth = ids[there], truth[there]
    numbers = {label: values for label, values, _ in columns if np.isfinite(values).all()}
    for label, texts in [*((c, t) for c, _, t in columns if c not in numbers), ("id", ids)]:
        if (dates := as_dates(texts, within=True)) is not None:
            numbers[f"{label} (date)"] = dates
    groups = {label: texts for label, _, texts in columns
              if 2 <= len(set(texts.tolist())) <= len(texts) // 5}  # fmt: skip
    classes = np.unique(truth)
    if len(classes) == 2:
        return known_within(numbers, groups, (truth == classes[0]).astype(float))
    if truth.dtype.kind != "f" or len(classes) < LEAST_VALUES:
        return ""
    return (
        computed_from(numbers, truth)
        or shifted_from(numbers, groups, truth)
        or known_within(numbers, groups, truth)
    )


def _whole(subject: Subject, what: str) -> Found:
    frame = subject.perfect
    return Found(
        name="answers-by-arithmetic",
        severity=Gravity.SEVERE,
        what=f"{what}, in all {subject.n} test rows",
        before=subject.chance,
        after=subject.best,
        submission=frame,
        here=subject.doors.here(frame).words,
    )


def _sample(subject: Subject) -> Iterator[Found]:
    outcome = subject.doors.alone(subject.sample)
    gain = subject.gain(outcome.score)
    constant = all(subject.sample[name].nunique() < 2 for name in subject.names)
    if outcome.score is None or gain < SAMPLE_KNOWS or constant:
        return
    others = []
    for number in range(10):
        order = subject.rng(4, number).permutation(subject.n)
        frame = subject.with_values([subject.sample[n].to_numpy()[order] for n in subject.names])
        others.append(subject.gain(subject.doors.alone(frame).score))
    if gain - max(others) > SAMPLE_KNOWS:
        yield Found(
            name="answers-in-sample",
            severity=Gravity.SEVERE if gain > 1 - FEW else Gravity.MODERATE,
            what="the sample submission's predictions are far better than the same ones in "
            "another order",
            before=subject.chance,
            after=outcome.score,
            submission=subject.sample,
            here=subject.doors.here(subject.sample).words,
        )
