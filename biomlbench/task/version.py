"""The version of a task: hashes of its files."""

from __future__ import annotations

import hashlib
import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.runtime.hashing import file_sha256

if TYPE_CHECKING:
    from collections.abc import Iterator

    from biomlbench.task.task import Task

__all__ = ["ABSENT", "file_hash", "task_files", "task_version"]

ABSENT = "absent"
"""Hash of a file that is not there."""
_HEX = 16


def file_hash(path: str | Path | None) -> str:
    """Return the SHA-256 of a file of a task; ``absent`` where there is none.

    Parameters
    ----------
    path : path or None

    Returns
    -------
    str
        Hashed once a process as long as size and time of the file stay the same.
    """
    try:
        state = Path(path or "").stat()
        return _file_hash(str(path), state.st_mtime_ns, state.st_size) if path else ABSENT
    except OSError:
        return ABSENT


@lru_cache(maxsize=4096)
def _file_hash(path: str, _mtime_ns: int, _size: int) -> str:
    return file_sha256(Path(path))


def task_files(folder: str | Path, *, links: bool = False) -> Iterator[os.DirEntry[str]]:
    """Yield the files that make up a task, sorted; no caches, environments, or links.

    Parameters
    ----------
    folder : path
    links : bool
        Whether links to files are among them after all.

    Yields
    ------
    os.DirEntry
    """
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    if any(entry.name == "pyvenv.cfg" for entry in entries):
        return
    for entry in entries:
        if entry.name.startswith(".") or entry.name == "__pycache__":
            continue
        if entry.is_file(follow_symlinks=links):
            yield entry
        elif entry.is_dir(follow_symlinks=False):
            yield from task_files(entry.path, links=links)


def task_version(task: Task) -> str:
    """Return the version of a task: what its config declares, and a hash over its files."""
    states = (
        (entry.path, (state := entry.stat()).st_mtime_ns, state.st_size)
        for entry in task_files(task.folder)
    )
    declared = task.config.get("version")
    found = _folder_hash(str(task.folder), tuple(states))
    return f"{declared} {found}" if declared else found


@lru_cache(maxsize=1024)
def _folder_hash(folder: str, states: tuple[tuple[str, int, int], ...]) -> str:
    found = hashlib.sha256()
    for path, *state in states:
        name = Path(path).relative_to(folder).as_posix()
        found.update(f"{name}\0{_file_hash(path, *state)}\n".encode())
    return found.hexdigest()[:_HEX]
