"""An assay of ProteinGym, out of the archives of its cross-validation folds."""

from __future__ import annotations

import re
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from biomlbench.errors import TaskError
from biomlbench.task.sources.archives import DataSourceError
from biomlbench.task.sources.base import DataSource, file_name
from biomlbench.task.sources.download import MAX_BYTES, cached
from biomlbench.task.sources.http import fetch_address
from biomlbench.task.sources.unpack import extract

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = ["SOURCE", "ProteinGymAssay"]

RELEASE = "https://marks.hms.harvard.edu/proteingym/ProteinGym_v1.3"
"""Folder of the archives of release 1.3."""
ARCHIVES = (
    "cv_folds_singles_substitutions.zip",
    "cv_folds_multiples_substitutions.zip",
    "cv_folds_indels.zip",
)
"""Searched in this order; each is downloaded once, when it is first needed."""


@dataclass(frozen=True)
class ProteinGymAssay(DataSource):
    """The table of an assay.

    Attributes
    ----------
    assay : str
        Its id, e.g. ``TADBP_HUMAN_Bolognesi_2019``.
    to : str
        Name that the file gets in the task's ``raw`` folder.
    mirrors : tuple of str
        Folders that hold the archives.
    """

    KEY = "proteingym"
    PUBLISHED = ("proteingym-dms",)
    OPTIONAL = ("to", "mirrors")
    EXAMPLE = "{proteingym: A_2019}"

    assay: str
    to: str
    mirrors: tuple[str, ...] = (RELEASE,)

    @classmethod
    def parse(cls, entry: Mapping[str, Any], where: str) -> ProteinGymAssay:
        """Return the source of an entry ``proteingym``, optionally ``to`` and ``mirrors``."""
        cls.check(entry, where)
        assay = str(entry[cls.KEY])
        if not re.fullmatch(r"[\w-]+", assay):
            raise TaskError(f"{where}: `proteingym` must be the id of an assay, not {assay!r}")
        to = file_name(str(entry.get("to") or f"{assay}.csv"), where)
        mirrors = entry.get("mirrors", [RELEASE])
        if not isinstance(mirrors, list) or not mirrors:
            raise TaskError(f"{where}: `mirrors` must be a list of addresses")
        return cls(assay, to, tuple(str(address).rstrip("/") for address in mirrors))

    @property
    def places(self) -> tuple[str, ...]:
        """The file."""
        return (self.to,)

    @property
    def origin(self) -> str:
        """ProteinGym."""
        return "ProteinGym"

    @classmethod
    def place(cls, wanted: Sequence[ProteinGymAssay], raw: Path, task_id: str) -> None:
        """Take each assay out of the first archive that has it."""
        for source in wanted:
            for name in ARCHIVES:
                archive = _archive(name, source.mirrors)
                if member := _member(archive, f"{source.assay}.csv"):
                    extract(archive, [(member, raw / source.to)])
                    break
            else:
                raise TaskError(
                    f"{task_id or 'task'}: ProteinGym has no assay {source.assay}; looked in "
                    + ", ".join(ARCHIVES)
                )


def _archive(name: str, mirrors: tuple[str, ...]) -> Path:
    ways = [
        (address, lambda path, a=address: fetch_address(a, path, name, MAX_BYTES))
        for address in (f"{mirror}/{name}" for mirror in mirrors)
    ]
    return cached({"proteingym": [*mirrors, name]}, name, ways, what=name)


def _member(archive: Path, file: str) -> str:
    try:
        with zipfile.ZipFile(archive) as zipped:
            return next((n for n in zipped.namelist() if n.rpartition("/")[2] == file), "")
    except (zipfile.BadZipFile, OSError) as error:
        raise DataSourceError(
            f"{archive}: cannot be read ({error}); it is cut short or damaged: delete it and run "
            "again"
        ) from error


SOURCE = ProteinGymAssay
