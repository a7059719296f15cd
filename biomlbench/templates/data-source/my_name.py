"""Files on a disk that everybody here has mounted: an example, to be replaced by your own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomlbench.task.sources.archives import DataSourceError, copy_file
from biomlbench.task.sources.base import Checksum, DataSource, checksum_of, file_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["SOURCE", "SharedFile"]

FOLDER = Path("/srv/datasets")
"""Where the disk is mounted."""


@dataclass(frozen=True)
class SharedFile(DataSource):
    """A file of a mounted disk.

    Attributes
    ----------
    path : str
        Relative to :data:`FOLDER`.
    to : str
        Name that the file gets in the task's ``raw`` folder.
    checksum : Checksum or None
        Of the file; None where any file will do.
    """

    KEY = "my_name"
    OPTIONAL = ("to", "sha256", "md5")
    EXAMPLE = "{my_name: assay/table.csv, to: table.csv}"

    path: str
    to: str
    checksum: Checksum | None = None

    @classmethod
    def parse(cls, entry: Mapping[str, Any], where: str) -> SharedFile:
        """Return the source of an entry ``my_name``, optionally ``to`` and a checksum."""
        cls.check(entry, where)
        path = file_name(str(entry[cls.KEY]), where)
        to = file_name(str(entry.get("to") or Path(path).name), where)
        return cls(path, to, checksum_of(entry, where))

    @property
    def places(self) -> tuple[str, ...]:
        """The file."""
        return (self.to,)

    @property
    def origin(self) -> str:
        """Its path."""
        return str(FOLDER / self.path)

    @classmethod
    def place(cls, wanted: Sequence[SharedFile], raw: Path, task_id: str) -> None:
        """Copy the files."""
        for source in wanted:
            path, place = FOLDER / source.path, raw / source.to
            where = f"{task_id or 'task'}: {path}"
            if not path.is_file():
                raise DataSourceError(f"{where} is not there; mount the disk, or put it at {place}")
            if source.checksum is not None and not source.checksum.fits(path):
                raise DataSourceError(f"{where} has another hash than {source.checksum}")
            copy_file(path, place)


SOURCE = SharedFile
