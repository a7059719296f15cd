"""Members of archives among the public files, unpacked one at a time within bounds.

Whatever an archive says of names and sizes: nothing is written under a name of its own, and what
is unpacked is counted while it is.
"""

from __future__ import annotations

import gzip
import io
import stat
import struct
import tarfile
import tempfile
import zipfile
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple, cast

from biomlbench.errors import InvalidSubmissionError
from biomlbench.runtime.packed_files import BROKEN, ENCRYPTED, PackedError, listed_members
from biomlbench.submission.unpacked_text import gunzip

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["ARCHIVES", "UNREADABLE", "Room", "unpacked"]

ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz")
MAX_LISTED = 100_000
"""Archives of more members are not searched; of a tar file, those beyond so many."""
MAX_MEMBERS = 100
"""Members of one archive beyond so many are not unpacked."""
MAX_MEMBER_BYTES = 64 << 20
"""Members that unpack to more are left out."""
MAX_BYTES = 256 << 20
"""Bytes that all archives and databases of a task may unpack to together."""
UNREADABLE = (
    *(OSError, ValueError, RuntimeError, MemoryError, InvalidSubmissionError),
    *(struct.error, LookupError, ArithmeticError, *BROKEN),
)
"""What reading an archive or what it holds raises; of a file with a password, RuntimeError."""
_PIECE = 1 << 20
_GLANCE = 4096
# The others unpack a piece of any size at once, or take memory that the archive asks for.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class Room:
    """What may still be unpacked of a task's archives and databases.

    Attributes
    ----------
    left : int
        Bytes.
    cut : set of Path
        Files of which a table could not be read, or was too much.
    """

    def __init__(self, left: int = MAX_BYTES) -> None:
        self.left = left
        self.cut: set[Path] = set()

    @property
    def most(self) -> int:
        """Bytes that one member, or one table of a database, may have."""
        return min(MAX_MEMBER_BYTES, self.left)

    def take(self, size: int) -> None:
        """Use up some bytes.

        Raises
        ------
        PackedError
            If fewer are left.
        """
        self.left -= size
        if self.left < 0:
            self.left = 0
            raise PackedError("it unpacks to too much")


class _Member(NamedTuple):
    name: str
    opened: Callable[[], IO[bytes]]


def unpacked(path: Path, endings: Sequence[str], room: Room) -> Iterator[tuple[str, Path]]:
    """Yield the members of an archive, each as a file that is there until the next one is.

    Parameters
    ----------
    path : Path
        Its name ends in one of :data:`ARCHIVES`.
    endings : sequence of str
        How names of tables end. Such members come first, and are unpacked from gzip if ``.gz``
        follows. Others that may be text come after them, under a name without an ending.
    room : Room

    Yields
    ------
    name : str
        In the archive.
    file : Path

    Raises
    ------
    PackedError
        If it lists too much.
    *UNREADABLE
        If it is damaged.
    """
    with tempfile.TemporaryDirectory() as base:
        folder = Path(base)
        listed = _zip if path.name.lower().endswith(".zip") else _tar
        with listed(path, folder, room) as members:
            kinds = [_ending(member.name, endings) for member in members]
            order = sorted(range(len(members)), key=lambda i: not kinds[i])
            if any(kinds[i] for i in order[MAX_MEMBERS:]):
                room.cut.add(path)
            for i in order[:MAX_MEMBERS]:
                try:
                    data = _content(members[i], kinds[i], room)
                except UNREADABLE:
                    if kinds[i]:
                        room.cut.add(path)
                    continue
                if data is not None:
                    file = folder / f"member{kinds[i]}"
                    file.write_bytes(data)
                    yield members[i].name, file


def _ending(name: str, endings: Sequence[str]) -> str:
    plain = name.lower().removesuffix(".gz")
    return next((one for one in endings if plain.endswith(one)), "")


def _content(member: _Member, kind: str, room: Room) -> bytes | None:
    """Return what a member holds; None for one that is no table by its name, nor text."""
    with member.opened() as source:
        data = source.read(_GLANCE)
        if not kind and b"\0" in data:
            return None
        content = io.BytesIO()
        most = room.most
        while data:
            content.write(data)
            room.take(len(data))
            if content.tell() > most:
                raise PackedError("it unpacks to too much")
            data = source.read(_PIECE)
    if not (kind and member.name.lower().endswith(".gz")):
        return content.getvalue()
    inner = gunzip(content.getvalue(), room.most)
    room.take(len(inner))
    return inner


@contextmanager
def _zip(path: Path, folder: Path, room: Room) -> Iterator[list[_Member]]:
    del folder, room
    entries = [
        info
        for info in listed_members(path, MAX_LISTED)
        if not info.is_dir() and stat.S_IFMT(info.external_attr >> 16) in (0, stat.S_IFREG)
    ]
    with zipfile.ZipFile(path) as file:
        yield [_Member(info.filename, partial(_of_zip, file, info)) for info in entries]


def _of_zip(file: zipfile.ZipFile, info: zipfile.ZipInfo) -> IO[bytes]:
    if info.flag_bits & ENCRYPTED or info.compress_type not in _METHODS:
        raise PackedError("it is encrypted, or packed in a way that is not read")
    return file.open(info)


@contextmanager
def _tar(path: Path, folder: Path, room: Room) -> Iterator[list[_Member]]:
    plain = path
    if not path.name.lower().endswith(".tar"):
        plain = folder / "tar"
        _gunzip_start(path, plain, room)
    with _SmallReads(plain) as raw, tarfile.open(fileobj=raw, mode="r:") as tar:
        members: list[_Member] = []
        try:
            for number, info in enumerate(tar):
                if number == MAX_LISTED:
                    room.cut.add(path)
                    break
                if info.isreg():
                    members.append(_Member(info.name, partial(_of_tar, tar, info)))
        except UNREADABLE:
            room.cut.add(path)
        yield members


def _gunzip_start(path: Path, plain: Path, room: Room) -> None:
    """Unpack a file, or as much of it as there is room for and as is not damaged."""
    try:
        with gzip.open(path) as source, plain.open("wb") as target:
            while data := source.read(min(_PIECE, max(1, room.left))):
                room.take(len(data))
                target.write(data)
    except UNREADABLE:
        room.cut.add(path)


def _of_tar(tar: tarfile.TarFile, info: tarfile.TarInfo) -> IO[bytes]:
    return cast("IO[bytes]", tar.extractfile(info))


class _SmallReads(io.FileIO):
    """A file of which nobody reads as much at once as a header of a hostile archive asks for."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is None or not 0 <= size <= 4 * _PIECE:
            raise PackedError("a header of it is too large")
        return super().read(size) or b""
