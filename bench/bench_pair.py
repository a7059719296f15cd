"""What a pair of predictions costs in a batch: CPU time of all five stages in one process."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench.bench_workflow import TASKS, make_benchmark
from bench.rows import against_target
from biomlbench.runtime.threads import variables

ROOT = Path(__file__).resolve().parents[1]
TARGET_MS = 5.0
PAIRS_A_TASK = 100

MEASURED = """
import sys, time
from pathlib import Path
import yaml
from biomlbench.stages import STAGES, Pair
from biomlbench.stages.prepare import compute
from biomlbench.workflow.batch_tables import run_batch
from biomlbench.workflow.job import context_of
from biomlbench.workflow.plan import Benchmark

benchmark = Benchmark(yaml.safe_load(Path("config/config.yaml").read_text()), sys.argv[1])
for number, task in enumerate(benchmark.tasks_with_runs[:4]):
    runs = sorted(run for of, run in benchmark.runs if of == task)
    for stage in STAGES:
        context = context_of(benchmark.task_job(stage, task))
        if stage == STAGES[0]:
            compute(task, context)
        pairs = [Pair(**benchmark.job(stage, task, run)["pair"]) for run in runs]
        before = time.process_time()
        run_batch(stage, pairs, context, Path("results") / str(number))
        spent = time.process_time() - before
        if number:  # the first task's batch also imports what the stages use
            print(stage, 1e3 * spent / len(pairs))
"""


def run(quick: bool = False) -> list[dict[str, Any]]:
    """Measure three batches of a hundred pairs of a thousand rows, a thousand resamples each.

    Parameters
    ----------
    quick : bool
        Half of the pairs.

    Returns
    -------
    list of dict
        ``figure``, ``ours`` and ``peer`` (milliseconds), ``ratio``, ``target`` and ``ok``.
    """
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        make_benchmark(Path(name), TASKS * (PAIRS_A_TASK // 2 if quick else PAIRS_A_TASK))
        done = subprocess.run(
            [sys.executable, "-c", MEASURED, str(ROOT)],
            cwd=name,
            env={**os.environ, **variables(1), "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        )
    spent: dict[str, list[float]] = {}
    for line in done.stdout.splitlines():
        stage, milliseconds = line.split()
        spent.setdefault(stage, []).append(float(milliseconds))
    ours = sum(statistics.median(of_stage) for of_stage in spent.values())
    each = ", ".join(f"{stage} {statistics.median(of):.2g}" for stage, of in spent.items())
    print(f"CPU of a pair in a batch, ms: {each}", flush=True)
    return [against_target("CPU of a pair in a batch, ms, target 5 ms", ours, TARGET_MS)]
