# In: the last table of every pair, the run tables, and what calibration found, if it was run: no
# input, as `snakemake` alone calibrates nothing.
# Out: one row for every configured pair (pairs), one row a check (checks), the agents'
# summary (agents), the tasks (tasks), the report in the published format, and what all of it was
# made from (provenance).
rule aggregate:
    input:
        pairs=BENCHMARK.tables(STAGES[-1]),
    output:
        pairs="<results>/pairs.parquet",
        checks="<results>/checks.parquet",
        agents="<results>/agents.parquet",
        tasks="<results>/tasks.parquet",
        grading_report="<results>/grading_report.json",
        provenance="<results>/provenance.json",
    log:
        "<results>/logs/aggregate.log",
    localrule: True
    params:
        **summary_params("aggregate"),
        tasks=BENCHMARK.tasks_hash,
        calibration=calibration_of_tasks,
        calibrated=calibrated_hash,
    run:
        SNAKEMAKE.meanwhile(FOR_FIGURES, f"{RESULTS}/report.html")
        run_summary("aggregate", {}, output, params, wildcards, threads, log)
