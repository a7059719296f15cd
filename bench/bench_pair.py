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
            [sys.executable, "-m", "bench.grading_pairs"],
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
    return [
        against_target("CPU of a pair in a batch, ms, target 5 ms", ours, TARGET_MS, timed=True)
    ]
