"""Where the section of a statement that is written from declarations begins and ends."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["TITLE", "Parts", "in_parts"]

TITLE = "## For all calls"
_HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_BROKEN_WORD = re.compile(r"(?<=\w)- ")


class Parts(NamedTuple):
    """A statement around its section, which is a heading and a list.

    Parameters
    ----------
    before, section, after : str
        They give the statement when joined. The section ends with its list; what follows is the
        author's, with or without a heading.
    """

    before: str
    section: str
    after: str

    def foreign(self, ours: re.Pattern[str]) -> Iterator[tuple[int, str]]:
        """Yield what another one wrote into the section.

        Parameters
        ----------
        ours : Pattern
            Matches a whole item that may be replaced, without the marks of a list and of lines.

        Yields
        ------
        (int, str)
            Line in the statement, from 1, and what stands there.
        """
        first = len(self.before.splitlines()) + 1
        for line, text in _blocks(self.section.splitlines()[1:]):
            if not (text.startswith("- ") and ours.fullmatch(text[2:])):
                yield first + line, text


def in_parts(text: str) -> Parts:
    r"""Find the section of a statement.

    Parameters
    ----------
    text : str

    Returns
    -------
    Parts
        Without the section, all of it is before.

    Examples
    --------
    >>> in_parts("# A\n\n## For all calls\n\n- One.\n\n## References\n").after
    '\n## References\n'
    """
    lines = text.splitlines(keepends=True)
    headings = list(_headings(lines))
    starts = [n for n in headings if lines[n].strip().rstrip("#").rstrip() == TITLE]
    if not starts:
        return Parts(text, "", "")
    start = starts[0]
    end = next((n for n in headings if n > start), len(lines))
    # What follows the last item is not of the list.
    items = [n + 1 for n in range(start, end) if n == start or _is_of_list(lines[n])]
    end = items[-1]
    return Parts("".join(lines[:start]), "".join(lines[start:end]), "".join(lines[end:]))


def _headings(lines: list[str]) -> Iterator[int]:
    """Yield the numbers of the lines that are headings: not those within fenced code."""
    fence = ""
    for number, line in enumerate(lines):
        found = _FENCE.match(line)
        if fence:
            if found and found[1].startswith(fence) and not found[2].strip():
                fence = ""
        elif found:
            fence = found[1]
        elif _HEADING.match(line):
            yield number


def _is_of_list(line: str) -> bool:
    return line.startswith(("- ", "  ")) and bool(line.strip())


def _blocks(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Yield the number, from 1, of the first line of each item or paragraph, and its text."""
    block: list[str] = []
    first = 0
    for number, line in enumerate([*lines, ""], 1):
        if block and not (line.startswith("  ") and line.strip()):
            # lines are broken at spaces, and after the hyphens of words
            yield first, _BROKEN_WORD.sub("-", " ".join(" ".join(block).split()))
            block = []
        if line.strip():
            first = first if block else number
            block.append(line)
