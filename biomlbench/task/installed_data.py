"""Data that come with installed packages: what a task is made from must not be seen by programs.

Some packages bring data sets along, and the sandbox shows installed packages. A task whose
preparer reads such files has its answers lie there, so they are covered when a program runs.
Three things say which: the config's ``installed_data``; the ``source`` entries, whose members may
be installed as well; and what preparing opened, which is written down beside the prepared data.
"""

from __future__ import annotations

import json
import os
import re
import site
import sys
import sysconfig
import threading
from contextlib import contextmanager
from functools import cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from biomlbench.errors import NotPreparedError, TaskError
from biomlbench.runtime.json_lines import write_json
from biomlbench.runtime.linked_packages import linked_packages
from biomlbench.task.sources.data_source import parse_sources
from biomlbench.task.sources.package import PackageFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from biomlbench.task.task import Task

__all__ = [
    "RECORD",
    "declared",
    "installed_data",
    "package_files",
    "recorded_reads",
    "write_record",
]

RECORD = "installed_data.json"
"""Beside the prepared data: files of installed packages that preparing them opened."""
_CODE = re.compile(r"\.(py|pyc|pyi|pyx|pxd|pth|so|dylib)$|\.so\.|/__pycache__/|\.(dist|egg)-info/")
_OURS = "biomlbench/"
_IMPORTER = "<frozen importlib._bootstrap>"
_OF_THE_SYSTEM = ("/usr/share/zoneinfo/", "/usr/lib/locale/")


class _Recorder:
    """Notes which files a thread opens; Python's audit hooks stay for good, so there is one."""

    def __init__(self) -> None:
        self._state = threading.local()
        self._lock = threading.Lock()
        self._is_there = False

    def start(self, found: set[str]) -> set[str] | None:
        with self._lock:
            if not self._is_there:
                sys.addaudithook(self._hear)
                self._is_there = True
        before: set[str] | None = getattr(self._state, "found", None)
        self._state.found = found
        return before

    def stop(self, before: set[str] | None) -> None:
        self._state.found = before

    def _hear(self, event: str, args: tuple[Any, ...]) -> None:
        if event != "open":
            return
        found = getattr(self._state, "found", None)
        if found is not None and isinstance(args[0], (str, bytes)) and not _is_import():
            found.add(os.fsdecode(args[0]))


def _is_import() -> bool:
    """Tell whether an installed module is being imported: what it opens then, it needs to work.

    A task's own modules are imported too, and may read data at once; those are noted.
    """
    frame = sys._getframe(2)
    inner = ""
    while frame is not None:
        name = frame.f_code.co_filename
        if name == _IMPORTER:
            real = os.path.realpath(inner)
            return any(real.startswith(folder + os.sep) for folder in (*_roots()[0], _stdlib()))
        if not name.startswith("<frozen"):
            inner = name
        frame = frame.f_back  # type: ignore[assignment]
    return False


_recorder = _Recorder()


@contextmanager
def recorded_reads() -> Iterator[set[str]]:
    """Note which data files of installed packages this thread opens meanwhile.

    Yields
    ------
    set of str
        Filled in at the end: paths relative to the folder of installed packages, and absolute
        ones of other files of the environment.

    Notes
    -----
    Python's own opening of files is heard. What a library in C opens by itself, and what other
    processes open, is not: a task that has its data so must declare them.
    """
    opened: set[str] = set()
    result: set[str] = set()
    before = _recorder.start(opened)
    try:
        yield result
    finally:
        _recorder.stop(before)
        result |= {name for path in opened if (name := _name_of(path))}
        if before is not None:
            before |= opened


@cache
def _roots() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the folders of installed packages, and those of the environment."""
    sites = {*site.getsitepackages(), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    if site.ENABLE_USER_SITE:
        sites.add(site.getusersitepackages())
    linked = [linked_packages(folder) for folder in sites if Path(folder).is_dir()]
    sites |= {folder for found in linked for folder in found.folders}
    whole = {sys.prefix, sys.base_prefix, "/usr/lib"}
    real = (tuple(sorted({os.path.realpath(p) for p in group})) for group in (sites, whole))
    first, second = real
    return first, second


def _name_of(path: str) -> str:
    """Return what a file of the environment that holds data is called; else an empty text."""
    try:
        real = os.path.realpath(path)
    except (OSError, ValueError):
        return ""
    if _CODE.search(real) or not os.path.isfile(real):
        return ""
    packages, environment = _roots()
    for folder in packages:
        if real.startswith(folder + os.sep):
            name = real[len(folder) + 1 :]
            return "" if name.startswith(_OURS) else name
    is_data = any(real.startswith(folder + os.sep) for folder in environment)
    other = real.startswith((_stdlib() + os.sep, *_OF_THE_SYSTEM))
    return real if is_data and not other else ""


@cache
def _stdlib() -> str:
    return os.path.realpath(sysconfig.get_path("stdlib"))


@cache
def package_files(suffixes: tuple[str, ...]) -> tuple[tuple[str, Path], ...]:
    """Return the data files of installed packages, but for this package's own.

    Parameters
    ----------
    suffixes : tuple of str
        How their names end.

    Returns
    -------
    tuple of (str, pathlib.Path)
        Sorted; what each is called below its folder of installed packages, and where it lies.
    """
    found = {}
    for folder in _roots()[0]:
        for path in Path(folder).rglob("*"):
            if path.name.lower().endswith(suffixes) and (name := _name_of(str(path))):
                found[name] = path
    return tuple(sorted(found.items()))


def write_record(home: Path, found: set[str]) -> None:
    """Write down what preparing opened, or remove what an earlier preparing did.

    Parameters
    ----------
    home : pathlib.Path
        Folder of the task's data.
    found : set of str
        As :func:`recorded_reads` gives it.
    """
    if found:
        write_json(home / RECORD, {"files": sorted(found)})
    else:
        (home / RECORD).unlink(missing_ok=True)


def declared(task: Task) -> tuple[str, ...]:
    """Return the files of installed packages that a task's config names.

    Raises
    ------
    TaskError
        If it is not a list of relative paths.
    """
    value = task.config.get("installed_data") or []
    where = f"{task.folder}/config.yaml: `installed_data`"
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise TaskError(f"{where} must be a list of files, such as sklearn/datasets/data/iris.csv")
    for name in value:
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or path == PurePosixPath("."):
            raise TaskError(f"{where}: {name!r} must be a path below the installed packages")
    return tuple(str(PurePosixPath(name)) for name in value)


def installed_data(task: Task) -> tuple[str, ...]:
    """Return all files of installed packages that a program for a task must not see.

    Parameters
    ----------
    task : Task

    Returns
    -------
    tuple of str
        Sorted; relative to a folder of installed packages, or absolute. They need not exist.

    Raises
    ------
    TaskError
        If the config or the record is broken.
    """
    names = {*declared(task), *_recorded(task)}
    for source in parse_sources(task.config.get("source"), f"{task.folder}/config.yaml"):
        if isinstance(source, PackageFile):
            names.update(_as_installed(source))
    return tuple(sorted(names))


def _as_installed(source: PackageFile) -> Iterator[str]:
    """Yield where a member of an archive lies once its package is installed."""
    parts = PurePosixPath(source.member).parts
    if not source.file.endswith(".whl"):
        parts = parts[1:]  # a source archive has one folder around everything
        if parts[:1] in (("src",), ("lib",), ("python",)):
            yield "/".join(parts[1:])
    if parts:
        yield "/".join(parts)


def _recorded(task: Task) -> list[str]:
    path = Path(task.raw_dir).parent / RECORD
    try:
        names = json.loads(path.read_text(encoding="utf-8"))["files"]
        return [str(name) for name in names]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NotPreparedError(
            f"{path}: cannot be read ({error}); prepare the task anew with --force"
        ) from error
