"""What the workflow costs beside its floor: the same DAG with rules that only touch files."""

from __future__ import annotations

import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from bench.rows import against_target
from bench.scratch import kept_folder
from biomlbench.stages import STAGES

ROOT = Path(__file__).resolve().parents[1]
TASKS, ROWS = 10, 1_000
TARGET_RUN, TARGET_SINGLE, TARGET_NOOP = 0.25, 1.3, 1.3
TARGET_ADD_S, TARGET_PLAN_S, TARGET_PLAN_GB = 10.0, 10.0, 0.3
REPEATS = 3  # of what takes seconds
PEAK = "peak memory in kB: "
# The process says its peak itself: what the kernel counts for children begins with the parent's.
MEASURED = f"""
import atexit, re, runpy, sys


def say():
    text = open("/proc/self/status").read()
    print({PEAK!r} + re.search("VmHWM:[ ]*([0-9]+)", text.replace(chr(9), " "))[1], flush=True)


atexit.register(say)
sys.argv[0] = "snakemake"
runpy.run_module("snakemake", run_name="__main__")
"""

FLOOR = """
PAIRS = [line.split(",")[:3:2] for line in open("runs.csv").read().splitlines()[1:]]

rule all:
    input: [f"results/pairs/{t}/{r}/medal.parquet" for r, t in PAIRS]
"""
FLOOR_RULE = """
rule {name}:
    input: {reads}
    output: "results/pairs/{{task}}/{{run}}/{name}.parquet"
    wildcard_constraints: task=r"[a-z0-9-]+/[A-Za-z0-9_-]+", run=r"[A-Za-z0-9][A-Za-z0-9._-]*"
    run: open(output[0], "w").close()
"""


def make_benchmark(folder: Path, pairs: int) -> None:
    """Write ten tasks and `pairs` submissions of a thousand rows."""
    rng = np.random.default_rng(0)
    ids = [f"r{i:04d}" for i in range(ROWS)]
    truth = rng.normal(size=ROWS)
    for number in range(TASKS):
        task = folder / "tasks" / "bench" / f"task-{number}"
        public, private = (
            folder / "data" / "bench" / f"task-{number}" / "prepared" / part
            for part in ("public", "private")
        )
        for part in (task, public, private):
            part.mkdir(parents=True)
        (task / "config.yaml").write_text(
            "name: Bench\npreparer: prepare:prepare\n"
            "grader: {name: rmse, metric: rmse, direction: minimize}\n"
            "submission: {id: id, target: y, columns: {y: {type: number}}}\n"
            "leaderboard: leaderboard.csv\n"
        )
        (task / "description.md").write_text("Predict y.\n")
        (task / "leaderboard.csv").write_text(
            "score\n" + "".join(f"{0.1 + i / 100:.3f}\n" for i in range(300))
        )
        sample = "id,y\n" + "".join(f"{i},{n % 2}\n" for n, i in enumerate(ids))
        answers = "id,y\n" + "".join(
            f"{i},{y!r}\n" for i, y in zip(ids, truth.tolist(), strict=True)
        )
        (task / "prepare.py").write_text(
            "def prepare(raw, public, private):\n"
            f"    answers = {answers!r}\n"
            f"    sample = {sample!r}\n"
            "    (public / 'sample_submission.csv').write_text(sample)\n"
            "    (private / 'answers.csv').write_text(answers)\n"
            "    (private / 'gold_submission.csv').write_text(answers)\n"
        )
    (folder / "subs").mkdir()
    lines = ["run_id,agent,task_id,submission"]
    for number in range(pairs):
        values = truth + rng.normal(scale=0.5, size=ROWS)
        text = "".join(f"{i},{y:.6f}\n" for i, y in zip(ids, values.tolist(), strict=True))
        (folder / "subs" / f"s{number}.csv").write_text("id,y\n" + text)
        lines.append(
            f"run{number},agent{number % 7},bench/task-{number % TASKS},subs/s{number}.csv"
        )
    (folder / "runs.csv").write_text("\n".join(lines) + "\n")
    (folder / "config").mkdir()
    (folder / "config" / "config.yaml").write_text(
        "runs: [runs.csv]\ndata_dir: data\ntasks_dirs: [tasks]\ngrading: {bootstrap: 1000}\n"
    )
    floor = FLOOR + "".join(
        FLOOR_RULE.format(
            name=name,
            reads=f'"results/pairs/{{task}}/{{run}}/{before}.parquet"' if before else "[]",
        )
        for before, name in zip(("", *STAGES), STAGES, strict=False)
    )
    (folder / "Floor.smk").write_text(floor)


def snakemake(folder: Path, snakefile: Path, *arguments: str) -> tuple[float, float, str]:
    """Run Snakemake; return wall seconds, peak GB of the process, and what it printed."""
    profile = ROOT / "profiles" / "default"
    call = [sys.executable, "-c", MEASURED, "-s", str(snakefile), "--cores", "2"]
    call += ["--directory", str(folder), "--profile", str(profile), *arguments]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    before = time.perf_counter()
    pipe, both = subprocess.PIPE, subprocess.STDOUT
    done = subprocess.run(
        call, cwd=folder, env=env, stdout=pipe, stderr=both, text=True, check=False
    )
    wall = time.perf_counter() - before
    text = done.stdout
    if done.returncode:
        raise RuntimeError(text[-4000:])
    return wall, int(text.rsplit(PEAK, 1)[1].split()[0]) / 1e6, text


def _row(figure: str, ours: float, peer: float, target: float) -> dict[str, Any]:
    ratio = ours / peer
    return {
        "figure": figure,
        "ours": ours,
        "peer": peer,
        "ratio": ratio,
        "target": target,
        "ok": ratio <= target,
    }


def run(quick: bool = False) -> list[dict[str, Any]]:
    """Measure a full run, a run with nothing to do, one new run, and planning 10,000 pairs.

    Parameters
    ----------
    quick : bool
        Less than a third of the pairs.

    Returns
    -------
    list of dict
        ``figure``, ``ours`` and ``peer`` (seconds, or GB), ``ratio``, ``target`` and ``ok``.
    """
    pairs = 300 if quick else 1_000
    rows = []
    snakefiles = {"ours": ROOT / "Snakefile", "floor": Path("Floor.smk")}
    with kept_folder() as name:
        folder = Path(name)
        made = folder / "made"
        make_benchmark(made, pairs)
        took: dict[str, list[float]] = {"ours": [], "floor": []}
        for repeat in range(1 if quick else REPEATS):
            for way, times in took.items():
                where = shutil.copytree(made, folder / f"{way}-{repeat}")
                times.append(snakemake(where, snakefiles[way])[0])
        ours, floor = (folder / f"{way}-0" for way in took)
        our_run, floor_run = (statistics.median(times) for times in took.values())
        single = shutil.copytree(made, folder / "single")
        snakefile, floor_file = snakefiles["ours"], snakefiles["floor"]
        rows.append(
            _row(f"{pairs} pairs, wall s against the floor", our_run, floor_run, TARGET_RUN)
        )
        alone, _, _ = snakemake(single, snakefile, "--config", "pairs_per_job=1")
        rows.append(
            _row(
                f"{pairs} pairs as single jobs, against the floor", alone, floor_run, TARGET_SINGLE
            )
        )
        floor_noop, our_noop = (
            statistics.median(snakemake(where, what)[0] for _ in range(REPEATS))
            for where, what in ((floor, floor_file), (ours, snakefile))
        )
        rows.append(
            _row("nothing to do, wall s against the floor", our_noop, floor_noop, TARGET_NOOP)
        )
        with (ours / "runs.csv").open("a") as file:
            file.write("added,agent1,bench/task-1,subs/s0.csv\n")
        _, _, plan = snakemake(ours, snakefile, "-n")
        stages = dict(re.findall(r"^(validate|execute|grade|verify|medal) +(\d+)$", plan, re.M))
        added, _, _ = snakemake(ours, snakefile)
        rows.append(
            against_target(
                f"one run added, s, target {TARGET_ADD_S:g} s",
                added,
                TARGET_ADD_S,
                timed=True,
                also=set(stages.values()) == {"1"},
            )
        )
        many = folder / "many"
        make_benchmark(many, 0)
        lines = ["run_id,agent,task_id,submission"]
        lines += [f"r{i},a{i % 7},bench/task-{i % TASKS},s{i}.csv" for i in range(10 * pairs)]
        (many / "runs.csv").write_text("\n".join(lines) + "\n")
        plans = [snakemake(many, snakefile, "-n", "--quiet", "all") for _ in range(REPEATS)]
        wall = statistics.median(plan[0] for plan in plans)
        memory = max(plan[1] for plan in plans)
        figure = f"-n of {10 * pairs} pairs"
        rows.append(against_target(f"{figure}, s, target 10 s", wall, TARGET_PLAN_S, timed=True))
        rows.append(against_target(f"{figure}, GB", memory, TARGET_PLAN_GB))
    return rows
