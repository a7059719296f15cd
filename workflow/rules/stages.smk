# The stages of a pair: validate, execute, grade, verify, medal, and any other file of
# biomlbench/stages/chain, which says what its stage reads and depends on. Each has a rule for a
# single pair, and one for several predictions pairs of a task that share a job, where
# `pairs_per_job` says so, which by itself it does from a few hundred pairs on.
# In: the table of the stage before; for the first, the prepared task. A submission is a parameter of
# it, with how often it was replaced, and no input, but for one that the rule demo makes: whoever
# handed it in may change or remove it at any moment. The others follow by their tables.
# Out: the stage's table; that of a batch has the rows that each pair's own would have.
# Whoever names a stage's rule, as in `--forcerun grade` or `--until grade`, means both.
for stage in STAGES:
    for unit, name in ((PAIR, stage), (BATCH, f"{stage}_batch")):

        rule:
            name:
                name
            input:
                **inputs_of(stage, unit),
            output:
                **{stage: f"<results>/{unit}/{stage}.parquet"},
            log:
                **logs_of(stage, unit),
            # What has begun goes first, so that pairs are finished one after another: a run that
            # is stopped has done some, and what a stage has read of a submission is still in
            # memory for the next.
            priority: STAGES.index(stage)
            group:
                group_of(unit)
            localrule: IN_JOB
            threads: threads_of(stage)
            resources:
                **resources_of(stage, unit),
            params:
                job=(job_of if unit == PAIR else batch_job_of)(stage),
                code=BENCHMARK.code(stage),
            run:
                run_stage(input, output, params, wildcards, threads, log, resources)
