# What every rules file uses. In: config/config.yaml and the run tables it names.
# Out: BENCHMARK (pairs, files, fingerprints), run_script() (hands a job to a warm worker
# process), and the handlers that Snakefile's onstart and onerror call.
import gc
import inspect
import os
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

from snakemake.exceptions import WorkflowError

# A clone's own library comes before an installed one. Where this file has been fetched from
# elsewhere (`module` with a GitHub address), there is only the installed one.
HERE = Path(workflow.current_basedir.get_path_or_uri(secret_free=True)).parents[1]
if (HERE / "biomlbench").is_dir() and str(HERE) not in sys.path:
    sys.path.insert(0, str(HERE))

from biomlbench.errors import explain
from biomlbench.report import plots
import biomlbench
from biomlbench.calibrate.currency import found as calibration_found
from biomlbench.calibrate.currency import measured
from biomlbench.calibrate.settings import Settings
from biomlbench.runtime.locking import lock
from biomlbench.workflow.plan import Benchmark, checked
from biomlbench.runtime.pool import JobError, Pool, WorkerDiedError
from biomlbench.workflow.progress import TALLY
from biomlbench.workflow.replaced import Replaced
from biomlbench.stages import STAGES
from biomlbench.runtime.files import is_workflow, workflow_root
from biomlbench.workflow.runs import RUN_ID
from biomlbench.task.task import TASK_ID

ROOT = HERE if is_workflow(HERE) else workflow_root()


@contextmanager
def told_to_users():
    """Let an error that the user can cure end the run with its message, not a traceback."""
    try:
        yield
    except Exception as error:
        if (told := explain(error)) is None:
            raise
        raise WorkflowError(told) from None


with told_to_users():
    RESULTS_DIR = checked(config, ROOT, workflow.configfiles)["results_dir"]


# The folder of the results is Snakemake's own path variable of that name: rules name their files
# below <results>, and the config, the command line or a `module` that imports them says where
# that is.
pathvars:
    results=RESULTS_DIR,


MODIFIER = workflow.modifier.path_modifier


def placed(path):
    """Return where a path of the rules is on disk: with the prefix of an importing `module`."""
    return str(MODIFIER.replace_prefix(path))


def given(path):
    """Return a path that the config or a run table names so that no prefix is put before it."""
    return path if placed(path) == path else os.path.abspath(path)


def jobs_at_a_time():
    """Return how many jobs run at a time: on so many cores, or in a cluster's queue."""
    at_hand = workflow.resource_settings
    return at_hand.cores or at_hand.nodes or 1


RESULTS = placed(workflow.pathvars.apply("<results>"))
if workflow.pathvars.apply(placed("<results>/x")) != f"{RESULTS}/x":
    raise WorkflowError(
        f"module: its `prefix` or `replace_prefix` does not go with results in {RESULTS}; leave "
        "it out and say `pathvars: results=...`, or let results_dir be a folder below the prefix"
    )
# Planning makes millions of objects that all stay; looking for garbage among them again and again
# takes a fifth of the time. From the first job on it is looked for again, among new objects only.
gc.disable()
with told_to_users():
    BENCHMARK = Benchmark(
        config,
        ROOT,
        plan=workflow.is_main_process,
        cores=jobs_at_a_time(),
        results=RESULTS,
        files=workflow.configfiles,
    )
    CALIBRATION = Settings.of(BENCHMARK.config.get("calibration"))
    REPLACED = Replaced(RESULTS)
    TALLY.left_out = len(BENCHMARK.bad_rows)
    if workflow.is_main_process:
        REPLACED.look(BENCHMARK.runs.values(), BENCHMARK.place)
BENCHMARK.replaced = REPLACED.counts
POOL = Pool(Path(biomlbench.__file__).parents[1])
STARTED = threading.Lock()
LOCK = []
# A cluster's job starts a Snakemake of its own. What it is there for it does itself; the Slurm
# plugin would have it start one more, by srun, for each stage of each group (2 s each).
IN_JOB = not workflow.is_main_process
# What has begun goes first, so that pairs are finished one after another: a run that is stopped
# has done some, and what a stage has read of a submission is still in memory for the next.
PRIORITY = {stage: number for number, stage in enumerate(STAGES, 1)}


wildcard_constraints:
    task=TASK_ID.pattern,
    run=RUN_ID.pattern,
    batch=r"b[0-9]+",


def run_script(name, input, output, params, wildcards, threads, log, resources=None):
    """Run scripts/<name>.py's main in a warm worker process; its errors go to the log."""
    if workflow.is_main_process:
        start_run()
    job = {
        "input": dict(input.items()),
        "output": dict(output.items()),
        "params": dict(params.items()),
        "wildcards": dict(wildcards.items()),
        "threads": threads,
        "grant": granted(threads, resources),
        "root": str(ROOT),
    }
    try:
        faults = POOL.run(ROOT / "scripts" / f"{name}.py", job)
    except (JobError, WorkerDiedError) as error:
        Path(log[0]).parent.mkdir(parents=True, exist_ok=True)
        told = error.as_log() if isinstance(error, JobError) else f"{error}\n"
        Path(log[0]).write_text(told, encoding="utf-8")
        if getattr(error, "told", True):
            raise WorkflowError(f"{error}\n(also in {log[0]})") from None
        last_line = str(error).strip().splitlines()[-1]
        raise WorkflowError(f"{last_line}\n(whole message in {log[0]})") from None
    if name == "medal":
        TALLY.finish(output["medal"], faults)


def granted(threads, resources):
    """Return what a job that runs submitted code was given by the scheduler."""
    if resources is None:
        return {}
    names = {"memory_mb": "mem_mb", "runtime_min": "runtime", "gpus": "gpu"}
    found = {key: resources.get(name) for key, name in names.items()}
    numbers = {
        key: value for key, value in found.items() if isinstance(value, (int, float))
    }
    return {"cpus": threads, **numbers}


def with_signature(function):
    """Let Snakemake find a function's signature at hand: it asks for it at every job."""
    function.__signature__ = inspect.signature(function)
    return function


@with_signature
def submission_of(wildcards):
    return list(map(given, BENCHMARK.submission(wildcards.task, wildcards.run)))


def job_of(stage):
    """Return the function that says what a stage's job is about.

    One function a job, and no further input functions: Snakemake looks up the signature of each
    of them for every job, and at 10,000 pairs that decides how long planning takes.
    """

    def job(wildcards):
        stay_in_process()
        return BENCHMARK.job(stage, wildcards.task, wildcards.run)

    return with_signature(job)


def batch_job_of(stage):
    """Return the function that says what a stage's job for a batch of pairs is about."""

    def job(wildcards):
        stay_in_process()
        return BENCHMARK.batch_job(stage, wildcards.task, wildcards.batch)

    return with_signature(job)


def stay_in_process():
    """Let Snakemake run `run:` blocks itself, also where our profile is not read.

    So it is in a cluster's job, and in a workflow that imports the rules. Without
    `force-use-threads` Snakemake would start one more Snakemake for each job. Its settings are
    not there yet while it reads the Snakefile, but they are when it works out what the jobs are
    about. Guarded, as they are internal.
    """
    settings = getattr(workflow, "execution_settings", None)
    if hasattr(settings, "use_threads"):
        settings.use_threads = True


@with_signature
def own_data_of(wildcards):
    return BENCHMARK.own_data(wildcards.task)


def prepare_job(wildcards):
    stay_in_process()
    return BENCHMARK.task_job("prepare", wildcards.task)


def task_resource(name):
    """Return the function that says what of a resource running code for a task may take."""

    def resource(wildcards):
        return BENCHMARK.compute(wildcards.task)[name]

    return with_signature(resource)


def summary_params(stage):
    """Return what a job over all pairs depends on beside its inputs."""
    return {
        "config": BENCHMARK.config,
        "runs": BENCHMARK.runs_hash,
        "code": BENCHMARK.code(stage),
    }


def calibration_of_tasks(wildcards):
    """Return what the calibration of the tasks that have runs depends on, config and code."""
    return measured(BENCHMARK, CALIBRATION, BENCHMARK.task_ids)


def calibrated_hash(wildcards):
    """Return the hash of what the last calibration found, which marks the medals."""
    return calibration_found(RESULTS)


def start_run():
    """Refuse to share the results with another run; record what was planned.

    Called by Snakefile's onstart, and, as a `module` has none, by the first job.
    """
    with STARTED, told_to_users():
        if LOCK:
            return
        LOCK.append(lock(f"{RESULTS}/.lock"))
        BENCHMARK.assignment.write(RESULTS)
        REPLACED.write()
        gc.freeze()
        gc.enable()
        expect_pairs()


def no_rate_limit():
    """Keep the scheduler from piling up timers.

    Each round of Snakemake's rate limiter starts a timer that starts another round, and with long
    jobs they pile up (hundreds of threads). Guarded, as it is an internal attribute. Only before
    the first round: the scheduler counts on it afterwards.
    """
    if getattr(workflow.scheduler, "job_rate_limiter", None) is not None:
        workflow.scheduler.job_rate_limiter = None


def expect_pairs():
    """Tell the progress line how many pairs are to be done; guarded, as the DAG is internal."""
    jobs = getattr(getattr(workflow, "dag", None), "needrun_jobs", list)()
    for job in jobs:
        # By its file, not by its rule's name, which an importing workflow may change.
        folder, _, name = str(next(iter(job.output), "")).rpartition("/")
        if name != "medal.parquet" or not folder.startswith(f"{RESULTS}/"):
            continue
        if batch := job.wildcards_dict.get("batch"):
            members = BENCHMARK.assignment.batches[job.wildcards_dict["task"], batch]
            TALLY.sizes[folder] = len(members)
            TALLY.expected += len(members)
        else:
            TALLY.expected += 1


def report_what_is_there():
    """After a failed job, report all other results, and why those that are missing are."""
    if workflow.is_main_process:
        params = {
            "config": BENCHMARK.config,
            "results": RESULTS,
            "calibration": calibration_of_tasks({}),
        }
        job = {"params": params, "root": str(ROOT)}
        POOL.run(ROOT / "scripts" / "partial_report.py", job)
