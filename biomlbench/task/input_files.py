"""Files that a task's own code may read: those of its folder, and its raw ones.

What a preparer or a grader opens beside it, nobody declares. So every file of the folder counts
that is not known to be something else.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from biomlbench.runtime.hashing import file_sha256
from biomlbench.task.task_files import description_file
from biomlbench.task.version import task_files

if TYPE_CHECKING:
    from collections.abc import Mapping

    from biomlbench.task.task_files import TaskFiles

__all__ = ["RawFiles", "input_files", "raw_changed", "raw_files", "raw_state"]

RawFiles = dict[str, list[int | str]]
"""By path below the raw folder: size, times of content and of state, SHA-256."""

_OTHER = frozenset(
    (
        *("config.yaml", "checksums.yaml", "audit.yaml", "baseline.py", "README.md"),
        *("leaderboard.csv", "leaderboard.md", "human_baselines.csv"),
    )
)
_SOLUTIONS = "solutions"
_WORKING = ".snakemake"
"""Folder that Snakemake makes where it is started."""


def input_files(task: TaskFiles) -> list[Path]:
    """Return the files of a task's folder that its preparer or its grader may read.

    Parameters
    ----------
    task : TaskFiles

    Returns
    -------
    list of pathlib.Path
        Sorted. Without its config, description, checksums, leaderboard, human baselines,
        baseline, waivers and solutions, which are not read by them; without hidden files and
        prepared data. Of a folder that benchmarks are run in, the Python files beside the config.
    """
    folder = task.folder
    if (folder / _WORKING).is_dir():
        return sorted(path for path in folder.glob("*.py") if path.name not in _OTHER)
    named = (task.config.get(key) for key in ("leaderboard", "human_baselines"))
    other = {PurePosixPath(name) for name in (*_OTHER, *named) if isinstance(name, str)}
    other.add(PurePosixPath(description_file(folder, task.config).name))
    data = Path(task.data_dir).resolve()
    found = []
    for entry in task_files(folder, links=True):
        path = Path(entry.path)
        inside = PurePosixPath(path.relative_to(folder).as_posix())
        is_data = path.parent.resolve().is_relative_to(data)
        if inside not in other and inside.parts[0] != _SOLUTIONS and not is_data:
            found.append(path)
    return sorted(found)


def raw_state(raw: Path) -> RawFiles:
    """Return what there is to know of a task's raw files.

    Parameters
    ----------
    raw : pathlib.Path
        Their folder, which need not exist.
    """
    return {name: [*_stat(path), file_sha256(path)] for name, path in raw_files(raw).items()}


def raw_changed(raw: Path, known: Mapping[str, list[int | str]]) -> bool:
    """Tell whether raw files are other ones than those that data were made from, or new.

    Parameters
    ----------
    raw : pathlib.Path
        Their folder.
    known : mapping
        As :func:`raw_state` gave it. A file is only read if its size or a time is another one.
        Files that are gone are no change: raw files may be deleted once data are made from them.
    """
    for name, path in raw_files(raw).items():
        *state, digest = known.get(name) or ("",)
        if _stat(path) != state and file_sha256(path) != digest:
            return True
    return False


def raw_files(raw: Path) -> dict[str, Path]:
    """Return a task's raw files, by their path below their folder, which need not exist."""
    if not raw.is_dir():
        return {}
    return {
        path.relative_to(raw).as_posix(): path
        for path in sorted(raw.rglob("*"))
        if path.is_file() and not path.name.startswith(".")
    }


def _stat(path: Path) -> list[int]:
    info = path.stat()
    return [info.st_size, info.st_mtime_ns, info.st_ctime_ns]
