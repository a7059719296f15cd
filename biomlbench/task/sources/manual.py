"""Files that the user has to put in place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from biomlbench.task.sources.archives import DataSourceError
from biomlbench.task.sources.base import Checksum, DataSource, checksum_of, file_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from biomlbench.contracts.mappings import Config

__all__ = ["SOURCE", "ManualFile"]


@dataclass(frozen=True)
class ManualFile(DataSource):
    """A file that the user has to put in place.

    Attributes
    ----------
    to : str
        Name that the file must have in the task's ``raw`` folder.
    instructions : str
        Where to get it.
    checksum : Checksum or None
        Of the file; None where any file of the right form will do.
    """

    KEY = "manual"
    PUBLISHED = ("manual",)
    REQUIRED = ("instructions",)
    OPTIONAL = ("sha256", "md5")
    EXAMPLE = "{manual: clinic.csv, instructions: Ask the clinic for the table of 2024.}"

    to: str
    instructions: str
    checksum: Checksum | None = None

    @classmethod
    def parse(cls, entry: Mapping[str, Any], where: str) -> ManualFile:
        """Return the source of an entry ``manual``, ``instructions``, optionally a checksum."""
        cls.check(entry, where)
        name = file_name(str(entry["manual"]), where)
        return cls(name, str(entry["instructions"]), checksum_of(entry, where))

    @classmethod
    def from_published(cls, stated: Mapping[str, Any]) -> Config | None:
        """Return None without instructions: the published preparer fetches the files itself."""
        return {k: v for k, v in stated.items() if k != "type"} if "manual" in stated else None

    @property
    def places(self) -> tuple[str, ...]:
        """The file."""
        return (self.to,)

    @property
    def origin(self) -> str:
        """Whoever has it."""
        return f"{self.to}, put there by hand"

    @classmethod
    def place(cls, wanted: Sequence[ManualFile], raw: Path, task_id: str) -> None:
        """Check that the files are there."""
        for source in wanted:
            path = raw / source.to
            where = f"{task_id or 'task'}: {path}"
            remedy = source.instructions.strip()
            if not path.is_file():
                raise DataSourceError(f"{where} is missing and must be put there by hand. {remedy}")
            if source.checksum is not None and not source.checksum.fits(path):
                raise DataSourceError(
                    f"{where} is another file than the task was made for (its hash is not "
                    f"{source.checksum}). {remedy}"
                )


SOURCE = ManualFile
