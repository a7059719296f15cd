# In: the submission (its file may be missing) and the prepared task.
# A changed submission comes back here; the stages after it follow by their tables.
# Out: one row a structural check.
rule validate:
    input:
        submission=submission_of,
        prepare="<results>/tasks/{task}/prepare.parquet",
    output:
        validate="<results>/pairs/{task}/{run}/validate.parquet",
    log:
        "<results>/logs/validate/{task}/{run}.log",
    priority: PRIORITY["validate"]
    localrule: IN_JOB
    params:
        job=job_of("validate"),
        code=BENCHMARK.code("validate"),
    run:
        run_script("validate", input, output, params, wildcards, threads, log)
