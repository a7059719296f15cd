# In: a task's folder, and the package or file that its data comes from, or the data that the user
# has put there, which are taken as they are.
# Out: the task's public and private data below data_dir, and one row that describes them.
rule prepare:
    input:
        own=own_data_of,
    output:
        prepare="<results>/tasks/{task}/prepare.parquet",
    log:
        "<results>/logs/prepare/{task}.log",
    localrule: True
    params:
        job=prepare_job,
        code=BENCHMARK.code("prepare"),
    run:
        run_script("prepare", input, output, params, wildcards, threads, log)
