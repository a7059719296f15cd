"""Grader: scores that are not repeated, inputs that are changed, answers in messages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from biomlbench.audit.doors import as_csv, captured, submitted_frame
from biomlbench.audit.findings import Found
from biomlbench.errors import GraderError, InvalidSubmissionError, TaskError
from biomlbench.outcomes import Gravity
from biomlbench.submission.answers import answers_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from biomlbench.audit.subject import Subject

ORDER = 80
SCORES = False
MEDAL = "whose grader cannot be relied on"
FINDINGS = {
    "not-deterministic": "fix the seed of whatever the grader draws",
    "changes-its-input": "copy the tables before changing them",
    "answers-in-messages": "say columns, counts and row numbers, never values of the answers",
}
REPEATS = 3
LEAST_VALUES = 4
_VALUE = re.compile(r"[+-]?\d+\.\d{3,}(?:[eE][+-]?\d+)?|[A-Za-z][\w-]{3,}")


def find(subject: Subject) -> Iterable[Found]:
    """Ask the grader again, and read what it said to everything that was tried."""
    first = subject.doors.alone(subject.mixed)
    again = [subject.doors.alone(subject.mixed, again=True) for _ in range(REPEATS)]
    if other := next((one for one in again if not _alike(subject, first, one)), None):
        yield Found(
            name="not-deterministic",
            severity=Gravity.SEVERE,
            what="the same submission has another score the next time",
            before=first.score,
            after=other.score,
            submission=subject.mixed,
            here=subject.doors.here(subject.mixed).words,
        )
    if subject.doors.grader == "function":
        yield from subject.part(_changed(subject))
    yield from subject.part(_told(subject))


def _alike(subject: Subject, one: object, other: object) -> bool:
    scores = [getattr(outcome, "score", None) for outcome in (one, other)]
    if None in scores:
        return getattr(one, "kind", "") == getattr(other, "kind", "")
    return subject.same(*scores)


def _changed(subject: Subject) -> Iterator[Found]:
    answers = answers_of(subject.task).frame.copy()
    frame = submitted_frame(subject.task, as_csv(subject.mixed))
    before = frame.copy(), answers.copy()
    try:
        with captured():
            subject.task.grader.run(frame, answers)
    except (InvalidSubmissionError, GraderError, TaskError):
        return
    changed = [
        what
        for what, one, other in zip(
            ("the submission", "the answers"), before, (frame, answers), strict=True
        )
        if not one.equals(other)
    ]
    if changed:
        yield Found(
            name="changes-its-input",
            severity=Gravity.MINOR,
            what=f"the grader changes {' and '.join(changed)}",
            submission=subject.mixed,
            open=False,
            here="tables are copied before a grader gets them",
        )


def _told(subject: Subject) -> Iterator[Found]:
    """Look for values of the answers in what the grader says and prints of what knows none."""
    values = _telling_values(subject)
    worst: tuple[int, str] = 0, ""
    shown_by = None
    for frame in _probes(subject):
        outcome = subject.doors.alone(frame)
        for text, where in ((outcome.message, outcome.kind), (outcome.printed, "output")):
            shown = len(values & set(_VALUE.findall(text)))
            if shown > worst[0]:
                worst, shown_by = (shown, where), frame
    if shown_by is not None and worst[0] >= LEAST_VALUES:
        here = subject.doors.here(shown_by)
        places = {
            "invalid": "the message of an invalid submission",
            "crash": "the message of a crash",
        }
        yield Found(
            name="answers-in-messages",
            severity=Gravity.SEVERE if worst[1] == "invalid" else Gravity.MODERATE,
            what=f"{worst[0]} different values of the answers in "
            + places.get(worst[1], "what the grader prints"),
            submission=shown_by,
            here=here.words,
            open=len(values & set(_VALUE.findall(here.message + here.printed))) >= LEAST_VALUES,
        )


def _probes(subject: Subject) -> Iterator[pd.DataFrame]:
    """Yield submissions that hold no answers, sound and unsound ones."""
    plain = subject.sample
    yield plain
    yield plain.iloc[1:]
    yield pd.concat([plain, plain.iloc[:1]], ignore_index=True)
    yield plain.assign(**subject.unknown_ids(subject.n))
    yield plain.drop(columns=subject.names)
    for value in ("n/a?", "", "inf", "-1000000"):
        yield plain.assign(**dict.fromkeys(subject.names, value))
    yield plain.assign(a_column_too_many=1)


def _telling_values(subject: Subject) -> set[str]:
    """Return the values of the answers, as they may be written, that the sample does not show."""
    found: set[str] = set()
    for truth in subject.truths.values():
        if truth.dtype.kind == "f":
            found |= {repr(float(value)) for value in np.unique(truth)}
        elif pd.Series(truth).nunique() > subject.n // 2:  # names of classes are known
            found |= set(map(str, truth)) - {""}
    return found - set(subject.sample.astype(str).to_numpy().ravel())
