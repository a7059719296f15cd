"""Grading of a batch in several processes."""

from __future__ import annotations

import json
import logging
import sys
import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from biomlbench.api.jsonl import error_of, grade_here, write_report
from biomlbench.errors import TaskError
from biomlbench.outcomes import Reason
from biomlbench.stages.kinds import get_kind, kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from concurrent.futures import Future

    from biomlbench.api.jsonl import Line
    from biomlbench.contracts.mappings import JsonObject
    from biomlbench.task.registry import Registry

__all__ = ["grade_in_processes"]

logger = logging.getLogger(__name__)

# Lines that a worker gets at once: few enough to share the work evenly, and for an
# interruption to lose little.
_CHUNKS_PER_WORKER = 8
_MAX_CHUNK = 64
# Estimated work from which on starting a worker process (half a second) saves time, seconds.
_WORTH_S = 0.6
# How many times that has to be so by the measure of a single line.
_DOUBT = 4.0
# Time a line from which on most of it is spent outside the interpreter's lock, so that a
# thread, which costs nothing to start, helps until then, seconds.
_WORTH_A_THREAD_S = 0.004
_WORKER = Path(__file__).with_name("_jsonl_worker.py")


def grade_in_processes(
    lines: Sequence[Line],
    registry: Registry,
    job: Mapping[str, Any],
    workers: int,
    results: dict[int, JsonObject],
    advance: Callable[[int], None],
) -> None:
    """Grade in several processes, this one included.

    Lines whose task brings its own grading function, and submitted code, go to worker processes
    only, which may die of it. The others are graded here as well, and workers are started when
    there is more left than it takes to start them; short of that, large submissions are shared by
    threads.

    Parameters
    ----------
    lines, registry, job, results, advance
        As for :func:`biomlbench.api.jsonl.grade_here`.
    workers : int
        Most processes at once.
    """
    lock = threading.Lock()

    def locked(step: int) -> None:
        with lock:
            advance(step)

    shared = _Shared(lines, registry, job, workers, results, locked)
    helpers: list[Future[Any]] = []
    with ThreadPoolExecutor(workers) as threads:
        try:
            if shared.foreign:
                helpers = [threads.submit(shared.work) for _ in range(workers - 1)]
            while chunk := shared.take(own=True):
                each = shared.work_here(chunk)
                doubt = _DOUBT if len(chunk) == 1 else 1.0
                if not helpers and each * shared.waiting > doubt * _WORTH_S:
                    helpers = [threads.submit(shared.work) for _ in range(workers - 1)]
                elif not helpers and each > _WORTH_A_THREAD_S:
                    helpers = [threads.submit(shared.work_here) for _ in range(workers - 1)]
            shared.work()
            for helper in helpers:
                helper.result()
            shared.retry()
        except BaseException:
            shared.stop()
            threads.shutdown(wait=True, cancel_futures=True)
            shared.collect(lines)
            raise
    shared.pool.close()


class _Shared:
    """The chunks of lines that are still to be graded, and who grades them."""

    def __init__(
        self,
        lines: Sequence[Line],
        registry: Registry,
        job: Mapping[str, Any],
        workers: int,
        results: dict[int, JsonObject],
        advance: Callable[[int], None],
    ) -> None:
        from biomlbench.runtime.pool import Pool

        self._registry = registry
        self._results, self._advance, self._out = results, advance, Path(job["out"])
        self._job = {
            **job,
            "sys_path": sys.path,
            "tasks_dirs": [str(folder) for folder in registry.tasks_dirs],
            "data_dir": str(registry.get_data_dir()),
        }
        size = max(1, min(_MAX_CHUNK, len(lines) // (workers * _CHUNKS_PER_WORKER)))
        foreign = {line.number for line in lines if _runs_code(line, registry)}
        self.foreign = _chunks([line for line in lines if line.number in foreign], size)
        plain = [line for line in lines if line.number not in foreign]
        # The first line measures nothing, the second how long each takes.
        first = [plain[i : i + 1] for i in range(min(2, len(plain)))]
        self._plain = deque([*first, *_chunks(plain[2:], size)])
        self._first = plain[0].number if plain else 0
        self._left: list[Line] = []
        self.pool = Pool(Path(__file__).parents[2])

    def take(self, *, own: bool = False) -> Sequence[Line]:
        """Return the next chunk; with `own`, none whose task brings a function."""
        for queue in (self._plain,) if own else (self.foreign, self._plain):
            try:
                return queue.popleft()
            except IndexError:
                continue
        return ()

    @property
    def waiting(self) -> int:
        """How many lines wait for a process."""
        return sum(map(len, (*self.foreign, *self._plain)))

    def stop(self) -> None:
        self.foreign.clear()
        self._plain.clear()
        self.pool.close()

    def work_here(self, chunk: Sequence[Line] = ()) -> float:
        """Grade a chunk in this process, or all that may be; return the seconds a line.

        0 for the first line of all, unless it alone takes long: it pays for imports and for
        reading the answers, and measures nothing.
        """
        if not chunk:
            while chunk := self.take(own=True):
                self.work_here(chunk)
            return 0.0
        started = perf_counter()
        grade_here(chunk, self._registry, self._job, self._results, self._advance)
        taken = perf_counter() - started
        if chunk[0].number == self._first and taken < _WORTH_S:
            return 0.0
        return taken / len(chunk)

    def work(self) -> None:
        """Grade chunks in a worker process until none is left."""
        while chunk := self.take():
            self._left += self._run(chunk)

    def _run(self, chunk: Sequence[Line]) -> list[Line]:
        """Grade a chunk in a worker process; return the lines that it left ungraded."""
        from biomlbench.runtime.pool import JobError, WorkerDiedError

        try:
            self.pool.run(_WORKER, {**self._job, "lines": [tuple(line) for line in chunk]})
        except (WorkerDiedError, JobError, OSError) as error:
            logger.warning("a worker died: %s", error)
        self._advance(self.collect(chunk))
        return [line for line in chunk if line.number not in self._results]

    def collect(self, lines: Sequence[Line]) -> int:
        """Take up the reports that workers have written; return how many there are."""
        count = 0
        for line in lines:
            if line.number in self._results:
                continue
            try:
                self._results[line.number] = json.loads((self._out / line.file).read_bytes())
            except (OSError, ValueError):
                continue
            count += 1
        return count

    def retry(self) -> None:
        """Give each line that a worker left when it died a worker of its own."""
        for line in sorted(self._left):
            if self._run([line]):
                message = "the process that graded this line died; see the log"
                self._results[line.number] = error_of(line, Reason.STAGE_FAILED, message)
                write_report(str(self._out), line, self._results[line.number])
                self._advance(1)


def _chunks(lines: Sequence[Line], size: int) -> deque[Sequence[Line]]:
    return deque(lines[start : start + size] for start in range(0, len(lines), size))


def _runs_code(line: Line, registry: Registry) -> bool:
    """Tell whether a line's submission, or the grader of its task, is code."""
    if line.fault or line.task_id is None:
        return False
    try:
        task = registry.get_task(line.task_id)
        kind = get_kind(kind_of(line.submission_path or "", task.kind))
        return kind.IS_CODE or task.grader.has_function
    except TaskError:
        return False
