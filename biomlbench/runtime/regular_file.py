"""Reading of a list that somebody wrote: no pipe is waited for, and no device read for ever."""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

from biomlbench.errors import UserError

if TYPE_CHECKING:
    from io import BufferedReader
    from pathlib import Path

__all__ = ["MAX_LIST_MB", "TooLargeError", "kind_in_words", "opened_regular", "read_regular"]

MAX_LIST_MB = 256
"""Largest list of runs or submissions, MiB: a line has a few hundred bytes, so a million runs."""


_KINDS = {
    stat.S_IFREG: "a file",
    stat.S_IFDIR: "a folder",
    stat.S_IFLNK: "a link",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class TooLargeError(UserError):
    """A file is larger than any list that is read."""


def kind_in_words(mode: int) -> str:
    """Return what something on a disk is.

    Parameters
    ----------
    mode : int
        Its ``st_mode``.

    Examples
    --------
    >>> kind_in_words(0o010600)
    'a pipe'
    """
    return _KINDS.get(stat.S_IFMT(mode), "no file")


def read_regular(path: str | Path, most_mb: int = MAX_LIST_MB) -> bytes:
    """Return the content of a regular file; links are followed, for the user named it.

    Parameters
    ----------
    path : path
    most_mb : int
        Largest file that is read, MiB.

    Raises
    ------
    TooLargeError
        If it is larger.
    OSError
        If it is not there, cannot be read, or is no regular file.
    """
    most = most_mb * 2**20
    with opened_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        data = b"" if size > most else file.read(most + 1)
    if max(size, len(data)) > most:
        raise TooLargeError(f"{path}: larger than {most_mb} MiB; split it")
    return data


def opened_regular(path: str | Path) -> BufferedReader:
    """Open a regular file to read its bytes; links are followed.

    Parameters
    ----------
    path : path

    Raises
    ------
    OSError
        If it is not there, cannot be read, or is no regular file.
    """
    file = open(path, "rb", opener=_without_waiting)  # noqa: SIM115 - whoever asked closes it
    try:
        mode = os.fstat(file.fileno()).st_mode
        if not stat.S_ISREG(mode):
            raise OSError(errno.ENXIO, kind_in_words(mode), os.fspath(path))
    except OSError:
        file.close()
        raise
    return file


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)
