# What stages.smk uses: where the tables of pairs and of batches are, and what their jobs have as
# input, from what the stages declare of themselves in biomlbench/stages/chain.
from biomlbench.stages.chain import before, get_stage

PAIR = "pairs/{task}/{run}"
BATCH = "batches/{task}/{batch}"


def batch_submissions(wildcards):
    return list(
        map(given, BENCHMARK.batch_submissions(wildcards.task, wildcards.batch))
    )


def inputs_of(stage, unit):
    """Return a stage's inputs: the table of the stage before; the prepared task for the first.

    No more than that, though it reads others: each is made from all before it, and at 10,000
    pairs each further input costs seconds of planning.
    """
    if earlier := before(stage):
        return {earlier: f"<results>/{unit}/{earlier}.parquet"}
    inputs = {"prepare": "<results>/tasks/{task}/prepare.parquet"}
    if BENCHMARK.demo_files:
        inputs["submission"] = submission_of if unit == PAIR else batch_submissions
    return inputs


def logs_of(stage, unit):
    """Return a stage's log, and, where they are kept, the file with time and memory of the job.

    It is no `benchmark:`, with which Snakemake would measure itself: the job is in a worker.
    """
    logs = {"log": f"<results>/logs/{unit}/{stage}.log"}
    if unit == PAIR:
        logs = {"log": f"<results>/logs/{stage}/{{task}}/{{run}}.log"}
    if get_stage(stage).measured:
        logs["benchmark"] = f"<results>/benchmarks/{unit}/{stage}.tsv"
    return logs


def threads_of(stage):
    return task_resource("cpus") if get_stage(stage).runs_code else 1


def group_of(unit):
    """Return the group of a unit's stages: they are one job of a cluster, as may be several batches.

    On one machine groups mean nothing.
    """
    return None if IN_JOB else "pair" if unit == PAIR else "batch"


def resources_of(stage, unit):
    """Return what a stage's job takes; the profile's defaults where it runs no submitted code.

    Batches that share a job of a cluster go one after another: a profile has one `batch_slots` a job.
    """
    if unit == BATCH:
        return {"batch_slots": 1}
    if not get_stage(stage).runs_code:
        return {}
    asked = {"mem_mb": "memory_mb", "runtime": "runtime_min", "gpu": "gpus"}
    return {name: task_resource(key) for name, key in asked.items()}


def run_stage(input, output, params, wildcards, threads, log, resources):
    """Run the job of a stage, which its output is named after."""
    (stage,) = output.keys()
    declared = get_stage(stage)
    granted = resources if declared.runs_code else None
    benchmark = Path(log["benchmark"]) if declared.measured else None
    run_script(
        "stage", input, output, params, wildcards, threads, log, granted, benchmark
    )
