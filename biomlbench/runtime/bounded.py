"""Runs a function on values that somebody hostile has chosen, in a forked process with limits.

What such a value makes of a comparison or a library's C code is not known beforehand: memory
without bound, minutes of CPU time, a crash. A fork has everything that is loaded already, costs
some milliseconds, and what becomes of it is a result, not the end of the process that asked.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import json
import os
import resource
import select
import signal
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from biomlbench.runtime.pool import Pool

__all__ = ["Allowance", "OverdrawnError", "call_bounded", "call_in_fork"]

HANG_S = 3600.0
"""Seconds by the clock after which a process that uses no CPU time is given up."""
_CHUNK = 1 << 20
_PAGE = os.sysconf("SC_PAGE_SIZE")
# linux/prctl.h
_PR_SET_PDEATHSIG = 1
_DONE, _RAISED = b"+", b"!"
_MOST_WORDS = 500
_WORKER = Path(__file__).with_name("_bounded_worker.py")


class Allowance(NamedTuple):
    """What a call may use.

    Parameters
    ----------
    cpu_s : int
        CPU seconds.
    memory_mb : int
        Address space, MiB, beyond what this process has already.
    """

    cpu_s: int = 60
    memory_mb: int = 1024


class OverdrawnError(Exception):
    """The call raised an exception, used up its allowance, or crashed.

    The message says which, in words that hold nothing of the values.
    """


def call_bounded(function: str, job: Mapping[str, Any], allowance: Allowance | None = None) -> Any:
    """Call a function in a forked process with limits.

    Parameters
    ----------
    function : str
        ``package.module:name``. It is called with `job` and returns what JSON can hold.
    job : mapping
        Plain data.
    allowance : Allowance, optional

    Returns
    -------
    object
        What the function returned, as JSON gives it back.

    Raises
    ------
    OverdrawnError
        If the call raised, used up its allowance, or crashed.
    OSError
        If the machine gives no process, or kills it.

    Notes
    -----
    A process with threads must not fork: one of them may hold a lock that the child waits for.
    There a worker process without threads, kept for the next call, does the forking. What loads
    threads into each process of Python (a profiler, a tracer) loads them into the worker, too: it
    forks all the same, as a worker of the worker would have them as well.
    """
    allowance = allowance or Allowance()
    if is_alone():
        return call_in_fork(function, job, allowance)
    asked = {
        "function": function,
        "job": dict(job),
        "allowance": tuple(allowance),
        "folder": str(Path.cwd()),  # what paths of the job are relative to
    }
    whose, words, value = _workers().run(_WORKER, asked)
    if whose == "call":
        raise OverdrawnError(words)
    if whose == "machine":
        raise OSError(words)
    return value


def is_alone() -> bool:
    """Whether this process has no thread that could hold a lock while it is forked."""
    from biomlbench.runtime.pool import ORPHAN_WATCH

    others = [thread for thread in threading.enumerate() if thread.name != ORPHAN_WATCH]
    return others == [threading.main_thread()] and threading.current_thread() is others[0]


_pool: Pool | None = None
_pool_lock = threading.Lock()


def _workers() -> Pool:
    from biomlbench.runtime.pool import Pool

    global _pool
    with _pool_lock:
        if _pool is None:
            _pool = Pool(Path(__file__).parents[2])
        return _pool


def call_in_fork(function: str, job: Mapping[str, Any], allowance: Allowance) -> Any:
    """Do as :func:`call_bounded` in a fork of this process, whatever threads it has."""
    module, _, name = function.partition(":")
    found = getattr(importlib.import_module(module), name)
    reading, writing = os.pipe()
    parent = os.getpid()
    child = os.fork()
    if not child:
        os.close(reading)
        _work(parent, writing, found, job, allowance)
    os.close(writing)
    try:
        answer = _all_of(reading, time.monotonic() + HANG_S)
        status = os.waitpid(child, 0)[1]
    except BaseException:
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        raise
    finally:
        os.close(reading)
    return _result(answer, status, allowance)


def _work(
    parent: int, writing: int, found: Any, job: Mapping[str, Any], most: Allowance
) -> NoReturn:
    """Call the function in the child, write what came of it, and end."""
    code = 1
    try:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() == parent:
            gc.freeze()  # what the parent has is not looked through, and so not copied
            _limit(most)
            try:
                # What it prints must not end up in the output of the command that asked.
                with contextlib.redirect_stdout(sys.stderr):
                    answer = _DONE + json.dumps(found(job)).encode()
            except MemoryError:
                answer = _RAISED + b"used more memory than it was allowed"
            except Exception as error:
                answer = _RAISED + f"raised {type(error).__name__}"[:_MOST_WORDS].encode()
            with os.fdopen(writing, "wb", closefd=False) as pipe:
                pipe.write(answer)
            code = 0
    finally:
        os._exit(code)


def _limit(most: Allowance) -> None:
    used = int(Path("/proc/self/statm").read_text().split()[0]) * _PAGE
    for what, soft, hard in (
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_AS, used + (most.memory_mb << 20), None),
        (resource.RLIMIT_CPU, most.cpu_s, most.cpu_s + 1),
    ):
        now = resource.getrlimit(what)[1]
        ceiling = soft if hard is None else hard
        least = ceiling if now == resource.RLIM_INFINITY else min(now, ceiling)
        resource.setrlimit(what, (min(soft, least), least))


def _all_of(reading: int, deadline: float) -> bytes:
    answer = bytearray()
    while True:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([reading], [], [], left)[0]:
            raise OSError("a process with limits did nothing for an hour")
        chunk = os.read(reading, _CHUNK)
        if not chunk:
            return bytes(answer)
        answer += chunk


def _result(answer: bytes, status: int, most: Allowance) -> Any:
    number = os.waitstatus_to_exitcode(status)
    if number == -signal.SIGXCPU:
        raise OverdrawnError(f"took longer than {most.cpu_s} s of CPU time")
    if number == -signal.SIGKILL:
        # Nothing in there sends it: the memory killer of the machine does.
        raise OSError("a process with limits was killed from outside")
    if number or not answer:
        raise OverdrawnError("ended the process that it ran in")
    if answer[:1] == _RAISED:
        raise OverdrawnError(answer[1:].decode())
    return json.loads(answer[1:])
