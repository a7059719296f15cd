"""What a change of a leaderboard, or the command line, does to past pairs."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from biomlbench.calibrate.regrade import regrade
from biomlbench.cli.calibrate import command
from biomlbench.contracts import SCHEMAS, from_rows, read_table, write_table
from biomlbench.stages import Context, Pair, run_pair
from biomlbench.stages.prepare import compute
from biomlbench.workflow.record import FORMAT, RECORD

TASK = "clinical/breast-cancer-wisconsin"


def strong_submission(task, path):
    """Write predictions that are better than every team's, and not too good to be believed."""
    rows = pd.read_csv(task.gold_submission)
    best = pd.read_csv(task.leaderboard)["score"].max()
    positive = rows["malignant"] > 0.5
    rows["malignant"] = np.where(positive, 0.9, np.linspace(0.1, 0.4, len(rows)))
    # one positive row comes after as many negative ones as make the distance from a perfect
    # score three quarters of the best team's
    after = round(0.75 * (1 - best) * positive.sum() * (~positive).sum())
    rows.loc[rows.index[positive][0], "malignant"] = (
        rows.loc[~positive, "malignant"].nlargest(after).min() - 1e-6
    )
    rows.to_csv(path, index=False)


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A results folder with one graded pair, and its context."""
    root = tmp_path_factory.mktemp("regrade")
    context = Context(data_dir=str(root / "data"), bootstrap=0)
    compute(TASK, context)
    submission = root / "gold.csv"
    strong_submission(context.task(TASK), submission)
    pair = Pair(TASK, "gold", str(submission))
    tables = run_pair(pair, context, root / "results" / "pairs" / TASK / "gold")
    row = dict.fromkeys(SCHEMAS["pairs"].names) | tables["medal"].to_pylist()[0]
    row |= {"domain": "clinical", "agent": "a", "kind": "predictions", "source": "runs.csv:2",
            "submission": str(submission)}  # fmt: skip
    write_table("pairs", from_rows("pairs", [row]), root / "results" / "pairs.parquet")
    return root, context


def test_nothing_flips_where_nothing_changed(graded):
    root, context = graded
    assert list(regrade(root / "results", context)) == []


def test_a_new_leaderboard_flips_the_medal_and_changes_no_result(graded):
    root, context = graded
    board = root / "board.csv"
    # nobody can be better than those
    board.write_text("score\n" + "".join(f"{2 + i}\n" for i in range(60)))
    before = {p: p.read_bytes() for p in (root / "results").rglob("*.parquet")}
    changed = replace(context, overrides={"leaderboard": str(board)})
    (flip,) = regrade(root / "results", changed, [TASK])
    assert (flip["task_id"], flip["run_id"]) == (TASK, "gold")
    assert flip["medal"] == ["gold", "none"]
    assert flip["verified_medal"] == [True, False]
    assert "verdict" not in flip
    assert {p: p.read_bytes() for p in (root / "results").rglob("*.parquet")} == before
    assert list(regrade(root / "results", changed, ["kernels/other"])) == []


def test_what_the_config_of_the_results_changes_holds_again(graded):
    root, context = graded
    board = root / "other.csv"
    board.write_text("score\n" + "".join(f"{60 - i}\n" for i in range(60)))
    changes = {"leaderboard": str(board)}
    record = root / "results" / RECORD
    names = ("run_tables", "submissions", "tasks", "code", "environment")
    sections = {name: {} for name in names}
    config = {"tasks": {TASK: changes}}
    record.write_text(json.dumps({"format": FORMAT, **sections, "config": config}))
    try:
        found = list(regrade(root / "results", context))
    finally:
        record.unlink()
    assert found == list(regrade(root / "results", replace(context, overrides=changes)))
    assert [row["medal"] for row in found] == [["gold", "none"]]


def test_a_submission_that_changed_since_is_named(graded):
    root, context = graded
    path = root / "gold.csv"
    kept = path.read_bytes()
    try:
        path.write_bytes(kept + b"\n")
        (row,) = regrade(root / "results", context)
    finally:
        path.write_bytes(kept)
    assert "was changed, replaced or removed" in row["note"]


def test_a_submission_is_sought_where_the_results_recorded_it(graded, tmp_path, monkeypatch):
    root, context = graded
    (tmp_path / "here").mkdir()
    shutil.copytree(root / "results", tmp_path / "there/results")
    shutil.copy(root / "gold.csv", tmp_path / "there")
    results = tmp_path / "there/results"
    (row,) = read_table("pairs", results / "pairs.parquet").to_pylist()
    write_table("pairs", from_rows("pairs", [row | {"submission": "gold.csv"}]),
                results / "pairs.parquet")  # fmt: skip
    names = ("run_tables", "submissions", "tasks", "code", "environment")
    config = {"tasks": {}, "results_dir": "results"}
    record = {"format": FORMAT, **{name: {} for name in names}, "config": config}
    (results / RECORD).write_text(json.dumps(record))
    monkeypatch.chdir(tmp_path / "here")
    assert list(regrade("../there/results", context)) == []
    (tmp_path / "there/gold.csv").unlink()
    (found,) = regrade("../there/results", context)
    assert f"is not at {tmp_path / 'there/gold.csv'}" in found["note"]
    shutil.copy(root / "gold.csv", tmp_path / "here")
    assert list(regrade("../there/results", context)) == []


def test_the_command_line(graded, tmp_path):
    root, _ = graded
    data = ["--data-dir", str(root / "data")]
    done = CliRunner().invoke(command, ["regrade", "--results", str(root / "results"), *data])
    assert done.exit_code == 0
    assert "0 pairs would have another result" in done.output
    done = CliRunner().invoke(command, ["apply", str(tmp_path / "none.yaml"), *data])
    assert "run `biomlbench calibrate propose`" in str(done.exception)
    bad = tmp_path / "proposal.yaml"
    bad.write_text("changes: [1]\n")
    done = CliRunner().invoke(command, ["apply", str(bad), *data])
    assert "not a proposal" in str(done.exception)
    bad.write_text("changes: []\n")
    assert "nothing to change" in CliRunner().invoke(command, ["apply", str(bad), *data]).output
    done = CliRunner().invoke(command, ["diff", "2025-W13", "2025-W14", "--results", str(tmp_path)])
    assert "no such table" in str(done.exception)


def of_pairs(root, *rows):
    """Write another `pairs.parquet` and return the one that was there."""
    path = root / "results" / "pairs.parquet"
    kept = path.read_bytes()
    write_table("pairs", from_rows("pairs", rows), path)
    return kept


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        (
            {"run_id": "lost", "kind": "", "fault": "run_table", "message": "2: `attempt` 0"},
            "`attempt` 0",
        ),
        ({"task_id": "lab/gone"}, "there is no task 'lab/gone'"),
    ],
)
def test_a_pair_that_cannot_be_graded_is_a_note_and_others_are_graded(graded, changed, told):
    root, context = graded
    path = root / "results" / "pairs.parquet"
    (row,) = read_table("pairs", path).to_pylist()
    lost = row | changed
    folder = root / "results" / "pairs" / lost["task_id"] / lost["run_id"]
    if not folder.exists():
        shutil.copytree(root / "results" / "pairs" / TASK / "gold", folder)
    kept = of_pairs(root, lost, row | {"score": 0.0})
    try:
        noted, other = regrade(root / "results", context)
    finally:
        path.write_bytes(kept)
    assert told in noted["note"]
    assert other["score"][0] == 0
