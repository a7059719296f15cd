"""What became of the pairs so far, counted while the workflow runs."""

from __future__ import annotations

import threading
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TextIO

from biomlbench.runtime.progress_bars import clock
from biomlbench.runtime.words import counted
from biomlbench.stages.chain import FINAL

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

__all__ = ["TALLY", "Tally", "describe", "seconds_left", "time_left"]

MOST_FAULTY = 10
_FAULTS = {
    "submission": "the submission's fault",
    "task": "the task's",
    "grader": "the grader's",
    "infrastructure": "the infrastructure's",
}


@dataclass
class Tally:
    """Pairs by whose fault their outcome is.

    Attributes
    ----------
    expected : int
        Pairs that this run is to finish.
    left_out : int
        Rows of the run tables that cannot be used.
    tables_left_out : int
        Run tables that cannot be read at all.
    sizes : dict of str to int
        How many pairs share a folder of tables; one where it says nothing.
    faults : collections.Counter
        Finished pairs by fault, with ``none`` for those without.
    results : str
        Folder of the results; empty until the run has begun.
    report : str
        The report of the results, once the run has ended with one.
    planned : collections.Counter
        Pairs that this run is to take through each stage, in the order of the stages.
    faulty : collections.deque of str
        The last tables that hold a pair with a fault.
    notify : list of str
        Command that is told of the run's end.
    watched : bool
        Whether the run's state is kept for others to see; not in a dry run or a job.
    planning : file or None
        Mark that the run is being planned, until its first state is written.
    interrupted : bool
        Whether the jobs under way were ended by an interrupt: they did not fail.
    """

    expected: int = 0
    left_out: int = 0
    tables_left_out: int = 0
    sizes: dict[str, int] = field(default_factory=dict)
    faults: Counter[str] = field(default_factory=Counter)
    results: str = ""
    report: str = ""
    planned: Counter[str] = field(default_factory=Counter)
    faulty: deque[str] = field(default_factory=lambda: deque(maxlen=MOST_FAULTY))
    notify: list[str] = field(default_factory=list)
    watched: bool = False
    planning: TextIO | None = None
    interrupted: bool = False
    _gone: dict[str, frozenset[str]] = field(default_factory=dict, repr=False)
    _finished: set[str] = field(default_factory=set, repr=False)
    _failed: set[str] = field(default_factory=set, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def plan(self, folder: str, stage: str, pairs: int = 1, gone: Collection[str] = ()) -> None:
        """Note that pairs are to be taken through a stage.

        Parameters
        ----------
        folder : str
            Where their tables are.
        stage : str
        pairs : int
            How many configured ones share that folder.
        gone : collection of str
            Ids of further runs there, which have left the config and are not counted.
        """
        if gone:
            self._gone[folder] = frozenset(gone)
        if pairs != 1:
            self.sizes[folder] = pairs
        self.planned[stage] += pairs
        if stage == FINAL:
            self.expected += pairs

    def finish(self, table: str, faults: Iterable[str] | None = None) -> None:
        """Count the pairs of a table of medals; a table is counted once.

        Parameters
        ----------
        table : str
            Its path.
        faults : iterable of str, optional
            Whose fault each pair's outcome is; read from the table where not given, as for a
            job that another machine has done.
        """
        with self._lock:
            self._failed.discard(_folder(table))
            if table in self._finished:
                return
            self._finished.add(table)
            gone = self._gone.get(_folder(table), frozenset())
            found = Counter(_faults_in(table, gone) if faults is None or gone else faults)
            self.faults.update(found)
            if found.keys() - {"none"}:
                self.faulty.append(table)

    def fail(self, output: str) -> None:
        """Note that a job failed; its pairs do not count as failed once a retry finishes them.

        Parameters
        ----------
        output : str
            Path of a table that the job was to write.
        """
        with self._lock:
            self._failed.add(_folder(output))

    def size(self, table: str) -> int:
        """Return how many pairs a table of a stage holds."""
        return self.sizes.get(_folder(table), 1)

    @property
    def done(self) -> int:
        """Finished pairs."""
        return self.faults.total()

    @property
    def told_left_out(self) -> str:
        """What of the run tables cannot be used, in words; empty where all can."""
        rows, tables = self.left_out, self.tables_left_out
        parts = [f"{counted(rows, 'row')} of the run tables"] if rows else []
        parts += [counted(tables, "run table")] if tables else []
        return f"{' and '.join(parts)} left out" if parts else ""

    @property
    def failed(self) -> int:
        """Pairs without an outcome because a job failed."""
        with self._lock:
            return sum(self.sizes.get(folder, 1) for folder in self._failed)


TALLY = Tally()
"""The tally of this process."""


def _folder(table: str) -> str:
    return table.rpartition("/")[0]


def _faults_in(table: str, gone: Collection[str]) -> list[str]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        found = pq.read_table(table, columns=["run_id", "fault"], partitioning=None)
    except (OSError, pa.ArrowException):
        return []  # What reads it next says what is wrong with it.
    runs, faults = (found[name].to_pylist() for name in ("run_id", "fault"))
    return [fault for run, fault in zip(runs, faults, strict=True) if run not in gone]


def describe(tally: Tally) -> str:
    """Return the tally in words.

    Parameters
    ----------
    tally : Tally

    Returns
    -------
    str

    Examples
    --------
    >>> describe(Tally(expected=4, faults=Counter(none=2, submission=1)))
    "3 of 4 pairs · 2 sound · 1 the submission's fault"
    >>> describe(Tally())  # as in calibration, which has no pairs
    ''
    """
    parts = [f"{tally.done} of {tally.expected} pairs"] if tally.expected else []
    if tally.faults["none"]:
        parts.append(f"{tally.faults['none']} sound")
    parts += [f"{tally.faults[key]} {words}" for key, words in _FAULTS.items() if tally.faults[key]]
    if tally.failed:
        parts.append(f"{tally.failed} held up by a failed job")
    if left_out := tally.told_left_out:
        parts.append(left_out)
    return " · ".join(parts)


# The first jobs of a run wait for workers that start, and tell nothing of the others.
_FIRST_S, _FIRST = 120.0, 0.05


def seconds_left(done: int, total: int, seconds: float) -> float | None:
    """Return how long the jobs that are left will take, or None while that is unknown.

    Parameters
    ----------
    done, total : int
        Jobs.
    seconds : float
        Time that the done ones took.

    Examples
    --------
    >>> seconds_left(50, 100, 10.0)
    10.0
    >>> seconds_left(1, 1000, 10.0)
    """
    if not done or seconds <= 0 or (seconds < _FIRST_S and done < _FIRST * total):
        return None
    return (total - done) * seconds / done


def time_left(pairs: int, done: int, total: int, seconds: float) -> str:
    """Return the rate of pairs, and the time that the rest will take, in words.

    Parameters
    ----------
    pairs : int
        Finished pairs.
    done, total : int
        Jobs: they tell the time that is left, as all pairs go through a stage before the first
        of them is finished.
    seconds : float
        Time that the done ones took.

    Returns
    -------
    str

    Examples
    --------
    >>> time_left(10, 50, 100, 10.0)
    '1.0 pairs/s, 0:10 left'
    >>> time_left(0, 50, 100, 10.0)
    '0:10 left'
    >>> time_left(20, 100, 100, 65.0)
    '0.3 pairs/s, done in 1:05'
    """
    rate = f"{pairs / seconds:.1f} pairs/s, " if pairs and seconds > 0 else ""
    if done >= total:
        return f"{rate}done in {clock(seconds)}"
    left = seconds_left(done, total, seconds)
    return "time left unknown" if left is None else f"{rate}{clock(left)} left"
