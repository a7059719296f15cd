"""One run at a time: a lock on a results folder that no killed run leaves behind."""

from __future__ import annotations

import fcntl
import time
from pathlib import Path
from typing import TextIO

from biomlbench.errors import UserError

__all__ = ["LockedError", "is_held", "lock", "mark"]

# Who asks whether a lock is held has it for an instant.
_PAUSES_S = (0.0, 0.05, 0.2)


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
    for pause in _PAUSES_S:
        time.sleep(pause)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            continue
        return file
    file.close()
    raise LockedError(
        f"{path.parent}: another run is writing to this folder; wait until it has ended"
    )


def mark(path: str | Path) -> TextIO | None:
    """Let others see, with :func:`is_held`, that this process is at something.

    Unlike :func:`lock` it refuses nobody.

    Parameters
    ----------
    path : path
        File of the mark; its folder is created.

    Returns
    -------
    file or None
        Keep it: the mark stands while it is open. None where it cannot be written, or another
        process's stands.
    """
    try:
        return lock(path)
    except LockedError:
        return None


def is_held(path: str | Path) -> bool:
    """Tell whether a process holds a lock or mark; one that cannot be read counts as free.

    Parameters
    ----------
    path : path
        Lock file, as for :func:`lock`; it is not made.
    """
    try:
        with Path(path).open() as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False
