"""Files that get their name only when they are complete."""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
import sys
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

__all__ = ["named_output", "whole_file", "write_whole"]

_LONGEST = 200  # of a name that the rest is added to; file systems allow 255 bytes
_MOST_LINKS = 40
_OF_WRITING = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EPIPE)
_OPEN_FILE = re.compile(r"/proc/\d+/(?:task/\d+/)?fd")


@contextmanager
def whole_file(path: str | Path) -> Iterator[Path]:
    """Give the place of a file that gets its name once it is complete; else it goes.

    Parameters
    ----------
    path : path
        Whoever reads it meanwhile sees the old file, or none. Its folder is made where it is
        not there.

    Yields
    ------
    Path
        Where to write it; :func:`biomlbench.errors.explain` knows it by the name it is to get.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    own = f"{os.getpid()}-{threading.get_ident()}"
    temporary = path.with_name(f".{path.name[:_LONGEST]}.{own}.tmp")
    try:
        with _named(path):
            yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_whole(folder: str, name: str, content: bytes | memoryview) -> os.stat_result:
    """Write a small file as :func:`whole_file` does, one of very many.

    Parameters
    ----------
    folder : str
        Is there.
    name : str
        Short enough to be added to.
    content : bytes-like

    Returns
    -------
    os.stat_result
        Of this very file, whatever has its name by now.
    """
    path = f"{folder}/{name}"
    temporary = f"{folder}/.{name}.{os.getpid()}-{threading.get_ident()}.tmp"
    try:
        with _named(Path(path)), open(temporary, "wb", buffering=0) as file:  # noqa: PTH123
            left = memoryview(content)
            while left:
                left = left[file.write(left) :]
            state = os.fstat(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return state


@contextmanager
def named_output(path: str | Path) -> Iterator[Path]:
    """Give the place of a file that a user has named, of whatever kind it is.

    A file is replaced once the new one is complete, as by :func:`whole_file`. Of a link that is
    the file that it leads to; the link stays. A pipe or a device cannot be replaced without being
    lost to everybody else who uses it: it is written to.

    Parameters
    ----------
    path : path

    Yields
    ------
    Path
        Where to write it; any position can be sought in it.

    Raises
    ------
    IsADirectoryError
        If it is a folder.
    OSError
        If it cannot be written, or its links lead in a circle.
    """
    path = Path(path)
    place = _led_to(path)
    is_open = _OPEN_FILE.fullmatch(str(place.parent)) is not None
    mode = place.stat().st_mode if is_open or place.exists() else stat.S_IFREG
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if stat.S_ISREG(mode) and not is_open:
        with whole_file(place) as temporary:
            yield temporary
        return
    with tempfile.TemporaryDirectory(prefix="biomlbench-") as folder:
        temporary = Path(folder) / "output"
        with _named(temporary):
            yield temporary
        with _named(path), temporary.open("rb") as source, _opened(place) as target:
            shutil.copyfileobj(source, target)


def _led_to(path: Path) -> Path:
    """Return where links lead; the entry of an open file of a process is none of them."""
    place = path
    for _ in range(_MOST_LINKS):
        # An entry of /proc reads as the name of what is open, which may be gone or no file.
        folder = place.parent.resolve()
        place = folder / place.name
        if _OPEN_FILE.fullmatch(str(folder)) or not place.is_symlink():
            return place
        place = folder / place.readlink()
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))


def _opened(place: Path) -> BinaryIO:
    """Open what is no regular file; what this process has open goes on where it is."""
    if place.parent == Path(f"/proc/{os.getpid()}/fd") and place.name.isdecimal():
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
        return os.fdopen(os.dup(int(place.name)), "wb")
    # Not made anew: what was there a moment ago may be gone.
    return os.fdopen(os.open(place, os.O_WRONLY | os.O_NOCTTY), "wb")


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Name the file in the errors of writing to it, which say only why: that the disk is full."""
    try:
        yield
    except OSError as error:
        if error.errno not in _OF_WRITING or error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error
