"""What a pair of predictions costs, in a batch and alone: CPU of all five stages in one process."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench.bench_workflow import TASKS, make_benchmark
from bench.rows import against_target
from bench.scratch import kept_folder
from biomlbench.runtime.threads import variables

ROOT = Path(__file__).resolve().parents[1]
TARGETS_MS = {"in a batch": 5.0, "as jobs of its own": 15.0}
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
    with kept_folder() as name:
        make_benchmark(Path(name), TASKS * (PAIRS_A_TASK // 2 if quick else PAIRS_A_TASK))
        return [_row(name, way) for way in TARGETS_MS]


def _row(folder: str, way: str) -> dict[str, Any]:
    call = [sys.executable, "-m", "bench.grading_pairs"]
    if way != "in a batch":
        call.append("alone")
    done = subprocess.run(
        call,
        cwd=folder,
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
    print(f"CPU of a pair {way}, ms: {each}", flush=True)
    figure = f"CPU of a pair {way}, ms, target {TARGETS_MS[way]:g} ms"
    return against_target(figure, ours, TARGETS_MS[way], timed=True)
