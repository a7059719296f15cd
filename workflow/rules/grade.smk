# In: the pair's tables so far; predictions or case outputs, and the answers or the oracle.
# Out: one row with the score and its bootstrap interval.
rule grade:
    input:
        execute="<results>/pairs/{task}/{run}/execute.parquet",
    output:
        grade="<results>/pairs/{task}/{run}/grade.parquet",
    log:
        "<results>/logs/grade/{task}/{run}.log",
    priority: PRIORITY["grade"]
    localrule: IN_JOB
    params:
        job=job_of("grade"),
        code=BENCHMARK.code("grade"),
    run:
        run_script("grade", input, output, params, wildcards, threads, log)
