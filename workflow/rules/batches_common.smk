# What the rules of batches.smk use: their inputs.
BATCH = "<results>/batches/{task}/{batch}"


def batch_submissions(wildcards):
    return list(
        map(given, BENCHMARK.batch_submissions(wildcards.task, wildcards.batch))
    )


def batch_inputs(stage):
    """Return a stage's inputs as its own rule has them."""
    if stage == STAGES[0]:
        return {
            "submissions": batch_submissions,
            "prepare": "<results>/tasks/{task}/prepare.parquet",
        }
    before = STAGES[STAGES.index(stage) - 1]
    return {before: f"{BATCH}/{before}.parquet"}
