"""What may be meant by the path of a submission that is not there, and the remedy."""

from __future__ import annotations

import os
import re
from itertools import islice
from pathlib import Path

from biomlbench.plain_text import composed, plain

__all__ = ["no_file", "path_hint"]

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
# What tables of pandas, R and Excel write for an empty cell.
_EMPTY = ("nan", "none", "n/a", "na", "<na>", "#n/a", "nat")
# Files of a folder that are looked through for a like name.
_MOST_FILES = 10_000


def path_hint(path: str | Path, root: str | Path | None = None) -> str:
    """Return what would help where there is no file of a path.

    Parameters
    ----------
    path : path
        As it was given.
    root : path, optional
        Folder that a relative path starts from; by default the working directory.

    Returns
    -------
    str
        To be added to a message; empty where nothing can be told.

    Examples
    --------
    >>> path_hint("~/runs/a.csv")
    '; `~` is not replaced here: write the whole path'
    >>> path_hint("https://example.org/a.csv")
    '; addresses are not fetched: download it and name the file'
    """
    text = os.fspath(path)
    if said := _by_its_form(text):
        return f"; {said}"
    like = _like_name(Path(text), Path(root or "."))
    if like is None:
        return ""
    there = f"; there is `{plain(like, one_line=True)}`, whose name"
    if like.strip() != like:
        return f"{there} has spaces around it, which are no part of a table's cell: rename the file"
    return f"{there} differs in upper and lower case or in how its accents are encoded"


def no_file(
    name: str, path: str | Path, root: str | Path | None = None, otherwise: str = ""
) -> str:
    """Return what is said of a path at which there is no file.

    Parameters
    ----------
    name : str
        The path as it is shown.
    path, root
        As for :func:`path_hint`.
    otherwise : str
        The end where nothing can be told of the path.

    Examples
    --------
    >>> no_file("'~/a.csv'", "~/a.csv")
    "there is no file '~/a.csv'; `~` is not replaced here: write the whole path"
    """
    return f"there is no file {name}{path_hint(path, root) or otherwise}"


def _by_its_form(text: str) -> str:
    if text.strip().lower() in _EMPTY:
        return "write null for a run that left no submission"
    if text.startswith("~"):
        return "`~` is not replaced here: write the whole path"
    if "$" in text:
        return "variables (`$`) are not replaced here: write the whole path"
    if _ADDRESS.match(text):
        return "addresses are not fetched: download it and name the file"
    if _DRIVE.match(text) or ("\\" in text and "/" not in text):
        return "this is a path of Windows: write it as it is on this machine, with `/`"
    if len(text) > 1 and text[0] in "'\"`" and text[0] == text[-1]:
        return "take the quotation marks away"
    return ""


def _like_name(path: Path, root: Path) -> str | None:
    """Return the name beside a path that a person would take for the same."""
    wanted = _as_seen(path.name)
    try:
        with os.scandir(root / path.parent) as entries:
            names = [entry.name for entry in islice(entries, _MOST_FILES)]
    except (OSError, ValueError):
        return None
    return min((n for n in names if n != path.name and _as_seen(n) == wanted), default=None)


def _as_seen(name: str) -> str:
    return composed(name).casefold().strip()
