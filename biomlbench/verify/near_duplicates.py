"""Duplicates among the runs of a task: the one check that needs to see more than a pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from biomlbench.outcomes import Outcome, Reason, Severity, Suite
from biomlbench.runtime.hashing import is_sha256
from biomlbench.verify.fingerprints import (
    Prints,
    Similarity,
    fingerprint,
    near_duplicates,
    parse,
)
from biomlbench.verify.policy import CheckOutcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from biomlbench.submission.validation import Inspection

__all__ = ["CHECK", "THRESHOLD", "equal_files", "fingerprint_of", "outcomes", "threshold_of"]

CHECK = "not-a-duplicate"
THRESHOLD = Similarity(correlation=0.9995, agreement=0.8)
"""From which on two runs' predictions count as near-duplicates. Two models trained on the same data
may order the rows nearly alike, and simple ones of few features beyond this correlation, so that
the check is advisory; but they do not give the same fine values: by chance an agreement of
0.8 is estimated for none of 10**9 pairs (six standard deviations, with 64 directions)."""
NEARER = 20
"""How many times nearer than is usual in a task two runs must be, in what their correlation lacks
to 1. Where answers are places of atoms, any two good predictions are beyond the threshold."""
LEAST_GROUPS = 4
"""Groups from which on a task has a usual nearness: of fewer one copy would decide it."""
_SAMPLE = 200
_LARGEST = 1 - 1e-6
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


def equal_files(digests: Sequence[str | None], groups: Sequence[str]) -> dict[int, list[int]]:
    """Find runs of one group whose submissions are the same file.

    Parameters
    ----------
    digests : sequence of str or None, length n
        Hash of each run's submission, or what
        :func:`biomlbench.submission.submitted_file.file_sha256` gives where there was none to read.
    groups : sequence of str, length n

    Returns
    -------
    dict of int to list of int
        For each such run all that have its file, itself among them, in ascending order.

    Examples
    --------
    >>> same = "f" * 64
    >>> equal_files([same, same, same, None, None, "absent", "absent"], list("aabaaaa"))
    {0: [0, 1], 1: [0, 1]}
    """
    found: dict[tuple[str, str], list[int]] = {}
    for place, (digest, group) in enumerate(zip(digests, groups, strict=True)):
        if digest is not None and is_sha256(digest):
            found.setdefault((digest, group), []).append(place)
    alike = {place: same for same in found.values() if len(same) > 1 for place in same}
    return dict(sorted(alike.items()))


def outcomes(
    fingerprints: Sequence[str],
    groups: Sequence[str],
    names: Sequence[str],
    digests: Sequence[str | None] = (),
) -> dict[int, CheckOutcome]:
    """Return an advisory row for every run that was compared with others.

    Near-duplicates of another group's run fail. That one group's runs are the same file is no
    failure, as a deterministic agent may well repeat itself; the row's message tells it.

    Parameters
    ----------
    fingerprints : sequence of str, length n
        One a run of the task; an empty one is like no other, and has no row.
    groups : sequence of str, length n
        Runs of one group, an agent's for instance, may be alike.
    names : sequence of str, length n
        What the runs are called in messages.
    digests : sequence of str or None, length n, optional
        Hashes of the submissions, as for :func:`equal_files`.

    Returns
    -------
    dict of int to CheckOutcome
        By position of the run, in ascending order: runs that were compared with those of other
        groups, and those that are the same file as another of their own.
    """
    same = equal_files(digests, groups) if digests else {}
    prints = parse(fingerprints)
    compared = np.flatnonzero(prints.known).tolist()
    near: dict[int, str] = {}
    if len({groups[place] for place in compared}) < 2:
        compared = []
    else:
        near = {
            place: _listed([names[other] for other in first], count)
            for place, count, first in near_duplicates(
                prints, groups, threshold_of(prints, groups), _NAMED
            )
        }
    equal = {place: _same_file(place, members, names) for place, members in same.items()}
    return {
        place: _outcome(near.get(place, ""), equal.get(place, ""))
        for place in sorted({*compared, *equal})
    }


def threshold_of(prints: Prints, groups: Sequence[str]) -> Similarity:
    """Return from which on two runs of a task are near-duplicates: nearer than is usual there.

    Parameters
    ----------
    prints : Prints
        Of n runs.
    groups : sequence of str, length n

    Returns
    -------
    Similarity
        :data:`THRESHOLD`, with a higher correlation where that of most runs is high. Copies that
        are most of a task's runs are still found by the agreement of their values.
    """
    ranks, names = prints.parts[0], np.unique(np.asarray(groups), return_inverse=True)[1]
    there = np.flatnonzero(ranks.any(axis=1))
    some = there[np.linspace(0, len(there) - 1, min(_SAMPLE, len(there))).astype(int)]
    if len(np.unique(names[some])) < LEAST_GROUPS:
        return THRESHOLD
    apart = np.triu(names[some, None] != names[None, some], 1)
    usual = float(np.median((ranks[some] @ ranks[some].T)[apart]))
    nearer = min(1 - (1 - usual) / NEARER, _LARGEST)
    return THRESHOLD._replace(correlation=max(THRESHOLD.correlation, nearer))


def _listed(named: Sequence[str], count: int) -> str:
    more = f" and {count - len(named)} more" if count > len(named) else ""
    return f"{', '.join(named)}{more}"


def _same_file(place: int, members: Sequence[int], names: Sequence[str]) -> str:
    others = [other for other in members[: _NAMED + 1] if other != place][:_NAMED]
    return f"the same file as {_listed([names[other] for other in others], len(members) - 1)}"


def _outcome(near: str, equal: str) -> CheckOutcome:
    return CheckOutcome(
        check=CHECK,
        suite=Suite.ADVERSARIAL,
        mode="property_based",
        severity=Severity.ADVISORY,
        outcome=Outcome.FAILED if near else Outcome.PASSED,
        reason=Reason.NEAR_DUPLICATE if near else Reason.OK,
        message="; ".join(filter(None, (near, equal))),
        pattern="duplicate-of-a-run",
    )
