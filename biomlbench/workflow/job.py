"""From a Snakemake job to a stage: the only place that knows both."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

from biomlbench.contracts import JOB
from biomlbench.stages import Context, Pair, read_stage, run_stage
from biomlbench.stages.chain import FINAL
from biomlbench.stages.provenance import digest, environment_hash
from biomlbench.workflow.preparations import COLUMNS, failure_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from biomlbench.contracts.mappings import Config

__all__ = [
    *("DONE", "Job", "JobParameters", "PairFields", "TaskJob"),
    *("context_of", "is_digest_of", "provenance_of", "run_job"),
]

_AGAIN = frozenset({"changes", "failures", "replaced"})
"""Keys of a job that count how often something has happened for which it is done again."""
DONE = "done in "
"""How the log of a job begins that has ended well."""


class PairFields(TypedDict):
    """The fields of a :class:`biomlbench.stages.Pair`; `root` where it has one."""

    task_id: str
    run_id: str
    submission: str
    kind: str
    seed: int | None
    root: NotRequired[str]


class _OfTask(TypedDict):
    context: Config
    task: str


class TaskJob(_OfTask, total=False):
    """What a stage depends on in a task.

    Attributes
    ----------
    context : dict
        Fields of :class:`biomlbench.stages.Context`: only what the stage depends on, so that a
        change of one setting reruns no other stage.
    task : str
        A hash over what of the task's folder it depends on.
    files : dict of str to str
        Hashes of the files that the config names for the task, as far as it reads them.
    audit : str
        The state of the task's audit, where it depends on that.
    failures : int
        How often the task has kept itself from being prepared, for the stage that prepares it:
        it is tried again by each run, as what it lacks may lie outside of its folder.
    changes : int
        How often the task's data have changed since they were first prepared, likewise.
    """

    files: dict[str, str]
    audit: str
    failures: int
    changes: int


class Job(TaskJob, total=False):
    """What a stage's job is about: `pair`, or the `pairs` of a batch; and what was replaced.

    Attributes
    ----------
    replaced : dict of str to int
        How often each of its submissions was replaced, for the stage that reads them first.
    """

    pair: PairFields
    pairs: list[PairFields]
    replaced: dict[str, int]


class JobParameters(TypedDict):
    """The parameters of a rule's job."""

    job: Job
    code: str


def run_job(stage: str, snakemake: Any) -> list[str]:
    """Run a stage for the pair of a job, or for the pairs of a batch.

    Parameters
    ----------
    stage : str
        One of `biomlbench.stages.STAGES`.
    snakemake : object
        With ``input`` (the first stage's has the task's ``prepare`` table), ``output``,
        ``params``: ``job`` (pair or pairs, context, task's fingerprint) and ``code``, and
        ``grant``, what the scheduler gave.

    Returns
    -------
    list of str
        After the one that makes the final record, whose fault each pair's outcome is.
    """
    job = snakemake.params["job"]
    folder = Path(snakemake.output[stage]).parent
    context, record = context_of(job, snakemake.grant), provenance_of(snakemake.params)
    if "prepare" in snakemake.input:
        folder_of_task = Path(snakemake.input["prepare"]).parent
        prepared = read_stage("prepare", folder_of_task, COLUMNS)
        record["prepared"] = prepared.column("files_sha256")[0].as_py()
        context = replace(context, unprepared=failure_of(prepared))
    if "pairs" in job:
        from biomlbench.workflow.batch_tables import run_batch

        table = run_batch(stage, [Pair(**pair) for pair in job["pairs"]], context, folder, record)
    else:
        table = run_stage(stage, Pair(**job["pair"]), context, folder, record)
    return table.column("fault").to_pylist() if stage == FINAL else []


def context_of(job: TaskJob, grant: Mapping[str, int] | None = None) -> Context:
    """Return the context that a job's parameters, and what it was granted, describe."""
    values = {**job["context"], "grant": grant or {}}
    return Context(**{**values, "tasks_dirs": tuple(values.get("tasks_dirs", ()))})


def provenance_of(params: JobParameters) -> dict[str, str]:
    """Return what a job's table was made from, for its metadata."""
    return {
        JOB: _digest_of(params),
        "task_fingerprint": params["job"]["task"],
        "code": params["code"],
        "environment": environment_hash(),
    }


def _digest_of(params: JobParameters) -> str:
    """Return a hash of what a job is about; behind a dash, one of the counts in `_AGAIN`.

    Only where there are any: results that were brought here have tables that were made as often as
    needed, and no counts.
    """
    counts = {key: value for key, value in params["job"].items() if key in _AGAIN}
    job = {key: value for key, value in params["job"].items() if key not in _AGAIN}
    found = digest({"job": job, "code": params["code"]})
    return f"{found}-{digest(counts)}" if counts else found


def is_digest_of(params: JobParameters, found: str | None) -> bool:
    """Tell whether a table's hash is that of a job, whatever was counted where it was made."""
    return found is not None and _digest_of(params) in (found, found.partition("-")[0])
