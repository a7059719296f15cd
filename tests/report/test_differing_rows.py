"""Rows on which two runs differ: what is shown, what is not, and when nothing can be."""

import json
import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from biomlbench import Results
from biomlbench.cli import _cli
from biomlbench.contracts import from_rows, write_table
from biomlbench.report.differing_rows import NotComparableError, Predictions
from biomlbench.report.html import render_tables
from biomlbench.report.inputs import Tables
from biomlbench.report.payload import build
from biomlbench.report.predicted_rows import predicted_rows
from biomlbench.submission.submitted_file import file_sha256
from biomlbench.task.prepare import prepare_task
from biomlbench.task.registry import Registry
from tests.report import fixtures
from tests.workflow.conftest import predictions

TASK = "toy/line"
TOY = Path(__file__).parents[1] / "workflow" / "toy"
SECTIONS = ("run_tables", "submissions", "tasks", "code", "environment")
CONFIG = {"runs": [], "tasks": {}, "tasks_dirs": ["toy"], "data_dir": "data",
          "results_dir": "results"}  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Results of four runs of a task that is prepared; their other columns are anything."""
    base = tmp_path_factory.mktemp("rows")
    shutil.copytree(TOY, base / "toy")
    prepare_task(Registry([base / "toy"], base / "data").get_task("line"))
    (base / "subs").mkdir()
    (base / "subs/right.csv").write_text(predictions(2.0, 0.01))
    (base / "subs/near.csv").write_text(predictions(2.1))
    (base / "subs/short.csv").write_text("id,y\nr00,1\n")
    (base / "subs/card.py").write_text("def f(): ...\n")
    like = fixtures.tables(1)["pairs"].to_pylist()[0] | {"valid_submission": True, "score": 1.0}
    like |= {"fault": "none", "reason": "ok", "verdict": "pass", "label": None, "domain": "toy"}
    pairs = []
    for agent, run, kind, valid in (
        ("ada", "right", "predictions", True),
        ("bob", "near", "predictions", True),
        ("bob", "short", "predictions", False),
        ("ada", "card", "functions", True),
    ):
        path = f"subs/{run}.{'py' if kind == 'functions' else 'csv'}"
        row = like | {"task_id": TASK, "run_id": run, "agent": agent, "kind": kind}
        row |= {"submission": path, "submission_sha256": file_sha256(base / path)}
        pairs.append(row | {"valid_submission": valid, "attempt": 1 if valid else 2})
    (base / "results").mkdir()
    write_table("pairs", from_rows("pairs", pairs), base / "results" / "pairs.parquet")
    agents = from_rows("agents", fixtures._agents(pairs))
    write_table("agents", agents, base / "results" / "agents.parquet")
    record = {"format": 1, "biomlbench": "0", "config": CONFIG, **{name: {} for name in SECTIONS}}
    (base / "results" / "provenance.json").write_text(json.dumps(record))
    return base


@pytest.fixture
def base(made, tmp_path):
    return shutil.copytree(made, tmp_path / "base")


def pair(base, run):
    return Results(base / "results").pair(TASK, run)


def test_rows_differ_by_how_far_they_are_apart(made):
    right, near = (pair(made, run) for run in ("right", "near"))
    found = right.differing_rows(near, most=1000)
    assert (found.ids, found.columns, found.total) == (("id",), ("y",), 30)
    assert len(found.rows) == found.differing > 0
    far = [abs(one - two) for one, two in (row["y"] for row in found.rows)]
    assert far == sorted(far, reverse=True)
    # The very numbers of both files, at the ids that both have.
    for place, name in enumerate(("right", "near")):
        lines = (made / "subs" / f"{name}.csv").read_text().splitlines()[1:]
        given = dict(line.split(",") for line in lines)
        assert all(float(given[row["id"]]) == row["y"][place] for row in found.rows)
    assert right.differing_rows(near, most=3).rows == found.rows[:3]
    table = found.table()
    assert list(table) == ["id", "y", "y_other"]
    assert table.to_numpy().tolist() == [[row["id"], *row["y"]] for row in found.rows]
    mirrored = near.differing_rows(right, most=3).rows
    assert [row["y"][::-1] for row in mirrored] == [row["y"] for row in found.rows[:3]]
    assert right.differing_rows(right).rows == []
    assert list(right.differing_rows(right).table()) == ["id", "y", "y_other"]


def test_what_cannot_be_compared_says_why(base):
    right, near = (pair(base, run) for run in ("right", "near"))
    with pytest.raises(NotComparableError, match="shown to nobody; compare its checks"):
        right.differing_rows(pair(base, "card"))
    with pytest.raises(NotComparableError, match=r"is no valid submission .*; name a run"):
        right.differing_rows(pair(base, "short"))
    with pytest.raises(NotComparableError, match="two tasks; name two runs of one"):
        right.differing_rows(
            type(right)({**right.row, "task_id": "toy/circle"}, None, near._results)
        )
    (base / "subs/near.csv").write_text(predictions(2.2))
    with pytest.raises(NotComparableError, match="not what was graded; put it there again"):
        right.differing_rows(near)
    (base / "subs/right.csv").unlink()
    with pytest.raises(NotComparableError, match=r"right\.csv is gone"):
        right.differing_rows(near)
    assert predicted_rows(base / "results", Tables.load(base / "results")) == {}


def test_answers_handed_in_are_shown_to_nobody(made):
    """A run whose submission is the task's own file of answers."""
    answers = next((made / "data").rglob("answers.csv"))
    row = pair(made, "right").row | {"submission": str(answers)}
    with pytest.raises(NotComparableError, match="among the task's own data"):
        Predictions(made / "results").of(row | {"submission_sha256": file_sha256(answers)})


def test_a_local_report_has_rows_where_the_best_runs_differ(made):
    tables = Tables.load(made / "results")
    rows = predicted_rows(made / "results", tables)
    assert set(rows) == {TASK}
    found = rows[TASK]
    assert set(found["runs"]) == {"right", "near"}
    assert (found["columns"], found["total"]) == (["y"], 30)
    assert 0 < len(found["ids"]) <= 30
    apart = [
        abs(one[0] - two[0])
        for one, two in zip(found["runs"]["right"], found["runs"]["near"], strict=True)
    ]
    assert apart == sorted(apart, reverse=True)
    assert build(tables, {}, None, rows)["rows"] == rows


def test_tables_alone_make_a_report_without_rows(monkeypatch, made):
    """So are sites made: :mod:`biomlbench.export.site` hands over no rows."""
    monkeypatch.setattr("biomlbench.report.html.figures", lambda *_: [])
    text = render_tables(Tables.load(made / "results"))
    data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])
    assert data["rows"] is None


def test_the_command_shows_them(made):
    def run(*more):
        return CliRunner().invoke(
            _cli, ["versus", "ada", "bob", str(made / "results"), "--task", "line", *more]
        )

    (one, two) = json.loads(run("--json").output)
    assert [row["run_id"] for row in one["runs"]] == ["card", "near"]
    assert "compare its checks" in one["note"]
    assert [row["run_id"] for row in two["runs"]] == ["right", "short"]
    assert "no valid submission" in two["note"]
    shown = run()
    assert shown.exit_code == 0
    assert "card | near" in shown.output
