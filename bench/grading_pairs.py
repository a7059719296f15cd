"""Grade pairs of the working folder's benchmark; print CPU of a pair, ms, stage by stage.

Run as a process of its own: ``python -m bench.grading_pairs``, with ``alone`` each pair by itself.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import yaml

from biomlbench.stages import STAGES, Context, Pair, run_stage
from biomlbench.stages.prepare import compute
from biomlbench.workflow.batch_tables import run_batch
from biomlbench.workflow.job import context_of
from biomlbench.workflow.plan import Benchmark

ROOT = Path(__file__).resolve().parents[1]
BATCHES = 4


def run_alone(stage: str, pairs: list[Pair], context: Context, folder: Path) -> None:
    """Run a stage of each pair as a job of its own does."""
    for pair in pairs:
        run_stage(stage, pair, context, folder / pair.run_id)


def main() -> None:
    """Grade one batch of each of some tasks."""
    run = run_alone if "alone" in sys.argv else run_batch
    config = yaml.safe_load(Path("config/config.yaml").read_text(encoding="utf-8"))
    benchmark = Benchmark(config, ROOT)
    for number, task in enumerate(benchmark.tasks_with_runs[:BATCHES]):
        runs = sorted(run for of, run in benchmark.runs if of == task)
        for stage in STAGES:
            context = context_of(benchmark.task_job(stage, task))
            if stage == STAGES[0]:
                compute(task, context)
            pairs = [Pair(**benchmark.job(stage, task, run)["pair"]) for run in runs]
            before = time.process_time()
            run(stage, pairs, context, Path("results") / str(number))
            spent = time.process_time() - before
            if number:  # the first task's batch also imports what the stages use
                print(stage, 1e3 * spent / len(pairs))


if __name__ == "__main__":
    main()
