# What the rules of calibrate.smk use: which tasks and controls there are, and what they depend on.
import functools
import logging

from biomlbench.calibrate.currency import code_of_controls
from biomlbench.calibrate.currency import job_of as job_of_controls
from biomlbench.calibrate.labels import labelled
from biomlbench.calibrate.labels import read as read_labels
from biomlbench.calibrate.settings import batches
from biomlbench.stages import submission_hash
from biomlbench.workflow.code_hash import code_hash

TABLE_SETTINGS = {
    name: BENCHMARK.config["calibration"][name]
    for name in ("adjudications", "allowed")
    if name in BENCHMARK.config.get("calibration", {})
}


def calibration_code(*modules):
    """Return the hash of modules that a job runs, imports and processes alike."""
    return "-".join(code_hash(f"biomlbench.calibrate.{module}") for module in modules)


@functools.cache
def say_once(text):
    """Tell the user something, if anything, and but once."""
    if text and SNAKEMAKE.is_main:
        logging.getLogger("biomlbench.calibrate").warning("%s", text)


def calibrated_tasks(kind=None):
    """Return the tasks to be calibrated; looked up only when their jobs are planned."""
    names = CALIBRATION.task_ids(BENCHMARK.registry, BENCHMARK.tasks_with_runs)
    say_once(CALIBRATION.why_these(names, BENCHMARK.tasks_with_runs))
    tasks = [BENCHMARK.registry.get_task(name) for name in names]
    return [task for task in tasks if kind in (None, task.kind)]


def calibration_controls(wildcards):
    return [
        f"<results>/calibration/controls/{task.id}/{batch}.parquet"
        for task in calibrated_tasks()
        for batch in batches(task.kind, CALIBRATION.wanted)
    ]


def calibration_mutants(wildcards):
    return [
        f"<results>/calibration/mutants/{task.id}.parquet"
        for task in calibrated_tasks("functions")
    ]


def calibration_flakes(wildcards):
    return [
        *(
            f"<results>/calibration/flaky/{task.id}.parquet"
            for task in calibrated_tasks("functions")
        ),
        *(
            f"<results>/calibration/flaky-runs/{task}/{run}.parquet"
            for task, run in CALIBRATION.runs_to_repeat(BENCHMARK.runs)[0]
        ),
    ]


def runs_not_repeated(wildcards):
    """Return the entries of `calibration.flake_runs` that no run can be repeated for."""
    unused = CALIBRATION.runs_to_repeat(BENCHMARK.runs)[1]
    for row in unused:
        say_once(f"left out: {row}")
    return [tuple(row) for row in unused]


def labelled_runs(wildcards):
    """Return the runs whose true label is known, of tasks that are calibrated."""
    adjudicated, _ = read_labels(CALIBRATION.adjudications, BENCHMARK.registry.full_id)
    tasks = {task.id for task in calibrated_tasks()}
    return [tuple(run) for run in labelled(BENCHMARK.runs.values(), adjudicated, tasks)]


def labelled_tables(wildcards):
    """Return what calibration reads of these runs.

    Not the tables over all pairs: those say what calibration has found.
    """
    folders = [BENCHMARK.place(task, run) for task, run, *_ in labelled_runs(wildcards)]
    return [
        f"<results>/{folder}/{stage}.parquet"
        for folder in dict.fromkeys(folders)
        for stage in ("verify", "medal")
    ]


def mutants_of_batch(wildcards):
    if wildcards.batch == "labelled":
        return []
    return f"<results>/calibration/mutants/{wildcards.task}.parquet"


def mutants_job(wildcards):
    """Return what mutants depend on: not on solutions, nor on anything of the grading."""
    return BENCHMARK.task_job("execute", wildcards.task)


def flaky_run_job(wildcards):
    """Return what running and judging a submission again depend on."""
    run = BENCHMARK.runs[wildcards.task, wildcards.run]
    return {
        "submission": run.submission,
        "root": run.root,
        "content": submission_hash(run.submission, run.root),
        **calibration_job(wildcards),
    }


def calibration_job(wildcards):
    return job_of_controls(BENCHMARK, wildcards.task)


def measured_now(wildcards):
    """Return what the calibration of every task that is calibrated depends on."""
    return measured(BENCHMARK, CALIBRATION, [task.id for task in calibrated_tasks()])
