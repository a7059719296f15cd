"""Why the ids of a submission may not be those that are wanted, and the remedy."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from biomlbench.plain_text import composed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from biomlbench.submission.ids import Keys

__all__ = ["id_hint"]

# Whole numbers from here on are not all floating-point numbers.
_EXACT = 2**53
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
    if _all_meet(strange, known, _as_seen):
        return (
            "; the ids differ from the wanted ones in spaces, in upper and lower case, or in how "
            "their accents are encoded: write them as the sample submission has them"
        )
    return ""


def _all_meet(strange: Iterable[str], known: set[str], form: Callable[[str], object]) -> bool:
    """Tell whether all strange ids, of which there are some, are wanted ones in another form."""
    found = {form(value) for value in strange}
    return bool(found) and None not in found and found <= {form(value) for value in known}


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _as_seen(text: str) -> str:
    return composed(text).casefold().strip()
