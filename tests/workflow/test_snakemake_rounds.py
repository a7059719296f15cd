"""The scheduler looks at few jobs in a round, and leaves no core idle for that."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from biomlbench.workflow.snakemake_rounds import in_turns, list_the_rest_when_asked


@dataclass(frozen=True)
class Job:
    number: int
    needs: tuple[tuple[str, int], ...] = (("_cores", 1),)
    output: tuple[str, ...] = ("x",)
    wildcards_dict: dict[str, str] = field(default_factory=dict, hash=False)
    HIGHEST_PRIORITY = 10**9


class Scheduler:
    """Chooses what fits, first come, first served, and counts what it looks at."""

    def __init__(self, subsample=100, **resources):
        self.resources = {"_cores": 2, "_nodes": 1000, **resources}
        self.subsample = subsample
        self.looked, self.listed = [], 0

    def job_selector(self, jobs):
        self.looked.append(len(jobs))
        found = []
        for job in jobs:
            if all(self.resources[name] >= count for name, count in job.needs):
                for name, count in job.needs:
                    self.resources[name] -= count
                found.append(job)
        return found

    @property
    def remaining_jobs(self):
        self.listed += 1
        return [1, 2]


def chosen(scheduler, jobs):
    dag = SimpleNamespace(_priority={}, needrun_jobs=lambda: jobs)
    turns = iter(range(len(jobs)))
    in_turns(scheduler, dag, lambda output, wildcards: next(turns))
    return sorted(job.number for job in scheduler.job_selector(set(jobs)))


def test_few_are_looked_at_and_the_first_ones_chosen():
    scheduler = Scheduler()
    assert chosen(scheduler, [Job(n) for n in range(1000)]) == [0, 1]
    assert scheduler.looked == [10]
    assert scheduler.subsample is None


def test_jobs_that_wait_for_something_else_leave_no_core_idle():
    scheduler = Scheduler(gpu=1)
    first = [Job(n, (("_cores", 1), ("gpu", 1))) for n in range(50)]
    assert chosen(scheduler, [*first, *(Job(n) for n in range(50, 90))]) == [0, 50]
    assert scheduler.resources["_cores"] == 0
    assert scheduler.looked == [10, 89]


@pytest.mark.parametrize("cores", [1, 32])
def test_all_cores_get_a_job(cores):
    scheduler = Scheduler(_cores=cores)
    assert chosen(scheduler, [Job(n) for n in range(500)]) == list(range(cores))


def test_in_a_queue_without_an_end_many_are_handed_over():
    scheduler = Scheduler(_cores=10**9, _nodes=10**9)
    assert chosen(scheduler, [Job(n) for n in range(500)]) == list(range(100))


def test_the_rest_is_listed_when_somebody_looks():
    scheduler = Scheduler()
    list_the_rest_when_asked(scheduler)
    rest = scheduler.remaining_jobs
    assert scheduler.listed == 0
    assert (list(rest), len(rest), bool(rest)) == ([1, 2], 2, True)
    assert scheduler.listed > 0
    list_the_rest_when_asked(SimpleNamespace())  # of another version
    list_the_rest_when_asked(None)
