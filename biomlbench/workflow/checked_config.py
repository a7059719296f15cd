"""The config against what is there: the folders, files and tasks that it names."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from biomlbench.errors import TaskError
from biomlbench.workflow.config import ConfigError, Sources, check_config

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from biomlbench.task.registry import Registry
    from biomlbench.workflow.config_keys import TaskSection, WorkflowConfig

__all__ = ["changes_of_tasks", "check_results", "checked"]

# What Snakemake takes for a wildcard or a path variable; and what is no name.
_NO_FOLDER = re.compile(r"[{}<>\x00-\x1f]")

_TABLES = ("agents", "checks", "pairs", "tasks", "telemetry")
_FILES = (
    *("grading_report.json", "provenance.json", "report.html"),
    *(f"{name}.parquet" for name in _TABLES),
)
_FOLDERS = ("batches", "benchmarks", "calibration", "logs", "pairs", "plots", "tasks")
"""What the workflow writes into the folder of the results, in any run."""


def checked(
    config: Mapping[str, Any], root: str | Path, files: Iterable[str | Path] | Sources = ()
) -> WorkflowConfig:
    """Check the workflow's config and fill in the defaults.

    Parameters
    ----------
    config : mapping
        As read from the config file.
    root : path
        Folder of the Snakefile.
    files : iterable of path, or Sources
        Files that the config was read from, for the messages.

    Returns
    -------
    dict

    Raises
    ------
    ConfigError
        Naming key and what is allowed.
    """
    schema = Path(root) / "workflow" / "schemas" / "config.schema.json"
    found = cast("WorkflowConfig", check_config(config, schema, files))
    given = found["results_dir"]
    home = os.path.expanduser(given)  # noqa: PTH111 - Path's raises where there is no such user
    found["results_dir"] = folder = os.path.normpath(home)
    if problem := _no_results_folder(folder):
        where = Sources.of(files).where(("results_dir",))
        raise ConfigError(f"{where}: `results_dir`: {given!r} cannot hold the results; {problem}")
    return found


def _no_results_folder(folder: str) -> str:
    """Return why results cannot lie in a folder, which need not be there yet, and the remedy."""
    if folder.startswith("~"):
        return "there is no such user; write the whole path"
    if "$" in folder:
        return "variables (`$`) are not replaced here; write the whole path"
    if _NO_FOLDER.search(folder) or Path(folder).name in ("", ".."):
        return "name a folder, as results-2, without braces, angle brackets and line breaks"
    for place in (Path(folder), *Path(folder).parents):
        if place.is_dir():
            break
        if os.path.lexists(place):
            what = "a dead link" if place.is_symlink() else "a file, not a folder"
            return f"{str(place)!r} is {what}; name another folder, or move it away"
    return ""


def check_results(folder: str | Path) -> None:
    """Refuse results in which a folder has the name of a file that the run writes, or a file one's.

    Snakemake takes a folder for a report that is made, and fails at a log below a file.

    Parameters
    ----------
    folder : path
        Of the results; it need not be there.

    Raises
    ------
    ConfigError
        Naming it, and the remedy.
    """
    files, folders = ([Path(folder, name) for name in names] for names in (_FILES, _FOLDERS))
    for path in files:
        if path.is_dir():
            raise ConfigError(f"{path}: is a folder, where the run writes a file; move it away")
    for path in folders:
        if os.path.lexists(path) and not path.is_dir():
            raise ConfigError(f"{path}: is no folder, and the run needs one there; move it away")


def changes_of_tasks(
    config: WorkflowConfig, registry: Registry, sources: Sources
) -> dict[str, TaskSection]:
    """Return the config's changes to tasks by full id; refuse what names nothing that is there.

    Parameters
    ----------
    config : mapping
        As :func:`checked` returns it.
    registry : Registry
        With the tasks of the config's folders.
    sources : Sources
        Files that the config was read from, for the messages.

    Raises
    ------
    ConfigError
        Naming file, line and key.
    """
    for path, problem in _dangling(config):
        key = ".".join(map(str, path))
        raise ConfigError(f"{sources.where(path)}: `{key}`: {problem}; correct the path")
    for number, name in enumerate(config.get("calibration", {}).get("tasks", [])):
        _get_task(registry, name, ("calibration", "tasks", number), sources)
    changes: dict[str, TaskSection] = {}
    for name, changed in config["tasks"].items():
        path = ("tasks", name)
        task_id = _get_task(registry, str(name), path, sources)
        if task_id in changes:
            raise ConfigError(
                f"{sources.where(path)}: `tasks.{name}`: {task_id} is changed twice; put both "
                "changes under one key"
            )
        board = changed.get("leaderboard")
        if board is not None and not os.path.isfile(board):
            raise ConfigError(
                f"{sources.where((*path, 'leaderboard'))}: `tasks.{name}.leaderboard`: there "
                f"is no file {board!r} in {Path.cwd()}; correct the path"
            )
        changes[task_id] = changed
    return changes


def _get_task(registry: Registry, name: str, path: tuple[str | int, ...], sources: Sources) -> str:
    try:
        return registry.get_task(name).id
    except TaskError as error:
        key = ".".join(map(str, path))
        raise ConfigError(f"{sources.where(path)}: `{key}`: {error}") from error


def _dangling(config: WorkflowConfig) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield the keys that name a folder or file that there is not, each with what is wrong."""
    for number, folder in enumerate(config["tasks_dirs"]):
        if not Path(folder).expanduser().is_dir():
            yield ("tasks_dirs", number), f"there is no folder {folder!r} in {Path.cwd()}"
    labels = config.get("calibration", {}).get("adjudications")
    if labels is not None and not Path(labels).is_file():
        yield ("calibration", "adjudications"), f"there is no file {labels!r} in {Path.cwd()}"
