"""What touches Snakemake's internals, and the workers that its jobs are handed to.

Beside this module the rules use Snakemake by its documented means. Every attribute that is not
documented is guarded, so that the workflow runs on, if slower, where Snakemake has moved it; the
tests of this module then fail and name it.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import os
import signal
import threading
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import biomlbench
from biomlbench.runtime.pool import JobError, Pool, WorkerDiedError
from biomlbench.workflow import snakemake_rounds
from biomlbench.workflow.command import NO_TOUCH
from biomlbench.workflow.job import DONE
from biomlbench.workflow.progress import TALLY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import FrameType

    from biomlbench.runtime.usage import Usage

__all__ = [
    "FOR_FIGURES",
    "Adapter",
    "FailedJobError",
    "given_entries",
    "granted",
    "with_signature",
]

_log = logging.getLogger(__name__)
_Function = TypeVar("_Function", bound="Callable[..., Any]")
FOR_PAIRS = (
    *("biomlbench.workflow.job", "biomlbench.workflow.batch_tables", "biomlbench.task.prepare"),
    *("biomlbench.submission.validation", "biomlbench.scoring.score", "biomlbench.scoring.award"),
    *("biomlbench.verify.evidence", "biomlbench.verify.predictions"),
)
"""What the stages of a pair import when they are needed: half a second of a worker's time."""
_INTERVAL = "next_seconds_between_status_checks"
FIRST_WAIT_S, SHARE_OF_RUN = 1.0, 0.1
"""Seconds, and share of the time since the run began, after which a cluster is asked again."""
FOR_FIGURES = ("biomlbench.report.plots._style", "biomlbench.report.html", "scipy.special")
_NAMED_RULES = ("forcerules", "untilrules", "omitrules", "priorityrules")
_GRANT = {"memory_mb": "mem_mb", "runtime_min": "runtime", "gpus": "gpu"}
_AT_ONCE = "interrupted; run again, then what is missing is done"


async def _look_at_nothing(jobs: object) -> None:
    """Stand in for the scheduler's look at the sizes of inputs."""


class FailedJobError(RuntimeError):
    """A job failed; the message is for the user and names the log."""


class Adapter:
    """Snakemake's workflow as the rules need to know it.

    Parameters
    ----------
    workflow : snakemake.workflow.Workflow
    root : path
        Folder that has the workflow's ``scripts``.
    """

    def __init__(self, workflow: Any, root: Path) -> None:
        self._workflow = workflow
        self._root = root
        # Of this very place in the rules: an importing workflow has others.
        self._modifier = workflow.modifier.path_modifier
        self._called = getattr(workflow.modifier, "modify_rulename", str)
        self._pool = Pool(Path(biomlbench.__file__).parents[1])
        self._warm = self._together = self._looked = False

    @property
    def is_main(self) -> bool:
        """Whether this is the Snakemake that was started, not one that it started for a job."""
        return bool(self._workflow.is_main_process)

    def import_nothing_from_the_folder(self) -> None:
        """Have no job import what lies in the benchmark's folder, where submissions may be.

        Snakemake starts a job of a cluster by ``python -m snakemake`` in that folder.
        """
        os.environ["PYTHONSAFEPATH"] = "1"

    def end_jobs_when_interrupted(self) -> None:
        """Have an interrupt (Ctrl-C) end the jobs under way, and a second one all the rest.

        Snakemake waits for them, and code in a sandbox may take all the time that its task allows.
        Before the first job there is nothing to end but Snakemake itself.
        """
        is_usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        is_here = threading.current_thread() is threading.main_thread()
        if not (self.is_main and is_usual and is_here):
            return

        def end(number: int, frame: FrameType | None) -> None:
            if TALLY.interrupted or getattr(self._workflow, "scheduler", None) is None:
                raise SystemExit(_AT_ONCE)  # which Python writes in the end; the code is 1
            TALLY.interrupted = True
            self._pool.kill()
            signal.default_int_handler(number, frame)

        signal.signal(signal.SIGINT, end)

    def results(self) -> str:
        """Return the folder of the results, as the path variable and a prefix make it.

        Raises
        ------
        ValueError
            If the prefix of an importing ``module`` would put the tables elsewhere.
        """
        apply = self._workflow.pathvars.apply
        found = self.placed(apply("<results>"))
        if apply(self.placed("<results>/x")) != f"{found}/x":
            raise ValueError(
                f"module: its `prefix` or `replace_prefix` does not go with results in {found}; "
                "leave it out and say `pathvars: results=...`, or let results_dir be a folder "
                "below the prefix"
            )
        return found

    def placed(self, path: str) -> str:
        """Return where a path of the rules is on disk: with an importing ``module``'s prefix."""
        return str(self._modifier.replace_prefix(path))

    def given(self, path: str) -> str:
        """Return a path that the config or a run table names so that it gets no prefix."""
        if self.placed(path) == path:
            return path
        return os.path.abspath(path)  # noqa: PTH100 - `resolve` would follow links

    def name_together(self, others: Mapping[str, str]) -> None:
        """Have an option that names a rule, as ``--forcerun`` does, mean another rule as well.

        Also ``--until``, ``--omit-from`` and ``--prioritize``. To be called while Snakemake looks
        for what the jobs have as input: options are not there yet while it reads the Snakefile,
        and are obeyed before it works out what else the jobs are about. The first call counts.

        Parameters
        ----------
        others : mapping of str to str
            From a rule's name to that of the rule which is named with it, both as in the rules
            files; a workflow that imports the rules may call both otherwise.
        """
        dag: Any = getattr(self._workflow, "dag", None)
        is_known = all(hasattr(dag, name) for name in ("rules", *_NAMED_RULES))
        if not is_known or self._together or not self.is_main:
            return
        self._together = True
        called = {self._called(one): self._called(other) for one, other in others.items()}
        rules = {rule.name: rule for rule in dag.rules}
        for named in (getattr(dag, name) for name in _NAMED_RULES):
            for one, other in called.items():
                if other in rules:
                    # Snakemake keeps names of rules for some options, for others rules.
                    named.update({other} if one in named else ())
                    named.update({rules[other]} if rules.get(one) in named else ())

    def make_again(self, found: Callable[[Callable[[str], float | None]], Sequence[str]]) -> None:
        """Have tables made again of which Snakemake has no record, or one of another file.

        To be called as :meth:`name_together` is; the first call counts. Nothing is made again
        where only times are to decide (``--rerun-triggers mtime``).

        Parameters
        ----------
        found : callable
            Gets what tells the time that a table had when it was recorded, None where it was
            not, and returns the tables.
        """
        dag: Any = getattr(self._workflow, "dag", None)
        records: Any = getattr(self._workflow, "persistence", None)
        is_known = hasattr(dag, "forcefiles") and hasattr(records, "metadata")
        if not is_known or self._looked or not self.is_main:
            return
        self._looked = True
        triggers: Any = getattr(self._workflow, "rerun_triggers", ())
        if not any(getattr(trigger, "name", "") == "PARAMS" for trigger in triggers):
            return
        from snakemake.io import IOFile  # type: ignore[import-untyped]

        def recorded(path: str) -> float | None:
            record = records.metadata(IOFile(path))
            return getattr(record, "endtime", None)

        dag.forcefiles.update(found(recorded))

    def jobs_at_a_time(self) -> int:
        """Return how many jobs run at a time: on so many cores, or in a cluster's queue."""
        at_hand = self._workflow.resource_settings
        return at_hand.cores or at_hand.nodes or 1

    def check_places(self) -> None:
        """Refuse a run that has no place for a single job; Snakemake would wait for ever.

        Raises
        ------
        ValueError
            Naming the option.
        """
        at_hand = self._workflow.resource_settings
        for name, option in (("cores", "cores"), ("nodes", "jobs"), ("local_cores", "local-cores")):
            number = getattr(at_hand, name, None)
            if self.is_main and number is not None and number < 1:
                raise ValueError(f"--{option} {number}: no job could start; give 1 or more")

    def stay_in_process(self) -> None:
        """Let Snakemake run ``run:`` blocks itself, also where our profile is not read.

        So it is in a cluster's job, and in a workflow that imports the rules. Without
        ``force-use-threads`` Snakemake would start one more Snakemake for each job. Its settings
        are not there yet while it reads the Snakefile, but they are when it works out what the
        jobs are about.
        """
        settings: Any = getattr(self._workflow, "execution_settings", None)
        if hasattr(settings, "use_threads"):
            settings.use_threads = True

    def refuse_touch(self) -> None:
        """Refuse ``--touch``, after which no later run would see what has changed before it.

        Snakemake tells of it only when it works out what the jobs are about, not while it reads
        the Snakefile.

        Raises
        ------
        ValueError
            With the remedy.
        """
        if getattr(self._workflow, "touch", False):
            raise ValueError(NO_TOUCH)

    def warm_up(self, jobs: int) -> None:
        """Start workers while Snakemake plans, which takes one core; the first time it is called.

        Only where jobs are to be run on this machine: not in a dry run, nor for a cluster's queue.

        Parameters
        ----------
        jobs : int
            How many jobs of pairs there will be at least.
        """
        workflow, first = self._workflow, not self._warm
        self._warm = True
        if first and getattr(workflow, "local_exec", False) and not self.is_pretence:
            self._pool.warm(FOR_PAIRS, min(jobs, workflow.resource_settings.cores or 1))

    @property
    def is_pretence(self) -> bool:
        """Whether no job is really run; also where Snakemake does not say."""
        return any(getattr(self._workflow, name, True) for name in ("dryrun", "touch"))

    def meanwhile(self, modules: Sequence[str], output: str) -> None:
        """Have workers without a job import what the job that makes a file needs, if it is planned.

        Parameters
        ----------
        modules : sequence of str
        output : str
            The job's first output.
        """
        if any(planned == output for planned, _ in self.to_be_done()):
            self._pool.warm(modules)

    def no_rate_limit(self) -> None:
        """Keep the scheduler from piling up timers.

        Each round of Snakemake's rate limiter starts a timer that starts another round, and with
        long jobs they pile up (hundreds of threads). Only before the first round: the scheduler
        counts on it afterwards.
        """
        scheduler: Any = getattr(self._workflow, "scheduler", None)
        if getattr(scheduler, "job_rate_limiter", None) is not None:
            scheduler.job_rate_limiter = None

    def no_input_sizes(self) -> None:
        """Keep the scheduler from looking at each input of each job that is ready, in each round.

        It would take those with the largest inputs first, which nothing here gains by; two hundred
        batches of two hundred submissions are 40,000 looks for each job that ends.
        """
        scheduler: Any = getattr(self._workflow, "scheduler", None)
        if hasattr(scheduler, "update_input_sizes") and hasattr(scheduler, "_input_sizes"):
            scheduler._input_sizes = defaultdict(int)
            scheduler.update_input_sizes = _look_at_nothing

    def in_turns(self, turn_of: Callable[[str, Mapping[str, str]], float | None]) -> None:
        """Have the scheduler start jobs in an order, and choose them quickly.

        Parameters
        ----------
        turn_of : callable
            As for :func:`biomlbench.workflow.snakemake_rounds.in_turns`.
        """
        scheduler: Any = getattr(self._workflow, "scheduler", None)
        snakemake_rounds.in_turns(scheduler, getattr(self._workflow, "dag", None), turn_of)
        snakemake_rounds.list_the_rest_when_asked(scheduler)

    def ask_soon(self) -> None:
        """Have a cluster asked after its jobs again and again while a run is young.

        The Slurm plugin waits ten seconds longer after each answer that no job has ended, and jobs
        here may take five. So it waits at most a tenth of the time that the run has taken.
        """
        executor: Any = getattr(getattr(self._workflow, "scheduler", None), "_executor", None)
        if not all(hasattr(executor, name) for name in (_INTERVAL, "sleep")):
            return
        started = time.monotonic()

        async def sleep() -> None:
            most = max(FIRST_WAIT_S, SHARE_OF_RUN * (time.monotonic() - started))
            await asyncio.sleep(min(getattr(executor, _INTERVAL), most))

        executor.sleep = sleep

    def to_be_done(self) -> Iterator[tuple[str, Mapping[str, str]]]:
        """Yield the first output of every planned job, and its wildcards."""
        planned: Any = getattr(getattr(self._workflow, "dag", None), "needrun_jobs", list)
        for job in planned():
            yield str(next(iter(job.output), "")), job.wildcards_dict

    def run(
        self, script: str, job: Mapping[str, Any], log: Path, benchmark: Path | None = None
    ) -> Any:
        """Run a script's ``main`` in a warm worker process; its log is always written.

        Parameters
        ----------
        script : str
            Name of a file of ``scripts``.
        job : mapping
            Attributes of the object that ``main`` gets.
        log : path
            Gets the message of a job that failed, and what one that ended well took.
        benchmark : path, optional
            Gets the latter as a table. Snakemake's own ``benchmark:`` would measure Snakemake.

        Returns
        -------
        object
            What ``main`` returned.

        Raises
        ------
        FailedJobError
        """
        try:
            value, usage = self._pool.measured(self._root / "scripts" / f"{script}.py", job)
        except (JobError, WorkerDiedError) as error:
            if TALLY.interrupted:
                raise FailedJobError("interrupted") from None
            _write(log, error.as_log() if isinstance(error, JobError) else f"{error}\n")
            if getattr(error, "told", True):
                raise FailedJobError(f"{error}\n(also in {log})") from None
            last_line = str(error).strip().splitlines()[-1]
            raise FailedJobError(f"{last_line}\n(whole message in {log})") from None
        _keep(usage, log, benchmark)
        return value


def _keep(usage: Usage, log: Path, benchmark: Path | None) -> None:
    _write(log, f"{DONE}{usage}\n")
    if benchmark is not None:
        _write(benchmark, usage.table())


def _write(path: Path, text: str) -> None:
    try:
        if not path.parent.exists():  # Snakemake makes those of a rule's logs.
            path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        # What the job did counts, not that a full disk has no room for its log.
        _log.warning("%s: cannot be written (%s)", path, error.strerror)


def given_entries(workflow: Any) -> list[str]:
    """Return what ``--config`` gave, ``key=value`` each, as it was written."""
    settings: Any = getattr(workflow, "config_settings", None)
    return list(getattr(settings, "config_args", None) or ())


def granted(threads: int, resources: Any) -> dict[str, float]:
    """Return what a job that runs submitted code was given by the scheduler.

    Parameters
    ----------
    threads : int
    resources : snakemake.io.Resources or None
        None for a job that runs no submitted code.
    """
    if resources is None:
        return {}
    found = {key: resources.get(name) for key, name in _GRANT.items()}
    numbers = {key: value for key, value in found.items() if isinstance(value, (int, float))}
    return {"cpus": threads, **numbers}


def with_signature(function: _Function) -> _Function:
    """Let Snakemake find a function's signature at hand: it asks for it at every job."""
    function.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return function
