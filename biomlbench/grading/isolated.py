"""Scores of published graders: whose fault it is where there is none."""

from __future__ import annotations

import atexit
import math
import os
import struct
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from biomlbench.errors import FunctionError, GraderError, InvalidSubmissionError
from biomlbench.outcomes import Reason
from biomlbench.parameter_order import TABLES, contradiction
from biomlbench.submission.submitted_file import quote

from .process import GraderProcess, LostGraderError, start

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import numpy as np

    from biomlbench.contracts.mappings import JsonObject

__all__ = ["GraderSpec", "Rows", "grade_isolated", "inspect_grader"]

WALL_S = 600.0
"""Seconds that a published grader gets for one submission, where nothing else is said."""
MEMORY_MB = 4096
FILE_MB = 256
KEPT = 3
"""Grader processes that are kept for the next submission; each holds its libraries and answers."""
_OF_FUNCTION = ("exception", "none", "type")
"""What a grader's reply is called whose function raised, or returned no number."""
_MAX_MESSAGE = 300


@dataclass(frozen=True)
class GraderSpec:
    """A published grader and what it needs.

    Attributes
    ----------
    name : str
        For messages.
    function : str
        ``module:function``.
    folder : Path
        The task's folder.
    tree : Path
        Folder that is put on the module search path; the task's folder lies in it. It is all
        that the grader sees beside its interpreter and the answers.
    package : str
        The suite's own package in `tree`; empty where there is none.
    answers : Path
    main_metric : str or None
        What a hub's stand-in evaluates, in the hub's own word.
    python : Path or None
        Virtual environment whose interpreter runs the grader; None: our own.
    wall_s : float
        Seconds for one submission, of the clock and of CPU time.
    memory_mb, file_mb : int
        MiB that it may take beyond its libraries, and write.
    """

    name: str
    function: str
    folder: Path
    tree: Path
    package: str
    answers: Path
    main_metric: str | None = None
    python: Path | None = None
    wall_s: float = WALL_S
    memory_mb: int = MEMORY_MB
    file_mb: int = FILE_MB


@dataclass(frozen=True, eq=False)
class Rows:
    """How the rows of a submission lie to those that are wanted.

    Attributes
    ----------
    columns : list of str
        In the order of the file.
    count : int
    ids : list of str
    order : ndarray of int or None
        Position of each wanted row; None where the orders are the same.
    wanted : list of str
        Columns in the order in which the grader gets them; empty for as they are.
    """

    columns: list[str]
    count: int
    ids: list[str]
    order: np.ndarray | None
    wanted: list[str] = field(default_factory=list)


class _Processes:
    """Started graders, the least recently used one ended when there are too many."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: OrderedDict[Any, GraderProcess] = OrderedDict()

    def borrow(self, spec: GraderSpec) -> GraderProcess:
        with self._lock:
            found = self._held.pop(_key(spec), None)
        return found or _started(spec)

    def give_back(self, spec: GraderSpec, process: GraderProcess) -> None:
        surplus = []
        with self._lock:
            key = _key(spec)
            if key in self._held:
                surplus.append(process)
            else:
                self._held[key] = process
            while len(self._held) > KEPT:
                surplus.append(self._held.popitem(last=False)[1])
        for one in surplus:
            one.close()

    def close(self) -> None:
        with self._lock:
            held, self._held = list(self._held.values()), OrderedDict()
        for process in held:
            process.close()

    def forget(self) -> None:
        # In a fork: the processes are the parent's.
        self._lock = threading.Lock()
        self._held = OrderedDict()


_processes = _Processes()
atexit.register(_processes.close)
os.register_at_fork(after_in_child=_processes.forget)


def _key(spec: GraderSpec) -> tuple[Any, ...]:
    """Name a grader with its answers and its code as they are now."""
    files = [spec.answers, *sorted(spec.folder.glob("*.py"))]
    states = tuple((str(f), (s := f.stat()).st_mtime_ns, s.st_size) for f in files if f.exists())
    return spec, states


def _started(spec: GraderSpec) -> GraderProcess:
    try:
        process = start(spec)
    except LostGraderError as error:
        raise GraderError(f"grader {spec.name!r} did not start: {error}") from error
    if process.why:
        raise GraderError(f"grader {spec.name!r} cannot be started: {_words(process.why, spec)}")
    return process


def inspect_grader(spec: GraderSpec) -> tuple[str, ...]:
    """Start a grader and say which modules it imports that its interpreter does not have.

    Parameters
    ----------
    spec : GraderSpec

    Raises
    ------
    GraderError
        If it cannot be started.
    """
    process = _started(spec)
    process.close()
    return process.absent


def grade_isolated(
    spec: GraderSpec,
    data: bytes,
    suffix: str,
    rows: Rows | None,
    evaluate: Callable[[JsonObject], JsonObject] | None = None,
) -> float:
    """Have a published grader score a submission.

    Parameters
    ----------
    spec : GraderSpec
    data : bytes
        The submission: CSV where there are `rows`, else any file.
    suffix : str
        Of the file's name.
    rows : Rows or None
        None: the grader gets the file as it is.
    evaluate : callable, optional
        Answers what a hub's stand-in asks, or raises.

    Returns
    -------
    float
        Finite.

    Raises
    ------
    InvalidSubmissionError
        If the grader says so by the error that its suite has for it.
    GraderError
        If it fails in any other way, or gives a score that is NaN or infinite.
    """
    head: JsonObject = {"mode": "path", "suffix": suffix}
    body = data
    if rows is not None:
        head = {"mode": "frame", "rows": rows.count, "columns": rows.columns, "ids": rows.ids}
        if rows.wanted != rows.columns and sorted(rows.wanted) == sorted(rows.columns):
            head["wanted"] = rows.wanted
        body = struct.pack("<Q", len(data)) + data
        if rows.order is not None:
            body += rows.order.astype("<i8").tobytes()
    asked = _Asked(evaluate)
    return _score(_reply(spec, head, body, asked), spec, asked)


class _Asked:
    """Passes on what a stand-in asks, and keeps the error where there is one."""

    def __init__(self, evaluate: Callable[[JsonObject], JsonObject] | None) -> None:
        self._evaluate = evaluate
        self.error: Exception | None = None

    def __call__(self, question: JsonObject) -> JsonObject:
        if self._evaluate is None:
            self.error = GraderError("it asks a hub what this task's config does not say")
            return {"refused": True}
        try:
            return self._evaluate(question)
        except Exception as error:
            self.error = error
            return {"refused": True}


def _reply(spec: GraderSpec, head: JsonObject, body: bytes, asked: _Asked) -> JsonObject:
    for last in (False, True):
        process = _processes.borrow(spec)
        try:
            reply = process.grade(head, body, asked)
        except LostGraderError as error:
            process.close()
            # Somebody outside may have ended it; a grader that ends itself does so again.
            if last:
                raise GraderError(f"grader {spec.name!r}: {error}") from error
            continue
        _processes.give_back(spec, process)
        return reply
    raise AssertionError("the second try returns or raises")


def _score(reply: JsonObject, spec: GraderSpec, asked: _Asked) -> float:
    names = [str(name) for name in reply.get("parameters") or ()]
    if told := contradiction(names, TABLES):
        words = quote(told, _MAX_MESSAGE)[1:-1]
        raise GraderError(f"`grade_fn` {spec.function}: {words}; write them in this order")
    if "score" in reply:
        try:
            value = float.fromhex(str(reply["score"]))
        except (ValueError, OverflowError):
            value = math.nan
        if not math.isfinite(value):
            raise FunctionError(f"grader {spec.name!r} gave a score that is NaN or infinite")
        return value + 0.0  # of -0.0 it is 0.0
    if reply.get("refused") and asked.error is not None:
        raise asked.error
    if "invalid" in reply:
        words = quote(reply["invalid"], _MAX_MESSAGE)[1:-1]
        raise InvalidSubmissionError(f"the task's grader refuses it: {words}")
    if reply.get("unreadable"):
        raise InvalidSubmissionError(
            "the file is not read alike by two readers; write plain CSV", Reason.UNREADABLE
        )
    of_function = reply.get("error") in _OF_FUNCTION and not reply.get("missing")
    error = FunctionError if of_function else GraderError
    raise error(f"grader {spec.name!r} failed: {_words(reply, spec)}")


def _words(reply: JsonObject, spec: GraderSpec) -> str:
    """Say what went wrong in a grader, and what helps."""
    kind = quote(reply.get("type") or reply.get("error") or "unknown")[1:-1]
    place = f" in {quote(reply['where'])[1:-1]}" if reply.get("where") else ""
    text = f": {quote(reply['message'], _MAX_MESSAGE)[1:-1]}" if reply.get("message") else ""
    words = f"{kind}{place}{text}"
    if reply.get("missing"):
        name = quote(reply["missing"])[1:-1]
        where = "this environment" if spec.python is None else str(spec.python)
        words += (
            f"; install {name} into {where}, or name a virtual environment that has it: "
            "`grader: {python: FOLDER}` in the task's config, or "
            "`biomlbench suite get ... --python FOLDER`"
        )
    return words
