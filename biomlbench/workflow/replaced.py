"""Submissions that were changed, replaced or removed since they were graded.

A submission is no input of a job: whoever handed it in can remove it at any moment, or give it a
time in the future, and Snakemake ends the job, or the whole run, over such an input. A file that
was moved or unpacked keeps the time of its origin, too. So the state of every submission at the
last run is recorded, and one that has another state now is compared by content. How often one was
replaced is a parameter of the job that reads it first: Snakemake makes a table again when that has
changed. A file that a program has mapped into its memory can be changed without any trace for as
long as its changes are not written to the disk; so one that had changed shortly before it was
recorded is compared by content at the next run as well. One that changed while it was graded is
graded again whatever is there now. The same look finds those that are not there, or that may not be
read.
"""

from __future__ import annotations

import contextlib
import logging
import os
import stat
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.runtime.json_lines import read_record, write_json
from biomlbench.runtime.locking import is_held
from biomlbench.stages import is_outdated, submission_hash
from biomlbench.submission.path_hints import no_file
from biomlbench.submission.table_rows import shown
from biomlbench.workflow.run_state import LOCK
from biomlbench.workflow.runs import NO_SUBMISSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from biomlbench.workflow.runs import Run

__all__ = ["RECORD", "Replaced"]

log = logging.getLogger(__name__)
_MOST_NAMED = 5
# Longest path in a message: where folders lie in folders, one may have thousands of letters.
_MOST_SHOWN = 300
_NOT_THERE = [0, 0, 0, 0, 0]
_STATE = len(_NOT_THERE)
_ELSE = "else the run counts as failed"
_COUNT, _SETTLED = _STATE, _STATE + 1
# The kernel writes what was changed in memory to the disk after 35 seconds (dirty_expire_centisecs,
# dirty_writeback_centisecs); who changes it again then leaves a time.
_SETTLES_NS = 60 * 10**9
# Here nothing is ever written to a disk.
_IN_MEMORY = frozenset({"tmpfs", "ramfs", "devtmpfs", "hugetlbfs"})

RECORD = ".submissions.json"
"""Size, times, number on its file system and number of replacements of every submission, and
whether it has settled, in the folder of the results."""


class Replaced:
    """The submissions that were replaced since the workflow was last run.

    Looking changes nothing; :meth:`write` does, once the run has really begun.

    Parameters
    ----------
    results : path
        Folder of the results.

    Attributes
    ----------
    counts : dict of str to int
        How often a submission has been replaced so far; those that never were are left out.
    missing : list of Run
        Those whose run table names a submission, and nothing is there.
    unreadable : list of Run
        Those whose submission this user may not read, or not look for.
    """

    def __init__(self, results: str | Path) -> None:
        self._results = Path(results)
        self._before: dict[str, list[int]] = read_record(self._results / RECORD)
        self._to_settle = False
        self._now: dict[str, list[int]] = {}
        self.missing: list[Run] = []
        self.unreadable: list[Run] = []
        self.counts = {
            path: state[_COUNT]
            for path, state in self._before.items()
            if len(state) > _COUNT and state[_COUNT]
        }

    def look(self, runs: Iterable[Run], place: Callable[[str, str], str]) -> list[str]:
        """Compare all submissions with what they were.

        Parameters
        ----------
        runs : iterable of Run
        place : callable
            From task and run id to the folder of a pair's tables, relative to the results.

        Returns
        -------
        list of str
            The submissions that were replaced.

        Notes
        -----
        Costs one look at each submission's entry. Only one whose size, times or place on the
        file system are not those of the last look is read: the time of the last change of the
        entry is among them, which nothing but a wrong clock sets back. One that had not settled
        at the last look, a minute after that change, is read, too; on a file system in memory
        none ever settles.
        """
        now = time.time_ns()
        doubtful: dict[Path, list[Run]] = {}
        for run in runs:
            path = run.submission
            try:
                info = os.lstat(path)
            except (FileNotFoundError, NotADirectoryError):
                if path != NO_SUBMISSION:
                    self.missing.append(run)
                state = _NOT_THERE
            except PermissionError:  # of a folder on the way
                self.unreadable.append(run)
                state = _NOT_THERE
            except (OSError, ValueError):
                state = _NOT_THERE
            else:
                if stat.S_ISREG(info.st_mode) and not os.access(path, os.R_OK):
                    self.unreadable.append(run)
                # A renamed folder brings other files to a path, and changes none of them.
                place_of = (info.st_ino, info.st_dev)
                state = [info.st_size, info.st_mtime_ns, info.st_ctime_ns, *place_of]
            table = self._results / place(run.task_id, run.run_id) / "validate.parquet"
            before = self._before.get(path, [])
            as_before = state == before[:_STATE] and len(before) > _SETTLED and before[_SETTLED]
            if not as_before or is_outdated(table):
                doubtful.setdefault(table, []).append(run)
            self._now[path] = [*state, 0, int(_has_settled(state, now))]
        # each table's own runs together: a batch's tables are one file, which is read once
        replaced = {
            run.submission
            for table, of_table in doubtful.items()
            for run in of_table
            if is_outdated(table) or (table.exists() and _differs(run, table))
        }
        self._to_settle = not replaced
        for path in replaced:
            self.counts[path] = self.counts.get(path, 0) + 1
        return sorted(replaced)

    def warn_of_missing(self, is_of_demo: Callable[[Run], bool]) -> None:
        """Name the first runs whose submission cannot be had, before hours are spent on the others.

        Parameters
        ----------
        is_of_demo : callable
            Tells the runs of the demo, which makes its files and leaves some out on purpose.
        """
        for runs, told, of_others in (
            (self.missing, _missing, "is not there"),
            (self.unreadable, _unreadable, "may not be read"),
        ):
            lost = [run for run in runs if not is_of_demo(run)]
            for run in lost[:_MOST_NAMED]:
                log.warning("%s: %s, %s", run.source, told(run), _ELSE)
            if (more := len(lost) - _MOST_NAMED) > 0:
                log.warning("and %d more runs whose submission %s", more, of_others)

    def write(self) -> None:
        """Record what was seen, beside what is known of submissions whose runs are left out now.

        These may come back, or be another config's with the same results.
        """
        record = {**self._before, **self._now}
        for path, count in self.counts.items():
            record[path][_COUNT] = count
        if record != self._before and self._results.is_dir():
            with contextlib.suppress(OSError):
                write_json(self._results / RECORD, record)
                self._before = record

    def settle(self) -> None:
        """Record what was seen although no job may begin, so that it is not read again.

        Not where one was replaced: its count belongs to the run that makes its tables again. And
        not beside another run, which has a record of its own to write.
        """
        if self._to_settle and not is_held(self._results / LOCK):
            self.write()
        self._to_settle = False


def _missing(run: Run) -> str:
    name = shown(run.stated or run.submission, _MOST_SHOWN)
    return no_file(name, run.submission, run.root, "; put it there")


def _unreadable(run: Run) -> str:
    name = shown(run.stated or run.submission, _MOST_SHOWN)
    return f"{name} may not be read; let the run's user read it (`chmod`)"


def _has_settled(state: list[int], now: int) -> bool:
    """Tell whether a submission cannot be changed from now on without another state."""
    _, _, changed, _, device = state
    return changed < now - _SETTLES_NS and device not in _devices_in_memory()


@cache
def _devices_in_memory() -> frozenset[int]:
    """Return the devices of file systems that are never written to a disk."""
    found = set()
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/self/mountinfo").read_text("utf-8", "replace").splitlines():
            mount, _, kind = line.partition(" - ")
            if kind.split()[0] in _IN_MEMORY:
                found.add(os.makedev(*map(int, mount.split()[2].split(":"))))
    return frozenset(found)


def _differs(run: Run, table: Path) -> bool:
    import pyarrow as pa

    from biomlbench.contracts import provenance

    try:
        seen = provenance(table, run.run_id).get("submission_sha256")
    except (OSError, ValueError, pa.ArrowException):
        return False  # What reads it next puts it aside.
    return seen != submission_hash(run.submission, run.root)
