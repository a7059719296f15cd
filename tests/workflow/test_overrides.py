"""What the config changes of a task holds for every stage, and for the tables over all pairs."""

from __future__ import annotations

import pyarrow.parquet as pq
import pytest

from biomlbench.contracts import compared, read_table, write_table
from biomlbench.stages import STAGES, Context, Pair, run_pair
from biomlbench.stages.prepare import compute
from biomlbench.summary.aggregate import aggregate
from biomlbench.workflow.config import check_config
from biomlbench.workflow.fingerprints import context_of_stage
from biomlbench.workflow.plan import Benchmark

from .conftest import BUILT_IN_CARD, CARD, ROOT, Bench, predictions, write_toys

SCORES = (0.05, 0.1, 0.2, 0.3, 0.4)
LINE = "toy/line"


@pytest.fixture
def graded(tmp_path, monkeypatch):
    """Grade a run of a toy task with changes, in this process; return the results."""

    def grade(task_id, kind, text, changes, board=SCORES):
        monkeypatch.chdir(tmp_path)
        write_toys(tmp_path / "toy")
        (tmp_path / "board.csv").write_text("score\n" + "".join(f"{s}\n" for s in board))
        name = "sub.csv" if kind == "predictions" else "sub.py"
        (tmp_path / name).write_text(text)
        (tmp_path / "runs.csv").write_text(
            f"run_id,agent,task_id,submission\nrun,ada,{task_id},{name}\n"
        )
        config = {"runs": ["runs.csv"], "data_dir": "data", "tasks_dirs": ["toy"]}
        benchmark = Benchmark({**config, "tasks": {task_id: changes}}, ROOT)
        context = Context("data", ("toy",), bootstrap=0, overrides=changes)
        prepared = f"results/tasks/{task_id}/prepare.parquet"
        write_table("prepare", compute(task_id, context), prepared)
        folder = f"results/pairs/{task_id}/run"
        run_pair(Pair(task_id, "run", name, kind), context, folder)
        aggregate(benchmark, "results")
        return {
            table: read_table(table, f"results/{table}.parquet").to_pylist()
            for table in ("pairs", "tasks", "checks")
        }

    return grade


def test_the_board_that_is_drawn_is_the_one_that_is_ranked_against(graded):
    tables = graded(LINE, "predictions", predictions(2.0, 0.01), {"leaderboard": "board.csv"})
    (task,), (pair,) = tables["tasks"], tables["pairs"]
    assert task["leaderboard"] == list(SCORES)
    assert (pair["gold_threshold"], pair["leaderboard_size"]) == (SCORES[0], len(SCORES))


def test_a_board_of_another_metric_costs_the_medals_and_is_told(graded):
    changes = {"leaderboard": "board.csv"}
    tables = graded(LINE, "predictions", predictions(2.0, 0.01), changes, (-3.0, -2.0))
    (task,), (pair,) = tables["tasks"], tables["pairs"]
    assert task["leaderboard"] is None
    assert "outside the metric's range" in task["leaderboard_note"]
    assert (pair["medal"], pair["reason"], pair["fault"]) == ("none", "broken_leaderboard", "task")
    assert pair["valid_submission"]
    assert "outside the metric's range" in pair["medal_note"]


@pytest.mark.parametrize("wanted", ["v1", "shadow", "v2"])
def test_the_verifier_of_the_config_scores_and_decides(graded, wanted):
    code = (BUILT_IN_CARD / "reference.py").read_text()
    tables = graded(CARD, "functions", code, {"verifier": wanted})
    (task,), (pair,) = tables["tasks"], tables["pairs"]
    metric = "hidden_checks" if wanted == "v2" else "visible_checks"
    assert (task["verifier"], task["metric"]) == (wanted, metric)
    assert (pair["verifier"], pair["metric"], pair["score"]) == (wanted, metric, 1.0)
    assert pair["verdict"] == "pass"


@pytest.mark.parametrize(
    ("wanted", "verdict", "ranked"), [("shadow", "pass", 1.0), ("v2", "fail", None)]
)
def test_what_only_hidden_checks_see_ranks_nobody_before_they_decide(
    graded, wanted, verdict, ranked
):
    code = (BUILT_IN_CARD / "reference.py").read_text()
    right = "    return float(np.sqrt("
    # the visible cases have six atoms at most
    code = code.replace(right, "    return 9.0 if len(mobile) > 6 else float(np.sqrt(")
    (pair,) = graded(CARD, "functions", code, {"verifier": wanted})["pairs"]
    assert pair["hidden_score"] < 1
    assert (pair["verdict"], pair["score"]) == (verdict, ranked or pair["hidden_score"])


def test_every_key_reaches_the_stages_that_depend_on_it():
    """A key that the schema allows is handed to some stage, and makes its jobs run again."""
    config = check_config({"runs": ["runs.csv"]}, ROOT / "workflow/schemas/config.schema.json")
    schema_keys = {"verifier": "v1", "limits": {"cpu_s": 3}, "repeats": 3, "leaderboard": "b.csv"}
    for key, value in schema_keys.items():
        config["tasks"] = {LINE: {key: value}}
        stages = [
            s for s in STAGES if context_of_stage(s, config["tasks"][LINE], config)["overrides"]
        ]
        assert (
            stages
            == {
                "verifier": ["grade", "verify"],
                "limits": ["execute"],
                "repeats": ["execute"],
                "leaderboard": ["medal"],
            }[key]
        )


@pytest.mark.slow
def test_the_workflow_obeys_as_the_library_does(fresh: Bench, tmp_path, monkeypatch):
    """Every kind, valid or not, under changes of every key, by Snakemake and in this process."""
    board = "score\n" + "".join(f"{score}\n" for score in SCORES)
    (fresh.path / "board.csv").write_text(board)
    changes = {
        LINE: {"leaderboard": "board.csv", "limits": {"wall_s": 60}},
        CARD: {"verifier": "v1", "repeats": 2},
    }
    config = fresh.path / "config" / "config.yaml"
    config.write_text(
        config.read_text()
        + "tasks:\n"
        + f"  {LINE}: {{leaderboard: board.csv, limits: {{wall_s: 60}}}}\n"
        + f"  {CARD}: {{verifier: v1, repeats: 2}}\n"
    )
    fresh.snakemake()
    monkeypatch.chdir(fresh.path)
    pairs = read_table("pairs", "results/pairs.parquet").to_pylist()
    tasks = {r["task_id"]: r for r in read_table("tasks", "results/tasks.parquet").to_pylist()}
    assert tasks[LINE]["leaderboard"] == list(SCORES)
    assert tasks[CARD]["verifier"] == "v1"
    compared_pairs = 0
    for row in pairs:
        if row["task_id"] not in changes:
            continue
        compared_pairs += 1
        context = Context(
            "data", ("toy",), bootstrap=200, seed=3, overrides=changes[row["task_id"]]
        )
        pair = Pair(row["task_id"], row["run_id"], row["submission"], row["kind"], row["seed"])
        out = tmp_path / "again" / row["task_id"] / row["run_id"]
        run_pair(pair, context, out)
        for stage in STAGES:
            folder = f"results/pairs/{row['task_id']}/{row['run_id']}"
            one, other = (
                compared(stage, pq.read_table(f"{place}/{stage}.parquet", partitioning=None))
                for place in (folder, out)
            )
            assert one.equals(other), (row["run_id"], stage)
    assert {row["kind"] for row in pairs} >= {"predictions", "program", "functions"}
    assert compared_pairs >= 6
