"""Right and known-bad solutions that lie in a card's folder."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Solution", "find"]

_HEADER = re.compile(r"#\s*(pattern|caught_by)\s*:\s*(.+?)\s*$")


@dataclass(frozen=True)
class Solution:
    """A labelled candidate.

    Parameters
    ----------
    name : str
    path : Path
    right : bool
    patterns : tuple of str
        Failure patterns that a known-bad one shows.
    caught_by : tuple of str
        Modes or checks that it claims to be caught by.
    """

    name: str
    path: Path
    right: bool
    patterns: tuple[str, ...] = ()
    caught_by: tuple[str, ...] = ()


def find(folder: Path) -> tuple[Solution, ...]:
    """Find the reference, ``solutions/right/*.py`` and ``solutions/bad/*.py`` of a card.

    Parameters
    ----------
    folder : Path

    Returns
    -------
    tuple of Solution
        The reference first, then right and known-bad ones by name.
    """
    found = []
    if (folder / "reference.py").is_file():
        found.append(Solution("reference", folder / "reference.py", right=True))
    for label in ("right", "bad"):
        for path in sorted((folder / "solutions" / label).glob("*.py")):
            header = _header(path)
            found.append(
                Solution(
                    f"{label}/{path.stem}",
                    path,
                    right=label == "right",
                    patterns=header.get("pattern", ()),
                    caught_by=header.get("caught_by", ()),
                )
            )
    return tuple(found)


def _header(path: Path) -> dict[str, tuple[str, ...]]:
    """Read the comment lines at the top of a file."""
    header: dict[str, tuple[str, ...]] = {}
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        if not line.startswith("#"):
            break
        if match := _HEADER.match(line):
            header[match[1]] = tuple(part.strip() for part in match[2].split(","))
    return header
