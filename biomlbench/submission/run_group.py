"""Run groups of BioML-bench and MLE-bench: who made the runs, and where their files lie now.

A harness writes a folder ``<time>_run-group_<agent>`` with a ``submission.jsonl``, whose lines
name each file by its absolute path on the machine that ran the agent, by its path from that
machine's working directory, or relative to the folder.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["RunGroup", "agent_of", "own_file", "task_named"]

_MARK = "_run-group_"
# Groups of agents that came from elsewhere are published as `<agent>_group3`.
_NUMBERED = re.compile(r"(.+?)[_-]group[_-]?\d+")
_MAX_TAIL = 8
"""Most last parts of a path by which a file is looked for."""


def agent_of(name: str) -> str | None:
    """Return the agent that the name of a run group's folder states; None where it states none.

    Examples
    --------
    >>> agent_of("2025-03-31T12-00-00-GMT_run-group_aide")
    'aide'
    >>> agent_of("aira-dojo_group10"), agent_of("my-runs")
    ('aira-dojo', None)
    """
    if _MARK in name:
        return name.rpartition(_MARK)[2].strip() or None
    match = _NUMBERED.fullmatch(name)
    return match[1] if match else None


def task_named(row: Mapping[str, Any]) -> Any:
    """Return the task that a line names: ``competition_id`` is another word for ``task_id``.

    Raises
    ------
    ValueError
        If it names two.
    """
    named = [row[key] for key in ("task_id", "competition_id") if row.get(key) not in (None, "")]
    if len(named) == 2 and named[0] != named[1]:
        raise ValueError("`task_id` and `competition_id` name two tasks; keep one of them")
    return named[0] if named else None


def own_file(folder: str | Path, stated: str) -> Path | None:
    """Return the file below a folder that a path from there means; None where there is none.

    Parameters
    ----------
    folder : path
    stated : str
        What an agent may have written: a path that leads elsewhere, also by a link, means no file.
    """
    try:
        place = os.path.realpath(Path(folder, stated))
        is_below = Path(place).is_relative_to(os.path.realpath(folder))
        return Path(folder, stated) if is_below and os.path.isfile(place) else None
    except (OSError, ValueError):  # a name that is too long, or none at all
        return None


class RunGroup:
    """A run group: its folder, and the paths that its list of submissions states.

    Parameters
    ----------
    folder : path
        Where the list lies.
    stated : iterable of object
        Every ``submission_path`` of the list, as it stands there; what is no text is left out.

    Attributes
    ----------
    name, agent : str
        The folder's name, and the agent that it or a folder above states; else the folder's name.
    root : str
        The folder without links in its path, which is relative where the folder's is.
    """

    def __init__(self, folder: str | Path, stated: Iterable[Any] = ()) -> None:
        self.folder = Path(folder)
        whole = self.folder.absolute()
        self.name = whole.name
        named = (agent_of(name) for name in reversed(whole.parts) if _MARK in name)
        self.agent = next(filter(None, named), None) or agent_of(self.name) or self.name or "group"
        paths = {path for path in stated if isinstance(path, str) and _is_absolute(path)}
        # A file is looked for by the end of its path only where no other path has that end:
        # `submission/submission.csv` says nothing where every run has one.
        self._ends = Counter(end for path in paths for end in _ends(_parts(path)))
        self._real = os.path.realpath(whole)
        here = os.path.realpath(".")
        self.root = self._real if self.folder.is_absolute() else os.path.relpath(self._real, here)
        self._holds: dict[str, bool] = {}

    def submission(self, stated: str) -> str:
        """Return the file that a stated path means here.

        Parameters
        ----------
        stated : str

        Returns
        -------
        str
            The path beside the list; or from the working directory; or below the group's folder,
            where another machine's path has the folder's name or an end that no other path of
            the list has. Where there is no such file, the path beside the list.
        """
        beside, *others = self._places(stated)
        return next(filter(os.path.lexists, (beside, *others)), beside)

    def own_submission(self, stated: str) -> str:
        """Return the file below the group's folder that a stated path means: of no other agent.

        Parameters
        ----------
        stated : str

        Returns
        -------
        str
            The first place that :meth:`submission` looks at, below the folder; for a path of
            another machine of which nothing is here, a place below it that has no file. Relative
            where the folder's path is, so that it is found wherever the folder is moved to.

        Raises
        ------
        ValueError
            If the path leads elsewhere, also through a link to a folder.
        """
        places = list(self._places(stated))
        own = [place for place in places if self._is_below(place)]
        if found := next(filter(os.path.lexists, own), None):
            return found
        if _is_absolute(stated) and ".." not in _parts(stated):
            own += filter(self._is_below, [os.path.normpath(self.folder.joinpath(*_parts(stated)))])
        if not own or any(map(os.path.lexists, places)):
            raise ValueError(f"{stated}: outside of {self.folder}")
        return own[0]

    def _places(self, stated: str) -> Iterator[str]:
        """Yield the places where a file may lie, as :meth:`submission` has them."""
        yield self._from_folder(os.path.normpath(self.folder / stated))
        yield self._from_folder(os.path.normpath(stated))
        for end in self._below(stated):
            yield os.path.normpath(self.folder.joinpath(*end))

    def _from_folder(self, place: str) -> str:
        """Return an absolute path below the folder as the folder's own path begins."""
        if self.folder.is_absolute() or not place.startswith("/") or not self._is_below(place):
            return place
        above, _, name = place.rpartition("/")
        inner = os.path.relpath(os.path.realpath(above or "/"), self._real)
        return os.path.normpath(self.folder / inner / name)

    def _is_below(self, place: str) -> bool:
        folder = place.rpartition("/")[0] or ("/" if place.startswith("/") else ".")
        if folder not in self._holds:
            self._holds[folder] = Path(os.path.realpath(folder)).is_relative_to(self._real)
        return self._holds[folder]

    def _below(self, stated: str) -> list[tuple[str, ...]]:
        """Return what of a path may lie below the group's folder, the surest first."""
        parts = _parts(stated)
        for number in reversed(range(len(parts) - 1)):
            if parts[number] == self.name or _MARK in parts[number]:
                return [parts[number + 1 :]] if ".." not in parts[number + 1 :] else []
        if not _is_absolute(stated):
            return []
        return [end for end in _ends(parts) if self._ends[end] <= 1]


def _is_absolute(path: str) -> bool:
    return path.startswith(("/", "\\")) or bool(re.match(r"[A-Za-z]:[\\/]", path))


def _parts(path: str) -> tuple[str, ...]:
    """Return the parts of a path of this machine's kind or, with backslashes, of Windows."""
    return tuple(part for part in re.split(r"[\\/]+", path) if part not in ("", "."))


def _ends(parts: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the ends of a path, the longest first; none that leads out of its folder."""
    ends = [parts[-length:] for length in range(min(len(parts), _MAX_TAIL), 0, -1)]
    return [end for end in ends if ".." not in end]
