"""Submitted files: opened, hashed and read without trust in what lies at their path.

Only regular files are opened, never links or devices. Sizes are capped before anything is read.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.errors import InvalidSubmissionError
from biomlbench.outcomes import Reason
from biomlbench.plain_text import plain
from biomlbench.runtime.regular_file import kind_in_words
from biomlbench.submission.code_encoding import decoded_code
from biomlbench.submission.content import digest_of, read_content
from biomlbench.submission.path_hints import no_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from biomlbench.submission.private_files import PrivateFiles

__all__ = [
    "MAX_BYTES",
    "MAX_CODE_BYTES",
    "OtherContentError",
    "confined",
    "expected_digest",
    "expecting",
    "file_sha256",
    "looked_in",
    "opened",
    "quote",
    "read_bytes",
    "read_code",
]

#: Largest submission file, and largest content of a compressed one, bytes.
MAX_BYTES = 512 * 2**20
#: Largest file of submitted code, bytes.
MAX_CODE_BYTES = 2**20
_ABSENT = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG)
# Longest path in a message.
_MAX_SHOWN = 300


def quote(text: object, limit: int = 60) -> str:
    r"""Return text of a submission as it may stand in a message: printable, not too long.

    Examples
    --------
    >>> quote("Größe" + chr(10))
    '`Größe\\n`'
    """
    shown = plain(str(text)[: limit + 1], one_line=True)
    return f"`{shown if len(shown) <= limit else shown[: limit - 3] + '...'}`"


def _named(path: str | Path) -> str:
    return quote(path, _MAX_SHOWN)


def looked_in(path: str | Path, root: str | Path | None = None) -> str:
    """Return where a submission that is not there was looked for, to be added to the message.

    It is not in the message itself: that stands in tables, which are equal wherever they are made.

    Parameters
    ----------
    path : path
        As it was given.
    root : path, optional
        Folder that a relative path starts from; by default the working directory.

    Returns
    -------
    str
        Empty for an absolute path.
    """
    if Path(path).is_absolute():
        return ""
    folder = Path(os.path.abspath(root or "."))  # noqa: PTH100 - `..` must not stay in it
    return f" (looked for in {folder})"


class OtherContentError(Exception):
    """A file does not hold what it held when its hash was taken."""


_expected: ContextVar[tuple[str, str] | None] = ContextVar("_expected", default=None)


@contextmanager
def expecting(path: str | Path, digest: str) -> Iterator[None]:
    """Have every reading of a file see the content of a hash, and no other in between.

    Parameters
    ----------
    path : path
    digest : str
        As :func:`file_sha256` gives it.

    Raises
    ------
    OtherContentError
        Where it is read and holds something else, even if it is put back afterwards.
    """
    token = _expected.set((os.fspath(path), digest))
    try:
        yield
    finally:
        _expected.reset(token)


def expected_digest(path: str | Path) -> str | None:
    """Return the hash that :func:`expecting` wants of a file; None where it wants none."""
    expected = _expected.get()
    return expected[1] if expected and expected[0] == os.fspath(path) else None


_confined: ContextVar[tuple[str, str] | None] = ContextVar("_confined", default=None)


@contextmanager
def confined(path: str | Path, folder: str | Path | None) -> Iterator[None]:
    """Have every opening of a file refuse one that does not lie below a folder then.

    Whoever may write into the folder may replace it, or one on the way to the file, by a link at
    any time. So what has been opened is looked at, not the path.

    Parameters
    ----------
    path : path
    folder : path or None
        Without links in it, from the working directory if it is relative; None refuses nothing.
    """
    token = _confined.set(None if folder is None else (os.fspath(path), os.fspath(folder)))
    try:
        yield
    finally:
        _confined.reset(token)


def _refuse_elsewhere(descriptor: int, path: str | Path) -> None:
    asked = _confined.get()
    if asked is None or asked[0] != os.fspath(path):
        return
    try:
        place = os.fspath(Path(f"/proc/self/fd/{descriptor}").readlink())
    except OSError:  # a system without /proc
        place = os.path.realpath(path)
    folder = os.path.normpath(os.path.join(os.path.realpath("."), asked[1]))  # noqa: PTH118
    if not place.startswith(f"{folder.rstrip('/')}/"):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


@contextmanager
def opened(path: str | Path, root: str | Path | None = None) -> Iterator[tuple[int, int]]:
    """Open a regular file without following a link; yield its descriptor and size."""
    with ExitStack() as stack:
        yield _open(path, root, stack)


def _open(path: str | Path, root: str | Path | None, stack: ExitStack) -> tuple[int, int]:
    try:
        with _folder(path, root) as (folder, name):
            kind = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
            if stat.S_ISREG(kind):
                flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
                descriptor = os.open(name, flags, dir_fd=folder)
                stack.callback(os.close, descriptor)
                _refuse_elsewhere(descriptor, path)
                info = os.fstat(descriptor)
                # files of the kernel have another content at each look
                kind = 0 if info.st_dev in _kernels() else info.st_mode
        if not stat.S_ISREG(kind):
            what = kind_in_words(kind) if kind else "one of the kernel's files"
            remedy = "name a file in it" if stat.S_ISDIR(kind) else "put a copy of the file there"
            raise InvalidSubmissionError(
                f"{_named(path)} is {what}, not a regular file; {remedy}", Reason.UNSAFE_PATH
            )
        return descriptor, os.fstat(descriptor).st_size
    except InvalidSubmissionError:
        raise
    except ValueError as error:  # a null byte in the path
        raise InvalidSubmissionError("the path is no path", Reason.MISSING_FILE) from error
    except OSError as error:
        if error.errno in _ABSENT:
            message = no_file(_named(path), path, root)
            reason = Reason.MISSING_FILE
        elif error.errno == errno.ELOOP:
            message, reason = f"the path {_named(path)} goes through a link", Reason.UNSAFE_PATH
        else:
            message = f"{_named(path)} cannot be opened ({error.strerror})"
            if error.errno == errno.EACCES:
                message += "; give the user of the run the right to read it (`chmod`)"
            reason = Reason.UNREADABLE
        raise InvalidSubmissionError(message, reason) from error


@cache
def _kernels() -> frozenset[int]:
    """Return the file systems in which the kernel shows its own state as files."""
    found = set()
    for folder in ("/proc", "/sys"):
        with suppress(OSError):
            found.add(Path(folder).stat().st_dev)
    return frozenset(found - {Path("/").stat().st_dev})


@contextmanager
def _folder(path: str | Path, root: str | Path | None) -> Iterator[tuple[int | None, str]]:
    """Yield the descriptor of a file's folder and the file's name in it.

    A path relative to `root` is walked part by part, and a link among the parts is refused.
    """
    name = os.fspath(path)
    if not name:
        raise InvalidSubmissionError("the run left no submission", Reason.MISSING_FILE)
    if root is None or Path(name).is_absolute():
        yield None, name
        return
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
    folder = os.open(root, flags)
    try:
        *parts, last = Path(name).parts or (".",)
        for part in parts:
            if stat.S_ISLNK(os.stat(part, dir_fd=folder, follow_symlinks=False).st_mode):
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
            inner = os.open(part, flags | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        yield folder, last
    finally:
        os.close(folder)


def read_bytes(
    path: str | Path,
    max_bytes: int = MAX_BYTES,
    root: str | Path | None = None,
    private: PrivateFiles | None = None,
) -> bytes:
    """Read a submitted file.

    Parameters
    ----------
    path : path
    max_bytes : int
        Largest size that is read.
    root : path, optional
        Folder that a relative path starts from. No part of the path below it may be a link.
    private : PrivateFiles, optional
        What it must not be.

    Raises
    ------
    InvalidSubmissionError
        With the reason ``missing_file``, ``unsafe_path``, ``private_file``, ``too_large`` or
        ``unreadable``.
    """
    if private is not None:
        private.refuse_path(path)
    with opened(path, root) as (descriptor, size):
        if private is not None:
            private.refuse_file(descriptor)
        if size > max_bytes:
            raise InvalidSubmissionError(
                f"the submission has {size} bytes; at most {max_bytes} are read", Reason.TOO_LARGE
            )
        data = read_content(descriptor, max_bytes)
    if data is None:
        raise InvalidSubmissionError(
            f"the submission has more than {max_bytes} bytes", Reason.TOO_LARGE
        )
    expected = expected_digest(path)
    if expected is not None and hashlib.sha256(data).hexdigest() != expected:
        raise OtherContentError(os.fspath(path))
    if private is not None:
        private.refuse_content(data)
    return data


def file_sha256(path: str | Path) -> str:
    """Return the SHA-256 of a submission.

    Parameters
    ----------
    path : path

    Returns
    -------
    str
        Hexadecimal; ``absent`` for what is no readable regular file, and ``too-large-<bytes>``
        for one that would not be read either.
    """
    try:
        with opened(path) as (descriptor, size):
            digest = None if size > MAX_BYTES else digest_of(descriptor, MAX_BYTES)
            return digest or f"too-large-{size}"
    except (InvalidSubmissionError, OSError):
        return "absent"


def read_code(path: str | Path, private: PrivateFiles | None = None) -> str:
    """Read submitted Python code.

    Parameters
    ----------
    path : path
    private : PrivateFiles, optional
        As for :func:`read_bytes`.

    Returns
    -------
    str

    Raises
    ------
    InvalidSubmissionError
        If it cannot be read, is larger than :data:`MAX_CODE_BYTES`, or is not text in the encoding
        that it declares (PEP 263), UTF-8 by default.

    Notes
    -----
    What is returned is handed on as UTF-8, and declares no other encoding.
    """
    text = decoded_code(read_bytes(path, MAX_CODE_BYTES, private=private))
    if "\0" in text:
        raise InvalidSubmissionError("the code holds a null byte", Reason.UNREADABLE)
    return text
