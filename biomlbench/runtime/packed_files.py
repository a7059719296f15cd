"""Zip files that others packed: nothing of one is unpacked before its list of files is checked."""

from __future__ import annotations

import itertools
import lzma
import stat
import tarfile
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from biomlbench.runtime.bounded import Allowance, OverdrawnError, call_bounded

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from biomlbench.contracts.mappings import JsonObject

__all__ = [
    *("BROKEN", "ENCRYPTED", "PackedError", "PackedLimits", "checked_members", "listed_members"),
    "stays_inside",
]

BROKEN = (
    *(tarfile.TarError, zipfile.BadZipFile, NotImplementedError),
    *(zlib.error, lzma.LZMAError, EOFError),
)
"""What reading a packed file raises that is cut short, damaged or packed in an unknown way."""
_SMALL_BYTES = 32 << 20
"""Size of a zip file whose list of files, 50 bytes or more for each, takes 400 MB at most."""
_LISTING = Allowance(memory_mb=1536)
"""What the list of as many files as an archive may have takes."""
ENCRYPTED = 1
"""Bit of a member's flags that says that a password is needed."""


class PackedError(ValueError):
    """A zip file is none that is unpacked; the message says why, and does not name it."""


class PackedLimits(NamedTuple):
    """What a zip file may hold at most, by what it says itself."""

    files: int
    file_bytes: int
    total_bytes: int


def stays_inside(name: str) -> bool:
    """Tell whether a name in a packed file stays in the folder that it would be unpacked to.

    Examples
    --------
    >>> stays_inside("samples/a.json"), stays_inside("../a"), stays_inside("/a")
    (True, False, False)
    """
    path = PurePosixPath(name)
    is_relative = bool(path.parts) and not path.is_absolute()
    return is_relative and ".." not in path.parts and "\0" not in name


def listed_members(path: Path, most: int | None = None) -> list[zipfile.ZipInfo]:
    """Return what a zip file lists, nothing of it checked, in bounded memory.

    Parameters
    ----------
    path : Path
    most : int, optional
        More members are refused.

    Raises
    ------
    PackedError
        If listing them takes too much memory, or there are more.
    zipfile.BadZipFile, OSError
        If it is no zip file, or cannot be read.
    """
    if path.stat().st_size > _SMALL_BYTES:
        try:
            count = int(call_bounded(f"{__name__}:_list", {"path": str(path)}, _LISTING))
        except OverdrawnError as error:
            raise PackedError(f"listing its files {error}") from None
        if most is not None and count > most:
            raise PackedError(f"{count} files; at most {most} are listed")
    with zipfile.ZipFile(path) as file:
        found = file.infolist()
    if most is not None and len(found) > most:
        raise PackedError(f"{len(found)} files; at most {most} are listed")
    return found


def checked_members(
    path: Path,
    limits: PackedLimits,
    is_name: Callable[[str], bool] = stays_inside,
    methods: Collection[int] | None = None,
) -> dict[str, zipfile.ZipInfo]:
    """Return the files of a zip file by their names, each checked before any is read.

    Parameters
    ----------
    path : Path
    limits : PackedLimits
    is_name : callable, optional
        Which names are taken.
    methods : collection of int, optional
        Ways of packing that are taken; by default all that the reader knows.

    Raises
    ------
    PackedError
        If a name leads out, comes twice or is the folder of another one, something is a link, a
        device or encrypted, or there is more than the limits allow.
    zipfile.BadZipFile, OSError
        If it is no zip file, or cannot be read.
    """
    members: dict[str, zipfile.ZipInfo] = {}
    total = 0
    for info in listed_members(path):
        name, kind = info.filename, stat.S_IFMT(info.external_attr >> 16)
        total += info.file_size
        shown = ascii(name[:100])
        if not is_name(name) or name in members:
            raise PackedError(f"{shown} is no name that is unpacked, or comes twice")
        if kind not in (0, stat.S_IFREG) or info.flag_bits & ENCRYPTED:
            raise PackedError(f"{shown} is a link, a device or encrypted")
        if methods is not None and info.compress_type not in methods:
            raise PackedError(f"{shown} is packed otherwise than `archive` does it")
        if info.file_size > limits.file_bytes or total > limits.total_bytes:
            raise PackedError(f"too large, at {shown}")
        members[name] = info
    if len(members) > limits.files:
        raise PackedError(f"{len(members)} files; at most {limits.files} are unpacked")
    if (both := _file_as_folder(members)) is not None:
        raise PackedError(f"{both[:100]!a} is a file, and the folder of another one")
    return members


def _file_as_folder(names: Collection[str]) -> str | None:
    """Return a name that another one lies below, if there is any."""
    # In this order whatever lies below a name comes next to it.
    ordered = sorted(name.replace("/", "\0") for name in names)
    pairs = itertools.pairwise(ordered)
    return next((a.replace("\0", "/") for a, b in pairs if b.startswith(f"{a}\0")), None)


def _list(job: JsonObject) -> int:
    try:
        with zipfile.ZipFile(job["path"]) as file:
            return len(file.infolist())
    except (zipfile.BadZipFile, NotImplementedError):
        return 0  # which whoever reads it says in its own words
