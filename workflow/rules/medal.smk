# In: the pair's tables so far; score, verdict, leaderboard, human baselines.
# Out: one row: the pair's final record.
rule medal:
    input:
        verify="<results>/pairs/{task}/{run}/verify.parquet",
    output:
        medal="<results>/pairs/{task}/{run}/medal.parquet",
    log:
        "<results>/logs/medal/{task}/{run}.log",
    priority: PRIORITY["medal"]
    localrule: IN_JOB
    params:
        job=job_of("medal"),
        code=BENCHMARK.code("medal"),
    run:
        run_script("medal", input, output, params, wildcards, threads, log)
