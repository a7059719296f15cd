"""`biomlbench compare` on two real runs: each change has its reason."""

from __future__ import annotations

import shutil

import pytest

from biomlbench.reproduce.standings import standings
from tests.workflow.conftest import predictions


@pytest.mark.slow
def test_a_threshold_a_submission_and_an_agent_that_changed(bench):
    shutil.copytree(bench.results(), bench.path / "before")
    (bench.path / "subs" / "near.csv").write_text(predictions(1.5))
    (bench.path / "subs" / "cyd.csv").write_text(predictions(2.05))
    with (bench.path / "runs.csv").open("a") as file:
        file.write("new,cyd,circle,subs/cyd.csv,\n")
    (bench.path / "strict.csv").write_text("score\n" + "".join(f"{n / 1e6}\n" for n in range(1, 9)))
    with (bench.path / "config" / "config.yaml").open("a") as file:
        file.write("tasks: {circle: {leaderboard: strict.csv}}\n")
    bench.snakemake("results/pairs.parquet")
    found = standings(bench.path / "before", bench.results())
    pairs = {(row["task_id"], row["run_id"]): row for row in found.pairs}
    near = pairs["toy/line", "near"]
    assert (near["state"], near["why"]) == ("changed", ["submission"])
    assert near["changes"]["score"]["old"] != near["changes"]["score"]["new"]
    assert (pairs["toy/circle", "new"]["state"], pairs["toy/circle", "new"]["agent"]) == (
        "new",
        "cyd",
    )
    (task,) = [row for row in found.tasks if row["state"] == "changed"]
    assert (task["task_id"], task["why"]) == ("toy/circle", ["leaderboard"])
    assert "gold_threshold" in task["changes"]
    assert {row["agent"]: row["state"] for row in found.agents}["cyd"] == "new"
    assert set(pairs) - {("toy/line", "near"), ("toy/circle", "new")} <= {("toy/circle", "right")}
