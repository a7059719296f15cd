"""Count how often honest predictions are suspected; prints Markdown tables.

    python tools/false_alarms.py FOLDER [--models 15] [--tasks clinical/diabetes-progression ...]

Honest work is made of the zoo's models, which know the public data alone. In the benchmark that
is written to FOLDER each model is an agent with two runs a task, on different nine tenths of the
training rows, and ten more runs are means of three models' predictions. The workflow grades all of
them. A false alarm is a score whose verdict is not `pass`, or a check that does not hold.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from biomlbench.calibrate.intervals import wilson
from biomlbench.contracts import read_table
from biomlbench.registry import Registry
from biomlbench.task.prepare import prepare_task
from biomlbench.task.sources.archives import DataSourceError
from biomlbench.zoo import entries, fit_predict, load_problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from biomlbench.task.task import Task
    from biomlbench.zoo import Problem

ROOT = Path(__file__).resolve().parent.parent
#: Seeds that no leaderboard was made with.
SEEDS = (101, 102)
SHARE = 0.9
BLENDS = 10
OF_A_BLEND = 3


class Work(NamedTuple):
    """One honest run."""

    agent: str
    run: str
    predictions: np.ndarray


def main(argv: list[str] | None = None) -> int:
    """Make the runs, grade them, and print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--models", type=int, default=15, help="drawn for each task")
    parser.add_argument("--tasks", nargs="*", default=[], metavar="TASK")
    args = parser.parse_args(argv)
    folder: Path = args.folder.resolve()
    registry = Registry(data_dir=folder / "data")
    ids = args.tasks or [i for i in registry.list_task_ids() if not i.startswith("kernels/")]
    write_benchmark(folder, [registry.get_task(i) for i in ids], args.models)
    call = [sys.executable, "-m", "snakemake", "-s", str(ROOT / "Snakefile"), "--cores", "2"]
    subprocess.run([*call, "--directory", str(folder)], cwd=folder, check=True)
    print("\n".join(counts(folder / "results")))
    return 0


def write_benchmark(folder: Path, tasks: list[Task], models: int) -> None:
    """Write config, run table and submissions."""
    rows = []
    for task in tasks:
        try:
            prepare_task(task)
        except DataSourceError as error:
            print(f"left out: {error}", file=sys.stderr)
            continue
        problem = load_problem(task.folder, task.public_dir)
        for work in honest_work(problem, models):
            path = folder / "runs" / task.id / f"{work.run}.csv"
            path.parent.mkdir(parents=True, exist_ok=True)
            problem.submit(work.predictions).to_csv(path, index=False)
            rows.append((work.run, work.agent, task.id, path.relative_to(folder), "predictions"))
        print(f"{task.id}: {len(rows)} runs", file=sys.stderr, flush=True)
    (folder / "config").mkdir(exist_ok=True)
    (folder / "config" / "config.yaml").write_text("runs: [runs.csv]\ndata_dir: data\n")
    with (folder / "runs.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["run_id", "agent", "task_id", "submission", "kind"])
        writer.writerows(rows)


def honest_work(problem: Problem, models: int) -> Iterator[Work]:
    """Fit models drawn from the zoo, and average some of what they predict."""
    rng = np.random.default_rng(SEEDS)
    zoo = [e for e in entries(problem.kind) if e.suits(*problem.x_train.shape)]
    zoo = [e for e in zoo if not e.model.startswith("Dummy")]
    chosen = [zoo[i] for i in rng.permutation(len(zoo))[:models]]
    made = []
    for entry in chosen:
        for seed in SEEDS:
            work = Work(
                entry.name, f"{entry.name}-{seed}", fit_predict(problem, entry, seed, SHARE)
            )
            made.append(work)
            yield work
    if problem.kind == "multiclass":
        return  # labels have no mean
    trios = list(itertools.combinations(made, OF_A_BLEND))
    for number, place in enumerate(rng.permutation(len(trios))[:BLENDS]):
        mean = np.mean([np.asarray(work.predictions, float) for work in trios[place]], axis=0)
        yield Work(f"blend-{number}", f"blend-{number}", mean)


def counts(results: Path) -> list[str]:
    """Return the tables' lines."""
    pairs = read_table("pairs", results / "pairs.parquet").to_pandas()
    scored = pairs[pairs["score"].notna()]
    lines = [
        f"{len(pairs)} runs of {pairs['task_id'].nunique()} tasks, {len(scored)} with a score",
        "",
        "| verdict and reason of scored runs | runs | share, 95 % interval |",
        "|---|---|---|",
    ]
    for (verdict, reason), n in Counter(
        zip(scored["verdict"], scored["reason"], strict=True)
    ).most_common():
        lines.append(f"| `{verdict}`, `{reason}` | {n} | {_share(n, len(scored))} |")
    checks = read_table("checks", results / "checks.parquet").to_pandas()
    lines += ["", "| check of predictions | does not hold | of |", "|---|---|---|"]
    for name, group in checks.groupby("check"):
        decided = group[group["outcome"].isin(["passed", "failed"])]
        lines.append(f"| `{name}` | {(decided['outcome'] == 'failed').sum()} | {len(decided)} |")
    return lines


def _share(n: int, of: int) -> str:
    share = wilson(n, of)
    return f"{100 * share.rate:.1f} %, {100 * share.low:.1f} to {100 * share.high:.1f}"


if __name__ == "__main__":
    sys.exit(main())
