# In: the prepared data of the demo's tasks.
# Out: the demo's submissions: fitted models of four agents, programs, functions, a spoilt lot. To
# be updated, so that Snakemake does not remove what another run beside this one may be reading.
if BENCHMARK.demo_files:

    rule demo:
        input:
            prepare=expand(
                "<results>/tasks/{task}/prepare.parquet", task=BENCHMARK.demo_tasks
            ),
        output:
            submissions=[update(given(path)) for path in BENCHMARK.demo_files],
        log:
            "<results>/logs/demo.log",
        localrule: True
        params:
            config={key: BENCHMARK.config.get(key) for key in ("demo", "data_dir")},
        run:
            run_script("demo", {}, {}, params, wildcards, threads, log)
