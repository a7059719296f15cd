"""The suites as they are published: clones are taken from the folder BIOMLBENCH_SUITES names.

Fill it with `biomlbench suite get`; without it these tests are skipped.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from biomlbench.grade import grade_submission
from biomlbench.registry import Registry
from biomlbench.suites.checkout import checkouts
from biomlbench.suites.published import main_metric
from biomlbench.suites.suite import selection

from .shapes import invent, submission

HERE = (
    {checkout.suite.name for checkout in checkouts()} if "BIOMLBENCH_SUITES" in os.environ else ()
)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        "bioml-bench" not in HERE,
        reason="BIOMLBENCH_SUITES names no folder with bioml-bench (biomlbench suite get)",
    ),
]
SELECTION = "bioml-bench-v0.1a"
ROOT = Path(__file__).parents[2]
TOLERANCE = 1e-12


def published_scores(jobs):
    """Return what the published graders themselves say, far from this project."""
    oracle = Path(__file__).with_name("oracle.py")
    text = "\n".join(map(json.dumps, jobs))
    done = subprocess.run(
        [sys.executable, "-P", str(oracle)], input=text, text=True, capture_output=True, check=True
    )
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    return [float.fromhex(reply["score"]) if "score" in reply else reply for reply in replies]


def job(task, path):
    return {
        "tree": str(task.published.tree),
        "function": task.config["grader"]["grade_fn"],
        "submission": str(path),
        "answers": str(task.answers),
        "metric": main_metric(task.config),
    }


def test_scores_equal_the_published_graders_on_random_and_tied_submissions(tmp_path):
    registry = Registry(data_dir=tmp_path / "data")
    jobs, ours = [], []
    for task_id in selection(SELECTION):
        task = registry.get_task(task_id)
        prepared = invent(task_id, tmp_path / "data", 0, main_metric(task.config))
        for seed in range(4):
            path = tmp_path / f"{task.folder.name}-{seed}.csv"
            submission(prepared, seed, tied=seed % 2 == 1).to_csv(path, index=False)
            ours.append((task_id, seed, grade_submission(path, task).score))
            jobs.append(job(task, path))
    theirs = published_scores(jobs)
    assert len(theirs) == 24 * 4
    wrong = [
        (*mine, score)
        for mine, score in zip(ours, theirs, strict=True)
        if not isinstance(score, float) or abs(mine[2] - score) > TOLERANCE * max(1, abs(score))
    ]
    assert wrong == []


def test_edges_of_native_metrics_are_the_published_ones(tmp_path):
    """Perfect, reversed and shuffled submissions; huge and tiny values."""
    registry = Registry(data_dir=tmp_path / "data")
    jobs, ours = [], []
    for task_id in selection(SELECTION):
        task = registry.get_task(task_id)
        if task.metric is None:
            continue
        prepared = invent(task_id, tmp_path / "data", 1, main_metric(task.config))
        frame = submission(prepared, 7)
        numeric = [
            c for c in frame.columns if c not in task.submission.ids and frame[c].dtype.kind == "f"
        ]
        bounded = any(spec.maximum is not None for spec in task.submission.columns.values())
        for name, scale in (("tiny", 1e-9), ("large", 1.0 if bounded else 1e6)):
            path = tmp_path / f"{task.folder.name}-{name}.csv"
            changed = frame.copy()
            changed[numeric] = changed[numeric] * scale
            changed.to_csv(path, index=False)
            ours.append((task_id, name, grade_submission(path, task).score))
            jobs.append(job(task, path))
    wrong = [
        (*mine, score)
        for mine, score in zip(ours, published_scores(jobs), strict=True)
        if not isinstance(score, float) or abs(mine[2] - score) > TOLERANCE * max(1, abs(score))
    ]
    assert wrong == []


def test_one_workflow_run_over_24_tasks_3_agents_and_2_runs(tmp_path):
    import pandas as pd

    registry = Registry(data_dir=tmp_path / "data")
    lines, jobs = ["run_id,agent,task_id,submission"], {}
    for task_id in selection(SELECTION):
        task = registry.get_task(task_id)
        prepared = invent(task_id, tmp_path / "data", 0, main_metric(task.config))
        for agent in range(3):
            for run in range(2):
                path = tmp_path / "runs" / task_id / f"{agent}-{run}.csv"
                path.parent.mkdir(parents=True, exist_ok=True)
                submission(prepared, 10 * agent + run, tied=run == 1).to_csv(path, index=False)
                lines.append(f"a{agent}-{run},agent{agent},{task_id},{path}")
                jobs[task_id, f"a{agent}-{run}"] = job(task, path)
    (tmp_path / "runs.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "config.yaml").write_text(
        f"runs: [runs.csv]\nsuite: {SELECTION}\ndata_dir: data\ngrading: {{bootstrap: 1000}}\n"
    )
    command = [str(Path(sys.executable).with_name("snakemake")), "-s", str(ROOT / "Snakefile")]
    command += ["--configfile", "config.yaml", "--cores", "2"]
    command += ["--workflow-profile", str(ROOT / "profiles" / "default")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    pairs = pd.read_parquet(tmp_path / "results" / "pairs.parquet")
    assert len(pairs) == 144
    assert pairs["valid_submission"].all()
    theirs = dict(zip(jobs, published_scores(jobs.values()), strict=True))
    for row in pairs.itertuples():
        score = theirs[row.task_id, row.run_id]
        assert abs(row.score - score) <= TOLERANCE * max(1, abs(score)), row.task_id
    assert (pairs["leaderboard_size"] >= 3).all()
    fitted = ~pairs["domain"].str.startswith("kaggle")
    assert pairs.loc[fitted, "medal_note"].str.contains("fitted models").all()
    assert pairs.loc[~fitted, "human_percentile"].notna().all()
    tasks = pd.read_parquet(tmp_path / "results" / "tasks.parquet")
    assert set(tasks["task_id"]) == set(selection(SELECTION))


@pytest.mark.parametrize("name", sorted(set(HERE) & {"bioml-bench", "mle-bench"}))
def test_nearly_all_folders_load_and_all_others_say_why(name):
    from biomlbench.suites.check import check_suite

    rows = check_suite(name)
    assert len(rows) == {"bioml-bench": 406, "mle-bench": 82}[name]
    assert sum(row.loads == "yes" for row in rows) >= len(rows) - 1
    for row in rows:
        if row.loads == "no" or row.grader.startswith("missing") or not row.direction:
            assert row.cannot


@pytest.mark.skipif("mle-bench" not in HERE, reason="BIOMLBENCH_SUITES holds no mle-bench")
def test_native_graders_of_mle_bench_are_the_published_ones(tmp_path):
    import numpy as np
    import pandas as pd

    registry = Registry(data_dir=tmp_path / "data")
    jobs, ours = [], []
    for task_id in selection("mle-bench-lite"):
        task = registry.get_task(task_id)
        if task.metric is None:
            continue
        (key,), (column,) = task.submission.ids, task.submission.predictions
        rng = np.random.default_rng(len(ours))
        ids = pd.DataFrame({key: [f"{i:03d}.x" for i in range(80)]})
        truth = {"accuracy": rng.integers(1, 8, 80), "rmse": rng.random(80)}
        values = truth.get(task.metric.name, rng.integers(0, 2, 80))
        for path, frame in (
            (task.answers, ids.assign(**{column: values})),
            (task.sample_submission, ids.assign(**{column: 0})),
        ):
            path.parent.mkdir(parents=True, exist_ok=True)
            frame.to_csv(path, index=False)
        for seed in range(3):
            guess = rng.random(80) if task.metric.name != "accuracy" else rng.integers(1, 8, 80)
            path = tmp_path / f"{task.folder.name}-{seed}.csv"
            guess = np.round(guess, 1) if seed else guess
            ids.assign(**{column: guess}).sample(frac=1, random_state=seed).to_csv(
                path, index=False
            )
            ours.append((task_id, grade_submission(path, task).score))
            jobs.append(job(task, path))
    assert len(jobs) == 11 * 3
    wrong = [
        (*mine, score)
        for mine, score in zip(ours, published_scores(jobs), strict=True)
        if not isinstance(score, float) or abs(mine[1] - score) > TOLERANCE
    ]
    assert wrong == []
