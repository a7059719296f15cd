"""Where the inputs of a benchmark that was run lie, as its provenance says."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.task.registry import Registry, default_data_dir

if TYPE_CHECKING:
    from biomlbench.workflow.config_keys import WorkflowConfig

__all__ = ["DATA", "base_of", "data_of", "registry_of"]

DATA = "data"
"""Folder of the tasks' data where the config's lies outside the benchmark's folder."""


def base_of(results: str | Path, config: WorkflowConfig) -> Path:
    """Return the folder that the paths of a config are relative to.

    Parameters
    ----------
    results : path
        They lie in it as the config says; in an archive and in a rerun, directly; those that lie
        elsewhere were made from the working directory.
    config : mapping
        As recorded.
    """
    place = Path(results).absolute()
    named = Path(config.get("results_dir", place.name))
    if named.is_absolute() or ".." in named.parts:
        here = Path.cwd()
        return here if place == Path(os.path.normpath(here / named)) else place.parent
    is_there = place.parts[-len(named.parts) :] == named.parts
    return place.parents[len(named.parts) - 1] if is_there else place.parent


def data_of(base: Path, config: WorkflowConfig) -> Path:
    """Return the folder of the tasks' data, as configured or as archives have it."""
    given = config.get("data_dir")
    archived = base / DATA
    if given is None:
        return archived if archived.is_dir() else default_data_dir()
    declared = base / Path(given).expanduser()
    return declared if declared.is_dir() else archived


def registry_of(results: str | Path, config: WorkflowConfig) -> Registry:
    """Return the tasks of a benchmark that was run, own ones as well.

    Parameters
    ----------
    results : path
    config : mapping
        As recorded.
    """
    base = base_of(results, config)
    folders = [base / Path(folder).expanduser() for folder in config.get("tasks_dirs", ())]
    return Registry(folders, data_of(base, config))
