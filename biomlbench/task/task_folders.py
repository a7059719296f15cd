"""Folders of tasks: which tasks lie under one, and what a task's config says."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomlbench.errors import TaskError
from biomlbench.runtime.bounded_yaml import read_yaml
from biomlbench.task.task import slug

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["CONFIG", "read_config", "state_of", "task_folders"]

CONFIG = "config.yaml"


def task_folders(root: Path) -> Iterable[tuple[str, set[str], Path]]:
    """Yield id, other names and folder of every task under a folder."""
    if not root.is_dir():
        raise TaskError(
            f"{root}: there is no such folder of tasks; correct --tasks-dir, or `tasks_dirs` in "
            "the config"
        )
    if (root / CONFIG).is_file():
        yield _flat(root)
        return
    for folder in sorted(root.iterdir()):
        if folder.name.startswith((".", "_")) or not folder.is_dir():
            continue
        if (folder / CONFIG).is_file():
            yield _flat(folder)
            continue
        for inner in sorted(folder.iterdir()):
            if not inner.name.startswith((".", "_")) and (inner / CONFIG).is_file():
                yield f"{folder.name}/{inner.name}", {inner.name}, inner


def _flat(folder: Path) -> tuple[str, set[str], Path]:
    """Return the entry of a task that lies in no domain's folder."""
    config: Mapping[str, Any] = {}
    with suppress(TaskError):  # told to who asks for this task, and stops no other
        config = read_config(folder / CONFIG)
    stated = str(config.get("id") or "")
    domain = slug(stated.partition("/")[0] if "/" in stated else str(config.get("domain") or ""))
    return f"{domain or 'other'}/{folder.name}", {folder.name, stated} - {""}, folder


def read_config(path: Path) -> Mapping[str, Any]:
    """Return a task's config as read; refuse what cannot be read or is no mapping."""
    import yaml

    try:
        config = read_yaml(path)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise TaskError(f"{path}: cannot be read: {error}") from error
    if not isinstance(config, dict):
        raise TaskError(f"{path}: must be a mapping of keys to values")
    return config


def state_of(folder: Path) -> tuple[tuple[str, int], ...]:
    """Return a task's files of config and code with the times when they were changed."""
    files = sorted(
        os.path.join(place, name)  # noqa: PTH118 - many, in the workflow once a pair
        for place, _, names in os.walk(folder)
        for name in names
        if name.endswith((".yaml", ".py", ".md"))
    )
    return tuple((path, Path(path).stat().st_mtime_ns) for path in files)
