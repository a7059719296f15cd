"""A benchmark of the workflow out of run groups: one run table, one config."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from biomlbench.importers import ImportRefusedError
from biomlbench.importers.groups import write_run_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from biomlbench.contracts.mappings import Config
    from biomlbench.importers.groups import Entry

__all__ = ["merged", "write_benchmark"]

_MAX_RUN_ID = 100
_HEADER = "# Written by `biomlbench import --run`; config/README.md explains every key.\n"


def merged(groups: Iterable[Sequence[Entry]]) -> list[Entry]:
    """Return the runs of several groups; of two that share task and run id, the later is renamed.

    Parameters
    ----------
    groups : iterable of sequence of Entry

    Returns
    -------
    list of Entry
        Each with a run id that is unique within its task.
    """
    taken: set[tuple[str, str]] = set()
    runs = []
    for group in groups:
        for entry in group:
            run_id, number = entry.run_id, 1
            while (entry.task_id, run_id) in taken:
                number += 1
                ending = f".{number}"
                run_id = entry.run_id[: _MAX_RUN_ID - len(ending)] + ending
            taken.add((entry.task_id, run_id))
            runs.append(replace(entry, run_id=run_id))
    return runs


def write_benchmark(
    runs: Sequence[Entry],
    to: Path,
    *,
    title: str,
    agent: str | None = None,
    tasks_dirs: Sequence[str | Path] = (),
    data_dir: str | Path | None = None,
) -> Path:
    """Write a run table and a config that the workflow can be started with.

    Parameters
    ----------
    runs : sequence of Entry
    to : Path
        Folder for ``runs.csv``, ``config.yaml`` and the results.
    title : str
    agent : str, optional
        As for :func:`biomlbench.importers.groups.write_run_table`.
    tasks_dirs, data_dir
        As in the config.

    Returns
    -------
    Path
        The config. Paths in it are relative to the working directory, as the workflow takes them.

    Raises
    ------
    ImportRefusedError
        If there is a config that this function did not write.
    """
    import yaml

    path = to / "config.yaml"
    if path.is_file() and not path.read_text(encoding="utf-8", errors="replace").startswith(
        _HEADER
    ):
        raise ImportRefusedError(
            f"{path}: is there, and was not made by an import; name another folder with --to"
        )
    write_run_table(runs, to / "runs.csv", agent)
    config: Config = {
        "title": title,
        "runs": [os.path.relpath(to / "runs.csv")],
        "results_dir": os.path.relpath(to / "results"),
    }
    if tasks_dirs:
        config["tasks_dirs"] = [os.fspath(folder) for folder in tasks_dirs]
    if data_dir is not None:
        config["data_dir"] = os.fspath(data_dir)
    text = yaml.safe_dump(config, sort_keys=False, allow_unicode=True)
    path.write_text(_HEADER + text, encoding="utf-8")
    return path
