"""The process of one published grader, from outside: started once, asked for many submissions."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import logging
import os
import select
import struct
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomlbench.sandbox import providers
from biomlbench.sandbox.interpreter import current, of_environment
from biomlbench.sandbox.model import Limits, SandboxFault, SandboxUnavailable
from biomlbench.sandbox.process import subreaper
from biomlbench.sandbox.providers.base import Setup

if TYPE_CHECKING:
    from collections.abc import Callable

    from biomlbench.contracts.mappings import JsonObject
    from biomlbench.sandbox.process import Running

    from .isolated import GraderSpec

__all__ = ["GraderProcess", "LostGraderError", "inside_hash"]

logger = logging.getLogger(__name__)

INSIDE = Path(__file__).absolute().parent / "inside"
START_S = 180.0
"""Seconds to import the grader's libraries and read the answers."""
GRACE_S = 5.0
"""Seconds beyond a submission's time in which the process may say that the time is over."""
CHUNK = 1 << 20
MAX_FRAME = 256 << 20
STDERR_BYTES = 4 << 10
_HEAD = struct.Struct("<cQ")
_CONFIG, _READY, _BROKEN, _GRADE, _RESULT, _ASK, _ANSWER = (bytes([code]) for code in b"CYBGRQA")
# What is started here dies with the thread that started it, so that thread has to stay.
_starter = ThreadPoolExecutor(1, thread_name_prefix="grader-start")


def _forget_starter() -> None:
    global _starter
    _starter = ThreadPoolExecutor(1, thread_name_prefix="grader-start")


os.register_at_fork(after_in_child=_forget_starter)


@functools.cache
def inside_hash() -> str:
    """Return a hash over the code that runs beside a grader, which no import statement reaches."""
    found = hashlib.sha256()
    for path in sorted(INSIDE.rglob("*.py")):
        found.update(path.relative_to(INSIDE).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()[:16]


class LostGraderError(RuntimeError):
    """The process ended, hung, or said what it may not say."""


class GraderProcess:
    """A started grader.

    Parameters
    ----------
    spec : GraderSpec

    Attributes
    ----------
    level : str
        Of the sandbox: ``full``, or ``unsafe`` where the host has none.
    absent : tuple of str
        Modules that the grader imports and its interpreter does not have.

    Raises
    ------
    LostGraderError
        If the grader cannot be started; :attr:`why` says what it said.
    SandboxFault
        If the sandbox cannot.
    """

    def __init__(self, spec: GraderSpec) -> None:
        self._spec = spec
        self._stack = contextlib.ExitStack()
        self.why: JsonObject = {}
        try:
            self._running, config = self._start()
            self._stack.callback(self._running.close)
            self._send(_CONFIG, json.dumps(config).encode(), START_S)
            kind, body = self._receive(time.monotonic() + START_S, (_READY, _BROKEN))
            reply = json.loads(body)
            if kind == _BROKEN:
                self.why = reply
        except BaseException:
            self.close()
            raise
        self.absent = tuple(reply.get("absent", ()))
        if self.why:
            self.close()

    def _start(self) -> tuple[Running, JsonObject]:
        spec = self._spec
        python = current() if spec.python is None else of_environment(spec.python)
        limits = Limits(
            wall_s=spec.wall_s,
            memory_mb=spec.memory_mb,
            file_mb=spec.file_mb,
            processes=64,
        )
        provider = _provider()
        self.level = provider.level
        confined = provider.family == "bwrap"
        tree, inside, answers = (
            ("/suite", "/sbx/grading", "/answers/" + spec.answers.name)
            if confined
            else (str(spec.tree), str(INSIDE), str(spec.answers))
        )
        folder = f"{tree}/{spec.folder.relative_to(spec.tree).as_posix()}".rstrip("/.")
        setup = Setup(
            limits,
            python,
            program=f"{inside}/worker.py",
            # Of a clone the package alone: data may lie beside it.
            shown=(
                (spec.tree / spec.package, f"/suite/{spec.package}".rstrip("/")),
                (INSIDE, inside),
            )
            if confined
            else (),
            copied=((spec.answers, answers),) if confined else (),
        )
        running = _starter.submit(provider.start, setup).result()
        settings = running.settings
        return running, {
            "uid": settings["uid"],
            "own_pids": settings["own_pids"],
            "box": settings["box"],
            "tree": tree,
            "package": spec.package,
            "folder": folder,
            "function": spec.function,
            "answers": answers,
            "hubs": f"{inside}/hubs",
            "fallbacks": f"{inside}/fallbacks",
            "main_metric": spec.main_metric,
            "limits": {
                "wall_s": spec.wall_s,
                "cpu_s": spec.wall_s,
                "memory_mb": spec.memory_mb,
                "file_mb": spec.file_mb,
            },
        }

    def grade(
        self,
        head: JsonObject,
        body: bytes,
        evaluate: Callable[[JsonObject], JsonObject],
    ) -> JsonObject:
        """Have one submission graded.

        Parameters
        ----------
        head : dict
            What is sent.
        body : bytes
            The submission.
        evaluate : callable
            Answers what a hub's stand-in asks.

        Returns
        -------
        dict
            What the process says; not to be trusted further than a submission's score.

        Raises
        ------
        LostGraderError
            If it gave no believable reply; the process is over then.
        """
        end = time.monotonic() + self._spec.wall_s + GRACE_S
        try:
            self._send(_GRADE, json.dumps(head).encode(), GRACE_S + 60)
            self._send(_GRADE, body, GRACE_S + 60)
            while True:
                kind, data = self._receive(end, (_RESULT, _ASK))
                reply = json.loads(data)
                if not isinstance(reply, dict):
                    raise LostGraderError("it sent what it may not send")
                if kind == _RESULT:
                    return reply
                answer = json.dumps(evaluate(reply)).encode()
                self._send(_ANSWER, answer, GRACE_S)
        except (ValueError, RecursionError) as error:
            self.close()
            raise LostGraderError("it sent what it may not send") from error
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the process and everything that it started."""
        # No longer than that: orphans of others, handed to us meanwhile, would stay zombies.
        with subreaper():
            self._stack.close()

    def _send(self, kind: bytes, body: bytes, seconds: float) -> None:
        view = memoryview(_HEAD.pack(kind, len(body)) + body)
        end = time.monotonic() + seconds
        poll = select.poll()
        poll.register(self._running.requests, select.POLLOUT)
        while view:
            if time.monotonic() > end:
                raise LostGraderError("it takes no more submissions")
            try:
                view = view[os.write(self._running.requests, view[:CHUNK]) :]
            except BlockingIOError:
                poll.poll(100)
            except (BrokenPipeError, OSError) as error:
                raise LostGraderError(self._ending()) from error

    def _receive(self, end: float, kinds: tuple[bytes, ...]) -> tuple[bytes, bytes]:
        kind, length = _HEAD.unpack(self._exactly(_HEAD.size, end))
        if kind not in kinds or length > MAX_FRAME:
            raise LostGraderError("it sent what it may not send")
        return kind, self._exactly(length, end)

    def _exactly(self, length: int, end: float) -> bytes:
        running, data = self._running, bytearray()
        poll = select.poll()
        poll.register(running.replies, select.POLLIN)
        poll.register(running.errors, select.POLLIN)
        while len(data) < length:
            left = end - time.monotonic()
            if left <= 0:
                raise LostGraderError("it gave no reply in time")
            ready = {fd for fd, _ in poll.poll(left * 1000 + 1)}
            if running.errors in ready and not running.read_errors(STDERR_BYTES):
                poll.unregister(running.errors)
            if running.replies in ready:
                part = os.read(running.replies, min(CHUNK, length - len(data)))
                if not part:
                    raise LostGraderError(self._ending())
                data += part
        return bytes(data)

    def _ending(self) -> str:
        with contextlib.suppress(OSError):
            self._running.read_errors(STDERR_BYTES)
        if said := self._running.said:
            logger.info("the grader's process said: %s", said.decode("utf-8", "replace"))
        return "its process ended (killed, or out of memory)"


def _provider() -> Any:
    """Return the strongest sandbox; where there is none, a process with limits only."""
    try:
        return providers.choose("bwrap")
    except SandboxUnavailable as error:
        logger.warning("published graders run without a sandbox here: %s", error)
        return providers.choose("unsafe")


def start(spec: GraderSpec) -> GraderProcess:
    """Start a grader; a fault of the sandbox is tried once more."""
    try:
        return GraderProcess(spec)
    except SandboxFault:
        return GraderProcess(spec)
