"""How long Snakemake's scheduler takes to choose what runs next, of thousands of jobs.

Each job that ends begins a round, and what a round does for each job there is takes most of a run
of many small jobs. All of it rests on attributes that are not documented, and is left out where
they are not there.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = ["in_turns", "list_the_rest_when_asked"]

A_CORE, BESIDE = 2, 6
"""Jobs that are looked at for each free core, and beside: the first ones mostly fit."""


class _Later:
    """A list that is made when somebody looks into it."""

    def __init__(self, make: Callable[[], list[Any]]) -> None:
        self._make = make

    def __iter__(self) -> Iterator[Any]:
        return iter(self._make())

    def __len__(self) -> int:
        return len(self._make())


def list_the_rest_when_asked(scheduler: Any) -> None:
    """Keep the scheduler from listing all jobs that are left in each round, which nobody reads.

    The greedy way to choose, which is the default here, looks at jobs that are ready alone.

    Parameters
    ----------
    scheduler : snakemake.scheduling.job_scheduler.JobScheduler
    """
    kind: Any = type(scheduler)
    listed = getattr(kind, "remaining_jobs", None)
    if not isinstance(listed, property) or listed.fget is None:
        return
    make = listed.fget

    def later(self: Any) -> _Later:
        return _Later(lambda: make(self))

    try:
        scheduler.__class__ = type(kind.__name__, (kind,), {"remaining_jobs": property(later)})
    except TypeError:  # of a class whose objects have another layout
        return


def in_turns(
    scheduler: Any, dag: Any, turn_of: Callable[[str, Mapping[str, str]], float | None]
) -> None:
    """Have the scheduler start jobs in an order, also where very many are ready.

    Of more ready jobs than it looks at in a round, it takes a sample at random: whoever has
    most of them would go first. Here it looks at the first ones, a few for each free core, and at
    as many as it would otherwise where those leave cores free.

    Parameters
    ----------
    scheduler : snakemake.scheduling.job_scheduler.JobScheduler
    dag : snakemake.dag.DAG
    turn_of : callable
        From a job's first output and its wildcards to its place in the order, from 0; None
        for one that goes before all of them.
    """
    is_known = all(hasattr(scheduler, name) for name in ("job_selector", "subsample", "resources"))
    if not is_known or not hasattr(dag, "_priority"):
        return
    priorities: dict[Any, float] = dag._priority
    for job in dag.needrun_jobs():
        turn = turn_of(str(next(iter(job.output), "")), job.wildcards_dict)
        if turn is not None and priorities.get(job) != job.HIGHEST_PRIORITY:
            priorities[job] = -1.0 - turn
    select, most = scheduler.job_selector, scheduler.subsample
    if not most:
        return

    def priority(job: Any) -> float:
        return priorities.get(job, 0.0)

    def free() -> int:
        return int(min(scheduler.resources.get(name, most) for name in ("_cores", "_nodes")))

    def chosen(jobs: Any) -> list[Any]:
        few = min(most, A_CORE * free() + BESIDE)
        if len(jobs) <= few:
            return list(select(jobs))
        first = list(select(heapq.nlargest(few, jobs, key=priority)))
        if few == most or not free():
            return first
        others = heapq.nlargest(most, set(jobs).difference(first), key=priority)
        return [*first, *select(others)]

    scheduler.subsample = None
    scheduler.job_selector = chosen
