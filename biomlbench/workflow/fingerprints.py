"""What a stage's job depends on, as its specification says: of a task and of the config."""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Any

from biomlbench.runtime.regular_file import MAX_LIST_MB, TooLargeError, read_regular
from biomlbench.stages.chain import dependencies
from biomlbench.task.input_files import input_files
from biomlbench.task.version import file_hash
from biomlbench.workflow.code_hash import imports_hash

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from biomlbench.contracts.mappings import Config
    from biomlbench.task.registry import Task

__all__ = ["context_of_stage", "files_of_stage", "fingerprint"]

_NAMING_FILES = ("leaderboard", "human_baselines")
"""Keys of a task's config.yaml that may name a file of its folder."""


def context_of_stage(stage: str, changes: Mapping[str, Any], config: Mapping[str, Any]) -> Config:
    """Return the settings that a stage depends on for a task, and no others.

    Parameters
    ----------
    stage : str
    changes : mapping
        What is changed of the task.
    config : mapping
        Checked, with defaults.

    Returns
    -------
    dict
        Fields of `biomlbench.stages.Context`.
    """
    declared = dependencies(stage)
    context: Config = {
        "data_dir": config.get("data_dir"),
        "tasks_dirs": list(config["tasks_dirs"]),
        "overrides": {k: changes[k] for k in declared.overrides if k in changes},
    }
    for name, key in declared.settings.items():
        section, _, entry = key.partition(".")
        if entry in config[section]:
            context[name] = config[section][entry]
    return context


def files_of_stage(stage: str, changes: Mapping[str, Any]) -> dict[str, str]:
    """Return the hashes of the files that the config names for a task and a stage reads.

    Parameters
    ----------
    stage : str
    changes : mapping
        What is changed of the task.

    Returns
    -------
    dict of str to str
        By key of the task's section; ``absent`` for a file that is not there.
    """
    return {key: file_hash(changes[key]) for key in dependencies(stage).files if key in changes}


def _content(path: Path) -> bytes:
    """Return what a file holds; of one that is refused by whoever reads it, its size."""
    try:
        return read_regular(path)
    except TooLargeError:
        return file_hash(path, MAX_LIST_MB).encode()


def fingerprint(task: Task, stage: str) -> str:
    """Return a hash over what of a task a stage depends on: settings, files, and their imports."""
    digest = hashlib.sha256()
    declared = dependencies(stage)
    for name in declared.task:
        if "." in name:
            if name.endswith(".md") and not task.is_card:
                continue  # a statement: nothing but a card's cases is made from it
            paths = sorted(path for path in task.folder.glob(name) if path.is_file())
            code = (path for path in paths if path.suffix == ".py")
            digest.update(imports_hash(code, declared.unused).encode())
            for path in paths:
                digest.update(os.fsencode(path.relative_to(task.folder).as_posix()) + b"\0")
                digest.update(_content(path) + b"\0")
        else:
            value = task.config.get(name)
            digest.update(json.dumps([name, value], sort_keys=True, default=str).encode())
            if name in _NAMING_FILES and isinstance(value, str) and "\0" not in value:
                digest.update(file_hash(task.folder / value, MAX_LIST_MB).encode())
    for path in input_files(task) if declared.input_files else ():
        name = path.relative_to(task.folder).as_posix()
        digest.update(os.fsencode(f"{name}\0{file_hash(path)}\0"))
    if task.published is not None:
        from biomlbench.grading.process import inside_hash
        from biomlbench.suites.published import native_grader

        known = native_grader(task.published, task.folder)
        digest.update(json.dumps([*task.published.identity, repr(known), inside_hash()]).encode())
    return digest.hexdigest()[:16]
