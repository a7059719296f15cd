# In: the validated submission. From here on a stage declares only the table before its own as
# input, though it reads others: each is made from all before it, and at 10,000 pairs each further
# input costs seconds of planning.
# Out: one row a case and repeat; predictions pass through.
rule execute:
    input:
        validate="<results>/pairs/{task}/{run}/validate.parquet",
    output:
        execute="<results>/pairs/{task}/{run}/execute.parquet",
    log:
        "<results>/logs/execute/{task}/{run}.log",
    priority: PRIORITY["execute"]
    localrule: IN_JOB
    threads: task_resource("cpus")
    resources:
        mem_mb=task_resource("memory_mb"),
        runtime=task_resource("runtime_min"),
        gpu=task_resource("gpus"),
    params:
        job=job_of("execute"),
        code=BENCHMARK.code("execute"),
    run:
        run_script(
            "execute", input, output, params, wildcards, threads, log, resources
        )
