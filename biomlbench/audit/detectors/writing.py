"""Writing: digits, case, white space or missing values that tell the label beside the values."""

from __future__ import annotations

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
EXACT = 1 - 1e-9
MAX_COLUMNS = 200
MAX_DIGITS = 8
BINS = 10
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


def _written(subject: Subject, target: str, truth: np.ndarray) -> Iterator[Found]:
    for table, rows in subject.tests:
        features = subject.features(table)[:MAX_COLUMNS]
        texts = {column: table.text(column)[rows].astype(str) for column in features}
        for column, values in texts.items():
            for what, level_of, least in _WAYS:
                levels = level_of(values)
                along = strength(levels, truth)
                if along < least or not can_be_read(subject, target, column, levels, level_of):
                    continue
                if level_of in (_digits, _fraction) and along < MORE + _of_value(values, truth):
                    continue
                if level_of is _case and _is_of_value(levels, values):
                    continue
                yield _found(f"{table.name}: column {column}: {what} tells {target}", along)
        blank = np.array([are_blank(values) for values in texts.values()]).reshape(-1, subject.n)
        pattern = np.array(["".join("01"[one] for one in row) for row in blank.T.tolist()], object)
        along = strength(pattern, truth) if blank.any() else 0.0
        if along >= STRONG_BLANK:
            yield _found(f"{table.name}: which values are missing tells {target}", along)


def _found(what: str, along: float, name: str = "writing-tells-label") -> Found:
    return Found(
        name=name,
        severity=Gravity.SEVERE if along > 0.95 else Gravity.MODERATE,
        what=f"{what} (strength {along:.2f}, 0 to 1)",
    )


def _spaces(texts: np.ndarray) -> np.ndarray:
    return np.array([(one != one.lstrip()) + 2 * (one != one.rstrip()) for one in texts.tolist()])


def _case(texts: np.ndarray) -> np.ndarray:
    """0 without letters, else 1 to 4: lower case, upper case, capital at the start, mixed."""
    ways = (str.islower, str.isupper, lambda one: one[:1].isupper() and one[1:].islower())
    return np.array(
        [
            next((n for n, is_so in enumerate(ways, 1) if is_so(one)), 4)
            if any(map(str.isalpha, one))
            else 0
            for one in map(str.strip, texts.tolist())
        ]
    )


def _digits(texts: np.ndarray) -> np.ndarray:
    """Return digits after the point; -1 for what is no number."""
    numbers = pd.to_numeric(pd.Series(texts), errors="coerce").notna().to_numpy()
    return np.array(
        [
            min(len(one.strip().partition(".")[2]), MAX_DIGITS) if there else -1
            for one, there in zip(texts.tolist(), numbers.tolist(), strict=True)
        ]
    )


def _fraction(texts: np.ndarray) -> np.ndarray:
    numbers = pd.to_numeric(pd.Series(texts), errors="coerce").to_numpy(float)
    return np.round(np.nan_to_num(numbers % 1, nan=-1.0, posinf=-1.0, neginf=-1.0), 6)


_WAYS: tuple[tuple[str, Callable[[np.ndarray], np.ndarray], float], ...] = (
    ("white space around the value", _spaces, STRONG),
    ("upper and lower case", _case, STRONG),
    ("the number of its digits", _digits, STRONG),
    ("the part behind the point", _fraction, STRONG),
    ("that it is missing", are_blank, STRONG_BLANK),
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
    for table, rows in subject.tests:
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
    numbers = np.isfinite(pd.to_numeric(pd.Series(texts), errors="coerce"))
    return np.zeros(len(texts)) if numbers.any() else texts


def _first_word(texts: np.ndarray) -> np.ndarray:
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
