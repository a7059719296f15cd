"""The keys of a run's state, as its file holds it."""

from __future__ import annotations

from typing import TypedDict

__all__ = [
    *("FailedJob", "JobCounts", "JobFacts", "KnownState", "PairCounts", "RunState"),
    "StageCounts",
]


class _OfJob(TypedDict):
    rule: str
    for_s: float


class JobFacts(_OfJob, total=False):
    """A job of a run; of one of pairs also which: `run_id`, or `batch`, and how many."""

    task_id: str
    run_id: str
    batch: str
    pairs: int


class FailedJob(JobFacts):
    """A job that failed, and where its log is in the results."""

    log: str | None


class JobCounts(TypedDict):
    """Jobs of a run."""

    done: int
    total: int


class PairCounts(TypedDict):
    """Pairs of a run, and how many of those done are whose fault."""

    expected: int
    done: int
    held_up: int
    faults: dict[str, int]


class StageCounts(TypedDict):
    """Pairs of a run at a stage."""

    stage: str
    done: int
    running: int
    failed: int
    left: int


class KnownState(TypedDict):
    """What a run does, but for its failures."""

    version: int
    state: str
    host: str | None
    pid: int | None
    started: str
    updated: str
    seconds: float
    jobs: JobCounts
    pairs: PairCounts
    summary: str
    stages: list[StageCounts]
    pairs_per_s: float | None
    left_s: float | None
    running: list[JobFacts]
    running_in_all: int
    failed_jobs_in_all: int


class RunState(KnownState):
    """What a run does, as its file says it."""

    failed_jobs: list[FailedJob]
    faulty_tables: list[str]
