"""What the workflow's rules ask for: pairs, their files, and what each stage depends on.

Read once when Snakemake reads the Snakefile, so nothing here imports pandas or scikit-learn.
"""

from __future__ import annotations

import hashlib
import logging
import os
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from biomlbench.errors import TaskError
from biomlbench.runtime.files import shipped
from biomlbench.runtime.resources import RUNS_OF_A_PROGRAM, asked
from biomlbench.scoring.effective_task import EffectiveTask
from biomlbench.scoring.stored_audit import FILE as FINDINGS
from biomlbench.stages.chain import all_stages, before, dependencies, module_of
from biomlbench.stages.kinds import shares_jobs
from biomlbench.stages.provenance import file_hash
from biomlbench.task.adopted_data import own_files
from biomlbench.task.registry import Registry
from biomlbench.task.task import TASK_ID
from biomlbench.workflow.assignment import Assignment, batch_folder
from biomlbench.workflow.checked_config import changes_of_tasks, checked
from biomlbench.workflow.code_hash import code_hash
from biomlbench.workflow.config import ConfigError, Sources
from biomlbench.workflow.fingerprints import context_of_stage, fingerprint
from biomlbench.workflow.runs import Run, read_runs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from biomlbench.contracts.mappings import Config
    from biomlbench.workflow.job import Job, PairFields, TaskJob

__all__ = ["Benchmark"]

log = logging.getLogger(__name__)

_AFTER_THE_PAIRS = {
    "aggregate": "biomlbench.summary.aggregate",
    "telemetry": "biomlbench.summary.telemetry",
    "report": "biomlbench.report.write",
}
"""Modules of the rules over all pairs."""

MOST_NAMED = 200
"""Most bad rows that are named one by one when the workflow starts."""


def _tidy(path: str) -> str:
    """Return a path without the `./` and `//` that Snakemake warns of; `..` may follow a link."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    return ("/" if path.startswith("/") else "") + "/".join(parts)


def _ignores_case(folder: Path) -> bool:
    """Tell whether a folder, or where it will be, is on a file system that ignores case."""
    place = folder if folder.exists() else folder.absolute().parent
    other = place.absolute().with_name(place.absolute().name.swapcase())
    try:
        return other.name != place.absolute().name and other.samefile(place)
    except OSError:
        return False


class Benchmark:
    """A benchmark as configured: tasks, runs, and what each job needs to know.

    Parameters
    ----------
    config : mapping
        As read from the config file.
    root : path
        Folder of the Snakefile.
    files : iterable of path
        Files that the config was read from, for messages.
    plan : bool
        Whether pairs may be put into new batches: only where the workflow is started. The
        Snakemakes of single jobs take the recorded batches as they are.
    cores : int
        Jobs that run at a time, for the size of new batches.
    results : path, optional
        Folder of the results; by default as the config has it. A workflow that imports the rules
        may have put a prefix before it.

    Attributes
    ----------
    config : dict
        Checked, with defaults.
    results : str
        Folder of the results.
    registry : Registry
    runs : dict of (str, str) to Run
        By task id and run id.
    bad_rows : list of BadRow
    assignment : Assignment
        Which pairs share a job.
    replaced : dict of str to int
        How often submissions have been replaced by a file with an older time.
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        root: str | Path,
        *,
        plan: bool = False,
        cores: int = 1,
        results: str | Path | None = None,
        files: Iterable[str | Path] = (),
    ) -> None:
        self.root = Path(root)
        self.config = checked(config, root, files)
        # Nothing is made from it, so that no table depends on it.
        self.notify: list[str] = self.config.pop("notify")
        self.results = str(results or self.config["results_dir"])
        self.registry = Registry(
            tasks_dirs=tuple(self.config["tasks_dirs"]), data_dir=self.config.get("data_dir")
        )
        self.config["tasks"] = changes_of_tasks(self.config, self.registry, Sources(files))
        for run in self.config.get("calibration", {}).get("flake_runs", ()):
            run["task_id"] = self.registry.full_id(run["task_id"]) or run["task_id"]
        runs, self.bad_rows = read_runs(
            [self.run_table(name) for name in self.config["runs"]],
            self._resolve,
            ignore_case=_ignores_case(Path(self.results)),
            note=log.warning if plan else None,
        )
        self.runs: dict[tuple[str, str], Run] = {
            (r.task_id, r.run_id): self._as_here(r) for r in runs
        }
        self._parameters: dict[tuple[str, str], TaskJob] = {}
        self._compute: dict[str, dict[str, int]] = {}
        self.replaced: Mapping[str, int] = {}
        self._plan = plan
        self.assignment = Assignment.read(self.results)
        if plan:
            size = self.config["pairs_per_job"]
            self.assignment = self.assignment.extend(self.runs, size, self.results, cores)
        self._batch_of = {
            key: batch
            for key, batch in self.assignment.batch_of().items()
            if key in self.runs and shares_jobs(self.runs[key].kind)
        }
        # Those that the config changes; what is wrong with a task itself is told by its own jobs.
        for task_id in self.config["tasks"]:
            try:
                self.effective_task(task_id).check()
            except TaskError as error:
                raise ConfigError(error.message) from None
        for row in self.bad_rows[:MOST_NAMED] if plan else ():
            log.warning("left out: %s", row.message)
        if plan and (more := len(self.bad_rows) - MOST_NAMED) > 0:
            log.warning("left out: %d more; results/pairs.parquet has them all", more)

    def _resolve(self, task_id: str) -> tuple[str, str]:
        task = self.registry.get_task(task_id)
        if not TASK_ID.fullmatch(task.id):
            raise TaskError(
                f"{task.folder}: the folders' names make the task id {task.id!r}; use letters, "
                "digits, dots, dashes and underscores, with a letter or digit first"
            )
        return task.id, task.kind

    def run_table(self, name: str) -> Path:
        """Return where a run table is; the demo's own ones come with the workflow."""
        return shipped(name, self.root) if self.config.get("demo") else Path(name)

    def _as_here(self, run: Run) -> Run:
        """Return a run of a table that came with the workflow as if the table lay here."""
        root = f"{self.root.as_posix()}/"
        if not run.source.startswith(root):
            return run
        source, submission = (x.removeprefix(root) for x in (run.source, run.submission))
        return replace(run, source=source, submission=submission)

    @cached_property
    def task_ids(self) -> list[str]:
        """Tasks that have runs, and those of the configured suite, sorted."""
        return sorted({*self.tasks_with_runs, *self._of_suite})

    @cached_property
    def runs_by_task(self) -> dict[str, list[Run]]:
        """The runs of each task that has some, by its id, sorted."""
        found: dict[str, list[Run]] = {}
        for run in self.runs.values():
            found.setdefault(run.task_id, []).append(run)
        return dict(sorted(found.items()))

    @cached_property
    def tasks_with_runs(self) -> list[str]:
        """Tasks that have runs, sorted."""
        return sorted({task_id for task_id, _ in self.runs})

    def effective_task(self, task_id: str) -> EffectiveTask:
        """Return a task as the config changes it."""
        return EffectiveTask(self.registry.get_task(task_id), self.changes(task_id))

    def changes(self, task_id: str) -> Config:
        """Return what the config changes of a task, and the audit that the results hold of it."""
        found = dict(self.config["tasks"].get(task_id, {}))
        if os.path.isfile(path := f"{self.results}/audit/{task_id}/{FINDINGS}"):
            found["audit"] = path
        return found

    @cached_property
    def _of_suite(self) -> tuple[str, ...]:
        from biomlbench.suites.checkout import tasks_of

        name = self.config.get("suite")
        return tasks_of(name) if name else ()

    def place(self, task: str, run: str) -> str:
        """Return the folder of a pair's tables, relative to the results: its own or a batch's."""
        batch = self._batch_of.get((task, run)) if self._batch_of else None
        return f"pairs/{task}/{run}" if batch is None else batch_folder(task, batch)

    def is_in_batch(self, task: str, run: str) -> bool:
        """Tell whether a configured pair shares a job with others."""
        return (task, run) in self._batch_of

    def tables(self, stage: str) -> list[str]:
        """Return one stage's tables, one for every pair or batch, as the rules name them."""
        folders = dict.fromkeys(self.place(task, run) for task, run in self.runs)
        return [f"<results>/{folder}/{stage}.parquet" for folder in folders]

    def gaps(self) -> list[str]:
        """Return tables that are missing though a later stage's table is there, as rules name them.

        Snakemake makes an intermediate file again only when something asks for it; asked for
        by name, a deleted table is made again with all that follows from it. A pair that a failed
        run has lost has its row in the summaries, which look up to date then.
        """
        missing = []
        stages = list(all_stages())
        summarised = os.path.isfile(f"{self.results}/pairs.parquet")
        for table in self.tables(stages[-1]) if self._plan else ():
            folder = table.rpartition("/")[0]
            try:
                there = set(os.listdir(folder.replace("<results>", self.results, 1)))
            except FileNotFoundError:
                there = set()
            made = [f"{stage}.parquet" in there for stage in stages]
            last = max((n for n, is_there in enumerate(made) if is_there), default=0)
            missing += [f"{folder}/{stages[n]}.parquet" for n in range(last) if not made[n]]
            if summarised and not made[-1]:
                missing.append(table)
        return missing

    def submission(self, task: str, run: str) -> list[str]:
        """Return a pair's submission as a job's input: nothing where there is no such file."""
        return self._input(self.runs[task, run].submission)

    def own_data(self, task_id: str) -> list[str]:
        """Return the data of a task that its user put in place: what `prepare` has as input."""
        with suppress(TaskError):  # a broken task is the fault of its own jobs
            return [str(path) for path in own_files(self.registry.get_task(task_id))]
        return []

    def batch_submissions(self, task: str, batch: str) -> list[str]:
        """Return the submissions of a batch's pairs, as far as there are such files."""
        members = self.assignment.batches[task, batch].values()
        return sorted({path for member in members for path in self._input(member["submission"])})

    def _input(self, path: str) -> list[str]:
        if path in self._made:
            return [path]
        # Snakemake reads its inputs, and ends the whole run over one that it may not read.
        usable = os.path.isfile(path) and not os.path.islink(path) and os.access(path, os.R_OK)
        return [_tidy(path)] if usable else []

    @cached_property
    def demo_files(self) -> list[str]:
        """Submissions that the workflow makes itself, if the config asks for the demo's."""
        from biomlbench.demo.spoil import NEVER_WRITTEN

        return sorted(
            run.submission
            for run in self.runs.values()
            if self.is_of_demo(run) and Path(run.submission).stem not in NEVER_WRITTEN
        )

    def is_of_demo(self, run: Run) -> bool:
        """Tell whether a run's submission is below the folder of the demo's, made or not."""
        folder = self.config.get("demo")
        return folder is not None and Path(run.submission).is_relative_to(folder)

    @cached_property
    def _made(self) -> frozenset[str]:
        return frozenset(self.demo_files)

    @cached_property
    def demo_tasks(self) -> list[str]:
        """Tasks whose data the demo's submissions are made from."""
        files = set(self.demo_files)
        return sorted(
            {
                task
                for (task, _), run in self.runs.items()
                if run.submission in files and not self.registry.get_task(task).is_card
            }
        )

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
            that a change of one setting reruns no other stage; and `task`, a hash over what of
            the task's folder it depends on.
        """
        key = (stage, task_id)
        if key not in self._parameters:
            found = self.effective_task(task_id)
            job: TaskJob = {
                "context": context_of_stage(stage, found.overrides, self.config),
                "task": fingerprint(found.task, stage),
            }
            if "audit" in dependencies(stage).overrides:
                # No input of the rule: it may come, and go, beside the task's data.
                job["audit"] = _audit_state(found)
            self._parameters[key] = job
        return self._parameters[key]

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
            limits = found.limits(execution.get("limits", {}))
            runs = RUNS_OF_A_PROGRAM if execution.get("reruns", True) else 1
            self._compute[task_id] = asked(found.task.compute, limits, runs)
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


def _audit_state(task: EffectiveTask) -> str:
    """Return the hash of what a task's audit has found, and what has changed since."""
    try:
        audit = task.read_audit()
    except TaskError:
        audit = None
    return "-".join((file_hash(task.audit), *(audit.changed if audit else ())))
