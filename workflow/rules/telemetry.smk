# In: the aggregated tables, and the cases' times in the pairs' execute tables.
# Out: one row a pair with its week, attempt, hints, failed checks and times.
rule telemetry:
    input:
        pairs="<results>/pairs.parquet",
        checks="<results>/checks.parquet",
    output:
        telemetry="<results>/telemetry.parquet",
    log:
        "<results>/logs/telemetry.log",
    localrule: True
    params:
        **summary_params("telemetry"),
    run:
        run_summary("telemetry", input, output, params, wildcards, threads, log)
