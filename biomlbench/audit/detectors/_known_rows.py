"""Findings of labels that are known of some test rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from biomlbench.audit.findings import Found
from biomlbench.outcomes import Gravity

if TYPE_CHECKING:
    import pandas as pd

    from biomlbench.audit.subject import Subject

__all__ = ["FEW", "known_rows"]

WHOLE = 0.5
"""Share of the test rows from which known labels make a score worthless."""
FEW = 0.05
"""Share of the test rows from which known labels count."""


def known_rows(subject: Subject, name: str, known: int, values: np.ndarray, what: str) -> Found:
    """Return a finding with the submission of which the known rows are right.

    Its other rows, and all rows of that which it is compared with, are what can be predicted
    without knowledge: of the submissions that :attr:`.Subject.uninformed` has, the best one that
    the known rows raise.

    Parameters
    ----------
    subject : Subject
    name : str
        The finding's.
    known : int
        Number of rows whose label is known.
    values : ndarray of object, shape (n,)
        What is known of each test row, None or empty for nothing.
    what : str
        What tells it.
    """
    share = known / subject.n
    severity = (
        Gravity.SEVERE if share >= WHOLE else Gravity.MODERATE if share >= FEW else Gravity.MINOR
    )
    right = np.array([value not in (None, "") for value in values])
    before, frame = _compared(subject, right)
    outcome = subject.doors.alone(frame)
    return Found(
        name=name,
        severity=severity,
        what=f"{what} of {known} of {subject.n} test rows",
        before=before,
        after=outcome.score,
        submission=frame,
        here=subject.doors.here(frame).words,
    )


def _compared(subject: Subject, right: np.ndarray) -> tuple[float, pd.DataFrame]:
    """Return the score of a submission without knowledge, and it with some rows right."""
    both = [(score, subject.with_right(base, right)) for score, base in subject.uninformed]
    for before, frame in both:
        after = subject.doors.alone(frame).score
        if after is not None and subject.better(after, before):
            return before, frame
    return both[0] if both else (subject.chance, subject.with_right(subject.shuffled(0), right))
