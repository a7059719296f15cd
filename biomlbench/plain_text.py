r"""Text that others have written, as it may stand in an output of ours: one way for all of them.

A run's name, a file's name, a message of submitted code can hold what a terminal obeys, what
turns around the text after it, what cannot be encoded, or what a spreadsheet computes.
"""

from __future__ import annotations

import logging
import re
import unicodedata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "PlainFormatter",
    "as_python",
    "composed",
    "is_unsafe_address",
    "is_web_address",
    "markdown_line",
    "plain",
    "spreadsheet_cell",
    "spreadsheet_path",
    "spreadsheet_row",
]

# Control characters but tab and line feed, which terminals obey, and halves of characters.
_COMMANDS = "\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff"
_OBEYED = re.compile(f"[{_COMMANDS}]")
# Beside them what changes the direction of text, and ends of lines that are no line feed.
_UNSAFE = re.compile(f"[{_COMMANDS}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
# Marks in a row from which text is of no script: Unicode's Stream-Safe Text Format (UAX 15).
_MOST_MARKS = 30
# Those that count as letters and consist of marks.
_HIDDEN_MARKS = "\u0f73\u0f75\u0f81"
# What makes a spreadsheet take a cell for a formula (OWASP, CSV injection), the wide forms of East
# Asian scripts among it. Spaces and line feeds before it do not count.
_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
# What begins HTML, an entity or a link in Markdown; and what would undo its escape.
_MARKUP = re.compile(r"[<&\[]|\\(?=\\*[<&\[])")
_WEB = re.compile(r"https?://", re.IGNORECASE)
# A user's name, maybe with a password, and what would be control characters once decoded.
_PERSONAL = re.compile(r"https?://[/\\]*[^/?#\\]*@", re.IGNORECASE)
_ENCODED = re.compile(r"%([01][0-9a-f]|7f)", re.IGNORECASE)
# Where a cell begins, also to a spreadsheet that splits at another character, or at each line.
_BEFORE_FORMULA = re.compile(
    rf"(?:^|(?<=[;\t\n]))(?='*[^\S\t\n]*[{re.escape(''.join(_FORMULA))}])|^(?='*\t)"
)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def is_web_address(text: str) -> bool:
    """Whether a text is an address that others can open, too.

    Examples
    --------
    >>> is_web_address("https://example.org/@team/log"), is_web_address("https://a:b@example.org")
    (True, False)
    """
    return bool(_WEB.match(text)) and not is_unsafe_address(text)


def is_unsafe_address(text: str) -> bool:
    """Whether a text is an address of the web with a user's name or control characters."""
    unsafe = _PERSONAL.match(text) or _ENCODED.search(text) or not text.isprintable()
    return bool(_WEB.match(text) and unsafe)


def plain(text: object, mark: str | None = None, *, one_line: bool = False) -> str:
    r"""Return text without characters that do something.

    Parameters
    ----------
    text : object
        Its ``str`` is taken.
    mark : str, optional
        What stands in their place; by default their escape sequence.
    one_line : bool
        Whether ends of lines, tabs and all else that is not printable go as well.

    Returns
    -------
    str

    Examples
    --------
    >>> plain("a\x1b[2J\u202eb")
    'a\\x1b[2J\\u202eb'
    >>> plain("a\x1b[2J", mark="?")
    'a?[2J'
    """
    text = str(text)
    if text.isprintable():
        return text
    if one_line:
        return "".join(c if c.isprintable() else _instead(c, mark) for c in text)
    return _UNSAFE.sub(lambda found: _instead(found[0], mark), text)


def _instead(character: str, mark: str | None) -> str:
    return character.encode("unicode_escape").decode() if mark is None else mark


def composed(text: str) -> str:
    r"""Return text whose accents are composed with their letters (NFC), in linear time.

    Python sorts the marks that follow a letter in time quadratic in their number. Text with more
    of them in a row than any script has stays as it is.

    Examples
    --------
    >>> composed("A\u030a") == "\u00c5"
    True
    >>> many = "a" + "\u0301\u0323" * 500_000
    >>> composed(many) is many
    True
    """
    if text.isascii():
        return text
    in_a_row = 0
    for character in text:
        is_mark = unicodedata.combining(character) or character in _HIDDEN_MARKS
        in_a_row = in_a_row + 1 if is_mark else 0
        if in_a_row > _MOST_MARKS:
            return text
    return unicodedata.normalize("NFC", text)


def spreadsheet_cell(text: str) -> str:
    r"""Return text as a cell that a spreadsheet shows and does not compute, nor a terminal obeys.

    All else stays as it is, for an export holds values and is no page. What has the apostrophe
    already gets another one, so that two texts stay two. One that splits cells at semicolons, as
    in many countries, shows what follows one, too.

    Examples
    --------
    >>> spreadsheet_cell("=1+1"), spreadsheet_cell("-1.5"), spreadsheet_cell("a\x1b")
    ("'=1+1", '-1.5', 'a\\x1b')
    >>> spreadsheet_cell("a; =1+1")
    "a;' =1+1"
    """
    text = _OBEYED.sub(lambda found: _instead(found[0], None), text)
    return text if _NUMBER.fullmatch(text.strip()) else _BEFORE_FORMULA.sub("'", text)


def spreadsheet_path(path: str) -> str:
    """Return a relative path to the same file that a spreadsheet does not compute.

    Examples
    --------
    >>> spreadsheet_path("=a.csv"), spreadsheet_path("a.csv")
    ('./=a.csv', 'a.csv')
    """
    is_formula = path.startswith("\t") or path.lstrip().startswith(_FORMULA)
    return f"./{path}" if is_formula else path


def spreadsheet_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of a table whose texts are as :func:`spreadsheet_cell` makes them.

    Examples
    --------
    >>> spreadsheet_row({"agent": "=1+1", "score": -1.5})
    {'agent': "'=1+1", 'score': -1.5}
    """
    return {k: spreadsheet_cell(v) if isinstance(v, str) else v for k, v in row.items()}


def as_python(value: Any) -> Any:
    """Return a single value of NumPy as Python's own, whose `repr` is as people write it.

    Examples
    --------
    >>> import numpy as np
    >>> as_python(np.float64(1.5)), as_python("1.5")
    (1.5, '1.5')
    """
    is_of_numpy = type(value).__module__ == "numpy" and getattr(value, "ndim", None) == 0
    return value.item() if is_of_numpy else value


def markdown_line(text: object) -> str:
    r"""Return text as a part of a line of Markdown: no HTML, link or image comes of it.

    Examples
    --------
    >>> markdown_line("a_b [x](y) <img>")
    'a_b \\[x](y) \\<img>'
    """
    return _MARKUP.sub(r"\\\g<0>", plain(text, one_line=True))


class PlainFormatter(logging.Formatter):
    """Formats log records as plain text."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record's line, traceback included."""
        return plain(super().format(record))
