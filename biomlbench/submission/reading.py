"""Reading of submitted files, which are hostile until shown to be harmless.

Only regular files are opened, never links or devices. Sizes are capped before anything is
decoded. CSV is decoded here; Parquet, whose decoder has crashed on damaged files, in a
process of its own (:mod:`biomlbench.submission.parquet`). Messages name columns, counts and rows,
never values.
"""

from __future__ import annotations

import codecs
import errno
import hashlib
import io
import os
import stat
import zlib
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.errors import InvalidSubmissionError
from biomlbench.outcomes import Reason
from biomlbench.plain_text import plain
from biomlbench.submission.content import digest_of, known_table, parsed, read_content
from biomlbench.submission.csv_table import MAX_ROWS
from biomlbench.submission.path_hints import path_hint

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa

    from biomlbench.submission.private_files import PrivateFiles

__all__ = [
    "FORMATS",
    "MAX_BYTES",
    "MAX_CODE_BYTES",
    "OtherContentError",
    "binary_kind",
    "csv_text",
    "expecting",
    "file_sha256",
    "looked_in",
    "quote",
    "read_bytes",
    "read_code",
    "read_table",
    "submission_format",
]

#: Largest submission file, and largest content of a compressed one, bytes.
MAX_BYTES = 512 * 2**20
#: Largest file of submitted code, bytes.
MAX_CODE_BYTES = 2**20
#: File name endings that are read.
FORMATS = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet")

_MAGIC = {
    b"PAR1": "a Parquet file",
    b"PK\x03\x04": "a zip archive (or an Excel workbook)",
    b"\x1f\x8b": "gzip-compressed",
    b"\x89HDF": "an HDF5 file",
    b"\x80\x04": "a Python pickle",
}
_BOMS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
# Of what is unpacked or decoded at one time, bytes.
_PIECE = 2**20
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


def _expected_digest(path: str | Path) -> str | None:
    expected = _expected.get()
    return expected[1] if expected and expected[0] == os.fspath(path) else None


@contextmanager
def _opened(path: str | Path, root: str | Path | None = None) -> Iterator[tuple[int, int]]:
    """Open a regular file without following a link; yield its descriptor and size."""
    descriptor = -1
    try:
        with _folder(path, root) as (folder, name):
            kind = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
            if stat.S_ISREG(kind):
                flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
                descriptor = os.open(name, flags, dir_fd=folder)
                kind = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(kind):
            what, remedy = "a link or a device", "put a copy of the file there"
            if stat.S_ISDIR(kind):
                what, remedy = "a folder", "name a file in it"
            raise InvalidSubmissionError(
                f"{_named(path)} is {what}, not a regular file; {remedy}", Reason.UNSAFE_PATH
            )
        size = os.fstat(descriptor).st_size
    except InvalidSubmissionError:
        raise
    except ValueError as error:  # a null byte in the path
        raise InvalidSubmissionError("the path is no path", Reason.MISSING_FILE) from error
    except OSError as error:
        if error.errno in _ABSENT:
            message = f"there is no file {_named(path)}{path_hint(path, root)}"
            reason = Reason.MISSING_FILE
        elif error.errno == errno.ELOOP:
            message, reason = f"the path {_named(path)} goes through a link", Reason.UNSAFE_PATH
        else:
            message = f"{_named(path)} cannot be opened ({error.strerror})"
            if error.errno == errno.EACCES:
                message += "; give the user of the run the right to read it (`chmod`)"
            reason = Reason.UNREADABLE
        raise InvalidSubmissionError(message, reason) from error
    try:
        yield descriptor, size
    finally:
        os.close(descriptor)


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
    with _opened(path, root) as (descriptor, size):
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
    expected = _expected_digest(path)
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
        with _opened(path) as (descriptor, size):
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
        If it cannot be read, is larger than :data:`MAX_CODE_BYTES`, or is not UTF-8 text.
    """
    data = read_bytes(path, MAX_CODE_BYTES, private=private)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidSubmissionError(
            f"the code is not UTF-8 text: line {line}", Reason.UNREADABLE
        ) from error
    if "\0" in text:
        raise InvalidSubmissionError("the code holds a null byte", Reason.UNREADABLE)
    return text


def submission_format(name: str | Path) -> str:
    """Return which of :data:`FORMATS` a file's name claims.

    Raises
    ------
    InvalidSubmissionError
        With the reason ``wrong_format``.

    Examples
    --------
    >>> submission_format("runs/1/Submission.CSV")
    '.csv'
    """
    lower = Path(name).name.lower()
    for ending in FORMATS:
        if lower.endswith(ending):
            return ending
    raise InvalidSubmissionError(
        f"the file's name must end in one of {', '.join(FORMATS)}", Reason.WRONG_FORMAT
    )


def read_table(
    source: str | Path | bytes,
    columns: Mapping[str, str],
    name: str | Path | None = None,
    root: str | Path | None = None,
    private: PrivateFiles | None = None,
    most_rows: int = MAX_ROWS,
    most_bytes: int | None = None,
) -> pa.Table:
    """Read a submission as a table with exactly the given columns.

    Parameters
    ----------
    source : path or bytes
        The file, or its content.
    columns : mapping of str to str
        Name to type: ``number`` (float64), ``integer`` (int64, where every value is one) or
        ``text`` (string, exactly as written).
    name : path, optional
        Name that tells the format of `source`, where that is bytes (default: CSV).
    root, private : optional
        As for :func:`read_bytes`; content that comes as bytes is nobody's file.
    most_rows : int
        A submission with more rows is refused, if possible before it is parsed.
    most_bytes : int, optional
        A file that is larger is refused, and a compressed one that holds more; by default
        :data:`MAX_BYTES`.

    Returns
    -------
    pyarrow.Table
        The columns in the order of `columns`, the rows in the order of the file. A missing
        number is null or NaN; a missing text is empty. A column that was asked for as
        ``integer`` is float64 where a value is no integer, and string where one is no number.

    Raises
    ------
    InvalidSubmissionError
        With a reason code, and a message that names columns, counts and rows only.
    """
    try:
        kind = submission_format(name if name is not None else _name_of(source))
    except InvalidSubmissionError:
        if not isinstance(source, bytes):
            with _opened(source, root):
                pass  # that a file is missing comes before what its name says
        raise
    most_bytes = MAX_BYTES if most_bytes is None else most_bytes
    how = (kind, most_rows, most_bytes, *columns.items())
    # What may be a copy, or another file, is read again: the very bytes are looked at.
    if not isinstance(source, bytes) and _expected_digest(source) is None:
        with _opened(source, root) as (descriptor, size):
            if private is not None:
                private.refuse_file(descriptor)
            known = private is None or not private.may_hold(size)
            if known and (table := known_table(descriptor, how)) is not None:
                return table
    data = source if isinstance(source, bytes) else read_bytes(source, most_bytes, root, private)
    return parsed(data, how, lambda: _parsed(data, kind, columns, most_rows, most_bytes))


def _parsed(
    data: bytes, kind: str, columns: Mapping[str, str], most_rows: int, most_bytes: int
) -> pa.Table:
    if kind == ".parquet":
        from biomlbench.submission.parquet import read_parquet

        return read_parquet(data, columns, most_rows, most_bytes)
    if kind.endswith(".gz"):
        data = _gunzip(data, most_bytes)
    from biomlbench.submission.csv_table import read_csv_table

    return read_csv_table(
        csv_text(data, most_bytes), columns, "\t" if ".tsv" in kind else ",", most_rows
    )


def _name_of(source: str | Path | bytes) -> str | Path:
    return "submission.csv" if isinstance(source, bytes) else source


def _gunzip(data: bytes, most: int) -> bytes:
    reader = zlib.decompressobj(wbits=31)
    # Piece by piece into one buffer: in one go zlib takes twice the memory.
    content = io.BytesIO()
    read = 0
    while read < len(data) and not reader.eof:
        # What is not consumed is copied each time: little, as it comes in pieces too.
        rest = data[read : read + _PIECE]
        read += len(rest)
        while rest and not reader.eof:
            try:
                content.write(reader.decompress(rest, _PIECE))
            except zlib.error as error:
                raise InvalidSubmissionError(
                    "the file is not valid gzip", Reason.UNREADABLE
                ) from error
            if content.tell() > most:
                raise InvalidSubmissionError(
                    f"the file unpacks to more than {most} bytes", Reason.TOO_LARGE
                )
            rest = reader.unconsumed_tail
    if not reader.eof or reader.unused_data or read < len(data):
        raise InvalidSubmissionError(
            "the file is cut off or has data after its end", Reason.UNREADABLE
        )
    return content.getvalue()


def _as_utf8(data: bytes, encoding: str, most: int) -> bytes:
    decoder = codecs.getincrementaldecoder(encoding)()
    content = io.BytesIO()
    for start in range(2, len(data), _PIECE):
        content.write(decoder.decode(data[start : start + _PIECE]).encode())
        if content.tell() > most:
            raise InvalidSubmissionError(
                f"the file has more than {most} bytes as UTF-8", Reason.TOO_LARGE
            )
    content.write(decoder.decode(b"", final=True).encode())
    return content.getvalue()


def binary_kind(data: bytes) -> str | None:
    r"""Return what a file that should be text is instead; None where its first bytes do not tell.

    Examples
    --------
    >>> binary_kind(b"PAR1"), binary_kind(b"id,y\n")
    ('a Parquet file', None)
    """
    return next((what for magic, what in _MAGIC.items() if data.startswith(magic)), None)


def csv_text(data: bytes, most_bytes: int = MAX_BYTES) -> bytes:
    """Return a file's content as UTF-8 without a byte order mark; refuse what is no text.

    Parameters
    ----------
    data : bytes
    most_bytes : int
        More are refused.

    Raises
    ------
    InvalidSubmissionError
        With the reason ``unreadable`` or ``too_large``.
    """
    if what := binary_kind(data):
        raise InvalidSubmissionError(
            f"the file's name says text, but it is {what}", Reason.UNREADABLE
        )
    if encoding := _BOMS.get(data[:2]):
        try:
            data = _as_utf8(data, encoding, most_bytes)
        except UnicodeError as error:
            raise InvalidSubmissionError(
                "the file is not valid UTF-16; write UTF-8", Reason.UNREADABLE
            ) from error
    data = data.removeprefix(b"\xef\xbb\xbf")
    if b"\0" in data:
        raise InvalidSubmissionError("the file is binary, not text", Reason.UNREADABLE)
    return data
