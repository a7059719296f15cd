"""Split: test rows that are training rows, and ids or the order of rows that tell the label."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from biomlbench.audit.findings import Found
from biomlbench.audit.prediction_values import label
from biomlbench.outcomes import Gravity

from ._derived import told_by
from ._levels import UNLIKELY, are_classes, can_be_read, strength
from ._neighbours import id_numbers
from ._order import (
    followed,
    is_public,
    learnt_columns,
    neighbours_alike,
    row_numbers,
    within_groups,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from biomlbench.audit.public_tables import PublicTable
    from biomlbench.audit.subject import Subject

ORDER = 70
SCORES = False
MEDAL = "whose rows or ids tell the answers"
FINDINGS = {
    "duplicates-across-split": "drop test rows that are in the training data, or split by groups",
    "order-tells-label": "shuffle the test rows and number them anew",
    "neighbours-alike": "shuffle the test rows, unless their order is a part of the task",
    "ids-tell-label": "give ids that say nothing: number the rows anew after the split",
}
SHARE = 0.05
STRONG = 0.3
DIGITS = 4
LEAST_ROWS = 20
MAX_REMAINDER = 12


def find(subject: Subject) -> Iterable[Found]:
    """Compare training and test rows, and ids with labels."""
    yield from subject.part(_duplicates(subject))
    if subject.n < LEAST_ROWS:
        return
    for target, truth in subject.truths.items():
        if truth.dtype.kind != "f" and pd.Series(truth).nunique() > subject.n // 2:
            continue
        found = [
            *_order(subject, target, truth),
            *_names(subject, target, truth),
            *_beside_training(subject, target, truth),
        ]
        if all(one.severity == Gravity.NOTE for one in found):
            found += _parts_of_ids(subject, target, truth)
        yield from found
        if found:
            return


def _duplicates(subject: Subject) -> Iterator[Found]:
    for test in subject.public:
        rows = test.own_key
        if rows is None:
            continue
        for train in subject.public:
            if train is test or not set(subject.truths) & set(train.frame):
                continue
            shared = [
                c
                for c in test.columns
                if c in train.columns
                      and c not in subject.ids and c not in subject.truths]  # fmt: skip
            share = _in_common(test, train, shared)
            if share >= SHARE:
                yield Found(
                    name="duplicates-across-split",
                    severity=Gravity.MODERATE if share >= 0.5 else Gravity.MINOR,
                    what=f"{share:.0%} of the rows of {test.name} have the features of rows of "
                    f"{train.name}, equal or nearly",
                )
                return


def _in_common(test: PublicTable, train: PublicTable, shared: list[str]) -> float:
    """Return the share of test rows whose features are those of a training row to four digits.

    Few features of few values are the same in many rows by chance, so that nothing is told where
    the training rows repeat each other as often.
    """
    if not shared or (len(shared) == 1 and np.isfinite(test.numbers(shared[0])).all()):
        return 0.0  # a single number, the place in a file of arrays for instance, is no identity
    known, asked = _rounded(train.frame[shared]), _rounded(test.frame[shared])
    times = Counter(known)
    repeated = float(np.mean([times[key] > 1 for key in known]))
    share = float(np.mean([key in times for key in asked]))
    return share if share > 2 * repeated else 0.0


def _rounded(frame: pd.DataFrame) -> list[str]:
    parts = []
    for column in frame:
        numbers = pd.to_numeric(frame[column], errors="coerce")
        if numbers.notna().all():
            parts.append([f"{value:.{DIGITS}g}" for value in numbers])
        else:
            parts.append(frame[column].astype(str).tolist())
    return ["\x1f".join(row) for row in zip(*parts, strict=True)]


def _order(subject: Subject, target: str, truth: np.ndarray) -> Iterator[Found]:
    """Look for labels that follow the rows of the sample submission, their ids, or row numbers."""
    rows = np.arange(subject.n)
    as_given = "the order of the rows of the sample submission"
    places = {as_given: rows}
    numbers = id_numbers(subject.sample[subject.ids[0]])
    if numbers is not None:
        places["the order of the ids"] = numbers
    for name, values in row_numbers(subject):
        places[f"{name}, the number of a row before the split"] = values
    known = {what for what, place in places.items() if is_public(subject, place, truth)}
    for column, values in () if as_given in known else within_groups(subject):
        places[f"the order of the rows within each {column}"] = values
    for what, place in places.items():
        along, chance = followed(place, truth)
        if what not in known and chance < UNLIKELY and along >= STRONG:
            yield Found(
                name="order-tells-label",
                severity=Gravity.SEVERE if along > 0.95 else Gravity.MODERATE,
                what=f"{target} follows {what} (strength {along:.2f}, 0 to 1)",
            )
            return
    alike, chance = neighbours_alike(rows, truth)
    if chance < UNLIKELY and alike >= STRONG:
        yield Found(
            name="neighbours-alike",
            severity=Gravity.NOTE,
            what=f"test rows that follow one another often have the same {target} (strength "
            f"{alike:.2f}, 0 to 1), as those of one patient or plate may",
        )


def _names(subject: Subject, target: str, truth: np.ndarray) -> Iterator[Found]:
    """Look for parts of ids that tell the label, and that can be read."""
    for name in subject.ids:
        texts = subject.sample[name].to_numpy()
        # numbers honestly differ between what ids name: series, proteins, residues of them
        ways = _PARTS if are_classes(truth) else {} if len(subject.ids) > 1 else _MEANINGLESS
        parts = {what: level_of(texts) for what, level_of in ways.items()}
        found = {what: strength(levels, truth) for what, levels in parts.items()}
        for what in sorted(parts, key=lambda what: -found[what]):
            if found[what] <= STRONG:
                break
            levels, level_of = parts[what], _PARTS[what]
            if _is_of_feature(subject, levels) or not can_be_read(
                subject, target, name, levels, level_of
            ):
                continue
            yield Found(
                name="ids-tell-label",
                severity=Gravity.SEVERE if found[what] > 0.95 else Gravity.MODERATE,
                what=f"a part of {name} tells {target}: {what} (strength {found[what]:.2f}, "
                "0 to 1)",
            )
            return


def _is_of_feature(subject: Subject, levels: np.ndarray) -> bool:
    """Whether a part of ids says no more than a feature that labelled rows have as well."""
    codes = pd.factorize(levels)[0]
    for table, rows in subject.tests:
        for column in set(subject.features(table)) & learnt_columns(subject):
            values = pd.factorize(table.text(column)[rows])[0]
            if values.max() < subject.n // 2 and len(
                np.unique(np.column_stack([values, codes]), axis=0)
            ) == len(np.unique(values)):
                return True
    return False


def _part(pattern: str, group: int = 0) -> Callable[[np.ndarray], np.ndarray]:
    """Return what takes a part of each text; empty where there is none."""
    compiled = re.compile(pattern)

    def level_of(texts: np.ndarray) -> np.ndarray:
        found = [compiled.search(text) for text in texts]
        return np.array(["" if one is None else one[group] for one in found], object)

    return level_of


def _remainder(divisor: int) -> Callable[[np.ndarray], np.ndarray]:
    def level_of(texts: np.ndarray) -> np.ndarray:
        numbers = id_numbers(pd.Series(texts))
        return np.zeros(len(texts)) if numbers is None else numbers % divisor

    return level_of


def _length(texts: np.ndarray) -> np.ndarray:
    return np.array([len(text) for text in texts])


_MEANINGLESS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "its last character": _part(r".$"),
    **{f"the remainder of its number by {n}": _remainder(n) for n in range(2, MAX_REMAINDER + 1)},
    "its length": _length,
}
_PARTS = {
    "what is before its number": _part(r"^(.*?)[\d._-]*$", 1),
    "its first word": _part(r"^[^\W_]*"),
    "its last word": _part(r"[^\W_]*$"),
    "its first character": _part(r"^."),
    **_MEANINGLESS,
}


def _parts_of_ids(subject: Subject, target: str, truth: np.ndarray) -> Iterator[Found]:
    """Look for the label itself within ids, or arithmetic that tells it."""
    for name in subject.ids:
        if part := told_by(subject.sample[name].to_numpy(), truth):
            yield Found(
                name="ids-tell-label",
                severity=Gravity.SEVERE,
                what=f"{name}: {part} tells {target}",
            )
            return


def _beside_training(subject: Subject, target: str, truth: np.ndarray) -> Iterator[Found]:
    """Look for classes whose test ids all come before, or all after, those of training.

    So they do where rows are numbered before the first, or last, of each class become the test.
    """
    classes = np.array([label(value) for value in truth.tolist()], object)
    asked = id_numbers(subject.sample[subject.ids[0]])
    if asked is None or not 2 <= len(set(classes)) <= subject.n // 5:
        return
    for train in subject.public:
        if subject.ids[0] not in train.columns or target not in train.columns:
            continue
        known = id_numbers(train.frame[subject.ids[0]])
        if known is None or np.isin(known, asked).any():
            continue
        numbers = train.numbers(target)
        values = train.text(target) if truth.dtype.kind != "f" else numbers
        given = np.array([label(value) for value in values.tolist()], object)
        if not set(classes) <= set(given):
            continue  # of a class that training has not, or spells otherwise, no number tells
        for sign, where in ((1, "first"), (-1, "last")):
            rows, chance = _ruled_out(sign * known, given, sign * asked, classes)
            if chance < UNLIKELY:
                yield Found(
                    name="ids-tell-label",
                    severity=Gravity.MODERATE,
                    what=f"beyond the {where} number in {subject.ids[0]} of a class of {target} in "
                    f"{train.name} no test row is of that class, which tells of {rows} of "
                    f"{subject.n} test rows that they are not of some class",
                )
                return


def _ruled_out(
    known: np.ndarray, given: np.ndarray, asked: np.ndarray, classes: np.ndarray
) -> tuple[int, float]:
    """Return of how many test rows the numbers rule out classes, and the probability by chance.

    Only rows between the first training row and the last test row can tell: where all test rows
    come first, numbers rule out nothing. In that zone, walked along by number, chance is that a
    test row drawn from those still to come has a class that no training row had before it; or, if
    less, that sides and classes are so dependent (chi-squared test).
    """
    from scipy.stats import chi2_contingency

    first = pd.Series(known).groupby(given).min()
    limit = pd.Series(classes).map(first).fillna(np.inf).to_numpy(float)
    if (asked > limit).any() or not (asked > known.min()).any():
        return 0, 1.0
    sides = np.r_[np.zeros(len(known), bool), np.ones(len(asked), bool)]
    numbers, labels = np.r_[known, asked], np.r_[given, classes]
    zone = np.flatnonzero((numbers >= known.min()) & (numbers <= asked.max()))
    zone = zone[np.argsort(numbers[zone], kind="stable")]
    left, seen, chance = Counter(labels[zone]), set[str](), 1.0
    for place, row in enumerate(zone):
        if sides[row]:
            chance *= 1 - sum(left[one] for one in seen) / (len(zone) - place)
        else:
            seen.add(labels[row])
        left[labels[row]] -= 1
    table = pd.crosstab(sides[zone], labels[zone])
    return int(sides[zone].sum()), min(chance, float(chi2_contingency(table).pvalue))
