"""Wherever a table is taken, it may be pandas', Polars' or Arrow's; what is given shows itself."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from biomlbench.frames import as_frame
from biomlbench.grade import aggregate_reports, calculate_human_performance_metrics
from biomlbench.grade_helpers import Grader
from biomlbench.metrics import get_metric
from biomlbench.registry import Registry
from biomlbench.scoring.leaderboard import as_leaderboard
from biomlbench.scoring.medals import (
    leaderboard_position,
    medal_probabilities,
    rank_score,
    thresholds,
)
from biomlbench.scoring.task_report import TaskReport

BOARD = pd.DataFrame({"team": list("abcdef"), "score": [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]})
HUMANS = pd.DataFrame({"score": [0.6, 0.7, None, 0.9]})
ANSWERS = pd.DataFrame({"id": ["a", "b", "c"], "y": [1.0, 2.5, 4.0]})
SUBMITTED = pd.DataFrame({"id": ["c", "a", "b"], "y": [3.0, 1.0, 2.0]})
PAIRS = pd.DataFrame(
    {
        "agent": ["x", "x", "y", "y"],
        "task_id": ["d/1", "d/2", "d/1", "d/2"],
        "domain": "d",
        "run_id": ["1", "2", "3", "4"],
        "leaderboard_percentile": [90.0, 10.0, 50.0, None],
        "above_median": [True, False, True, None],
        "any_medal": [True, False, False, None],
        "valid_submission": [True, True, True, False],
        "verified_medal": [True, False, False, False],
        "verdict": ["pass", "fail", "pass", "fail"],
        "fault": ["none", "none", "none", "submission"],
        "gold_threshold": [1.0, 1.0, 1.0, 1.0],
    }
)


def rmse(submission, answers):
    assert isinstance(submission, pd.DataFrame)
    return float(np.sqrt(((submission["y"] - answers["y"].to_numpy()) ** 2).mean()))


def _summarize(make):
    from biomlbench.report import summarize_agents

    return summarize_agents(make(PAIRS)).to_dict("records")


def _compare(make):
    from biomlbench.report.compare import compare_agents

    return compare_agents(make(PAIRS)).to_dict("records")


def _figure(make):
    from biomlbench.contracts import SCHEMAS
    from biomlbench.report import plots
    from biomlbench.report.inputs import Tables

    pairs = SCHEMAS["pairs"].empty_table().to_pandas()
    tables = Tables(pairs=make(pairs))
    drawn = plots.load("verdict_shares").figure(tables)
    return type(tables.pairs), [axes.get_title() for axes in drawn.axes]


def _written(make, tmp_path):
    from biomlbench.task.toolbox import write_csv

    write_csv(make(ANSWERS), tmp_path / "answers.csv")
    return (tmp_path / "answers.csv").read_bytes()


TAKERS = {
    "as_leaderboard": lambda make: as_leaderboard(make(BOARD)).ascending.tolist(),
    "thresholds": lambda make: thresholds(make(BOARD), "maximize"),
    "rank_score": lambda make: rank_score(0.75, make(BOARD), "maximize"),
    "leaderboard_position": lambda make: leaderboard_position(0.75, make(BOARD), "maximize"),
    "medal_probabilities": lambda make: medal_probabilities(
        [0.7, 0.75, 0.8], make(BOARD), "maximize", (0.7, 0.8)
    ),
    "Grader.is_lower_better": lambda make: Grader("mine", rmse).is_lower_better(make(BOARD)),
    "Grader.rank_score": lambda make: Grader("mine", rmse).rank_score(0.75, make(BOARD)),
    "Grader.__call__": lambda make: Grader("mine", rmse)(make(SUBMITTED), make(ANSWERS)),
    "Grader.score": lambda make: Grader("mine", metric="rmse").score(
        make(SUBMITTED), make(ANSWERS)
    ),
    "calculate_human_performance_metrics": lambda make: calculate_human_performance_metrics(
        0.8, make(HUMANS), is_lower_better=False
    ),
    "metrics": lambda make: get_metric("rmse")(make(ANSWERS)["y"], make(SUBMITTED)["y"]),
    "summarize_agents": _summarize,
    "compare_agents": _compare,
    "figures": _figure,
}


def arrow(frame):
    return pa.Table.from_pandas(frame, preserve_index=False)


def polars(frame):
    pl = pytest.importorskip("polars", reason="Polars is not installed (extra `polars`)")
    return pl.from_arrow(arrow(frame))


def same(one, other):
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[k], other[k]) for k in one)
    return one == other or (one != one and other != other)


@pytest.mark.parametrize("make", [polars, arrow], ids=["polars", "arrow"])
@pytest.mark.parametrize("taker", TAKERS)
def test_any_table_is_taken_as_pandas_is(taker, make):
    assert same(TAKERS[taker](make), TAKERS[taker](lambda frame: frame))


@pytest.mark.parametrize("make", [polars, arrow], ids=["polars", "arrow"])
def test_tables_of_a_task_are_written_alike(make, tmp_path):
    assert _written(make, tmp_path) == _written(lambda frame: frame, tmp_path)


def test_what_is_no_table_stays_as_it_is():
    for thing in ([0.5], np.ones(2), None, BOARD, BOARD["score"], pa.chunked_array([[1.0]])):
        assert as_frame(thing) is thing


def test_a_lazy_table_is_to_be_computed_first():
    pl = pytest.importorskip("polars", reason="Polars is not installed (extra `polars`)")
    with pytest.raises(TypeError, match="collect"):
        as_frame(pl.from_arrow(arrow(BOARD)).lazy())


def test_pandas_itself_is_not_asked_for():
    code = (
        "import sys\nfrom biomlbench.frames import as_frame\n"
        "assert as_frame([1.0]) == [1.0]\nassert 'pandas' not in sys.modules\n"
        "assert 'pyarrow' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


EVIL = "<script>alert(1)</script>"


def report(**more):
    names = ("gold", "silver", "bronze")
    fields = {"task_id": EVIL, "score": 0.5, "submission_path": EVIL, "created_at": None,
              "any_medal": True, "above_median": True, "submission_exists": True,
              "valid_submission": True, "is_lower_better": False,
              **{f"{n}_threshold": 0.5 for n in (*names, "median")},
              **{f"{n}_medal": n == "gold" for n in names}}  # fmt: skip
    return TaskReport.from_dict(fields | more)


def shown():
    yield "TaskReport", report(), "<th>score</th><td>0.5</td>"
    yield "Summary", aggregate_reports([report()]), "<td>gold</td>"
    yield "Leaderboard", as_leaderboard([0.5, 0.7], EVIL), "<th>teams</th><td>2</td>"
    registry = Registry()
    yield "Registry", registry, "<td>clinical/diabetes-progression</td>"
    yield "Task", registry.get_task("kabsch-rmsd"), "<th>kind</th><td>functions</td>"
    yield "Task", registry.get_task("diabetes-progression"), "<th>direction</th><td>minimize</td>"


@pytest.mark.parametrize(("name", "thing", "holds"), list(shown()))
def test_results_show_themselves_in_a_notebook(name, thing, holds):
    text = thing._repr_html_()
    assert type(thing).__name__ == name
    assert text.startswith("<table>")
    assert holds in text
    assert "<script>" not in text


def test_a_broken_task_is_shown_as_text(tmp_path):
    folder = tmp_path / "mine" / "odd"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text(f"name: '{EVIL}'\nkind: '{EVIL}'\n")
    text = Registry(tasks_dirs=[tmp_path])._repr_html_()
    assert "mine/odd" in text
    assert "<script>" not in text


def test_a_summary_is_still_a_plain_dictionary():
    import json

    summary = aggregate_reports([report()])
    assert json.loads(json.dumps(summary)) == dict(summary)
