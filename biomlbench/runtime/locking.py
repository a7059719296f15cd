"""One run at a time: a lock on a results folder that no killed run leaves behind."""

from __future__ import annotations

import fcntl
from pathlib import Path
from typing import TextIO

from biomlbench.errors import UserError

__all__ = ["LockedError", "lock"]


class LockedError(UserError, RuntimeError):
    """Another run is writing to the same results."""


def lock(path: str | Path) -> TextIO:
    """Take the lock of a results folder for as long as this process lives.

    Parameters
    ----------
    path : path
        Lock file; its folder is created.

    Returns
    -------
    file
        Keep it: the lock is held while it is open. It is free again however the process ends.

    Raises
    ------
    LockedError
        If another process holds it, or the folder cannot be written.
    """
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a")
    except OSError as error:
        raise LockedError(
            f"{path.parent}: cannot be written ({error.strerror}); give this user the right to "
            "write there, or name another folder as `results_dir` in the config"
        ) from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise LockedError(
            f"{path.parent}: another run is writing to this folder; wait until it has ended"
        ) from None
    return file
