"""The errors that say whose fault it is that something cannot be done, and what would help."""

from __future__ import annotations

import errno
import os
import re
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from .outcomes import Fault, Reason, fault_of
from .plain_text import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = [
    "FunctionError",
    "GraderError",
    "InvalidSubmissionError",
    "LeaderboardError",
    "NotPreparedError",
    "TaskError",
    "UserError",
    "explain",
    "faults_as",
    "function_error",
    "words_of",
]

_LOOK = "`ls -ld` shows whose it is"
# What a user can do about a file that the system refuses.
_REMEDIES = {
    errno.ENOENT: "check how it is written",
    errno.ENOTDIR: "a part of its path is a file, not a folder; check how it is written",
    errno.EISDIR: "it is a folder; name a file",
    errno.EEXIST: "it is there already; name another place, or move it away",
    errno.ENOTEMPTY: "it is not empty; name another place, or move it away",
    errno.EACCES: f"give this user the right to use it ({_LOOK}), or name another place",
    errno.EPERM: f"give this user the right to use it ({_LOOK}), or name another place",
    errno.EROFS: "it lies on a file system that is read-only; name another place",
    errno.ENOSPC: "the disk is full; free some of it, or name another place",
    errno.EDQUOT: "your share of the disk is used up; free some of it, or name another place",
    errno.EFBIG: "the file is too large for its file system; name another place",
    errno.ENAMETOOLONG: "the name is too long; use a shorter one",
    errno.ELOOP: "its links lead in a circle; name the file itself",
    errno.ENXIO: "it is no regular file; name one",
    errno.EMFILE: "too many files are open; allow more with `ulimit -n`",
    errno.ENFILE: "too many files are open on this machine; try again later",
    errno.ETXTBSY: "it is being run; name another place",
    errno.EIO: "the disk or terminal does not answer; name another place",
    errno.EPIPE: "nobody reads it any more; keep its reader running",
}
# Of a file without a name: most likely one that was opened long ago, such as standard output.
_OF_WRITING = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
_MAX_SHOWN = 300
# Refusals that another folder would cure.
_OF_FOLDERS = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.ENOTDIR)


# A file that takes its name only when it is whole: it is known by that name.
_OURS_AT_WORK = re.compile(r"(^|/)\.([^/]+?)(?:\.\d+(?:-\d+)?)?\.tmp$")


class UserError(Exception):
    """An error that the user can do something about.

    Its message is all that is shown, by every door: it names the file, row or key that is
    wrong and what would help. Any other exception is a fault of this project, and keeps its
    traceback.
    """


def explain(error: BaseException) -> str | None:
    """Return what to tell a user about an error; None if it is a fault of this project.

    Parameters
    ----------
    error : BaseException

    Returns
    -------
    str or None
        For a :class:`UserError` its message. For a file that the system refuses: the file, why,
        and the remedy. The system says only why where what was opened before cannot be written.

    Examples
    --------
    >>> explain(IsADirectoryError(21, "Is a directory", "runs"))
    'runs: Is a directory; it is a folder; name a file'
    >>> explain(OSError(40, "Too many links", "r/.report.html.77.tmp"))
    'r/report.html: Too many links; its links lead in a circle; name the file itself'
    >>> explain(OSError(27, "File too large"))
    'what is written: File too large; the file is too large for its file system; name another place'
    >>> explain(ZeroDivisionError()) is None
    True
    """
    if isinstance(error, UserError):
        return str(error)
    if isinstance(error, OSError) and error.errno is not None and error.filename is not None:
        # Of two files (a rename) the one that is written to is the one that is refused.
        file = error.filename2 if error.filename2 is not None else error.filename
        named = os.fsdecode(file) if isinstance(file, (str, bytes, os.PathLike)) else str(file)
        named = _OURS_AT_WORK.sub(r"\1\2", named)
        return f"{_shown(named)}: {error.strerror}; {folder_remedy(named, error.errno)}"
    if isinstance(error, OSError) and error.errno in _OF_WRITING:
        return f"what is written: {error.strerror}; {_REMEDIES[error.errno]}"
    return None


def _shown(path: str) -> str:
    text = plain(path)
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}..."


def folder_remedy(path: str | Path, number: int) -> str:
    """Return what would help where the system refuses a file.

    Parameters
    ----------
    path : path
    number : int
        As in `errno`.

    Returns
    -------
    str
        Names the setting that moves the folder elsewhere, where the path lies in one of ours.
    """
    remedy = _REMEDIES.get(number, "name another place")
    if number not in _OF_FOLDERS:
        return remedy
    from biomlbench.task.registry import cache_dir, default_data_dir

    for folder, setting in (
        (default_data_dir(), "set the environment variable BIOMLBENCH_DATA_DIR"),
        (cache_dir(), "set the environment variable BIOMLBENCH_CACHE_DIR"),
        (Path(tempfile.gettempdir()), "set the environment variable TMPDIR"),
    ):
        if Path(path).absolute().is_relative_to(folder.absolute()):
            return f"{remedy}: {setting} to a folder that can be written to"
    return remedy


class _ReasonedError(UserError, ValueError):
    """A message with a reason code."""

    default = Reason.OK

    def __init__(self, message: str = "", reason: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.reason = Reason(reason) if reason else self.default

    @property
    def fault(self) -> Fault:
        """Whose fault it is."""
        return fault_of(self.reason)

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        return type(self), (self.message, str(self.reason))


class InvalidSubmissionError(_ReasonedError):
    """The submission cannot be graded, and that is its own fault.

    Grading functions raise it; every other exception of theirs counts as their own bug.

    Parameters
    ----------
    message : str
    reason : str, optional
        A code of :class:`biomlbench.outcomes.Reason` that is the submission's fault.

    Examples
    --------
    >>> InvalidSubmissionError("column `y` is missing", "missing_columns").fault
    <Fault.SUBMISSION: 'submission'>
    """

    default = Reason.INVALID_SCORE


class TaskError(_ReasonedError):
    """A task's own files are wrong: its author must correct them."""

    default = Reason.BROKEN_TASK


class LeaderboardError(TaskError):
    """A leaderboard is empty, broken, or contradicts the direction of its metric."""

    default = Reason.BROKEN_LEADERBOARD


class NotPreparedError(TaskError):
    """The data of a task are not there yet."""

    default = Reason.NOT_PREPARED


class GraderError(_ReasonedError):
    """A grading function failed for a reason of its own."""

    default = Reason.GRADER_ERROR


class FunctionError(GraderError):
    """A task's own function raised, or gave no score, with one submission: others may have one."""


_OF_MACHINES = (MemoryError, ImportError, ConnectionError, TimeoutError)
_ERRNO_OF_MACHINES = {
    *(errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM),
    *(errno.EAGAIN, errno.EINTR, errno.EROFS, errno.ESTALE),
}


def function_error(message: str, cause: BaseException) -> GraderError:
    """Return what a failure of a task's own function is raised as.

    Parameters
    ----------
    message : str
    cause : BaseException
        What it raised. What comes of the machine, as a full disk or a library that is not there,
        says nothing of the submission.
    """
    of_machine = isinstance(cause, _OF_MACHINES) or (
        isinstance(cause, OSError) and cause.errno in _ERRNO_OF_MACHINES
    )
    return GraderError(message) if of_machine else FunctionError(message)


def words_of(error: BaseException) -> str:
    """Return type and message of what code of others has raised, whose text may raise as well.

    Parameters
    ----------
    error : BaseException

    Examples
    --------
    >>> words_of(ZeroDivisionError("division by zero"))
    'ZeroDivisionError: division by zero'
    """
    try:
        text = str(error)
    except BaseException:
        text = "its message cannot be shown"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


@contextmanager
def faults_as(before: str, error_of: Callable[[str], Exception] = TaskError) -> Iterator[None]:
    """Turn all that code of others raises, but for an interruption, into one error.

    Parameters
    ----------
    before : str
        What the message begins with; type and message of what was raised follow.
    error_of : callable
        Makes the error of its message.

    Examples
    --------
    >>> with faults_as("reference.py: "):
    ...     1 / 0
    Traceback (most recent call last):
    biomlbench.errors.TaskError: reference.py: ZeroDivisionError: division by zero
    """
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise error_of(f"{before}{words_of(error)}") from error
