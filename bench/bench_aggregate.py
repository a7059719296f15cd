"""What tables, figures and report over many pairs take: seconds and memory of one process.

``python -m bench.bench_aggregate 1000000`` measures them of so many pairs, step by step; making
their tables takes longer than that.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import yaml

from bench.bench_workflow import TASKS, make_benchmark, snakemake
from bench.rows import against_target
from bench.scratch import kept_folder
from biomlbench.contracts import DIGESTS, write_table
from biomlbench.stages import STAGES, Context, Pair, run_pair
from biomlbench.stages.prepare import compute
from biomlbench.verify.fingerprints import DIRECTIONS, fingerprint
from biomlbench.workflow.assignment import batch_folder
from biomlbench.workflow.plan import Benchmark

ROOT = Path(__file__).resolve().parents[1]
TARGET_S, TARGET_GB, TARGET_MB = 90.0, 2.0, 15.0
GRADED = 100  # pairs that are really graded; the others are theirs under other names


def make_results(folder: Path, pairs: int) -> None:
    """Write a benchmark and the tables of all its pairs, in batches."""
    make_benchmark(folder, GRADED)
    results = folder / "results"
    context = Context(str(folder / "data"), (str(folder / "tasks"),), bootstrap=1000)
    for number in range(TASKS):
        task = f"bench/task-{number}"
        place = results / "tasks" / task / "prepare.parquet"
        write_table("prepare", compute(task, context), place)
    graded = []
    for number in range(GRADED):
        pair = Pair(f"bench/task-{number % TASKS}", "r", str(folder / "subs" / f"s{number}.csv"))
        graded.append(run_pair(pair, context, folder / "scratch" / str(number)))
    lines = ["run_id,agent,task_id,submission"]
    lines += [
        f"r{number},agent{number % 7},bench/task-{number % TASKS},subs/s{number % GRADED}.csv"
        for number in range(pairs)
    ]
    (folder / "runs.csv").write_text("\n".join(lines) + "\n")
    # It takes the new pairs as the workflow does.
    config = yaml.safe_load((folder / "config" / "config.yaml").read_text())
    config |= {"data_dir": str(folder / "data"), "tasks_dirs": [str(folder / "tasks")]}
    config["runs"] = [str(folder / "runs.csv")]
    planned = Benchmark(config, ROOT, plan=True, cores=2, results=results).assignment
    rng = np.random.default_rng(0)
    for (task, batch), members in planned.batches.items():
        sources = [graded[int(run[1:]) % GRADED] for run in members]
        digests = {run: hashlib.sha256(run.encode()).hexdigest() for run in members}
        for stage in STAGES:
            tables = [source[stage].replace_schema_metadata(None) for source in sources]
            table = pa.concat_tables(tables)
            runs = np.repeat(list(members), [len(part) for part in tables])
            table = _with(table, "run_id", runs.tolist())
            if stage == "grade":  # all runs differ, as honest ones do
                table = _with(table, "fingerprint", [_fingerprint(rng) for _ in members])
            place = results / batch_folder(task, batch) / f"{stage}.parquet"
            write_table(stage, table, place, {DIGESTS: digests})
    planned.write(results)


def _with(table: pa.Table, name: str, values: list[str]) -> pa.Table:
    place = table.schema.get_field_index(name)
    return table.set_column(place, table.schema.field(place), pa.array(values, pa.string()))


def _fingerprint(rng: np.random.Generator) -> str:
    return fingerprint(range(2 * DIRECTIONS), rng.normal(size=2 * DIRECTIONS))


def measure(folder: Path, pairs: int) -> tuple[float, float, float]:
    """Return CPU seconds, peak GB and MB of the report, of a benchmark in a folder."""
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.aggregating", str(pairs)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError("the aggregation failed; see above")
    size = (folder / "results" / "report.html").stat().st_size / 1e6
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1e6, size


def run(quick: bool = False) -> list[dict[str, Any]]:
    """Measure tables, figures and report of 100,000 pairs.

    Parameters
    ----------
    quick : bool
        A hundredth of the pairs.

    Returns
    -------
    list of dict
        ``figure``, ``ours`` (CPU seconds, GB, MB), ``peer`` (the target), ``ratio``, ``target``
        and ``ok``.
    """
    pairs = 1_000 if quick else 100_000
    with kept_folder() as name:
        make_results(Path(name), pairs)
        found = measure(Path(name), pairs)
    limits = (("CPU s", TARGET_S), ("GB", TARGET_GB), ("MB of the report", TARGET_MB))
    return [
        against_target(
            f"tables, figures, report of {pairs} pairs, {unit}, target {target:g}",
            ours,
            target,
            timed=unit.endswith(" s"),
        )
        for ours, (unit, target) in zip(found, limits, strict=True)
    ]


def main(pairs: int) -> None:
    """Print what each step takes, and what planning does."""
    with kept_folder() as name:
        folder = Path(name)
        make_results(folder, pairs)
        wall, peak, _ = snakemake(folder, ROOT / "Snakefile", "-n")
        print(f"{'planning':<20} {wall:19.1f} s wall {peak:11.2f} GB", flush=True)
        cpu, peak, size = measure(folder, pairs)
    print(f"the last five: {cpu:.1f} s CPU, {peak:.2f} GB; report of {size:.1f} MB")


if __name__ == "__main__":
    main(int(sys.argv[1]))
