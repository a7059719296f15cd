"""What a run is doing, in a small file of its results that it keeps up to date while it goes on."""

from __future__ import annotations

import os
import re
import socket
import threading
import time
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.errors import UserError
from biomlbench.runtime.json_lines import write_json
from biomlbench.runtime.locking import is_held
from biomlbench.runtime.regular_file import TooLargeError, read_regular
from biomlbench.workflow.progress import Tally, describe, seconds_left
from biomlbench.workflow.run_state_check import parse_state

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from biomlbench.workflow.run_state_keys import FailedJob, JobFacts, RunState

__all__ = ["FILE", "LOCK", "PLANNING", "Recorder", "StateError", "Writer", "read_state"]

FILE, LOCK, PLANNING = ".run.json", ".lock", ".planning"
"""The state and the lock of a run, and the mark of one that is still planned, in its results."""
VERSION = 1
EVERY_S = 1.0
BEAT_S = 15.0
"""How often the state is written at the most, and at the least."""
# Three beats missed, and clocks of two machines that differ.
_SILENT_S = 120.0
_MOST_JOBS, _MOST_FAILURES = 50, 10
# Tables of pairs and of batches of them, wherever the results are.
_TABLE = re.compile(
    r"(?:^|/)(?P<of>pairs|batches)/(?P<task>[^/]+/[^/]+)/(?P<name>[^/]+)/(?P<stage>[a-z]+)\.parquet$"
)


class StateError(UserError, ValueError):
    """There is no state of a run, or it cannot be read."""


@dataclass(frozen=True)
class _Job:
    rule: str
    output: str
    since: float

    def facts(self, tally: Tally, now: float) -> JobFacts:
        """Return what the job is about."""
        facts: JobFacts = {"rule": self.rule, "for_s": round(max(0.0, now - self.since), 1)}
        if found := _TABLE.search(self.output):
            facts["rule"], facts["task_id"] = found["stage"], found["task"]
            facts["run_id" if found["of"] == "pairs" else "batch"] = found["name"]
            facts["pairs"] = tally.size(self.output)
        return facts


class Recorder:
    """Collects what Snakemake says of its jobs.

    Parameters
    ----------
    tally : Tally
        Counts the pairs, and knows where the results are.
    clock : callable
        Seconds since the epoch.
    """

    def __init__(self, tally: Tally, clock: Callable[[], float] = time.time) -> None:
        self._tally, self._clock = tally, clock
        self._started = clock()
        self._jobs: dict[int, _Job] = {}
        self._done: Counter[str] = Counter()
        self._failed: dict[str, FailedJob] = {}
        self._reached = (0, 0)
        self._lock = threading.Lock()

    def begin(self, jobid: int, rule: str, outputs: Sequence[str]) -> None:
        """Note a job that runs, or was submitted."""
        with self._lock:
            output = outputs[0] if outputs else rule
            self._jobs[jobid] = _Job(rule, output, self._clock())

    def finish(self, jobid: int) -> None:
        """Note that a job ended well."""
        with self._lock:
            if (job := self._jobs.pop(jobid, None)) is None:
                return
            self._failed.pop(job.output, None)
            if found := _TABLE.search(job.output):
                self._done[found["stage"]] += self._tally.size(job.output)

    def fail(self, jobid: int, rule: str, outputs: Sequence[str], logs: Sequence[str]) -> None:
        """Note that a job failed; it is forgotten once a retry ends well."""
        with self._lock:
            now = self._clock()
            output = outputs[0] if outputs else rule
            job = self._jobs.pop(jobid, None) or _Job(rule, output, now)
            facts = job.facts(self._tally, now)
            self._failed.pop(job.output, None)  # so that the last one is the last
            log = self._within(logs[0]) if logs else None
            self._failed[job.output] = {**facts, "log": log}

    def advance(self, done: int, total: int) -> None:
        """Note how many jobs are done."""
        with self._lock:
            self._reached = (done, total)

    @property
    def is_complete(self) -> bool:
        """Whether all jobs are done."""
        done, total = self._reached
        return 0 < total <= done

    def _within(self, path: str) -> str:
        return path.removeprefix(f"{self._tally.results}/")

    def state(self, name: str = "running") -> RunState:
        """Return what is known now; `name` says what the run is doing as a whole."""
        with self._lock:
            tally, now = self._tally, self._clock()
            done, total = self._reached
            seconds = max(0.0, now - self._started)
            goes_on = name == "running"
            left = seconds_left(done, total, seconds) if goes_on else None
            going = sorted(self._jobs.values(), key=lambda job: job.since) if goes_on else []
            failed = Counter[str]()
            for output, facts in self._failed.items():
                failed[facts["rule"]] += tally.size(output) if _TABLE.search(output) else 1
            running = Counter[str]()
            for job in going:
                if found := _TABLE.search(job.output):
                    running[found["stage"]] += tally.size(job.output)
            return {
                "version": VERSION,
                "state": name,
                "host": socket.gethostname(),
                "pid": os.getpid(),
                "started": _iso(self._started),
                "updated": _iso(now),
                "seconds": round(seconds, 1),
                "jobs": {"done": done, "total": total},
                "pairs": {
                    "expected": tally.expected,
                    "done": tally.done,
                    "held_up": tally.failed,
                    "faults": dict(tally.faults),
                },
                "summary": describe(tally),
                "stages": [
                    {
                        "stage": stage,
                        "done": self._done[stage],
                        "running": running[stage],
                        "failed": failed[stage],
                        "left": max(
                            0, planned - self._done[stage] - failed[stage] - running[stage]
                        ),
                    }
                    for stage, planned in tally.planned.items()
                ],
                "pairs_per_s": round(tally.done / seconds, 3) if tally.done and seconds else None,
                "left_s": None if left is None else round(left, 1),
                "running": [job.facts(tally, now) for job in going[:_MOST_JOBS]],
                "running_in_all": len(going),
                "failed_jobs": list(self._failed.values())[-_MOST_FAILURES:],
                "failed_jobs_in_all": len(self._failed),
                "faulty_tables": [self._within(table) for table in tally.faulty],
            }


class Writer:
    """Writes a run's state now, at most once a second, and now and then where nothing changes.

    A file that cannot be written costs nobody but the watcher.

    Parameters
    ----------
    recorder : Recorder
    folder : path
        The results.
    """

    def __init__(self, recorder: Recorder, folder: str | Path) -> None:
        self._recorder, self._path = recorder, Path(folder) / FILE
        self._changed, self._ended = threading.Event(), threading.Event()
        self._write(recorder.state())
        self._thread = threading.Thread(target=self._go_on, name="run state", daemon=True)
        self._thread.start()

    def changed(self) -> None:
        """Have the state written soon."""
        self._changed.set()

    def end(self) -> RunState:
        """Write the last state and return it."""
        self._ended.set()
        self._changed.set()
        self._thread.join()
        state = self._recorder.state("finished" if self._recorder.is_complete else "incomplete")
        self._write(state)
        return state

    def _go_on(self) -> None:
        while not self._ended.wait(EVERY_S):
            self._changed.wait(BEAT_S - EVERY_S)
            self._changed.clear()
            self._write(self._recorder.state())

    def _write(self, state: RunState) -> None:
        try:
            write_json(self._path, state)
        except OSError:
            return  # A full disk is told by what needs the results.


def read_state(results: str | Path) -> RunState:
    """Return the state of the last run on a results folder.

    Parameters
    ----------
    results : path

    Returns
    -------
    dict
        As :meth:`Recorder.state` made it: ``state`` is ``running``, ``finished`` (all jobs are
        done) or ``incomplete``; and ``killed`` for a run that is gone without having said so, or
        ``planning`` while a new run works out what is to be done.

    Raises
    ------
    StateError
        If no run has left a state, or it cannot be read.
    """
    results = Path(results)
    # Before the state, which is there when the mark is taken away.
    is_planned = is_held(results / PLANNING)
    try:
        state = _last_state(results)
    except StateError:
        if not is_planned:
            raise
    else:
        if not is_planned or state["state"] == "running":
            return state
    planned = Recorder(Tally(results=str(results))).state("planning")
    planned["host"] = planned["pid"] = None
    return planned


def _last_state(results: Path) -> RunState:
    state = _read(results)
    if state["state"] == "running" and not _is_alive(state, results):
        # It may have ended since the state was read.
        state = _read(results)
        if state["state"] == "running" and not _is_alive(state, results):
            state["state"] = "killed"
    return state


def _read(results: Path) -> RunState:
    path = results / FILE
    try:
        state = parse_state(read_regular(path), VERSION)
    except FileNotFoundError:
        raise StateError(
            f"{results}: no run has said here what it does; start one with `biomlbench run`, or "
            "name the folder of its results"
        ) from None
    except (OSError, RecursionError, ValueError, TooLargeError) as error:
        raise StateError(
            f"{path}: is damaged or cannot be read ({error}); the next run writes it again"
        ) from None
    if state is None:
        raise StateError(f"{path}: is of another version of biomlbench; watch the run with that")
    return state


def _is_alive(state: RunState, results: Path) -> bool:
    """Tell whether a run goes on.

    Its lock says so. As some file systems do not share locks between machines, what it has
    written lately on another one does as well.
    """
    if is_held(results / LOCK):
        return True
    silent = time.time() - datetime.fromisoformat(state["updated"]).timestamp()
    return state["host"] != socket.gethostname() and silent < _SILENT_S


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
