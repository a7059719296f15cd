"""The state of all files that the stages of a predictions pair look up, beside its submission."""

from __future__ import annotations

import os
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from biomlbench.errors import TaskError

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from biomlbench.stages import Context, Pair

__all__ = ["state_of_data"]

_MOST_FILES = 256
"""Looking at more takes longer than what it saves."""
_MOST_BYTES = 4 << 20
"""Of a task's data, beyond which looking takes little of a stage, and what is kept is large."""


def state_of_data(pair: Pair, context: Context) -> Hashable:
    """Return what :func:`biomlbench.runtime.once.one_look` may keep what stages look up for.

    Parameters
    ----------
    pair : Pair
    context : Context

    Returns
    -------
    hashable
        What the config changes, and place, inode, size and times of each file of the task and of
        its data. None where stages read other files, too: for code, for published tasks, for
        data behind links and for boards beside the task; and where there are too many files.
    """
    if pair.kind != "predictions":
        return None
    try:
        task = context.registry.get_task(pair.task_id)
        if task.published is not None:
            return None
        home = str(task.home)
        own = (task.answers, task.sample_submission, task.gold_submission)
        boards = (str(task.config.get(key) or "") for key in ("leaderboard", "human_baselines"))
        inside = all(str(path).startswith(f"{home}/") for path in own)
        if not inside or any(".." in board for board in boards):
            return None
        given = (context.overrides.get(key) for key in ("audit", "leaderboard"))
        named = [_file(str(path)) for path in given if path]
        files = list(islice(chain(_files(str(task.folder)), _files(home)), _MOST_FILES + 1))
    except (OSError, TaskError):  # told by the stage that meets it
        return None
    if len(files) > _MOST_FILES or sum(file.size for file in files) > _MOST_BYTES:
        return None
    # a task of another config is another object
    return task, context.changes, *named, *files


class _File(NamedTuple):
    path: str
    size: int = 0
    state: tuple[int, ...] = ()


def _files(folder: str) -> Iterator[_File]:
    """Yield the files below a folder, with their states."""
    try:
        found = os.scandir(folder)
    except FileNotFoundError:  # a task without data
        return
    with found:
        for entry in found:
            if entry.is_dir():
                if entry.is_symlink():
                    raise NotADirectoryError(entry.path)
                if entry.name != "__pycache__":
                    yield from _files(entry.path)
            else:
                yield _file(entry.path)


def _file(path: str) -> _File:
    try:
        found = os.stat(path)  # noqa: PTH116 - for each file and each stage of each pair
    except FileNotFoundError:
        return _File(path)
    state = (found.st_ino, found.st_mtime_ns, found.st_ctime_ns, found.st_nlink)
    return _File(path, found.st_size, state)
