"""How a CSV that cannot be used was meant, and the remedy."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["cells_hint", "header_hint", "number_hint"]

_MARK = "\ufeff"
_SEPARATORS = {";": "semicolons", "\t": "tabs", ",": "commas"}
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?", re.ASCII)
_SIGN, _POWER = r"[+-]?", r"([eE][+-]?[0-9]+)?"
# A space may be one that breaks no line, or a thin one.
_THOUSANDS = r"[0-9]{1,3}([.,'\u2019 \u00a0\u202f][0-9]{3})+([.,][0-9]+)?"
_MEANT = {
    rf"{_SIGN}[0-9]+([.,][0-9]+)?\s*%": "write 0.5 for 50 %, or 50, as the task asks or the metric "
    "gives it",
    rf"{_SIGN}([0-9]*,[0-9]+{_POWER}|{_THOUSANDS})": "write decimals with a point, not a comma, "
    "and thousands without a separator",
    r"(?i:true|false)": "write 1 for true and 0 for false",
}
_MOST_LOOKED_AT = 1000


def header_hint(names: Sequence[str], delimiter: str, expected: Iterable[str]) -> str:
    """Return what would help where the columns are not the expected ones.

    Parameters
    ----------
    names : sequence of str
        Columns as read.
    delimiter : str
        What they were separated by.
    expected : iterable of str

    Returns
    -------
    str
        To be added to a message; empty where nothing can be told.

    Examples
    --------
    >>> header_hint(["id;y"], ",", ["id", "y"])
    '; the columns seem to be separated by semicolons'
    """
    expected = set(expected)
    if names and names[0].startswith(_MARK):
        return "; a second byte order mark stands before the first column's name: leave it out"
    if names and names[0].lower().startswith("sep="):
        return "; the first line only names the separator: leave it out"
    if names and names[0].lstrip().startswith("#") and names[0] not in expected:
        return "; the first line seems to be a comment: begin with the names of the columns"
    for other, label in _SEPARATORS.items():
        if len(names) == 1 and other != delimiter and other in names[0]:
            return f"; the columns seem to be separated by {label}"
    if names and names[0] in ("", "Unnamed: 0", "index"):
        return "; the first column seems to be a row index: write the file without it"
    if names and not names[-1]:
        return "; the lines end with a separator: write them without it"
    if any(_NUMBER.fullmatch(name.strip()) and name not in expected for name in names):
        return "; there seems to be no line with the names of the columns: write one first"
    return ""


def number_hint(cells: Iterable[object]) -> str:
    """Return how cells that are no numbers were meant, where all of them are of one form.

    Parameters
    ----------
    cells : iterable
        The first thousand are looked at; what is no text, or a number, says nothing.

    Returns
    -------
    str
        To be added to a message; holds none of the values.

    Examples
    --------
    >>> number_hint(["0,85"]), number_hint(["0,85", "none"])
    ('; write decimals with a point, not a comma, and thousands without a separator', '')
    """
    some = [cell.strip() for cell in islice(cells, _MOST_LOOKED_AT) if isinstance(cell, str)]
    texts = [text for text in some if not _NUMBER.fullmatch(text)]
    for pattern, remedy in _MEANT.items():
        if texts and all(re.fullmatch(pattern, text, re.ASCII) for text in texts):
            return f"; {remedy}"
    return ""


def cells_hint(cells: int, expected: int) -> str:
    """Return what would help where a row has more cells than the header; empty for fewer."""
    if cells <= expected:
        return ""
    return "; write decimals with a point, and a cell with a separator in quotes"
