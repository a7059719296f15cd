# What every rules file uses. In: config/config.yaml and the run tables it names.
# Out: BENCHMARK (pairs, files, fingerprints), SNAKEMAKE (its internals, and the workers), run_script()
# (hands a job to a worker), and the handlers that Snakefile's onstart and onerror call.
import gc
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
from biomlbench.calibrate.currency import found as calibration_found
from biomlbench.calibrate.currency import measured
from biomlbench.calibrate.settings import Settings
from biomlbench.runtime.locking import lock, mark
from biomlbench.workflow import run_state
from biomlbench.workflow.changed_data import ChangedData
from biomlbench.workflow.checked_config import checked
from biomlbench.workflow.command_line_config import typed_config
from biomlbench.workflow.config import Sources
from biomlbench.workflow.plan import Benchmark
from biomlbench.workflow.progress import TALLY
from biomlbench.workflow.replaced import Replaced
from biomlbench.workflow.summaries import Summaries
from biomlbench.workflow.unrecorded import made_otherwise
from biomlbench.workflow.snakemake_adapter import (
    FOR_FIGURES,
    Adapter,
    FailedJobError,
    given_entries,
    granted,
    with_signature,
)
from biomlbench.stages import STAGES
from biomlbench.stages.chain import FINAL
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


CONFIG, GIVEN = typed_config(config, given_entries(workflow))
SOURCES = Sources(workflow.configfiles, GIVEN)
with told_to_users():
    RESULTS_DIR = checked(CONFIG, ROOT, SOURCES)["results_dir"]


# The folder of the results is Snakemake's own path variable of that name: rules name their files
# below <results>, and the config, the command line or a `module` that imports them says where
# that is.
pathvars:
    results=RESULTS_DIR,


SNAKEMAKE = Adapter(workflow, ROOT)
SNAKEMAKE.import_nothing_from_the_folder()
SNAKEMAKE.end_jobs_when_interrupted()
given = SNAKEMAKE.given
try:
    SNAKEMAKE.check_places()
    RESULTS = SNAKEMAKE.results()
except ValueError as error:
    raise WorkflowError(str(error)) from None
# The lock is taken when the first job starts. Until then this says that a run is under way: first
# of all, since planning takes seconds, in which who watches would be told of the run before.
if SNAKEMAKE.is_main and TALLY.watched:
    TALLY.planning = mark(f"{RESULTS}/{run_state.PLANNING}")
# Planning makes millions of objects that all stay; looking for garbage among them again and again
# takes a fifth of the time. From the first job on it is looked for again, among new objects only.
gc.disable()
with told_to_users():
    BENCHMARK = Benchmark(
        CONFIG,
        ROOT,
        plan=SNAKEMAKE.is_main,
        planned=not SNAKEMAKE.is_main,
        cores=SNAKEMAKE.jobs_at_a_time(),
        results=RESULTS,
        files=SOURCES,
    )
    CALIBRATION = Settings.of(BENCHMARK.config.get("calibration"))
    REPLACED = Replaced(RESULTS)
    DATA = ChangedData(RESULTS)
    SUMMARIES = Summaries(RESULTS)
    TALLY.tables_left_out = sum(row.is_table for row in BENCHMARK.bad_rows)
    TALLY.left_out = len(BENCHMARK.bad_rows) - TALLY.tables_left_out
    if SNAKEMAKE.is_main:
        REPLACED.look(BENCHMARK.runs.values(), BENCHMARK.place)
        REPLACED.warn_of_missing(BENCHMARK.is_of_demo)
        DATA.look(map(BENCHMARK.registry.get_task, BENCHMARK.tasks_with_runs))
BENCHMARK.replaced = REPLACED.counts
BENCHMARK.changed_data = DATA.counts
STARTED = threading.Lock()
LOCK = []
# A cluster's job starts a Snakemake of its own. What it is there for it does itself; the Slurm
# plugin would have it start one more, by srun, for each stage of each group (2 s each).
IN_JOB = not SNAKEMAKE.is_main


wildcard_constraints:
    task=TASK_ID.pattern,
    run=RUN_ID.pattern,
    batch=r"b[0-9]+",


def run_script(
    name, input, output, params, wildcards, threads, log, resources=None, benchmark=None
):
    """Run scripts/<name>.py's main in a warm worker process; its errors go to the log."""
    if SNAKEMAKE.is_main:
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
        faults = SNAKEMAKE.run(name, job, Path(log[0]), benchmark)
    except FailedJobError as error:
        raise WorkflowError(str(error)) from None
    if FINAL in output.keys():
        TALLY.finish(output[FINAL], faults)


def run_summary(name, input, output, params, wildcards, threads, log):
    """Run the script of a job over all pairs, and record what it has written."""
    run_script(name, input, output, params, wildcards, threads, log)
    SUMMARIES.note(output)


def refuse_touch():
    """Refuse to take changed tables for made; by the jobs too, as a `module` has no onstart."""
    try:
        SNAKEMAKE.refuse_touch()
    except ValueError as error:
        raise WorkflowError(str(error)) from None


@with_signature
def submission_of(wildcards):
    return list(map(given, BENCHMARK.submission(wildcards.task, wildcards.run)))


def job_of(stage):
    """Return the function that says what a stage's job is about.

    One function a job, and no further input functions: Snakemake looks up the signature of each
    of them for every job, and at 10,000 pairs that decides how long planning takes.
    """

    def job(wildcards):
        SNAKEMAKE.stay_in_process()
        refuse_touch()
        return BENCHMARK.job(stage, wildcards.task, wildcards.run)

    return with_signature(job)


def batch_job_of(stage):
    """Return the function that says what a stage's job for a batch of pairs is about."""

    def job(wildcards):
        SNAKEMAKE.stay_in_process()
        refuse_touch()
        if SNAKEMAKE.is_main and BENCHMARK.assignment.new:
            SNAKEMAKE.warm_up(BENCHMARK.assignment.new)
        return BENCHMARK.batch_job(stage, wildcards.task, wildcards.batch)

    return with_signature(job)


def tables_from_elsewhere(recorded):
    """Return tables that were made elsewhere, from something else, and that over all pairs."""
    found = made_otherwise(BENCHMARK.tables_and_jobs(), recorded)
    summary = f"{RESULTS}/pairs.parquet"
    if os.path.isfile(summary) and recorded(summary) is None:
        found.append(summary)
    return [*found, *SUMMARIES.changed()]


@with_signature
def own_data_of(wildcards):
    if SNAKEMAKE.is_main and not SNAKEMAKE.is_pretence:
        REPLACED.settle()
    SNAKEMAKE.name_together({stage: f"{stage}_batch" for stage in STAGES})
    SNAKEMAKE.make_again(tables_from_elsewhere)
    return BENCHMARK.own_data(wildcards.task)


def prepare_job(wildcards):
    SNAKEMAKE.stay_in_process()
    refuse_touch()
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
    refuse_touch()
    with STARTED, told_to_users():
        if LOCK:
            return
        LOCK.append(lock(f"{RESULTS}/{run_state.LOCK}"))
        BENCHMARK.assignment.write(RESULTS)
        BENCHMARK.write_planned()
        REPLACED.write()
        DATA.write()
        gc.freeze()
        gc.enable()
        expect_pairs()
        TALLY.notify = BENCHMARK.notify
        TALLY.results = RESULTS


def expect_pairs():
    """Tell the progress line how many pairs are to be done, through which stages."""
    TALLY.planned.update(dict.fromkeys(STAGES, 0))
    for output, wildcards in SNAKEMAKE.to_be_done():
        # By its file, not by its rule's name, which an importing workflow may change.
        folder, _, name = output.rpartition("/")
        stage = name.removesuffix(".parquet")
        if stage not in STAGES or not folder.startswith(f"{RESULTS}/"):
            continue
        if batch := wildcards.get("batch"):
            task = wildcards["task"]
            members = BENCHMARK.assignment.batches[task, batch]
            gone = [run for run in members if not BENCHMARK.is_in_batch(task, run)]
            TALLY.plan(folder, stage, len(members) - len(gone), gone)
        else:
            TALLY.plan(folder, stage)


def turn_of(output, wildcards):
    """Return the place of a pair's or a batch's job in the order of all; None for another job."""
    stage = Path(output).stem
    turn = BENCHMARK.turn(wildcards) if stage in STAGES else None
    # What has begun goes first, so that pairs are finished one after another.
    return (
        None if turn is None else turn + 0.5 - STAGES.index(stage) / (2 * len(STAGES))
    )


def report_what_is_there():
    """After a failed job, report all other results, and why those that are missing are."""
    if SNAKEMAKE.is_main:
        params = {
            "config": BENCHMARK.config,
            "results": RESULTS,
            "calibration": calibration_of_tasks({}),
        }
        job = {"params": params, "root": str(ROOT)}
        SNAKEMAKE.run(
            "partial_report", job, Path(RESULTS, "logs", "partial_report.log")
        )
        name_report()


def name_report():
    """Have the last line of a run's progress say where its report is."""
    path = f"{RESULTS}/report.html"
    if SNAKEMAKE.is_main and os.path.isfile(path):
        # who has started this from another folder, as a rerun does, is not helped by ours
        here = os.path.realpath(os.environ.get("PWD", "")) == os.getcwd()
        TALLY.report = path if here else os.path.abspath(path)
