"""What a task is after the config's changes, and what a score is worth on it."""

from __future__ import annotations

import json

import pytest

from biomlbench.api.reports import leaderboard_of
from biomlbench.errors import LeaderboardError, TaskError
from biomlbench.registry import Registry
from biomlbench.scoring.award import award
from biomlbench.scoring.effective_task import EffectiveTask
from biomlbench.scoring.medals import medal_probabilities
from biomlbench.workflow.config import ConfigError


@pytest.fixture
def make(tmp_path):
    def make(name="auc", board=(0.9, 0.8, 0.7, 0.6, 0.5), **config):
        folder = tmp_path / "tasks/demo" / name
        folder.mkdir(parents=True)
        settings = {"name": name, "grader": {"name": "the AUC", "metric": "roc_auc"}, **config}
        (folder / "config.yaml").write_text(json.dumps(settings))
        if board:
            write(folder / "leaderboard.csv", board)
        return Registry([tmp_path / "tasks"], tmp_path / "data").get_task(f"demo/{name}")

    return make


def write(path, scores):
    path.write_text("score\n" + "".join(f"{score}\n" for score in scores))
    return path


OUTSIDE = (95.0, 80.0, 70.0)


def test_a_leaderboard_outside_the_metrics_range_is_refused_by_all(make, tmp_path):
    task = make(board=OUTSIDE)
    with pytest.raises(LeaderboardError, match="outside the metric's range"):
        leaderboard_of(task, "maximize")
    found = award(EffectiveTask(task), 0.99, "maximize")
    assert (found.medal, found.gold_threshold, found.error.reason) == (
        "none", None, "broken_leaderboard",
    )  # fmt: skip
    assert found.medal_note.startswith("broken_leaderboard: ")
    changed = EffectiveTask(make("other"), {"leaderboard": write(tmp_path / "b.csv", OUTSIDE)})
    assert award(changed, 0.99, "maximize").error is not None


@pytest.mark.parametrize("scores", [(1.7, 0.5), (0.5, -0.1), (0.5, 1.0, 0.0)])
def test_humans_and_leaderboard_have_one_range(make, scores):
    task = EffectiveTask(make(board=scores))
    write(task.task.folder / "human_baselines.csv", scores)
    if len(scores) == 3:
        assert len(task.read_humans()) == len(task.read_leaderboard()) == 3
        return
    for read in (task.read_humans, task.read_leaderboard):
        with pytest.raises(TaskError, match="outside the metric's range 0 to 1"):
            read()


@pytest.mark.parametrize("board", [(1.2, 0.9), (0.9, -0.1)])
def test_a_card_is_scored_by_a_share(make, board):
    card = make(kind="functions", entry_points=["f"], grader=None, board=board)
    with pytest.raises(LeaderboardError, match="range 0 to 1"):
        EffectiveTask(card).read_leaderboard()


def test_one_name_of_the_metric(make):
    assert EffectiveTask(make()).metric_name == "roc_auc"


def test_on_the_boundary_by_the_interval_that_is_told(make):
    """The interval of a score, not the quantiles that it was stored with, decides."""
    task = EffectiveTask(make())
    quantiles = [0.85, 0.91, 0.92, 0.93, 0.99]
    alone = medal_probabilities(quantiles, [0.9, 0.8, 0.7, 0.6, 0.5], "maximize")
    assert alone.on_boundary
    assert not award(task, 0.92, "maximize", quantiles, (0.91, 0.95)).on_boundary


@pytest.mark.parametrize("score", [None, float("nan"), float("inf")])
def test_no_score_is_worth_nothing(make, score):
    found = award(EffectiveTask(make()), score, "maximize", [0.1, 0.2])
    assert (found.medal, found.any_medal, found.above_median) == ("none", False, False)
    assert (found.leaderboard_percentile, found.leaderboard_position, found.p_gold) == (None,) * 3
    assert found.gold_threshold == 0.9


def test_an_undeclared_direction_is_the_tasks_fault(make):
    task = make(grader={"name": "mine", "grade_fn": "own.py:f"}, board=(0.5, 0.9, 0.7))
    found = award(EffectiveTask(task), 0.5, "")
    assert (found.medal, str(found.error.fault)) == ("none", "task")


@pytest.mark.parametrize(
    ("kind", "wanted", "said"),
    [
        ("predictions", "v1", "only problem cards"),
        ("predictions", "shadow", "only problem cards"),
        ("functions", "v2", "no verifier.yaml"),
        ("functions", "shadow", "no verifier.yaml"),
    ],
)
def test_a_verifier_that_is_not_there_is_refused_when_the_config_is_read(
    make, tmp_path, kind, wanted, said
):
    from pathlib import Path

    from biomlbench.workflow.plan import Benchmark

    card = {"kind": "functions", "entry_points": ["f"], "grader": None}
    make(**(card if kind == "functions" else {}))
    runs = tmp_path / "runs.csv"
    runs.write_text("run_id,agent,task_id,submission\na,ada,demo/auc,a.csv\n")
    config = {
        "runs": [str(runs)],
        "tasks_dirs": [str(tmp_path / "tasks")],
        "data_dir": str(tmp_path / "data"),
        "tasks": {"demo/auc": {"verifier": wanted}},
    }
    root = Path(__file__).resolve().parents[2]
    with pytest.raises(ConfigError, match=rf"tasks\.demo/auc\.verifier.*{said}.*leave it out"):
        Benchmark(config, root)
    allowed = "v2" if kind == "predictions" else "v1"
    config["tasks"]["demo/auc"]["verifier"] = allowed
    assert Benchmark(config, root).effective_task("demo/auc").verifier == allowed


def test_a_card_without_checks_of_its_own_is_judged_by_the_old_ones(make):
    task = EffectiveTask(make(kind="functions", entry_points=["f"], grader=None))
    assert (task.verifier, task.metric_name) == ("v1", "visible_checks")


def test_another_leaderboard_has_not_the_tasks_note(make, tmp_path):
    task = make(leaderboard_note="made of models")
    assert EffectiveTask(task).leaderboard_note == "made of models"
    other = EffectiveTask(task, {"leaderboard": write(tmp_path / "b.csv", (0.9, 0.5))})
    assert "models" not in other.leaderboard_note
