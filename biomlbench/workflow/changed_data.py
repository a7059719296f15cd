"""Data of tasks that have changed since their ``prepare`` tables were made, whatever made them.

That table is all that the jobs of a task's runs have as input; the data have times of their own.
So the state of raw and prepared data at the last run is recorded, and data that have another one
now are compared by content: prepared ones with what the table says, raw ones with what the
prepared ones were made from. How often a task's data have changed is a parameter of the job
that prepares it: Snakemake makes a table again when that has changed, and what follows from it
where the new table says something else.
"""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.errors import TaskError
from biomlbench.runtime.json_lines import read_record, write_json
from biomlbench.stages.preparing import data_digest, data_files
from biomlbench.task.input_files import raw_files

if TYPE_CHECKING:
    from collections.abc import Iterable

    from biomlbench.task.task import Task

__all__ = ["RECORD", "ChangedData"]

RECORD = ".prepared.json"
"""State of each task's data and number of their changes, in the folder of the results."""


class ChangedData:
    """The tasks whose data have changed since the workflow was last run.

    Looking changes nothing; :meth:`write` does, once the run has really begun.

    Parameters
    ----------
    results : path
        Folder of the results.

    Attributes
    ----------
    counts : dict of str to int
        How often a task's data have changed so far; tasks whose data never did are left out.
    """

    def __init__(self, results: str | Path) -> None:
        self._results = Path(results)
        self._before = _read(self._results / RECORD)
        self._now = dict(self._before)
        self.counts = {task: count for task, (_, count) in self._before.items() if count}

    def look(self, tasks: Iterable[Task]) -> list[str]:
        """Compare the data of tasks with what their tables say.

        Parameters
        ----------
        tasks : iterable of Task

        Returns
        -------
        list of str
            The ids of those whose data have changed.

        Notes
        -----
        Data that are gone are no change: results stay what they are when disks are tidied.
        """
        changed = []
        for task in tasks:
            table = self._results / "tasks" / task.id / "prepare.parquet"
            # What is wrong with a task, or with its folder, is told by its own jobs.
            with contextlib.suppress(TaskError, OSError):
                if task.is_card or not task.is_prepared() or not table.is_file():
                    continue
                state = _state_of(task)
                before, count = self._before.get(task.id, ("", 0))
                if state != before and _differs(task, table):
                    count += 1
                    self.counts[task.id] = count
                    changed.append(task.id)
                self._now[task.id] = (state, count)
        return changed

    def write(self) -> None:
        """Record what was seen."""
        if self._now != self._before and self._results.is_dir():
            with contextlib.suppress(OSError):
                write_json(self._results / RECORD, {k: list(v) for k, v in self._now.items()})


def _state_of(task: Task) -> str:
    """Return a hash over what the file system says of a task's data."""
    found = hashlib.sha256()
    for path in (*data_files(task), *raw_files(task.raw_dir).values()):
        info = path.stat()
        state = (str(path), info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino)
        found.update(repr(state).encode("utf-8", "surrogateescape"))
    return found.hexdigest()[:16]


def _differs(task: Task, table: Path) -> bool:
    from biomlbench.contracts import ContractError, read_table
    from biomlbench.task.prepare import has_other_raw_files

    try:
        (known,) = read_table("prepare", table, ["files_sha256"]).column(0).to_pylist()
    except ContractError:
        return False  # What reads it next quarantines it.
    # A task that could not be prepared is tried again by each run anyway.
    if not known:
        return False
    return known != data_digest(task) or (task.published is None and has_other_raw_files(task))


def _read(path: Path) -> dict[str, tuple[str, int]]:
    try:
        entries = read_record(path).items()
        return {task: (str(state), int(count)) for task, (state, count) in entries}
    except (ValueError, TypeError):
        return {}
