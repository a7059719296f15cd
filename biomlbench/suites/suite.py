"""What a suite declares."""

from __future__ import annotations

import logging
import os
import re
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from biomlbench.errors import TaskError
from biomlbench.runtime.bounded_yaml import read_yaml

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "Boards",
    "Suite",
    "SuiteError",
    "find_suite",
    "list_suites",
    "selection",
    "suites_home",
]

logger = logging.getLogger(__name__)

BUILTIN = Path(__file__).parent / "builtin"
_NAME = re.compile(r"[a-z0-9][a-z0-9.-]*")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_ADDRESS = re.compile(r"(https|ssh|file)://[^\s]+|[\w.-]+@[\w.-]+:[^\s]+")
_REQUIRED = {"name", "address", "commit", "package", "tasks"}
_OPTIONAL = {"title", "boards", "contestants", "humans", "selections"}


class SuiteError(TaskError):
    """A suite is unknown, its file is wrong, or its files cannot be had."""


@dataclass(frozen=True)
class Boards:
    """Where leaderboards lie: the tasks' folders as they were at some commit."""

    commit: str
    tasks: str


@dataclass(frozen=True)
class Suite:
    """A benchmark of others at one commit.

    Attributes
    ----------
    name, title : str
    address : str
        Git address.
    commit : str
        40 hexadecimal digits.
    package : str
        The suite's own Python package, at the top of its repository.
    tasks : str
        Folder of the tasks in the repository, each ``<domain>/<task>`` or ``<task>``.
    boards : tuple of Boards
        Where leaderboards are that the commit lacks; the first that has one counts.
    contestants : Mapping
        Domain to who stands on its leaderboards, for instance ``fitted models``.
    humans : tuple of str
        Domains whose leaderboards human baselines are derived from.
    selections : Mapping
        Name to the ids of the tasks.
    """

    name: str
    title: str
    address: str
    commit: str
    package: str
    tasks: str
    boards: tuple[Boards, ...] = ()
    contestants: Mapping[str, str] = field(default_factory=dict)
    humans: tuple[str, ...] = ()
    selections: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def full_id(self, path: str) -> str:
        """Return the id of a task here, from the one that the suite gives it."""
        return path if "/" in path else f"{self.name}/{path}"

    def published_id(self, task_id: str) -> str:
        """Return the id that the suite gives a task, from the one here."""
        domain, _, name = task_id.partition("/")
        return name if domain == self.name else task_id

    @classmethod
    def read(cls, path: Path) -> Suite:
        """Read a suite's file.

        Raises
        ------
        SuiteError
            Naming the file and what is wrong.
        """
        import yaml

        try:
            # Everything stays text: a commit of digits alone is no number.
            values = read_yaml(path, as_text=True)
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            raise SuiteError(f"{path}: cannot be read: {error}") from error
        if not isinstance(values, dict):
            raise SuiteError(f"{path}: must be a mapping of keys to values")
        if missing := sorted(_REQUIRED - values.keys()):
            raise SuiteError(f"{path}: missing key(s) {missing}")
        if unknown := sorted(map(str, values.keys() - _REQUIRED - _OPTIONAL)):
            known = ", ".join(sorted(_REQUIRED | _OPTIONAL))
            raise SuiteError(f"{path}: unknown key(s) {unknown}; known: {known}")
        boards = values.get("boards") or []
        try:
            suite = cls(
                **{key: str(values[key]) for key in _REQUIRED},
                title=str(values.get("title") or values["name"]),
                boards=tuple(Boards(str(one["commit"]), str(one["tasks"])) for one in boards),
                contestants={str(k): str(v) for k, v in (values.get("contestants") or {}).items()},
                humans=tuple(map(str, values.get("humans") or ())),
                selections={
                    str(name): tuple(map(str, ids))
                    for name, ids in (values.get("selections") or {}).items()
                },
            )
        except (AttributeError, KeyError, TypeError) as error:
            raise SuiteError(f"{path}: is not of a suite's form: {error!r}") from error
        suite._check(path)
        return suite

    def _check(self, path: Path) -> None:
        if not _NAME.fullmatch(self.name) or self.name != path.stem:
            raise SuiteError(f"{path}: `name` must be the file's own, in lower case")
        if not _ADDRESS.fullmatch(self.address):
            raise SuiteError(f"{path}: `address` {self.address!r} is no git address")
        for commit in (self.commit, *(boards.commit for boards in self.boards)):
            if not _COMMIT.fullmatch(commit):
                raise SuiteError(f"{path}: a commit is 40 hexadecimal digits, not {commit!r}")
        if not self.package.isidentifier():
            raise SuiteError(f"{path}: `package` {self.package!r} is no package's name")
        for folder in (self.tasks, *(boards.tasks for boards in self.boards)):
            parts = PurePosixPath(folder).parts
            if not parts or parts[0] == "/" or ".." in parts:
                raise SuiteError(f"{path}: {folder!r} must be a folder of the repository")


def suites_home() -> Path:
    """Return ``$BIOMLBENCH_SUITES``, or ``~/.cache/biomlbench/suites``."""
    declared = os.environ.get("BIOMLBENCH_SUITES")
    return Path(declared) if declared else Path.home() / ".cache" / "biomlbench" / "suites"


def list_suites(*, skip_wrong: bool = False) -> list[Suite]:
    """Return the built-in suites and those of files in :func:`suites_home`, by name.

    Parameters
    ----------
    skip_wrong : bool
        Warn of a wrong file instead of raising.

    Raises
    ------
    SuiteError
        If a file is wrong.
    """
    found = {}
    for folder in (BUILTIN, suites_home()):
        for path in sorted(folder.glob("*.yaml")):
            state = path.stat()
            try:
                suite = _read(path, state.st_mtime_ns, state.st_size)
            except SuiteError as error:
                if not skip_wrong:
                    raise
                logger.warning("%s", error)
                continue
            found[suite.name] = suite
    return [found[name] for name in sorted(found)]


@lru_cache(maxsize=256)
def _read(path: Path, _mtime_ns: int, _size: int) -> Suite:
    return Suite.read(path)


def find_suite(name: str) -> Suite:
    """Return a suite by its name or by one of its selections' names.

    Raises
    ------
    SuiteError
        If there is none; the message lists what there is.
    """
    suites = list_suites()
    for suite in suites:
        if name == suite.name or name in suite.selections:
            return suite
    known = [label for suite in suites for label in (suite.name, *suite.selections)]
    raise SuiteError(f"there is no suite {name!r}; known: {', '.join(known)}")


def selection(name: str) -> tuple[str, ...] | None:
    """Return the full ids of a selection; None for a whole suite's name.

    Raises
    ------
    SuiteError
        If there is no such suite or selection.
    """
    suite = find_suite(name)
    if name == suite.name:
        return None
    return tuple(suite.full_id(path) for path in suite.selections[name])
