"""Gold: a gold submission that is not the best one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.audit.findings import Found
from biomlbench.outcomes import Gravity
from biomlbench.scoring.gold import look_at_own

if TYPE_CHECKING:
    from collections.abc import Iterable

    from biomlbench.audit.subject import Subject

ORDER = 5
SCORES = False
MEDAL = "whose gold submission is not the best one"
FINDINGS = {
    "gold-not-best": "correct the gold submission, the answers, or what config.yaml says of the "
    "columns and of the metric",
}


def find(subject: Subject) -> Iterable[Found]:
    """Hold the gold submission against the sample submission and the metric's best value."""
    own = look_at_own(subject.task)
    if own.gold:
        what, _, _ = own.gold.removeprefix(f"{subject.task.gold_submission.parent}/").partition(
            "; "
        )
        yield Found(
            name="gold-not-best",
            severity=Gravity.SEVERE if own.broken else Gravity.MODERATE,
            what=what,
        )
