# In: every task's folder and prepared data.
# Out: results/calibration: the mutants of each card, what becomes of every control (reference,
# right, known-bad, stock, mutants; gold and spoilt predictions), flaky checks, and the tables of
# rates, kills, margins, power and of which tasks are within the allowed rates. Run by `snakemake calibrate`.
# With `calibration.strict` a task above the allowed rates then fails it.
# `calibrate_telemetry`, which `all` asks for, adds the runs to the data set results/telemetry.
rule calibrate_mutants:
    input:
        prepare="<results>/tasks/{task}/prepare.parquet",
    output:
        mutants="<results>/calibration/mutants/{task}.parquet",
    log:
        "<results>/logs/calibrate/{task}/mutants.log",
    localrule: IN_JOB
    threads: task_resource("cpus")
    resources:
        mem_mb=task_resource("memory_mb"),
        gpu=task_resource("gpus"),
    params:
        job=mutants_job,
        settings={
            name: getattr(CALIBRATION, name)
            for name in ("mutants", "held_out", "second_order", "inputs")
        },
        code=calibration_code("mutants", "agreement"),
    run:
        run_script("calibrate_mutants", input, output, params, wildcards, threads, log)


rule calibrate_controls:
    input:
        prepare="<results>/tasks/{task}/prepare.parquet",
        mutants=mutants_of_batch,
    output:
        controls="<results>/calibration/controls/{task}/{batch}.parquet",
    log:
        "<results>/logs/calibrate/{task}/{batch}.log",
    wildcard_constraints:
        batch=r"labelled|\w*mutant-\d+",
    localrule: IN_JOB
    threads: task_resource("cpus")
    resources:
        mem_mb=task_resource("memory_mb"),
        gpu=task_resource("gpus"),
    params:
        job=calibration_job,
        code=code_of_controls(BENCHMARK),
    run:
        run_script("calibrate_controls", input, output, params, wildcards, threads, log)


rule calibrate_flakes:
    input:
        prepare="<results>/tasks/{task}/prepare.parquet",
    output:
        flakes="<results>/calibration/flaky/{task}.parquet",
    log:
        "<results>/logs/calibrate/{task}/flakes.log",
    localrule: IN_JOB
    threads: task_resource("cpus")
    resources:
        mem_mb=task_resource("memory_mb"),
        gpu=task_resource("gpus"),
    params:
        job=calibration_job,
        settings={"flake_trials": CALIBRATION.flake_trials},
        code=calibration_code("flaky", "trial"),
    run:
        run_script("calibrate_flakes", input, output, params, wildcards, threads, log)


rule calibrate_flaky_run:
    input:
        prepare="<results>/tasks/{task}/prepare.parquet",
        submission=submission_of if BENCHMARK.demo_files else [],
    output:
        flakes="<results>/calibration/flaky-runs/{task}/{run}.parquet",
    log:
        "<results>/logs/calibrate/{task}/flaky-{run}.log",
    localrule: IN_JOB
    threads: task_resource("cpus")
    resources:
        mem_mb=task_resource("memory_mb"),
        gpu=task_resource("gpus"),
    params:
        job=flaky_run_job,
        settings={"flake_trials": CALIBRATION.flake_trials},
        code=calibration_code("flaky_runs", "run_trial"),
    run:
        run_script(
            "calibrate_flaky_run", input, output, params, wildcards, threads, log
        )


rule calibrate_tables:
    input:
        controls=calibration_controls,
        mutants=calibration_mutants,
        flakes=calibration_flakes,
        runs=labelled_tables,
        adjudications=(
            given(CALIBRATION.adjudications) if CALIBRATION.adjudications else []
        ),
    output:
        rates="<results>/calibration/rates.parquet",
        kills="<results>/calibration/kills.parquet",
        margins="<results>/calibration/margins.parquet",
        power="<results>/calibration/power.parquet",
        allowed_rates="<results>/calibration/allowed_rates.parquet",
        survivors="<results>/calibration/survivors.parquet",
        flakes="<results>/calibration/flakes.parquet",
        unused_rows="<results>/calibration/unused_rows.parquet",
    log:
        "<results>/logs/calibrate/tables.log",
    localrule: True
    params:
        runs=labelled_runs,
        unused=runs_not_repeated,
        measured=measured_now,
        settings=TABLE_SETTINGS,
        context={
            name: BENCHMARK.config[name]
            for name in ("data_dir", "results_dir", "tasks_dirs")
            if name in BENCHMARK.config
        },
        code=calibration_code("jobs"),
    run:
        run_script("calibrate_tables", input, output, params, wildcards, threads, log)


rule calibrate_strict:
    input:
        allowed_rates="<results>/calibration/allowed_rates.parquet",
    output:
        strict="<results>/calibration/strict.json",
    log:
        "<results>/logs/calibrate/strict.log",
    localrule: True
    params:
        code=calibration_code("gate"),
    run:
        run_script("calibrate_strict", input, output, params, wildcards, threads, log)


rule calibrate:
    input:
        "<results>/calibration/allowed_rates.parquet",
        "<results>/calibration/strict.json" if CALIBRATION.strict else [],


rule calibrate_telemetry:
    input:
        telemetry="<results>/telemetry.parquet",
    output:
        usage="<results>/calibration/usage.json",
    log:
        "<results>/logs/calibrate/telemetry.log",
    localrule: True
    params:
        code=calibration_code("intake"),
    run:
        run_script(
            "calibrate_telemetry", input, output, params, wildcards, threads, log
        )
