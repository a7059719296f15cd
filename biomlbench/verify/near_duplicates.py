"""Near-duplicates among the runs of a task: the one check that needs to see more than a pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from biomlbench.outcomes import Outcome, Reason, Severity, Suite
from biomlbench.verify.fingerprints import (
    Similarity,
    fingerprint,
    near_duplicates,
    parse,
)
from biomlbench.verify.policy import CheckOutcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from biomlbench.submission.validation import Inspection

__all__ = ["CHECK", "THRESHOLD", "fingerprint_of", "outcomes"]

CHECK = "not-a-duplicate"
THRESHOLD = Similarity(correlation=0.9995, agreement=0.8)
"""From which on two runs' predictions count as near-duplicates. Two models trained on the same data
may order the rows nearly alike, but do not give the same fine values: by chance an agreement of
0.8 is estimated for none of 10**9 pairs (six standard deviations, with 64 directions)."""
_NAMED = 3


def fingerprint_of(inspection: Inspection) -> str:
    """Return the fingerprint of predictions, by which they are compared with other runs'.

    Parameters
    ----------
    inspection : Inspection
        As :func:`biomlbench.submission.validation.inspect_submission` gives it.

    Returns
    -------
    str
        Empty for a submission that is invalid, or is constant.
    """
    if inspection.first_failure or inspection.sample is None:
        return ""
    table, order = inspection.rows
    table = table if order is None else table.take(order)
    ids = inspection.sample.ids
    specs = inspection.sample.predictions
    columns = [table.column(spec.name).to_numpy() for spec in specs]
    if all(spec.numeric for spec in specs):
        return fingerprint(ids, np.column_stack([np.asarray(c, float) for c in columns]))
    rows = zip(*columns, strict=True)
    return fingerprint(ids, np.array(["\x1f".join(map(str, row)) for row in rows], dtype=object))


def outcomes(
    fingerprints: Sequence[str], groups: Sequence[str], names: Sequence[str]
) -> dict[int, CheckOutcome]:
    """Return an advisory row for every run that was compared with those of other groups.

    Parameters
    ----------
    fingerprints : sequence of str, length n
        One a run of the task; an empty one is like no other, and has no row.
    groups : sequence of str, length n
        Runs of one group, an agent's for instance, may be alike.
    names : sequence of str, length n
        What the runs are called in messages.

    Returns
    -------
    dict of int to CheckOutcome
        By position of the run, in ascending order; empty where there is no other group.
    """
    prints = parse(fingerprints)
    compared = np.flatnonzero(prints.known).tolist()
    if len({groups[place] for place in compared}) < 2:
        return {}
    near = {
        place: (count, [names[other] for other in first])
        for place, count, first in near_duplicates(prints, groups, THRESHOLD, _NAMED)
    }
    alone = _outcome(0, ())
    return {place: _outcome(*near[place]) if place in near else alone for place in compared}


def _outcome(count: int, named: Sequence[str]) -> CheckOutcome:
    more = f" and {count - len(named)} more" if count > len(named) else ""
    return CheckOutcome(
        check=CHECK,
        suite=Suite.ADVERSARIAL,
        mode="property_based",
        severity=Severity.ADVISORY,
        outcome=Outcome.FAILED if count else Outcome.PASSED,
        reason=Reason.NEAR_DUPLICATE if count else Reason.OK,
        message=f"{', '.join(named)}{more}",
        margin=None,
        weight=0.0,
        pattern="duplicate-of-a-run",
    )
