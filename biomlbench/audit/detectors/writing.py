"""Writing: digits, case, white space or missing values that tell the label beside the values."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from biomlbench.audit.findings import Found
from biomlbench.outcomes import Gravity

from ._derived import are_blank, as_dates
from ._levels import are_classes, can_be_read, strength

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from biomlbench.audit.subject import Subject

ORDER = 74
SCORES = False
MEDAL = "whose answers are told by how values are written"
FINDINGS = {
    "writing-tells-label": "write the values of all rows in one way: digits, case, white space, "
    "missing values",
    "values-tell-label": "remove the column that the label was made from, or that was made from it",
}
LEAST_ROWS = 40
STRONG = 0.5
STRONG_BLANK = 0.8
"""What is missing may honestly say something: a test is ordered for those who seem ill."""
STRONG_LENGTH = 0.95
"""How long a sequence or a report is may honestly say something, too."""
EXACT = 1 - 1e-9
MAX_COLUMNS = 200
MAX_ROWS = 4000
MAX_DIGITS = 8
MAX_SPACES = 2
BINS = 10
_NUMERALS = re.compile(r"\d+")
_LETTERS = re.compile(r"[^\W\d_]+")
MORE = 0.2
"""By how much digits tell more than the values that they write."""


def find(subject: Subject) -> Iterable[Found]:
    """Look at how the public values of test rows are written."""
    if subject.n < LEAST_ROWS:
        return
    for target, truth in subject.truths.items():
        found = next(_written(subject, target, truth), None)
        if found is not None:
            yield found
            break
    for target, truth in subject.truths.items():
        found = next(_values(subject, target, truth), None)
        if found is not None:
            yield found
            return


def _some(subject: Subject, truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return which test rows are looked at, and their answers."""
    some = np.unique(np.linspace(0, subject.n - 1, min(subject.n, MAX_ROWS)).astype(int))
    return some, truth[some]


def _written(subject: Subject, target: str, truth: np.ndarray) -> Iterator[Found]:
    some, truth = _some(subject, truth)
    for table, all_rows in subject.tests:
        rows = all_rows[some]
        features = subject.features(table)[:MAX_COLUMNS]
        texts = {column: table.text(column)[rows].astype(str) for column in features}
        blank = {column: are_blank(values) for column, values in texts.items()}
        for column, values in texts.items():
            for what, along in _of_column(subject, target, truth, column, values, blank[column]):
                yield _found(f"{table.name}: column {column}: {what} tells {target}", along)
        for column, gone in blank.items():
            along = strength(gone, truth)
            if along >= STRONG_BLANK:
                what = f"{table.name}: column {column}: that it is missing tells {target}"
                yield _found(what, along)
        every = np.array([*blank.values()]).reshape(-1, len(some))
        pattern = np.array(["".join("01"[one] for one in row) for row in every.T.tolist()], object)
        along = strength(pattern, truth) if every.any() else 0.0
        if along >= STRONG_BLANK:
            yield _found(f"{table.name}: which values are missing tells {target}", along)


def _of_column(
    subject: Subject,
    target: str,
    truth: np.ndarray,
    column: str,
    values: np.ndarray,
    blank: np.ndarray,
) -> Iterator[tuple[str, float]]:
    """Yield which ways in which the values that there are are written tell the answers."""
    values, truth = values[~blank], truth[~blank]
    if len(values) < LEAST_ROWS:
        return
    for what, level_of, least in _WAYS:
        levels = level_of(values)
        along = strength(levels, truth)
        if along < least or not can_be_read(subject, target, column, levels, level_of):
            continue
        if level_of in (_digits, _fraction) and along < MORE + _of_value(values, truth):
            continue
        if level_of in (_case, _form, _length, _parity) and _is_of_value(levels, values):
            continue
        yield what, along


def _found(what: str, along: float, name: str = "writing-tells-label") -> Found:
    return Found(
        name=name,
        severity=Gravity.SEVERE if along > 0.95 else Gravity.MODERATE,
        what=f"{what} (strength {along:.2f}, 0 to 1)",
    )


def _spaces(texts: np.ndarray) -> np.ndarray:
    return np.array([(one != one.lstrip()) + 2 * (one != one.rstrip()) for one in texts.tolist()])


def _case(texts: np.ndarray) -> np.ndarray:
    return np.array([_case_of(one.strip()) for one in texts.tolist()], object)


def _case_of(text: str) -> str:
    if not any(letter.isalpha() for letter in text):
        return "none"
    if text.islower() or text.isupper():
        return "lower" if text.islower() else "upper"
    return "first" if text[:1].isupper() and text[1:].islower() else "mixed"


def _digits(texts: np.ndarray) -> np.ndarray:
    """Return digits after the point; -1 for what is no number."""
    numbers = pd.to_numeric(pd.Series(texts), errors="coerce").notna().to_numpy()
    return np.array(
        [
            min(len(one.strip().partition(".")[2]), MAX_DIGITS) if there else -1
            for one, there in zip(texts.tolist(), numbers.tolist(), strict=True)
        ]
    )


def _form(texts: np.ndarray) -> np.ndarray:
    """Return texts with one 9 for digits and one a for letters: ``9:9:9`` for a time.

    Of prose, which says what it says, nothing.
    """
    prose = np.median([one.count(" ") for one in texts.tolist()]) > MAX_SPACES
    if prose or pd.to_numeric(pd.Series(texts), errors="coerce").notna().all():
        return np.zeros(len(texts))
    plain = [one.strip().lstrip("+-") for one in texts.tolist()]
    return np.array([_LETTERS.sub("a", _NUMERALS.sub("9", one)) for one in plain], object)


def _ending(texts: np.ndarray) -> np.ndarray:
    return np.array(["" if one[-1:].isalnum() else one[-1:] for one in texts.tolist()], object)


def _length(texts: np.ndarray) -> np.ndarray:
    """Return how long texts are that are no numbers, which follow their values; of lists, parts."""
    if _has_numbers(texts):
        return np.zeros(len(texts))
    lists = all(one.startswith("[") for one in texts.tolist())
    return np.array([one.count(",") if lists else len(one) for one in texts.tolist()])


def _parity(texts: np.ndarray) -> np.ndarray:
    return _length(texts) % 2


def _fraction(texts: np.ndarray) -> np.ndarray:
    numbers = pd.to_numeric(pd.Series(texts), errors="coerce").to_numpy(float)
    whole = np.where(np.isfinite(numbers), numbers, -1.0)
    return np.round(np.where(np.isfinite(numbers), whole % 1, -1.0), 6)


_WAYS: tuple[tuple[str, Callable[[np.ndarray], np.ndarray], float], ...] = (
    ("white space around the value", _spaces, STRONG),
    ("upper and lower case", _case, STRONG),
    ("the number of its digits", _digits, STRONG),
    ("the signs between letters and digits", _form, STRONG),
    ("the sign at its end", _ending, STRONG),
    ("its length", _length, STRONG_LENGTH),
    ("whether its length is odd", _parity, STRONG_LENGTH),
    ("the part behind the point", _fraction, STRONG),
)


def _of_value(texts: np.ndarray, truth: np.ndarray) -> float:
    """Return how far the numbers tell the answers that are written, by tenths of the rows."""
    ranks = pd.to_numeric(pd.Series(texts), errors="coerce").rank(method="first").to_numpy()
    return strength(np.nan_to_num(ranks * BINS // (len(ranks) + 1), nan=-1.0), truth, unlikely=1)


def _is_of_value(levels: np.ndarray, texts: np.ndarray) -> bool:
    """Whether each value is written in one way only, so that the way says no more than it."""
    values = pd.Series(texts).str.strip().str.casefold()
    if values.nunique() > len(values) // 2:
        return False
    several = pd.Series(levels).groupby(values.to_numpy()).nunique() > 1
    return float(values.map(several).mean()) < MORE


def _values(subject: Subject, target: str, truth: np.ndarray) -> Iterator[Found]:
    """Look for values, each of which has one class only: codes, hours, first words."""
    if not are_classes(truth):
        return
    some, truth = _some(subject, truth)
    for table, all_rows in subject.tests:
        rows = all_rows[some]
        for column in subject.features(table)[:MAX_COLUMNS]:
            texts = table.text(column)[rows].astype(str)
            for what, level_of in _MEANT.items():
                levels = level_of(texts)
                along = strength(levels, truth)
                if along >= EXACT and can_be_read(subject, target, column, levels, level_of):
                    where = f"{table.name}: column {column}: {what} has one class of {target} only"
                    yield _found(where, along, "values-tell-label")


def _themselves(texts: np.ndarray) -> np.ndarray:
    """Return texts; of a column of numbers nothing, as those follow one another."""
    return np.zeros(len(texts)) if _has_numbers(texts) else texts


def _has_numbers(texts: np.ndarray) -> bool:
    return bool(np.isfinite(pd.to_numeric(pd.Series(texts), errors="coerce")).any())


def _first_word(texts: np.ndarray) -> np.ndarray:
    if _has_numbers(texts):
        return np.zeros(len(texts))
    words = [one.split(maxsplit=1) for one in texts.tolist()]
    return np.array([one[0].strip(".,;:").casefold() if one else "" for one in words], object)


def _folder(texts: np.ndarray) -> np.ndarray:
    return np.array([one.rpartition("/")[0] for one in texts.tolist()], object)


def _hour(texts: np.ndarray) -> np.ndarray:
    seconds = as_dates(texts)
    return np.zeros(len(texts)) if seconds is None else seconds // 3600 % 24


_MEANT: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "each value": _themselves,
    "each first word": _first_word,
    "each hour": _hour,
    "each folder": _folder,
}
