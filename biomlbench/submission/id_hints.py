"""Why ids and labels of a submission may not be those that are wanted, and the remedy."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from biomlbench.plain_text import composed
from biomlbench.submission.csv_table import MISSING
from biomlbench.submission.ids import JOINT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from biomlbench.submission.ids import Keys

__all__ = ["id_hint", "missing_label_hint"]

_SPELLINGS = frozenset(filter(None, MISSING))
_KEEP = "names such as NA, None, null and nan for missing: read with `keep_default_na=False`"
# Whole numbers from here on are not all floating-point numbers.
_EXACT = 2**53
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


def id_hint(submitted: Keys, wanted: Keys) -> str:
    """Return what would help where wanted ids have no row.

    Parameters
    ----------
    submitted, wanted : Keys

    Returns
    -------
    str
        To be added to a message; names no id. Empty where nothing can be told.
    """
    if wanted.kinds == ("integer",):
        large = any(abs(value) >= _EXACT for value in wanted.values[:_MOST].to_pylist())
        if large and submitted.values.null_count:
            return (
                "; ids from 2**53 on lose digits as floating-point numbers: read and write them "
                "as whole numbers or as text"
            )
        return ""
    known = set(wanted.values.to_pylist())
    strange = [v for v in islice(submitted.values.to_pylist(), _MOST) if v and v not in known]
    if _all_meet(strange, known, _number):
        return (
            "; the ids are text and were read as numbers, which changes how they are written "
            "(007, 1e3, 2.0): read and write them as text, in pandas with `dtype=str`"
        )
    there = set(submitted.values.to_pylist()) if known & _SPELLINGS else set()
    if there & {"", None} and known - there <= _SPELLINGS:
        return f"; pandas takes {_KEEP}"
    if _all_meet(strange, known, _as_seen):
        return (
            "; the ids differ from the wanted ones in spaces, in upper and lower case, or in how "
            "their accents are encoded: write them as the sample submission has them"
        )
    if _all_meet(strange, known, _date) or _all_meet(strange, known, _day):
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


def _all_meet(strange: Iterable[str], known: set[str], form: Callable[[str], object]) -> bool:
    """Tell whether all strange ids, of which there are some, are wanted ones in another form."""
    found = {form(value) for value in strange}
    return bool(found) and None not in found and found <= {form(value) for value in known}


def _number(text: str) -> tuple[float | str, ...] | None:
    """Return an id's parts as the numbers that they may have been; None where none is one."""
    parts = tuple(map(_number_or_text, text.split(JOINT)))
    return None if all(isinstance(part, str) for part in parts) else parts


def _number_or_text(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _date(text: str) -> tuple[int, ...] | None:
    """Return the numbers of a date in any order, as nobody knows which is the month's."""
    if (found := _DATE.fullmatch(text.strip())) is None:
        return None
    return tuple(sorted(int(found[n]) % 100 for n in (1, 3, 4)))


def _day(text: str) -> tuple[int, ...] | None:
    """Return month and day, in any order, of what a spreadsheet takes for a day of this year."""
    text = text.strip()
    if found := _DATE.fullmatch(text):
        numbers = [int(found[n]) for n in (1, 3, 4) if len(found[n]) <= 2]
        return tuple(sorted(numbers)) if len(numbers) == 2 else None
    if (found := _DAY.fullmatch(text)) is None:
        return None
    parts = [_month_or_number(part) for part in found.groups() if part]
    return None if 0 in parts else tuple(sorted(parts))


def _month_or_number(text: str) -> int:
    """Return a number, or that of a month; 0 for any other word."""
    if text.isdecimal():
        return int(text)
    name = text.lower()
    known = name in _MONTHS or name in _FULL or name == "sept"
    return _MONTHS.index(name[:3]) + 1 if known else 0


def _as_seen(text: str) -> str:
    parts = composed(text).casefold().split(JOINT)
    return JOINT.join(" ".join(part.split()) for part in parts)
