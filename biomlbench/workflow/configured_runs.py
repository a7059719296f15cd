"""The runs of a benchmark as configured: which there are, and where their tables and files are.

Read once when Snakemake reads the Snakefile, so nothing here imports pandas or scikit-learn.
"""

from __future__ import annotations

import logging
import os
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomlbench.errors import TaskError
from biomlbench.runtime.files import shipped
from biomlbench.scoring.effective_task import EffectiveTask
from biomlbench.scoring.stored_audit import FILE as FINDINGS
from biomlbench.stages.chain import all_stages
from biomlbench.stages.kinds import shares_jobs
from biomlbench.submission.table_rows import recorded_text
from biomlbench.task.adopted_data import own_files
from biomlbench.task.registry import Registry
from biomlbench.workflow.assignment import Assignment, pair_folder
from biomlbench.workflow.checked_config import changes_of_tasks, check_results, checked
from biomlbench.workflow.config import ConfigError, Sources
from biomlbench.workflow.list_sizes import too_large
from biomlbench.workflow.planned import Planned
from biomlbench.workflow.planned import read as read_planned
from biomlbench.workflow.planned import write as write_planned
from biomlbench.workflow.runs import Run, is_list, is_run_table, read_runs
from biomlbench.workflow.turns import turns_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from biomlbench.contracts.mappings import Config
    from biomlbench.workflow.bad_rows import BadRow

__all__ = ["ConfiguredRuns"]

log = logging.getLogger(__name__)

MOST_NAMED = 200
"""Most bad rows that are named one by one when the workflow starts; of each table at least one."""


def _ignores_case(folder: Path) -> bool:
    """Tell whether a folder, or where it will be, is on a file system that ignores case."""
    place = folder if folder.exists() else folder.absolute().parent
    other = place.absolute().with_name(place.absolute().name.swapcase())
    try:
        return other.name != place.absolute().name and other.samefile(place)
    except OSError:
        return False


def _to_be_named(rows: list[BadRow]) -> list[BadRow]:
    """Return the bad rows that are named: whole tables, the first of each other one, and more."""
    first: dict[tuple[bool, str], int] = {}
    for place, row in enumerate(rows):
        table = row.source if row.is_table else row.source.rpartition(":")[0]
        first.setdefault((row.is_table, table), place)
    named = set(first.values())
    others = (place for place in range(len(rows)) if place not in named)
    named.update(islice(others, max(0, MOST_NAMED - len(named))))
    return [rows[place] for place in sorted(named)]


class ConfiguredRuns:
    """A benchmark's tasks and runs as configured, and where their tables and files are.

    Parameters
    ----------
    config : mapping
        As read from the config file.
    root : path
        Folder of the Snakefile.
    files : iterable of path, or Sources
        Files that the config was read from, for messages.
    plan : bool
        Whether pairs may be put into new batches: only where the workflow is started. The
        Snakemakes of single jobs take the recorded batches as they are.
    cores : int
        Jobs that run at a time, for the size of new batches.
    planned : bool
        Whether to take the runs that the workflow which runs now has planned, if it has recorded
        them, and not to read the run tables again: in its jobs.
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
        How often submissions have been changed, replaced or removed.
    changed_data : dict of str to int
        How often the data of tasks have changed since they were prepared.
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        root: str | Path,
        *,
        plan: bool = False,
        planned: bool = False,
        cores: int = 1,
        results: str | Path | None = None,
        files: Iterable[str | Path] | Sources = (),
    ) -> None:
        self.root = Path(root)
        self.config = checked(config, root, files)
        # Nothing is made from it, so that no table depends on it.
        self.notify: list[str] = self.config.pop("notify")
        self.results = str(results or self.config["results_dir"])
        if plan:
            check_results(self.results)
        self.registry = Registry(
            tasks_dirs=tuple(self.config["tasks_dirs"]), data_dir=self.config.get("data_dir")
        )
        self.config["tasks"] = changes_of_tasks(self.config, self.registry, Sources.of(files))
        for run in self.config.get("calibration", {}).get("flake_runs", ()):
            run["task_id"] = self.registry.full_id(run["task_id"]) or run["task_id"]
        known = read_planned(self.results) if planned else None
        self._planned = known or self._read_tables(log.warning if plan else None)
        self.bad_rows = self._planned.bad_rows
        self.runs: dict[tuple[str, str], Run] = {
            (run.task_id, run.run_id): run for run in self._planned.runs
        }
        self.replaced: Mapping[str, int] = {}
        self.changed_data: Mapping[str, int] = {}
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
        named = _to_be_named(self.bad_rows) if plan else []
        for row in named:
            log.warning("left out: %s", row.message)
        if plan and (more := len(self.bad_rows) - len(named)) > 0:
            log.warning("left out: %d more; results/pairs.parquet has them all", more)

    def _read_tables(self, note: Callable[[str], None] | None) -> Planned:
        """Read the run tables."""
        names = self.config["runs"]
        texts = {
            name: recorded_text(self.run_table(name)) if is_run_table(name) else None
            for name in names
        }
        lists = {name: text for name, text in texts.items() if text and is_list(name)}
        refused = too_large(lists, self.config["runs_per_list"])
        texts.update(dict.fromkeys(refused))
        runs, bad_rows = read_runs(
            [self.run_table(name) for name in names],
            self._resolve,
            ignore_case=_ignores_case(Path(self.results)),
            note=note,
            results=self.results,
            most_listed=self.config["runs_per_list"],
            refused={str(self.run_table(name)): why for name, why in refused.items()},
        )
        return Planned(list(map(self._as_here, runs)), bad_rows, texts)

    @property
    def table_texts(self) -> dict[str, str | None]:
        """The run tables as they were read."""
        return self._planned.tables

    def write_planned(self) -> None:
        """Record the runs for the jobs of this run of the workflow, which holds the lock."""
        write_planned(self.results, self._planned)

    def _resolve(self, task_id: str) -> tuple[str, str]:
        task = self.registry.get_task(task_id)
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
        folder = run.root and run.root.removeprefix(root)
        return replace(run, source=source, submission=submission, root=folder)

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
        return pair_folder(task, run, batch)

    def is_in_batch(self, task: str, run: str) -> bool:
        """Tell whether a configured pair shares a job with others."""
        return (task, run) in self._batch_of

    def turn(self, wildcards: Mapping[str, str]) -> int | None:
        """Return the place of a pair, or of a batch by its first one, in the order of all.

        Parameters
        ----------
        wildcards : mapping of str to str
            Of a stage's job: ``task`` and ``run`` or ``batch``.

        Returns
        -------
        int or None
            None for another job.
        """
        task = wildcards.get("task", "")
        if batch := wildcards.get("batch"):
            members = self.assignment.batches.get((task, batch), {})
            turns = (self._turns.get((task, run)) for run in members)
            return min((turn for turn in turns if turn is not None), default=None)
        return self._turns.get((task, wildcards.get("run", "")))

    @cached_property
    def _turns(self) -> dict[tuple[str, str], int]:
        return turns_of(self.runs.values())

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
        """Return a pair's submission as a job's input: only where the workflow makes it itself.

        Snakemake ends the whole run over an input that is gone, and a job over one with a time in
        the future; whoever handed a submission in can do that to it at any moment. That it has
        changed says :class:`biomlbench.workflow.replaced.Replaced`.
        """
        return self._made_of([self.runs[task, run].submission])

    def own_data(self, task_id: str) -> list[str]:
        """Return the data of a task that its user put in place: what `prepare` has as input."""
        with suppress(TaskError):  # a broken task is the fault of its own jobs
            return [str(path) for path in own_files(self.registry.get_task(task_id))]
        return []

    def batch_submissions(self, task: str, batch: str) -> list[str]:
        """Return the submissions of a batch's pairs that the workflow makes itself."""
        members = self.assignment.batches[task, batch].values() if self._made else ()
        return self._made_of(member["submission"] for member in members)

    def _made_of(self, paths: Iterable[str]) -> list[str]:
        return sorted(self._made.intersection(paths))

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
