"""Run groups of BioML-bench and MLE-bench: a folder with a ``submission.jsonl``.

Each line is an object with ``task_id`` (MLE-bench: ``competition_id``) and ``submission_path``,
which is null where a run left no submission. It is read as the workflow reads it.
"""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomlbench.importers import ImportRefusedError
from biomlbench.plain_text import spreadsheet_cell, spreadsheet_path, spreadsheet_row
from biomlbench.runtime.regular_file import TooLargeError, read_regular
from biomlbench.workflow.run_metadata import cells_of
from biomlbench.workflow.runs import REQUIRED, RunTableError, read_runs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from biomlbench.contracts.mappings import AnyRow

__all__ = ["Entry", "read_group", "read_text", "write_run_table"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One run of a group.

    Attributes
    ----------
    line : int
        Line of the file, from 1.
    task_id : str
        As the file gives it, or as renamed.
    stated : str
        The submission's path as the file gives it; empty where it gives none.
    submission : Path or None
        The file that is meant, which need not exist; None where the run left none.
    run_id : str
        Unique within its task.
    agent : str
    metadata : mapping
        As :func:`biomlbench.workflow.run_metadata.metadata_of` returns it.
    seed : int or None
        What a program is given.
    """

    line: int
    task_id: str
    stated: str
    submission: Path | None
    run_id: str
    agent: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)
    seed: int | None = None


def read_group(
    path: str | Path,
    rename: Mapping[str, str] | None = None,
    full_id: Callable[[str], str | None] = str,
    agent: str | None = None,
) -> tuple[list[Entry], list[str]]:
    """Read a run group.

    Parameters
    ----------
    path : path
        The group's folder, or its ``submission.jsonl``.
    rename : mapping of str to str, optional
        From task ids of the file to those that are meant.
    full_id : callable, optional
        From a task id, bare or full, to the full one; None for a task that is not here.
    agent : str, optional
        Who made the runs; by default whom the folder names. A line that names another agent
        cannot be used then.

    Returns
    -------
    entries : list of Entry
        In the order of the lines. Empty lines and comments (``#``, ``//``) are left out.
    left_out : list of str
        Lines that cannot be used, each with its number and the reason.

    Raises
    ------
    ImportRefusedError
        If the file cannot be read, or none of its lines.
    """
    path = Path(path)
    if path.is_dir():
        folder, path = path, path / "submission.jsonl"
        if not path.exists():
            raise ImportRefusedError(
                f"{folder}: no run group: there is no such file as {path}; loose files need no "
                "import: name them in a run table, a CSV with the columns "
                "run_id,agent,task_id,submission"
            )
    if not path.exists():
        raise ImportRefusedError(f"{path}: no such file")
    renamed = rename or {}

    def resolve(name: str) -> tuple[str, str]:
        name = renamed.get(name, name)
        return full_id(name) or name, "predictions"

    try:
        runs, bad = read_runs([path], resolve, ignore_unknown=True, agent=agent)
    except RunTableError as error:
        raise ImportRefusedError(str(error)) from None
    left_out = [row.message for row in bad]
    if not runs:
        raise ImportRefusedError("\n".join([f"{path}: lists no runs", *left_out[:20]]))
    entries = [
        Entry(
            line=int(run.source.rpartition(":")[2]),
            task_id=run.task_id,
            stated=run.stated,
            submission=Path(run.submission) if run.submission else None,
            run_id=run.run_id,
            agent=run.agent,
            metadata=run.metadata,
            seed=run.seed,
        )
        for run in runs
    ]
    return entries, left_out


def read_text(path: Path) -> str:
    """Read a text file of a foreign benchmark; every fault becomes an ImportRefusedError."""
    try:
        return read_regular(path).decode("utf-8-sig")
    except TooLargeError as error:
        raise ImportRefusedError(str(error)) from None
    except FileNotFoundError:
        raise ImportRefusedError(f"{path}: no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ImportRefusedError(f"{path}: cannot be read as UTF-8 text ({error})") from None


def write_run_table(entries: Sequence[Entry], path: str | Path, agent: str | None = None) -> None:
    """Write runs as a run table of the workflow.

    Parameters
    ----------
    entries : sequence of Entry
    path : path
        A ``.csv`` file; its folder is made. Paths in it are relative to the working directory.
    agent : str, optional
        Who made the runs; by default whom the entries name.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    told = [spreadsheet_row(_optional_cells(entry)) for entry in entries]
    more = sorted({name for cells in told for name in cells})
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*REQUIRED, *map(spreadsheet_cell, more)])
        for entry, cells in zip(entries, told, strict=True):
            place = "null"
            if entry.submission:
                place = spreadsheet_path(os.path.relpath(entry.submission))
            texts = [agent or entry.agent, entry.task_id]
            row = [entry.run_id, *map(spreadsheet_cell, texts), place]
            writer.writerow([*row, *(cells.get(name, "") for name in more)])


def _optional_cells(entry: Entry) -> AnyRow:
    seed = {} if entry.seed is None else {"seed": entry.seed}
    return {**cells_of(entry.metadata), **seed}
