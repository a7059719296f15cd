r"""Text that others have written, as it may stand in an output of ours: one way for all of them.

A run's name, a file's name, a message of submitted code can hold what a terminal obeys, what
turns around the text after it, what cannot be encoded, or what a spreadsheet computes.
"""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "PlainFormatter",
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
# What makes a spreadsheet take a cell for a formula (OWASP, CSV injection).
_FORMULA = ("=", "+", "-", "@", "\t")
# What begins HTML, an entity or a link in Markdown; and what would undo its escape.
_MARKUP = re.compile(r"[<&\[]|\\(?=\\*[<&\[])")
_WEB = re.compile(r"https?://", re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def is_web_address(text: str) -> bool:
    """Whether a text is an address that others can open, too."""
    return bool(_WEB.match(text))


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


def spreadsheet_cell(text: str) -> str:
    r"""Return text as a cell that a spreadsheet shows and does not compute, nor a terminal obeys.

    All else stays as it is, for an export holds values and is no page.

    Examples
    --------
    >>> spreadsheet_cell("=1+1"), spreadsheet_cell("-1.5"), spreadsheet_cell("a\x1b")
    ("'=1+1", '-1.5', 'a\\x1b')
    """
    text = _OBEYED.sub(lambda found: _instead(found[0], None), text)
    if text.startswith(_FORMULA) and not _NUMBER.fullmatch(text):
        return "'" + text
    return text


def spreadsheet_path(path: str) -> str:
    """Return a relative path to the same file that a spreadsheet does not compute.

    Examples
    --------
    >>> spreadsheet_path("=a.csv"), spreadsheet_path("a.csv")
    ('./=a.csv', 'a.csv')
    """
    return f"./{path}" if path.startswith(_FORMULA) else path


def spreadsheet_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of a table whose texts are as :func:`spreadsheet_cell` makes them.

    Examples
    --------
    >>> spreadsheet_row({"agent": "=1+1", "score": -1.5})
    {'agent': "'=1+1", 'score': -1.5}
    """
    return {k: spreadsheet_cell(v) if isinstance(v, str) else v for k, v in row.items()}


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
