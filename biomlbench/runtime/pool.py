"""Warm worker processes for the workflow's jobs: a dead one costs only its own job.

A job of the workflow is small (some milliseconds), a Python process that has imported pandas
is not (half a second). So every thread of Snakemake borrows a process that is already warm,
hands it the name of a script and what the job is about, and waits for the answer. Jobs in
different processes share no interpreter lock, and one that is killed takes nothing with it.
"""

from __future__ import annotations

import atexit
import importlib
import importlib.util
import os
import pickle
import queue
import signal
import struct
import subprocess
import sys
import threading
import time
import traceback
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, BinaryIO

from biomlbench.errors import UserError, explain
from biomlbench.outcomes import Reason
from biomlbench.runtime.apart import call_code_apart
from biomlbench.runtime.threads import limit_threads, variables
from biomlbench.runtime.usage import Usage, measured

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from biomlbench.contracts.mappings import Arguments

__all__ = ["ORPHAN_WATCH", "JobError", "Pool", "WorkerDiedError", "call_script", "reason_in_log"]

_Answer = tuple[str | None, Any, tuple[Any, ...]]
_HEADER = struct.Struct("!Q")
_ORPHAN_POLL_S = 1.0
_REASON = "reason: "
# NumPy's own, where it was loaded within a job
_NUMPY_ERRORS = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}
ORPHAN_WATCH = "orphan-watch"
"""Name of a worker's only other thread. It holds no lock, so that a worker may fork."""


class JobError(RuntimeError):
    """The job's function raised an exception.

    The message is its traceback; for what a user can do something about, what to tell them.

    Attributes
    ----------
    told : bool
        Whether the message is meant for the user as it stands.
    reason : str
        Reason code, where the exception had one.
    """

    def __init__(self, message: str, told: bool = False, reason: str = "") -> None:
        super().__init__(message)
        self.told = told
        self.reason = reason

    def as_log(self) -> str:
        """Return what the job's log is to say; :func:`reason_in_log` finds the reason there."""
        return f"{_REASON}{self.reason}\n{self}\n" if self.reason else f"{self}\n"


def reason_in_log(text: str) -> str:
    """Return the reason code that a failed job's log begins with; empty where it has none."""
    first = text.partition("\n")[0]
    return first.removeprefix(_REASON) if first.startswith(_REASON) else ""


class WorkerDiedError(UserError, RuntimeError):
    """The process that ran the job ended before it answered."""


class Pool:
    """Worker processes that are started when needed and kept for the next job.

    Parameters
    ----------
    root : path
        Folder that is put first on the workers' module search path.
    threads : int
        Threads that numerical libraries may use for a job that does not say so itself.

    Notes
    -----
    :meth:`run` may be called from many threads at once; there are never more workers than
    calls under way, but for those that :meth:`warm` has started.
    """

    def __init__(self, root: str | Path, threads: int = 1) -> None:
        self._root = str(root)
        self._threads = threads
        self._idle: queue.LifoQueue[_Worker] = queue.LifoQueue()
        self._all: set[_Worker] = set()
        self._lock = threading.Lock()
        atexit.register(self.close)

    def run(self, script: str | Path, job: Mapping[str, Any]) -> Any:
        """Call ``main(snakemake)`` of a script in a worker and wait for it.

        Parameters
        ----------
        script : path
            Python file that defines ``main``.
        job : mapping
            Attributes of the object that ``main`` gets: plain data only. ``threads`` is how
            many threads numerical libraries may use for it.

        Returns
        -------
        object
            What ``main`` returned: plain data.

        Raises
        ------
        JobError
            If ``main`` raised.
        WorkerDiedError
            If the worker was killed or ended by itself.
        """
        return self.measured(script, job)[0]

    def measured(self, script: str | Path, job: Mapping[str, Any]) -> tuple[Any, Usage]:
        """Do as :meth:`run`, and return what the job took as well."""
        worker = self._borrow()
        try:
            failure, value, usage = worker.ask((str(script), {"threads": self._threads, **job}))
        except (EOFError, OSError) as error:
            status = worker.stop()
            with self._lock:
                self._all.discard(worker)
            raise WorkerDiedError(
                f"{Path(script).stem}: the worker process ended with status {status} before it "
                "answered (killed, or out of memory?); the job will be tried again"
            ) from error
        self._idle.put(worker)
        if failure is not None:
            raise JobError(failure, **value)
        return value, Usage(*usage)

    def warm(self, modules: Sequence[str], workers: int = 0) -> None:
        """Have workers that wait for a job import modules meanwhile; return at once.

        Parameters
        ----------
        modules : sequence of str
            Names; one that cannot be imported is left to the job that needs it.
        workers : int
            Start workers until there are that many.
        """
        with self._lock:
            missing = max(0, workers - len(self._all))
            started = [_Worker(self._root, self._threads) for _ in range(missing)]
            self._all.update(started)
        with suppress(queue.Empty):
            while True:
                started.append(self._idle.get_nowait())
        for worker in started:
            with suppress(OSError):  # of a dead one, which is found when it is to get a job
                worker.warm(modules)
            self._idle.put(worker)

    def _borrow(self) -> _Worker:
        while True:
            try:
                worker = self._idle.get_nowait()
            except queue.Empty:
                worker = _Worker(self._root, self._threads)
                with self._lock:
                    self._all.add(worker)
                return worker
            if worker.alive():
                return worker
            worker.stop()
            with self._lock:
                self._all.discard(worker)

    def kill(self) -> None:
        """End all workers at once, whatever they do; to be called by a handler of signals, too."""
        for worker in list(self._all):
            worker.kill()

    def close(self) -> None:
        """Stop all workers."""
        with self._lock:
            workers, self._all = self._all, set()
        for worker in workers:
            worker.stop()


class _Worker:
    def __init__(self, root: str, threads: int) -> None:
        env = {**os.environ, **variables(threads)}
        env["PYTHONPATH"] = os.pathsep.join(filter(None, [root, env.get("PYTHONPATH")]))
        # Pipes of their own: what is loaded into each process of Python may print.
        theirs, questions = os.pipe()
        answers, told = os.pipe()
        self._questions, self._answers = os.fdopen(questions, "wb"), os.fdopen(answers, "rb")
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "biomlbench.runtime.pool", str(theirs), str(told)],
                stdin=subprocess.DEVNULL,
                stdout=2,
                pass_fds=(theirs, told),
                env=env,
            )
        finally:
            os.close(theirs)
            os.close(told)

    def warm(self, modules: Sequence[str]) -> None:
        _send(self._questions, (None, {"modules": tuple(modules)}))

    def ask(self, question: tuple[str, Arguments]) -> _Answer:
        _send(self._questions, question)
        result: _Answer = _receive(self._answers)
        return result

    def alive(self) -> bool:
        return self._process.poll() is None

    def kill(self) -> None:
        self._process.kill()

    def stop(self) -> int | None:
        for pipe in (self._questions, self._answers):
            try:
                pipe.close()
            except OSError:
                continue
        try:
            return self._process.wait(timeout=0.2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()


def _send(pipe: BinaryIO, value: Any) -> None:
    payload = pickle.dumps(value)
    pipe.write(_HEADER.pack(len(payload)) + payload)
    pipe.flush()


def _receive(pipe: BinaryIO) -> Any:
    header = pipe.read(_HEADER.size)
    if len(header) < _HEADER.size:
        raise EOFError
    (length,) = _HEADER.unpack(header)
    payload = pipe.read(length)
    if len(payload) < length:
        raise EOFError
    return pickle.loads(payload)  # noqa: S301 - from our own process, never from a submission


def _exit_when_orphaned(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_ORPHAN_POLL_S)
    os._exit(1)


def call_script(script: str | Path, job: Mapping[str, Any]) -> Any:
    """Call ``main(snakemake)`` of a script file in this process.

    Parameters
    ----------
    script : path
        Python file that defines ``main``.
    job : mapping
        Attributes of the object that ``main`` gets.

    Returns
    -------
    object
        What ``main`` returned.
    """
    return _load(str(script)).main(SimpleNamespace(**job))


@cache
def _load(script: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"scripts.{Path(script).stem}", script)
    if spec is None or spec.loader is None:
        raise ImportError(f"{script} is no Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@contextmanager
def _state_kept() -> Iterator[None]:
    """Give the next job the state of this process that it would have without this one.

    Files of a problem card are loaded where it is judged, and what one sets is set for all.
    """
    folder = os.open(".", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    environment, path, mask = dict(os.environ), sys.path[:], os.umask(0)
    os.umask(mask)
    numpy = sys.modules.get("numpy")
    errors = numpy.geterr() if numpy else {}
    try:
        yield
    finally:
        os.fchdir(folder)
        os.close(folder)
        os.umask(mask)
        sys.path[:] = path
        if dict(os.environ) != environment:
            os.environ.clear()
            os.environ.update(environment)
        if numpy := sys.modules.get("numpy"):
            numpy.seterr(**errors or _NUMPY_ERRORS)


def _work() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(
        target=_exit_when_orphaned, args=(os.getppid(),), name=ORPHAN_WATCH, daemon=True
    ).start()
    reading, writing = map(int, sys.argv[1:])
    for inherited in (reading, writing):
        os.set_inheritable(inherited, False)
    questions, answers = os.fdopen(reading, "rb"), os.fdopen(writing, "wb")
    while True:
        try:
            script, job = _receive(questions)
        except EOFError:
            os._exit(0)
        if script is None:
            for module in job["modules"]:
                with suppress(Exception):
                    importlib.import_module(module)
            continue
        # The value of a failure says what kind of failure it is, as JobError does.
        answer: _Answer
        call_code_apart()
        try:
            with _state_kept():
                limit_threads(job["threads"])
                value, usage = measured(partial(call_script, script, job))
            answer = (None, value, tuple(usage))
        except BaseException as error:
            told = explain(error)
            reason = getattr(error, "reason", "")
            kind = {
                "told": told is not None,
                "reason": str(reason) if isinstance(reason, Reason) else "",
            }
            answer = (told or traceback.format_exc(), kind, ())
        _send(answers, answer)


if __name__ == "__main__":
    _work()
