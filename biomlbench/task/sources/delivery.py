"""Files that are downloaded to the cache, and put in place whole, unpacked, or in part."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, TypedDict

from biomlbench.errors import TaskError
from biomlbench.task.sources.archives import copy_file
from biomlbench.task.sources.base import DataSource, file_name
from biomlbench.task.sources.unpack import ARCHIVES, extract, extract_all

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import Self

__all__ = ["DELIVERY", "DownloadedFile", "delivery_of"]

DELIVERY = ("member", "to", "unpack")
"""Keys of an entry that say what is wanted of the file."""


class DownloadedFile(DataSource):
    """A file, or one file or all of an archive.

    Attributes
    ----------
    to : str
        Name that the file gets in the task's ``raw`` folder; with `unpack` the folder's, and
        empty for the ``raw`` folder itself.
    member : str
        Path inside the archive; empty for the file as it is.
    unpack : bool
        Whether all files of the archive are wanted.
    """

    to: str
    member: str
    unpack: bool

    @abstractmethod
    def download(self) -> tuple[Any, ...]:
        """Return what tells the downloaded file from others."""

    @abstractmethod
    def fetch(self) -> Path:
        """Return the downloaded file, from the cache where it is there."""

    @property
    def places(self) -> tuple[str, ...]:
        """The file; for a whole archive the folder, if it has one of its own."""
        return (self.to,) if self.to else ()

    @classmethod
    def place(cls, wanted: Sequence[Self], raw: Path, task_id: str) -> None:
        """Download each file once, and put it or what it holds in place."""
        for download in dict.fromkeys(source.download() for source in wanted):
            of_file = [source for source in wanted if source.download() == download]
            path = of_file[0].fetch()
            if members := [(s.member, raw / s.to) for s in of_file if s.member]:
                extract(path, members)
            for source in of_file:
                if source.unpack:
                    extract_all(path, raw / source.to)
                elif not source.member:
                    copy_file(path, raw / source.to)


class Delivered(TypedDict):
    """What of a download goes where in the raw data."""

    to: str
    member: str
    unpack: bool


def delivery_of(
    entry: Mapping[str, Any], name: str, where: str, *, unpack: bool = False
) -> Delivered:
    """Return `to`, `member` and `unpack` of an entry.

    Parameters
    ----------
    entry : mapping
    name : str
        Of the file that is downloaded.
    where : str
        For messages.
    unpack : bool
        Whether an archive is unpacked where the entry does not say.

    Raises
    ------
    TaskError
        If they contradict each other.
    """
    member = str(entry.get("member") or "")
    whole = entry.get("unpack", unpack and not member)
    if whole not in (True, False) or (whole and member):
        raise TaskError(f"{where}: `unpack` must be true or false, and without `member`")
    if (member or whole) and not name.endswith(ARCHIVES):
        raise TaskError(f"{where}: {name!r} is no archive; there are: {', '.join(ARCHIVES)}")
    to = str(entry.get("to") or ("" if whole else PurePosixPath(member or name).name))
    if to or not whole:
        file_name(to, where)
    return {"to": to, "member": member, "unpack": bool(whole)}
