"""How a CSV that cannot be used was meant, and the remedy."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pyarrow as pa

__all__ = ["header_hint", "number_hint"]

_MARK = "\ufeff"
_SEPARATORS = {";": "semicolons", "\t": "tabs", ",": "commas"}
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?", re.ASCII)
_MEANT = {
    r"^[+-]?[0-9]+([.,][0-9]+)?\s*%$": "write 0.5 for 50 %, or 50, as the task asks",
    r"^[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]+)?$": "write decimals with a point, not a comma",
    r"^(?i:true|false)$": "write 1 for true and 0 for false",
}


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


def number_hint(text: pa.ChunkedArray) -> str:
    """Return how values that are no numbers were meant, where all of them are of one form.

    Parameters
    ----------
    text : ChunkedArray of string
        Without spaces around.

    Returns
    -------
    str
        To be added to a message; holds none of the values.
    """
    import pyarrow.compute as pc

    for pattern, remedy in _MEANT.items():
        if pc.all(pc.match_substring_regex(text, pattern), min_count=0).as_py():
            return f"; {remedy}"
    return ""
