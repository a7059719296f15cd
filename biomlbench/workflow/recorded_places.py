"""Where the inputs of a benchmark that was run lie, as its provenance says."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.task.registry import Registry, default_data_dir

if TYPE_CHECKING:
    from biomlbench.stages import Context
    from biomlbench.workflow.config_keys import WorkflowConfig

__all__ = [
    *("DATA", "PLACES"),
    *("base_of", "context_of", "data_of", "registry_of", "submission_place"),
]

DATA = "data"
"""Folder of the tasks' data where the config's lies outside the benchmark's folder."""

PLACES = "places"
"""Where tasks, data and results are, of the config, in the metadata of calibration's tables."""


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


def context_of(results: str | Path, given: Context, *, names_data: bool) -> Context:
    """Return a context with the tasks and data of a benchmark that was run, where it names none.

    Parameters
    ----------
    results : path
        If nothing is recorded there, the context stays as it is.
    given : Context
    names_data : bool
        Whether its folder of data is meant, and no mere default.
    """
    config = _recorded(Path(results))
    if config is None:
        return given
    base = base_of(results, config)
    folders = [str(base / Path(folder).expanduser()) for folder in config.get("tasks_dirs", ())]
    return replace(
        given,
        tasks_dirs=given.tasks_dirs or tuple(folders),
        data_dir=given.data_dir if names_data else str(data_of(base, config)),
    )


def submission_place(results: str | Path, submission: str) -> str:
    """Return where a submission lies that results name.

    Parameters
    ----------
    results : path
    submission : str
        As `pairs` has it: relative to the folder of the benchmark, which need not be the working
        directory, or empty where there was none.

    Returns
    -------
    str
        Where it was, even if it is gone; below the working directory only if it is there and
        nothing is where it was, or if nothing is recorded.
    """
    config = _recorded(Path(results))
    if config is None or not submission:
        return submission
    place = base_of(results, config) / submission
    return str(place) if os.path.lexists(place) or not os.path.lexists(submission) else submission


def _recorded(results: Path) -> WorkflowConfig | None:
    """Return the config of results, or what of it is known where only calibration was run."""
    from biomlbench.contracts import ContractError, provenance
    from biomlbench.workflow.record import RecordError, read_record

    with suppress(RecordError):
        return read_record(results)["config"]
    with suppress(ContractError, OSError, KeyError, ValueError):
        known: WorkflowConfig = json.loads(
            provenance(results / "calibration" / "rates.parquet")[PLACES]
        )
        return known
    return None
