"""A benchmark of 100,000 predictions pairs from its files to its report, and once more.

All submissions differ, as honest ones do: each row of each takes one of a few values at random.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from bench.bench_workflow import ROOT, ROWS, TASKS, make_benchmark
from bench.rows import against_target
from bench.scratch import kept_folder
from biomlbench.sandbox.accounting import tree

TARGET_S, TARGET_GB, TARGET_AGAIN_S, TARGET_MB = 420.0, 2.0, 20.0, 15.0
VALUES = 64
SETTLES_S = 61.0
"""Submissions that are not from the last minute are known by their state at the next run, those of
the last minute by their content, once more."""


def make(folder: Path, pairs: int) -> None:
    """Write ten tasks and `pairs` submissions of a thousand rows, none of which are alike."""
    make_benchmark(folder, 0)
    rng = np.random.default_rng(1)
    truth = rng.normal(size=ROWS)
    pool = [
        [f"r{i:04d},{y:.6f}\n" for y in (truth[i] + rng.normal(scale=0.5, size=VALUES)).tolist()]
        for i in range(ROWS)
    ]
    lines = ["run_id,agent,task_id,submission"]
    for number in range(pairs):
        if number % 1000 == 0:
            (folder / "subs" / str(number // 1000)).mkdir()
        chosen = rng.integers(0, VALUES, ROWS).tolist()
        rows = "".join([values[k] for values, k in zip(pool, chosen, strict=True)])
        name = f"subs/{number // 1000}/s{number}.csv"
        (folder / name).write_text("id,y\n" + rows)
        lines.append(f"run{number},agent{number % 7},bench/task-{number % TASKS},{name}")
    (folder / "runs.csv").write_text("\n".join(lines) + "\n")


def snakemake(folder: Path, *arguments: str) -> dict[str, float]:
    """Run the workflow; return wall and CPU seconds, GB of the main and of the largest process."""
    call = [sys.executable, "-m", "snakemake", "-s", str(ROOT / "Snakefile"), "--cores", "2"]
    call += ["--directory", str(folder), "--profile", str(ROOT / "profiles" / "default")]
    before = os.times()
    start = time.perf_counter()
    with (folder / "log.txt").open("w") as log:
        process = subprocess.Popen(
            [*call, *arguments], cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=log, stderr=subprocess.STDOUT,
        )  # fmt: skip
        main = workers = 0.0
        while (ended := os.wait4(process.pid, os.WNOHANG))[0] == 0:
            main = max(main, _rss_gb(process.pid))
            workers = max(workers, 0.0, *map(_rss_gb, tree(process.pid)[1:]))
            time.sleep(0.5)
    if ended[1]:
        raise RuntimeError((folder / "log.txt").read_text()[-4000:])
    after = os.times()
    return {
        "wall": time.perf_counter() - start,
        "cpu": after.children_user + after.children_system
        - before.children_user - before.children_system,
        "main": main,
        "workers": workers,
    }  # fmt: skip


def _rss_gb(pid: int) -> float:
    try:
        text = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    found = re.search(r"^VmHWM:\s+(\d+) kB", text, re.MULTILINE)
    return int(found[1]) / 1e6 if found else 0.0


def run(quick: bool = False) -> list[dict[str, Any]]:
    """Measure the whole run, and a run with nothing to do.

    Parameters
    ----------
    quick : bool
        A hundredth of the pairs.

    Returns
    -------
    list of dict
        ``figure``, ``ours``, ``peer`` (the target), ``ratio``, ``target`` and ``ok``.
    """
    pairs = 1_000 if quick else 100_000
    with kept_folder() as name:
        folder = Path(name)
        make(folder, pairs)
        if not quick:
            time.sleep(SETTLES_S)
        first = snakemake(folder)
        print(f"{pairs} pairs: {first}", flush=True)
        again = snakemake(folder)
        print(f"nothing to do: {again}", flush=True)
        size = (folder / "results" / "report.html").stat().st_size / 1e6
    measured = (
        ("from files to report, s", first["wall"], TARGET_S),
        ("largest process, GB", max(first["main"], first["workers"]), TARGET_GB),
        ("report, MB", size, TARGET_MB),
        ("nothing to do, s", again["wall"], TARGET_AGAIN_S),
    )
    return [
        against_target(
            f"{pairs} pairs, {unit}, target {target:g}", ours, target, timed=unit.endswith(" s")
        )
        for unit, ours, target in measured
    ]
