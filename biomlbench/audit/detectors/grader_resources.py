"""Resources: a grader that uses the network, or whose cost grows faster than the rows."""

from __future__ import annotations

import contextlib
import sys
import time
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from biomlbench.audit.doors import as_csv, captured, submitted_frame
from biomlbench.audit.findings import Found
from biomlbench.errors import GraderError, InvalidSubmissionError, TaskError
from biomlbench.outcomes import Gravity
from biomlbench.submission.answers import answers_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from biomlbench.audit.subject import Subject

ORDER = 90
SCORES = False
MEDAL = "whose grader cannot be run anywhere, or for long"
FINDINGS = {
    "uses-network": "grade from files alone; no score may depend on what a server says",
    "cost-grows": "match rows by a join or an index, instead of comparing each with each",
}
FIRST_ROWS, MAX_ROWS = 256, 16_384
"""Rows that the cost is measured at, doubled from one to the next."""
MEASURABLE_S = 0.02
"""CPU time below which a cost is not looked at."""
STEEP = 2.8
"""Factor by which twice the rows cost more, two times one after another: rows to the power 1.5."""
ENOUGH_S = 2.0
_EVENTS = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto")
_connections: list[list[str]] = []


def find(subject: Subject) -> Iterable[Found]:
    """Watch the task's own function; a published grader has no network, and is not timed."""
    if subject.doors.grader == "published":
        subject.not_tried.append(
            "resources: a published grader runs in a process of its own, without a network"
        )
    if subject.doors.grader == "function":
        yield from subject.part(_network(subject))
        yield from subject.part(_cost(subject))


def _network(subject: Subject) -> Iterator[Found]:
    with _watched() as asked:
        outcome = subject.doors.alone(subject.mixed, again=True)
    if asked:
        yield Found(
            name="uses-network",
            severity=Gravity.MINOR,
            what=f"the grader asks the network for {', '.join(dict.fromkeys(asked))}",
            before=subject.start,
            after=outcome.score,
            submission=subject.mixed,
            here=subject.doors.here(subject.mixed).words,
        )


@contextlib.contextmanager
def _watched() -> Iterator[list[str]]:
    """Note which addresses this process asks for."""
    _listen()
    asked: list[str] = []
    _connections.append(asked)
    try:
        yield asked
    finally:
        _connections.remove(asked)


@cache
def _listen() -> None:
    """Have the interpreter tell of connections; it cannot be asked to stop."""
    sys.addaudithook(_heard)


def _heard(event: str, args: tuple[Any, ...]) -> None:
    if not _connections or event not in _EVENTS:
        return
    address = args[0] if event in _EVENTS[1:3] else args[1]
    if isinstance(address, tuple):
        address = address[0]
    elif event == "socket.connect":
        return  # a socket of this machine, by the name of a file
    for asked in _connections:
        asked.append(str(address))


def _cost(subject: Subject) -> Iterator[Found]:
    costs: dict[int, float] = {}
    rows = FIRST_ROWS
    while rows <= MAX_ROWS and max(costs.values(), default=0.0) < ENOUGH_S:
        frame, answers = (_repeated(one, subject.ids, rows) for one in _tables(subject))
        try:
            with captured():
                costs[rows] = cpu_seconds(partial(_graded, subject, frame, answers))
        except (InvalidSubmissionError, GraderError, TaskError) as error:
            subject.not_tried.append(f"cost: the grader refuses {rows} made rows ({error})")
            return
        if grows(list(costs.values())):
            *_, before, after = costs.values()
            yield Found(
                name="cost-grows",
                severity=Gravity.MINOR,
                what=f"{rows // 2} rows take {before:.2g} s of CPU time, {rows} take {after:.2g} s",
                submission=None,
            )
            return
        rows *= 2


def _graded(subject: Subject, frame: pd.DataFrame, answers: pd.DataFrame) -> float:
    return subject.task.grader.run(frame.copy(), answers.copy())


def _tables(subject: Subject) -> tuple[pd.DataFrame, pd.DataFrame]:
    return submitted_frame(subject.task, as_csv(subject.perfect)), answers_of(subject.task).frame


def _repeated(frame: pd.DataFrame, ids: Sequence[str], rows: int) -> pd.DataFrame:
    """Return a table of so many rows: its own again and again, with ids of their own."""
    order = np.arange(rows)
    found = frame.iloc[order % len(frame)].reset_index(drop=True)
    copy = order // len(frame)
    name = ids[0]
    if pd.api.types.is_numeric_dtype(found[name]):
        found[name] += (copy * (frame[name].max() - frame[name].min() + 1)).astype(int)
    else:
        found[name] = [f"{one}-{i}" if i else one for one, i in zip(found[name], copy, strict=True)]
    return found


def cpu_seconds(call: Callable[[], object]) -> float:
    """Return the CPU time of a call in this process: the least of three, of one where it is long.

    What else the machine does is not in it.
    """
    spent = []
    for _ in range(3):
        start = time.process_time()
        call()
        spent.append(time.process_time() - start)
        if spent[-1] > ENOUGH_S / 4:
            break
    return min(spent)


def grows(costs: Sequence[float]) -> bool:
    """Whether costs, each of twice the rows of the one before, grow faster than the rows.

    Examples
    --------
    >>> grows([0.1, 0.2, 0.4])
    False
    >>> grows([0.1, 0.4, 1.6])
    True
    """
    if len(costs) < 3 or costs[-3] < MEASURABLE_S:
        return False
    return all(
        later >= STEEP * before for before, later in zip(costs[-3:], costs[-2:], strict=False)
    )
