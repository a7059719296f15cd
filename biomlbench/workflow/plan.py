"""What the workflow's rules ask for: what each job is about, depends on and takes.

Read once when Snakemake reads the Snakefile, so nothing here imports pandas or scikit-learn.
"""

from __future__ import annotations

import hashlib
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from biomlbench.errors import TaskError
from biomlbench.runtime.resources import RUNS_OF_A_PROGRAM, asked
from biomlbench.stages.chain import all_stages, before, dependencies, module_of
from biomlbench.stages.provenance import file_hash
from biomlbench.workflow.code_hash import code_hash
from biomlbench.workflow.configured_runs import ConfiguredRuns
from biomlbench.workflow.fingerprints import context_of_stage, files_of_stage, fingerprint
from biomlbench.workflow.preparations import read_failures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from biomlbench.scoring.effective_task import EffectiveTask
    from biomlbench.workflow.job import Job, JobParameters, PairFields, TaskJob

__all__ = ["Benchmark"]

_AFTER_THE_PAIRS = {
    "aggregate": "biomlbench.summary.aggregate",
    "telemetry": "biomlbench.summary.telemetry",
    "report": "biomlbench.report.write",
}
"""Modules of the rules over all pairs."""


class Benchmark(ConfiguredRuns):
    """A benchmark as configured: tasks, runs, and what each job needs to know.

    Its parameters and attributes are those of
    :class:`biomlbench.workflow.configured_runs.ConfiguredRuns`.
    """

    @cached_property
    def _task_jobs(self) -> dict[tuple[str, str], TaskJob]:
        return {}

    @cached_property
    def _compute(self) -> dict[str, dict[str, int]]:
        return {}

    def job(self, stage: str, task: str, run: str) -> Job:
        """Return what a stage's job is about.

        Parameters
        ----------
        stage, task, run : str

        Returns
        -------
        dict
            `pair`, the fields of `biomlbench.stages.Pair`, and those of :meth:`task_job`.
        """
        row = self.runs[task, run]
        pair: PairFields = {
            "task_id": task,
            "run_id": run,
            "submission": row.submission,
            "kind": row.kind,
            "seed": row.seed,
        }
        if row.root is not None:
            pair["root"] = row.root
        job = cast("Job", {"pair": pair, **self.task_job(stage, task)})
        return self._about([pair], job, stage)

    def batch_job(self, stage: str, task: str, batch: str) -> Job:
        """Return what a stage's job for a batch is about.

        Parameters
        ----------
        stage, task, batch : str

        Returns
        -------
        dict
            `pairs`, each as `pair` in :meth:`job`, sorted by run.
        """
        members = self.assignment.batches[task, batch]
        pairs: list[PairFields] = [
            {"task_id": task, "run_id": run, **members[run]} for run in sorted(members)
        ]
        job = cast("Job", {"pairs": pairs, **self.task_job(stage, task)})
        return self._about(pairs, job, stage)

    def tables_and_jobs(self) -> Iterator[tuple[str, Callable[[], JobParameters]]]:
        """Yield the path of every table of tasks and stages, and what returns its job's parameters.

        They are in the order in which they are made from one another.
        """
        for task in self.tasks_with_runs:
            table = f"{self.results}/tasks/{task}/prepare.parquet"
            yield table, partial(self._parameters, "prepare", self.task_job, task)
        units = {
            place: (self.batch_job, task, place.rpartition("/")[2])
            if self.is_in_batch(task, run)
            else (self.job, task, run)
            for (task, run) in self.runs
            for place in [self.place(task, run)]
        }
        for stage in all_stages():
            for place, (job_of, *names) in units.items():
                table = f"{self.results}/{place}/{stage}.parquet"
                yield table, partial(self._parameters, stage, job_of, *names)

    def _parameters(self, stage: str, job_of: Callable[..., Any], *names: str) -> JobParameters:
        return {"job": job_of(stage, *names), "code": self.code(stage)}

    def _about(self, pairs: Iterable[PairFields], job: Job, stage: str) -> Job:
        """Add, for the stage that reads submissions first, how often each was replaced."""
        if not before(stage) and self.replaced:
            paths = {pair["submission"] for pair in pairs} & self.replaced.keys()
            if paths:
                job["replaced"] = {path: self.replaced[path] for path in sorted(paths)}
        return job

    def task_job(self, stage: str, task_id: str) -> TaskJob:
        """Return what a stage depends on in a task.

        Parameters
        ----------
        stage, task_id : str

        Returns
        -------
        dict
            `context`, fields of `biomlbench.stages.Context`: only what the stage depends on, so
            that a change of one setting reruns no other stage; `task`, a hash over what of the
            task's folder it depends on; and those of :class:`biomlbench.workflow.job.TaskJob`.
        """
        key = (stage, task_id)
        if key not in self._task_jobs:
            found = self.effective_task(task_id)
            job: TaskJob = {
                "context": context_of_stage(stage, found.overrides, self.config),
                "task": fingerprint(found.task, stage),
            }
            if files := files_of_stage(stage, found.overrides):
                job["files"] = files
            if "audit" in dependencies(stage).overrides:
                # No input of the rule: it may come, and go, beside the task's data.
                job["audit"] = _audit_state(found)
            if stage == "prepare" and (failures := read_failures(self._folder_of(task_id))):
                job["failures"] = failures
            if stage == "prepare" and (changes := self.changed_data.get(task_id)):
                job["changes"] = changes
            self._task_jobs[key] = job
        return self._task_jobs[key]

    def _folder_of(self, task_id: str) -> Path:
        return Path(self.results, "tasks", task_id)

    def compute(self, task_id: str) -> dict[str, int]:
        """Return what running submitted code for a task takes, for the scheduler.

        Parameters
        ----------
        task_id : str

        Returns
        -------
        dict
            ``cpus``, ``memory_mb`` and ``runtime_min`` (never less than what the sandbox lets the
            code have), ``gpus``.
        """
        if task_id not in self._compute:
            found, execution = self.effective_task(task_id), self.config["execution"]
            runs = RUNS_OF_A_PROGRAM if execution.get("reruns", True) else 1
            try:
                limits = found.limits(execution.get("limits", {}))
                self._compute[task_id] = asked(found.task.compute, limits, runs)
            except TaskError:  # a broken task is the fault of its own jobs
                self._compute[task_id] = asked({}, {}, runs)
        return self._compute[task_id]

    def code(self, stage: str) -> str:
        """Return the hash of the library code that a stage, or a table over all pairs, uses."""
        if module := _AFTER_THE_PAIRS.get(stage):
            return code_hash(module)
        return code_hash(module_of(stage), dependencies(stage).unused)

    @cached_property
    def runs_hash(self) -> str:
        """Hash over all rows of the run tables, good and bad."""
        rows = [repr(row) for row in (*self.runs.values(), *self.bad_rows)]
        return hashlib.sha256("\n".join(rows).encode()).hexdigest()[:16]

    @cached_property
    def tasks_hash(self) -> str:
        """Hash over what the tasks say of themselves: configs and descriptions."""
        digest = hashlib.sha256()
        for task_id in self.task_ids:
            try:
                task = self.effective_task(task_id).task
                told = repr((task_id, task.config, task.description))
            except TaskError as error:
                told = repr((task_id, str(error)))
            digest.update(told.encode("utf-8", "surrogatepass"))
        return digest.hexdigest()[:16]


def _audit_state(task: EffectiveTask) -> str:
    """Return the hash of what a task's audit has found, and what has changed since."""
    try:
        audit = task.read_audit()
    except TaskError:
        audit = None
    return "-".join((file_hash(task.audit), *(audit.changed if audit else ())))
