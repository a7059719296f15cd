"""In what names and ids that mean the same are written differently."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from biomlbench.plain_text import composed

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

__all__ = ["difference"]


def _without_spaces(text: str) -> str:
    return "".join(text.split())


_FORMS: dict[str, Callable[[str], str]] = {
    "in spaces": _without_spaces,
    "in upper and lower case": str.casefold,
    "in how accents are encoded": composed,
}


def difference(strange: Collection[str], known: Collection[str]) -> str:
    """Return in what strange names differ from known ones, where all do in no more than spelling.

    Parameters
    ----------
    strange, known : collection of str

    Returns
    -------
    str
        Empty where some of the strange ones are no known ones, or there are none.

    Examples
    --------
    >>> difference(["ward3"], ["ward 3"]), difference(["Ward3"], ["ward 3"])
    ('in spaces', 'in spaces and in upper and lower case')
    >>> difference(["ward4"], ["ward 3"])
    ''
    """
    if not strange or not _meet(strange, known, _FORMS):
        return ""
    some = (
        names
        for count in range(1, len(_FORMS) + 1)
        for names in combinations(_FORMS, count)
        if _meet(strange, known, names)
    )
    return " and ".join(next(some))


def _meet(strange: Iterable[str], known: Iterable[str], names: Collection[str]) -> bool:
    def form(text: str) -> str:
        for name in names:
            text = _FORMS[name](text)
        return text

    return set(map(form, strange)) <= set(map(form, known))
