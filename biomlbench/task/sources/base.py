"""What a type of data source is, and the checks that the entries of all types share.

Each type is a file of this folder whose name says which: it defines ``SOURCE``, a frozen dataclass
below :class:`DataSource`. Nothing else names it.
"""

from __future__ import annotations

import hashlib
import importlib
import pkgutil
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, ClassVar

from biomlbench.by_name import by_name
from biomlbench.errors import TaskError
from biomlbench.task.sources.archives import DataSourceError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType
    from typing import Self

    from biomlbench.contracts.mappings import Config

__all__ = [
    "Checksum",
    "DataSource",
    "all_sources",
    "checksum_of",
    "client",
    "file_name",
]

_DIGITS = {"sha256": 64, "md5": 32}
_CHUNK = 1 << 20


@dataclass(frozen=True)
class Checksum:
    """What a file must hash to.

    Attributes
    ----------
    algorithm : str
        ``sha256`` or ``md5``.
    digest : str
        Lower-case hexadecimal.
    """

    algorithm: str
    digest: str

    def fits(self, path: Path) -> bool:
        """Whether a file has this checksum."""
        found = hashlib.new(self.algorithm, usedforsecurity=False)
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                found.update(chunk)
        return found.hexdigest() == self.digest

    def __str__(self) -> str:
        return f"{self.algorithm}:{self.digest}"


class DataSource(ABC):
    """One entry of a task's ``source``.

    Attributes
    ----------
    KEY : str
        The key by which an entry is known to be of this type.
    PUBLISHED : tuple of str
        The ``type`` of a published ``data_source`` that is this one.
    REQUIRED, OPTIONAL : tuple of str
        The other keys of an entry.
    EXAMPLE : str
        An entry, as YAML: for the documentation and the contract test.
    """

    KEY: ClassVar[str]
    PUBLISHED: ClassVar[tuple[str, ...]] = ()
    REQUIRED: ClassVar[tuple[str, ...]] = ()
    OPTIONAL: ClassVar[tuple[str, ...]] = ()
    EXAMPLE: ClassVar[str]

    @classmethod
    def check(cls, entry: Mapping[str, Any], where: str) -> None:
        """Refuse an entry that lacks a key, or has one that means nothing."""
        required = {cls.KEY, *cls.REQUIRED}
        if missing := required - entry.keys():
            raise TaskError(f"{where}: missing key(s) {sorted(missing)}")
        if unknown := entry.keys() - required - set(cls.OPTIONAL):
            allowed = ", ".join(sorted(required | set(cls.OPTIONAL)))
            raise TaskError(f"{where}: unknown key(s) {sorted(unknown)}; there are: {allowed}")

    @classmethod
    @abstractmethod
    def parse(cls, entry: Mapping[str, Any], where: str) -> Self:
        """Return the source of an entry.

        Raises
        ------
        TaskError
            If a key is missing, unknown or malformed; names `where`.
        """

    @classmethod
    @abstractmethod
    def place(cls, wanted: Sequence[Self], raw: Path, task_id: str) -> None:
        """Put the files of all of a task's entries of this type into its ``raw`` folder.

        Raises
        ------
        DataSourceError
            If a file cannot be had now: the network, the disk, credentials. Says what would help.
        TaskError
            If it is not there at all.
        """

    @property
    @abstractmethod
    def places(self) -> tuple[str, ...]:
        """Names that its files get in the ``raw`` folder; none for all that an archive holds."""

    @property
    @abstractmethod
    def origin(self) -> str:
        """Where its files come from, for messages."""

    @classmethod
    def from_published(cls, stated: Mapping[str, Any]) -> Config | None:
        """Return the entry for a published ``data_source``; None where nothing is to be fetched."""
        rest = {key: value for key, value in stated.items() if key != "type"}
        return {cls.KEY: rest.pop("benchmark_id"), **rest} if "benchmark_id" in rest else rest


@cache
def all_sources() -> dict[str, type[DataSource]]:
    """Return the types of data sources, by the key of their entries."""
    package = importlib.import_module("biomlbench.task.sources")
    modules = (
        importlib.import_module(f"{package.__name__}.{found.name}")
        for found in pkgutil.iter_modules(package.__path__)
    )
    kinds = [module.SOURCE for module in modules if hasattr(module, "SOURCE")]
    return by_name((kind.KEY, kind) for kind in kinds)


def taken_keys() -> set[str]:
    """Return what the key of one more type of data sources may not be."""
    published = {name for kind in all_sources().values() for name in kind.PUBLISHED}
    return {*all_sources(), *published, *_DIGITS, "type", "to", "member", "members", "benchmark_id"}


def checksum_of(entry: Mapping[str, Any], where: str) -> Checksum | None:
    """Return the checksum that an entry states, if any."""
    stated = [name for name in _DIGITS if name in entry]
    if not stated:
        return None
    if len(stated) > 1:
        raise TaskError(f"{where}: give `sha256` or `md5`, not both")
    name, digest = stated[0], str(entry[stated[0]])
    if not re.fullmatch(rf"[0-9a-f]{{{_DIGITS[name]}}}", digest):
        raise TaskError(
            f"{where}: `{name}` must be {_DIGITS[name]} lower-case hexadecimal digits; put it in "
            "quotes"
        )
    return Checksum(name, digest)


def file_name(name: str, where: str) -> str:
    """Return a name for a file below the ``raw`` folder, if it is one."""
    if not re.fullmatch(r"[\w.+-]+(/[\w.+-]+)*", name) or ".." in PurePosixPath(name).parts:
        raise TaskError(f"{where}: {name!r} is not a plain relative file name")
    return name


def client(module: str, extra: str) -> ModuleType:
    """Import the client library of a data source.

    Raises
    ------
    DataSourceError
        If it is not installed; with the line that installs it.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        from biomlbench.runtime.files import install_command

        raise DataSourceError(
            f"data from {extra} need the package {module.partition('.')[0]} ({error}); get it "
            f"with `{install_command(extra)}`"
        ) from error
