"""Files that nobody may hand in: a task's answers, its gold submission, its raw data.

A run table, a list of submissions or a link can name them as easily as any other file. So what
was opened is looked at, not what it is called: where the open file lies, which inode it is, and,
once read, what it holds.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.errors import InvalidSubmissionError
from biomlbench.outcomes import Reason
from biomlbench.runtime.once import once
from biomlbench.runtime.regular_file import TooLargeError, read_regular
from biomlbench.submission.content import digest_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from biomlbench.task.task import Task

__all__ = ["REFUSED", "WAYS", "PrivateFiles"]

REFUSED = "refused-submissions.json"
"""In a task's folder of data: paths of submissions that were refused as private files where they
were graded first, and by which of the sentences below. A benchmark that is run again has other
folders and copies of files, by which that could not be told again."""
_IN_PLACE = "the submission lies among the task's own data"
_LINKED = "the submission is one of the task's own private files under another name"
_COPY = "the submission is a copy of one of the task's own private files"
WAYS = (_IN_PLACE, _LINKED, _COPY)
"""What a submission is told that is a private file."""

_LONGEST = 2**63
_LEAST_BYTES = 64
"""A shorter file may well hold what another holds, by nothing but right work."""
_DESCRIPTORS = "/proc/self/fd"


class PrivateFiles:
    """What a submission to a task, or to one of several, must not be.

    Parameters
    ----------
    *tasks : Task
        Of one registry. Their data need not be prepared.
    """

    def __init__(self, *tasks: Task) -> None:
        data = {os.path.realpath(task.data_dir).rstrip("/") + "/" for task in tasks}
        self._data = tuple(sorted(data))
        self._homes = tuple(task.home for task in tasks)
        paths = {path for task in tasks for path in _own_of(task)}
        found = ((path, _regular(path)) for path in paths)
        self._files = {path: state for path, state in found if state is not None}
        self._inodes = frozenset(map(_inode, self._files.values()))
        sizes = (state.st_size for state in self._files.values())
        self._sizes = {size for size in sizes if size >= _LEAST_BYTES}
        self._refused = {p: why for task in tasks for p, why in _refused_before(task.home).items()}

    @classmethod
    def of(cls, task: Task) -> PrivateFiles:
        """Return what a submission to a task must not be, once for a batch of submissions."""
        return once(("private files", task), lambda: cls(task))

    def refuse_path(self, path: str | Path) -> None:
        """Look whether a path was refused where the benchmark was first run.

        Raises
        ------
        InvalidSubmissionError
            With the reason ``private_file``, and the message that there was then.
        """
        if (why := self._refused.get(os.fspath(path))) is not None:
            raise _refused(why)

    def refuse_file(self, descriptor: int) -> None:
        """Look at an open file's place and inode.

        Parameters
        ----------
        descriptor : int
            Of a regular file.

        Raises
        ------
        InvalidSubmissionError
            With the reason ``private_file``.
        """
        found = os.fstat(descriptor)
        if _is_private(self._place(descriptor)):
            raise _refused(_IN_PLACE)
        # Any file of the task may have got another name; public ones are anybody's.
        linked = found.st_nlink > 1 and _inode(found) in once(
            ("inodes of private files", self._homes), self._inodes_below
        )
        if linked or _inode(found) in self._inodes:
            raise _refused(_LINKED)

    def may_hold(self, size: int) -> bool:
        """Tell whether content of that size can be that of a private file."""
        return size in self._sizes

    def refuse_content(self, data: bytes) -> None:
        """Look at what was read.

        Parameters
        ----------
        data : bytes
            All of it.

        Raises
        ------
        InvalidSubmissionError
            With the reason ``private_file``.
        """
        if not self.may_hold(len(data)):
            return
        digest = hashlib.sha256(data).hexdigest()
        alike = (path for path, state in self._files.items() if state.st_size == len(data))
        if any(_digest(path) == digest for path in alike):
            raise _refused(_COPY)

    def _place(self, descriptor: int) -> tuple[str, ...]:
        try:
            # The kernel's name of an open file has no links in it.
            return self._parts(os.readlink(f"{_DESCRIPTORS}/{descriptor}"))  # noqa: PTH115 - often
        except OSError:  # no /proc here: inode and content still tell
            return ()

    def _inodes_below(self) -> frozenset[tuple[int, int]]:
        """Return the inodes of all private files in the tasks' folders of data."""
        paths = (path for home in self._homes for path in _files(home))
        private = (path for path in paths if _is_private(self._below(path)))
        return frozenset(_inode(state) for path in private if (state := _regular(path)))

    def _below(self, path: str) -> tuple[str, ...]:
        """Return the parts of a path below the data folder; none outside it."""
        return self._parts(os.path.realpath(path))

    def _parts(self, resolved: str) -> tuple[str, ...]:
        for data in self._data:
            if resolved.startswith(data):
                return tuple(resolved[len(data) :].split("/"))
        return ()


def _own_of(task: Task) -> Iterator[str]:
    if not task.is_card:
        yield from (str(task.answers), str(task.gold_submission))
    yield from _files(task.answers.parent)


def _is_private(parts: tuple[str, ...]) -> bool:
    """Tell whether a path below the data folder is of raw data or of answers, of any task."""
    folders = parts[:-1]
    if "private" in folders or "raw" in folders[2:3]:
        return True
    return any(name.startswith("prepared") for name in folders) and "public" not in folders


def _files(folder: Path) -> Iterator[str]:
    for place, _, names in os.walk(folder):
        yield from (os.path.join(place, name) for name in names)  # noqa: PTH118 - may be many


def _regular(path: str) -> os.stat_result | None:
    """Return the state of what a path leads to; None where that is no regular file."""
    try:
        found = Path(path).stat()
    except (OSError, ValueError):
        return None
    return found if stat.S_ISREG(found.st_mode) else None


def _inode(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino


def _digest(path: str) -> str | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        return digest_of(descriptor, _LONGEST)
    finally:
        os.close(descriptor)


def _refused_before(home: Path) -> dict[str, str]:
    try:
        found = json.loads(read_regular(home / REFUSED))
    except (OSError, ValueError, RecursionError, TooLargeError):
        return {}
    known = found.items() if isinstance(found, dict) else ()
    return {path: why for path, why in known if why in WAYS}


def _refused(message: str) -> InvalidSubmissionError:
    return InvalidSubmissionError(message, Reason.PRIVATE_FILE)
