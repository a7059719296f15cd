# Jobs that several predictions pairs of one task share, where `pairs_per_job` says so,
# which by itself it does from a few hundred pairs on.
# In: as in the rule of the stage, for all pairs of the batch.
# Out: one table a stage, with the rows that each pair's own table would have.
rule validate_batch:
    input:
        **batch_inputs("validate"),
    output:
        validate=f"{BATCH}/validate.parquet",
    log:
        "<results>/logs/batches/{task}/{batch}/validate.log",
    priority: PRIORITY["validate"]
    localrule: IN_JOB
    params:
        job=batch_job_of("validate"),
        code=BENCHMARK.code("validate"),
    run:
        run_script("validate", input, output, params, wildcards, threads, log)


rule execute_batch:
    input:
        **batch_inputs("execute"),
    output:
        execute=f"{BATCH}/execute.parquet",
    log:
        "<results>/logs/batches/{task}/{batch}/execute.log",
    priority: PRIORITY["execute"]
    localrule: IN_JOB
    params:
        job=batch_job_of("execute"),
        code=BENCHMARK.code("execute"),
    run:
        run_script("execute", input, output, params, wildcards, threads, log)


rule grade_batch:
    input:
        **batch_inputs("grade"),
    output:
        grade=f"{BATCH}/grade.parquet",
    log:
        "<results>/logs/batches/{task}/{batch}/grade.log",
    priority: PRIORITY["grade"]
    localrule: IN_JOB
    params:
        job=batch_job_of("grade"),
        code=BENCHMARK.code("grade"),
    run:
        run_script("grade", input, output, params, wildcards, threads, log)


rule verify_batch:
    input:
        **batch_inputs("verify"),
    output:
        verify=f"{BATCH}/verify.parquet",
    log:
        "<results>/logs/batches/{task}/{batch}/verify.log",
    priority: PRIORITY["verify"]
    localrule: IN_JOB
    params:
        job=batch_job_of("verify"),
        code=BENCHMARK.code("verify"),
    run:
        run_script("verify", input, output, params, wildcards, threads, log)


rule medal_batch:
    input:
        **batch_inputs("medal"),
    output:
        medal=f"{BATCH}/medal.parquet",
    log:
        "<results>/logs/batches/{task}/{batch}/medal.log",
    priority: PRIORITY["medal"]
    localrule: IN_JOB
    params:
        job=batch_job_of("medal"),
        code=BENCHMARK.code("medal"),
    run:
        run_script("medal", input, output, params, wildcards, threads, log)
