# In: the pair's tables so far; outputs, oracle, checks.
# Out: one row a check, each with the verdict on the pair.
rule verify:
    input:
        grade="<results>/pairs/{task}/{run}/grade.parquet",
    output:
        verify="<results>/pairs/{task}/{run}/verify.parquet",
    log:
        "<results>/logs/verify/{task}/{run}.log",
    priority: PRIORITY["verify"]
    localrule: IN_JOB
    params:
        job=job_of("verify"),
        code=BENCHMARK.code("verify"),
    run:
        run_script("verify", input, output, params, wildcards, threads, log)
