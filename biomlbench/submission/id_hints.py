"""Why ids and labels of a submission may not be those that are wanted, and the remedy."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date
from itertools import islice, product
from typing import TYPE_CHECKING

from biomlbench.submission.csv_table import MISSING
from biomlbench.submission.ids import JOINT
from biomlbench.submission.spellings import difference

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    import pyarrow as pa

    from biomlbench.submission.ids import Keys

__all__ = ["empty_rows_hint", "id_hint", "missing_label_hint"]

_FIRST_INEXACT = 2**53
_SPELLINGS = frozenset(filter(None, MISSING))
_KEEP = "names such as NA, None, null and nan for missing: read with `keep_default_na=False`"
_DIGITS = re.compile(r"[+-]?[0-9]+")
_DATE = re.compile(r"(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})(?:[T ]0?0:00(?::00(?:\.0+)?)?)?")
_DAY = re.compile(
    r"(\d{1,2})[-/. ](\d{1,2}|[a-z]{3,9})|([a-z]{3,9})[-/. ]?(\d{1,2})", re.IGNORECASE
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_FULL = (
    *("january", "february", "march", "april", "may", "june", "july", "august"),
    *("september", "october", "november", "december"),
)
# Ids that are compared with one another.
_MOST = 10_000


def empty_rows_hint(table: pa.Table) -> str:
    """Return what would help where the last rows of a table are empty, as Excel writes them.

    Parameters
    ----------
    table : pyarrow.Table

    Returns
    -------
    str
        To be added to a message; empty where the last row has something in a cell.

    Examples
    --------
    >>> import pyarrow as pa
    >>> empty_rows_hint(pa.table({"id": ["a", ""], "y": [0.5, None]}))
    '; the last 1 row(s) have nothing but empty cells: delete them'
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    filled = np.zeros(table.num_rows, bool)
    for column in table.columns:
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            there = pc.fill_null(pc.not_equal(pc.utf8_trim_whitespace(column), ""), False)
        else:
            there = pc.invert(column.is_null(nan_is_null=True))
        filled |= there.to_numpy()
    count = int(np.argmax(filled[::-1])) if filled.any() else len(filled)
    if not count:
        return ""
    return f"; the last {count} row(s) have nothing but empty cells: delete them"


def id_hint(submitted: Keys, wanted: Keys, written: Keys | None = None) -> str:
    """Return what would help where wanted ids have no row.

    Parameters
    ----------
    submitted, wanted : Keys
    written : Keys, optional
        The submitted ids as they were written, where those of the wrong kind are null.

    Returns
    -------
    str
        To be added to a message; names no id. Empty where nothing can be told.
    """
    found = set(wanted.values.to_pylist())
    texts = (written or submitted).values.to_pylist()
    both = zip(texts, submitted.values.to_pylist(), strict=True)
    strange = {str(text) for text, value in islice(both, _MOST) if text and value not in found}
    known = set(map(str, found))
    if _all_meet(strange, known, _number, _numbers):
        if wanted.kinds == ("integer",):
            if all(abs(int(value)) < _FIRST_INEXACT for value in known):
                return "; write ids as the sample submission has them"
            return (
                "; ids from 2**53 on lose digits as floating-point numbers: read and write them "
                "as whole numbers or as text"
            )
        return (
            "; the ids are text and were read as numbers, which changes how they are written "
            "(007, 1e3, 2.0): read and write them as text, in pandas with `dtype=str`"
        )
    there = set(texts) if known & _SPELLINGS else set()
    if there & {"", None} and known - there <= _SPELLINGS:
        return f"; pandas takes {_KEEP}"
    if said := difference(strange, known):
        return (
            f"; the ids differ from the wanted ones {said}: write them as the sample submission "
            "has them"
        )
    if _all_meet(strange, known, _dates) or _all_meet(strange, known, _day, _day_alone):
        return (
            "; the ids were taken for dates, which changes how they are written (01/05/2024 as "
            "2024-05-01, MARCH1 as 1-Mar): keep them as text, in a spreadsheet by importing that "
            "column as text"
        )
    return ""


def missing_label_hint(allowed: Iterable[object]) -> str:
    """Return what would help where labels of a submission are missing.

    Parameters
    ----------
    allowed : iterable
        The labels that are declared; empty where none are.

    Returns
    -------
    str
        To be added to a message; empty where no label can have been lost by its name.
    """
    labels = set(map(str, allowed))
    if labels & _SPELLINGS:
        return f"; pandas takes {_KEEP}"
    return "" if labels else f"; if they were there before, pandas takes {_KEEP}"


def _all_meet(
    strange: Iterable[str],
    known: Iterable[str],
    form: Callable[[str], Collection[object]],
    of_known: Callable[[str], Collection[object]] | None = None,
) -> bool:
    """Tell whether all strange ids, of which there are some, are wanted ones in another form.

    Parameters
    ----------
    strange, known : iterable of str
    form : callable
        What a part of an id may mean; nothing where it means no such thing.
    of_known : callable, optional
        The same of the wanted ids; by default `form`.
    """
    meanings = [_meanings(text, form) for text in strange]
    if not meanings or not all(meanings):
        return False
    there = {one for text in known for one in _meanings(text, of_known or form)}
    return not any(there.isdisjoint(found) for found in meanings)


def _meanings(text: str, form: Callable[[str], Collection[object]]) -> set[tuple[object, ...]]:
    """Return what an id may mean, each of its parts by itself; nothing where no part does."""
    parts = text.split(JOINT)
    found = [form(part) for part in parts]
    if not any(found):
        return set()
    return set(
        islice(product(*(one or (part,) for one, part in zip(found, parts, strict=True))), _MOST)
    )


def _number(text: str) -> tuple[float, ...]:
    """Return the number that an id is written as: exactly, where it is a whole one."""
    try:
        return (int(text) if _DIGITS.fullmatch(text) else float(text),)
    except ValueError:  # no number, or one of too many digits
        return ()


def _numbers(text: str) -> tuple[float, ...]:
    """Return the numbers that an id becomes: itself, and what a floating-point number holds."""
    found = _number(text)
    try:
        return (*found, *map(float, found))
    except OverflowError:
        return found


def _dates(text: str) -> set[date]:
    """Return the days that an id may mean, as nobody knows which number is the month's."""
    if (found := _DATE.fullmatch(text.strip())) is None:
        return set()
    first, second, third = found[1], found[3], found[4]
    orders = ((first, second, third), (third, second, first), (third, first, second))
    days = set()
    for year, month, day in orders:
        for century in {2: ("19", "20"), 4: ("",)}.get(len(year), ()):
            with suppress(ValueError):
                days.add(date(int(century + year), int(month), int(day)))
    return days


def _day(text: str) -> tuple[tuple[int, ...], ...]:
    """Return month and day, in any order, of what a spreadsheet has made a day of some year."""
    if (found := _DATE.fullmatch(text.strip())) is None:
        return _day_alone(text)
    numbers = [int(found[n]) for n in (1, 3, 4) if len(found[n]) <= 2]
    return (tuple(sorted(numbers)),) if len(numbers) == 2 else ()


def _day_alone(text: str) -> tuple[tuple[int, ...], ...]:
    """Return month and day, in any order, of what a spreadsheet takes for a day of this year."""
    if (found := _DAY.fullmatch(text.strip())) is None:
        return ()
    parts = [_month_or_number(part) for part in found.groups() if part]
    return () if 0 in parts else (tuple(sorted(parts)),)


def _month_or_number(text: str) -> int:
    """Return a number, or that of a month; 0 for any other word."""
    if text.isdecimal():
        return int(text)
    name = text.lower()
    known = name in _MONTHS or name in _FULL or name == "sept"
    return _MONTHS.index(name[:3]) + 1 if known else 0
