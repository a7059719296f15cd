"""Which pairs are done first: quick ones before programs, nobody's flood before another's runs."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from biomlbench.stages.kinds import shares_jobs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from biomlbench.workflow.runs import Run

__all__ = ["turns_of"]


def turns_of(runs: Iterable[Run]) -> dict[tuple[str, str], int]:
    """Return the place of each pair in the order in which pairs are done.

    Parameters
    ----------
    runs : iterable of Run

    Returns
    -------
    dict of (str, str) to int
        By task and run id. Predictions come before code, which may take its whole time limit; then
        runs of tables before those of lists, which may be agents' own; then agents in turns.
    """
    had: Counter[tuple[bool, bool, str]] = Counter()
    keyed: list[tuple[bool, bool, int, int, Run]] = []
    for run in runs:
        is_slow, is_listed = not shares_jobs(run.kind), run.root is not None
        group = (is_slow, is_listed, run.agent)
        keyed.append((is_slow, is_listed, had[group], len(keyed), run))
        had[group] += 1
    keyed.sort(key=lambda entry: entry[:4])
    return {(run.task_id, run.run_id): place for place, (*_, run) in enumerate(keyed)}
