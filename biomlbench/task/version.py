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
MOST_HASHED_MB = 16 * 1024
"""Largest file that is read for its hash, MiB: a file with holes may have any size."""
_HEX = 16


def file_hash(path: str | Path | None, most_mb: int = MOST_HASHED_MB) -> str:
    """Return the SHA-256 of a file of a task; ``absent`` where there is none.

    Parameters
    ----------
    path : path or None
    most_mb : int
        Largest file that is read, MiB; of a larger one the size is all that is told.

    Returns
    -------
    str
        Hashed once a process as long as size and time of the file stay the same. What is no
        regular file is ``absent``.
    """
    try:
        state = Path(path or "").stat()
        if state.st_size > most_mb * 2**20:
            return _too_large(state.st_size)
        return _file_hash(str(path), state.st_mtime_ns, state.st_size) if path else ABSENT
    except OSError:
        return ABSENT


@lru_cache(maxsize=4096)
def _file_hash(path: str, _mtime_ns: int, size: int) -> str:
    return file_sha256(Path(path)) if size <= MOST_HASHED_MB * 2**20 else _too_large(size)


def _too_large(size: int) -> str:
    return f"too-large-{size}"


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
        found.update(os.fsencode(f"{name}\0{_file_hash(path, *state)}\n"))
    return found.hexdigest()[:_HEX]
