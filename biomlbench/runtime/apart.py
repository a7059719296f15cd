"""Code of a task's folder, called in a fork: what it does to its process ends with it.

A grading function or a preparer may change NumPy, the working folder or the environment, limit or
close what its process has, or end it. In a process that goes on to other tasks that would change
their results, so processes that do (workers of the workflow, the command line) call such code in
a fork of their own.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import pickle
import select
import signal
import struct
import sys
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from biomlbench.errors import UserError, words_of
from biomlbench.runtime.author_traceback import author_traceback
from biomlbench.runtime.bounded import is_alone

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["LostCallError", "call_apart", "call_code_apart", "together"]

_Value = TypeVar("_Value")

_HEADER = struct.Struct("!cQ")
_DONE, _RAISED, _LOST, _NOT_SENT = b"D", b"R", b"L", b"N"
_POLL_S = 0.5
_PAGE = os.sysconf("SC_PAGE_SIZE")
MOST_MEMORY = os.sysconf("SC_PHYS_PAGES") * _PAGE // 2
"""Bytes that a fork may take; what takes more would have the system end other processes."""
_PR_SET_PDEATHSIG = 1
_PART = 1 << 20
_is_on = False


class LostCallError(Exception):
    """The process of a call ended, stopped or hung before there was an answer."""


class _TooMuchError(LostCallError):
    """The call took too long, or too much memory."""


def call_code_apart() -> None:
    """Have :func:`call_apart` use forks from now on in this process."""
    global _is_on
    _is_on = True


@contextlib.contextmanager
def together() -> Iterator[None]:
    """Have :func:`call_apart` call in this process meanwhile, as what watches the code needs."""
    global _is_on
    before, _is_on = _is_on, False
    try:
        yield
    finally:
        _is_on = before


def call_apart(call: Callable[[], _Value], seconds: float | None = None, tries: int = 2) -> _Value:
    """Call code of others, in a fork where this process is one that goes on to other tasks.

    Parameters
    ----------
    call : callable
        Its result, and the errors that it raises for a user, are brought back by pickle; a note
        of an error says where it comes from. Where the result cannot be, it is called in this
        process.
    seconds : float, optional
        After so many the fork is ended.
    tries : int
        How often it is called where its process ends before it answers, as somebody outside may
        have ended it.

    Raises
    ------
    LostCallError
        If the fork took too long or too much memory, or ended or stopped itself each time, or
        raised what is no error for a user.
    """
    if not _is_on or not is_alone():
        return call()
    for left in reversed(range(tries)):
        try:
            kind, payload = _asked(call, seconds)
        except _TooMuchError:
            raise
        except LostCallError:
            if not left:
                raise
            continue
        break
    if kind == _NOT_SENT:
        return call()
    answer = pickle.loads(payload)  # noqa: S301 - of code that would be called here otherwise
    if kind == _RAISED:
        error, told = answer
        if told:
            error.add_note(told)
        raise error
    if kind == _LOST:
        raise LostCallError(answer)
    value: _Value = answer
    return value


def _asked(call: Callable[[], Any], seconds: float | None) -> tuple[bytes, bytes]:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    reading, writing = os.pipe()
    parent = os.getpid()
    child = os.fork()
    if not child:
        os.close(reading)
        _work(parent, writing, call)
    os.close(writing)
    try:
        end = None if seconds is None else time.monotonic() + seconds
        kind, size = _HEADER.unpack(_exactly(reading, _HEADER.size, child, end))
        return kind, _exactly(reading, size, child, end)
    finally:
        os.close(reading)
        _end(child)


def _exactly(reading: int, size: int, child: int, end: float | None) -> bytes:
    found = bytearray()
    while len(found) < size:
        if end is not None and time.monotonic() > end:
            raise _TooMuchError("it took too long")
        if not select.select([reading], [], [], _POLL_S)[0]:
            _check(child)
            if (held := _resident(child)) > MOST_MEMORY:
                raise _TooMuchError(f"it took {held >> 20} MiB, more than half of this machine's")
            continue
        part = os.read(reading, min(_PART, size - len(found)))
        if not part:
            for _ in range(20):  # the pipe is closed some moments before the process has ended
                _check(child)
                time.sleep(_POLL_S / 10)
            raise LostCallError("it closed what it was to answer through")
        found += part
    return bytes(found)


def _resident(child: int) -> int:
    try:
        pages = int(Path(f"/proc/{child}/statm").read_text().split()[1])
    except (OSError, IndexError):  # it has ended, or there is no such file system
        return 0
    return pages * _PAGE


def _check(child: int) -> None:
    """Raise if a fork has ended, which stays to be waited for, or has been stopped."""
    flags = os.WEXITED | os.WSTOPPED | os.WNOHANG | os.WNOWAIT
    state = os.waitid(os.P_PID, child, flags)
    if state is None:
        return
    if state.si_code == os.CLD_STOPPED:
        raise LostCallError("it stopped its process")
    if state.si_code == os.CLD_EXITED:
        raise LostCallError(f"it ended its process, with status {state.si_status}")
    raise LostCallError(f"its process was ended by {signal.Signals(state.si_status).name}")


def _end(child: int) -> None:
    # The group is the child's own: what it started ends with it.
    for end in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            end(child, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(child, 0)


def _where(error: Exception) -> str:
    """Return where an error comes from, which pickle does not carry."""
    if not isinstance(error, UserError):
        return author_traceback(error) or traceback.format_exc()
    # Its message is all that is to be told of itself; what it was made of was the author's.
    return author_traceback(error.__cause__) if error.__cause__ is not None else ""


def _work(parent: int, writing: int, call: Callable[[], Any]) -> NoReturn:
    """Call in the fork, write what came of it, and end."""
    me, exit_now, write = os.getpid(), os._exit, os.write
    get_pid, dumps, pack = os.getpid, pickle.dumps, _HEADER.pack
    try:
        os.setsid()
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            exit_now(1)
        gc.freeze()  # what the parent has is not looked through, and so not copied
        try:
            kind, answer = _DONE, call()
        except (UserError, ValueError) as error:
            kind, answer = _RAISED, (error, _where(error))
        except BaseException as error:
            kind, answer = _LOST, f"it raised {words_of(error)}"
        if get_pid() != me:  # a fork of the code's, which came back as well
            exit_now(0)
        try:
            payload = dumps(answer)
        except Exception:
            kind, payload = _NOT_SENT, b""
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        message = memoryview(pack(kind, len(payload)) + payload)
        while message:
            message = message[write(writing, message[:_PART]) :]
    finally:
        exit_now(0)
