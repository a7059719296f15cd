"""Files out of archives (zip, tar, gz), written to disk within limits, whatever the archive says.

Links, devices and paths that lead out are never followed. Only what is asked for is written.
"""

from __future__ import annotations

import gzip
import os
import stat
import tarfile
import zipfile
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, cast

from biomlbench.errors import TaskError
from biomlbench.runtime.packed_files import BROKEN, stays_inside
from biomlbench.task.sources.archives import DataSourceError
from biomlbench.task.sources.download import check_room
from biomlbench.whole_files import whole_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

__all__ = ["ARCHIVES", "extract", "extract_all"]

ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".gz")
"""Endings of archives that are read."""
MAX_UNPACKED_BYTES = 2 * 2**40
MAX_FILES = 5_000_000
_CHUNK = 1 << 20
_LOOK = 64 << 20
"""Bytes after which it is looked again whether the disk has room."""


def extract(archive: Path, wanted: Iterable[tuple[str, Path]]) -> None:
    """Write members of an archive to files.

    Parameters
    ----------
    archive : Path
    wanted : iterable of (str, Path)
        Paths inside the archive, each with a file that it goes to.

    Raises
    ------
    TaskError
        If one is no regular file in it.
    DataSourceError
        If the archive cannot be read, or the disk has no room.
    """
    left: dict[str, list[Path]] = {}
    for member, path in wanted:
        left.setdefault(member, []).append(path)
    with _readable(archive):
        for name, size, opened in _members(archive):
            for path in left.pop(name, ()):
                path.parent.mkdir(parents=True, exist_ok=True)
                check_room(path.parent, size, f"{archive.name}: {name}")
                with whole_file(path) as temporary, opened() as source:
                    _copy(source, temporary, archive, MAX_UNPACKED_BYTES)
            if not left:
                return
    missing = ", ".join(sorted(left))
    raise TaskError(f"{archive.name}: has no file {missing}; correct `member` in config.yaml")


def extract_all(archive: Path, folder: Path) -> None:
    """Write all regular files of an archive below a folder.

    Raises
    ------
    DataSourceError
        If it cannot be read, holds a path that leads out, more than :data:`MAX_UNPACKED_BYTES` or
        :data:`MAX_FILES`, or the disk has no room.
    """
    room = MAX_UNPACKED_BYTES
    folder.mkdir(parents=True, exist_ok=True)
    with _readable(archive):
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as zipped:
                check_room(folder, sum(e.file_size for e in zipped.infolist()), archive.name)
        for number, (name, _, opened) in enumerate(_members(archive), 1):
            if number > MAX_FILES:
                raise DataSourceError(f"{archive.name}: holds more than {MAX_FILES:,} files")
            if not stays_inside(name):
                raise DataSourceError(
                    f"{archive.name}: holds {name[:200]!r}, which leads out of it"
                )
            try:
                with whole_file(folder / name) as temporary, opened() as source:
                    room -= _copy(source, temporary, archive, room)
            except gzip.BadGzipFile:
                raise
            except OSError as error:  # a name too long, or one that is a folder of others
                raise DataSourceError(
                    f"{archive.name}: {name[:200]!r} cannot be unpacked ({error.strerror or error})"
                ) from error


@contextmanager
def _readable(archive: Path) -> Iterator[None]:
    try:
        yield
    except (*BROKEN, gzip.BadGzipFile) as error:
        raise DataSourceError(
            f"{archive}: cannot be read ({error}); it is cut short or damaged: delete it and run "
            "again"
        ) from error
    except RuntimeError as error:
        if isinstance(error, DataSourceError) or "password" not in str(error):
            raise
        raise DataSourceError(f"{archive}: its files are encrypted") from error


def _members(archive: Path) -> Iterator[tuple[str, int, Callable[[], IO[bytes]]]]:
    """Yield name, stated size and opener of each regular file."""
    if archive.name.endswith((".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")):
        with tarfile.open(archive, "r:*") as tar:
            for info in tar:
                if info.isreg():
                    yield info.name, info.size, lambda: _of_tar(tar, info)  # noqa: B023
    elif archive.name.endswith(".gz"):
        yield archive.name.removesuffix(".gz"), 0, lambda: _of_gzip(archive)
    else:
        with zipfile.ZipFile(archive) as zipped:
            for entry in zipped.infolist():
                kind = stat.S_IFMT(entry.external_attr >> 16)
                if not entry.is_dir() and kind in (0, stat.S_IFREG):
                    yield entry.filename, entry.file_size, lambda: zipped.open(entry)  # noqa: B023


def _of_gzip(archive: Path) -> IO[bytes]:
    return cast("IO[bytes]", gzip.open(archive))


def _of_tar(tar: tarfile.TarFile, info: tarfile.TarInfo) -> IO[bytes]:
    handle = tar.extractfile(info)
    if handle is None:
        raise tarfile.TarError(f"{info.name} is no file")
    return handle


def _copy(source: IO[bytes], path: Path, archive: Path, limit: int) -> int:
    written = looked = 0
    with path.open("wb") as target:
        while chunk := source.read(_CHUNK):
            written += len(chunk)
            if written - looked > _LOOK:  # what it unpacks to, only zip files say before
                looked = written
                check_room(path.parent, len(chunk), archive.name)
            if written > limit:
                raise DataSourceError(
                    f"{archive.name}: unpacks to more than {MAX_UNPACKED_BYTES:,} bytes"
                )
            target.write(chunk)
        target.flush()
        os.fsync(target.fileno())
    return written
