"""One rule says which run is the best, and every place that names one goes by it."""

import pandas as pd
import pytest

from biomlbench.export.site_pages import Pages
from biomlbench.report.inputs import Tables
from biomlbench.report.predicted_rows import _best
from biomlbench.report.run_order import by_importance
from biomlbench.report.run_sums import RunSums
from biomlbench.report.side_by_side import best_pair, by_task
from biomlbench.scoring.best_runs import best_runs, standing
from biomlbench.summary.agents import summarize_agents
from tests.report import fixtures

TASK = "clinical/diabetes-progression"


def tables_of(*rows):
    """Runs of (agent, run, score, verdict) of a task whose scores are minimised."""
    told = pd.DataFrame(rows, columns=["agent", "run_id", "score", "verdict"])
    some = fixtures.frames(110)
    first = some.pairs[some.pairs["task_id"].eq(TASK) & some.pairs["verdict"].eq("pass")].iloc[0]
    pairs = pd.DataFrame([first] * len(told)).reset_index(drop=True)
    same = {"label": None, "fault": "none", "stage": "medal", "medal_note": ""}
    pairs = pairs.assign(**told, **same, valid_submission=True)
    return Tables(pairs=pairs, agents=summarize_agents(pairs), tasks=some.tasks)


@pytest.fixture
def tables():
    """B has the best score of those that pass, A and C one without a pass; D has lost its best."""
    made = tables_of(
        ("A", "a1", 0.4, "partial"), ("A", "a2", 1.1, "pass"), ("B", "b1", 0.7, "pass"),
        ("C", "c1", 0.4, "partial"), ("D", "d1", 0.1, "fail"), ("D", "d2", 0.7, "pass"),
    )  # fmt: skip
    lost = made.pairs["run_id"].eq("d1")
    made.pairs.loc[lost, ["fault", "stage"]] = ["grader", "verify"]
    return made


def test_a_pass_comes_first_then_the_score_and_ties_are_all_the_best(tables):
    runs = tables.runs.set_index("run_id")
    order = standing(runs).dropna().sort_values(ascending=False, kind="stable")
    assert set(order.index[:2]) == {"b1", "d2"}
    assert list(order.index[2:]) == ["a2", "a1", "c1"]
    assert order["a1"] == order["c1"]
    assert list(runs.index[best_runs(runs)]) == ["b1", "d2"]
    without = runs[runs["verdict"] != "pass"]
    assert list(without.index[best_runs(without)]) == ["a1", "c1"]
    rising = runs.assign(direction="maximize")
    assert list(rising.index[best_runs(rising)]) == ["a2"]
    nothing = runs.assign(score=float("nan"))
    assert not best_runs(nothing).any()


def test_report_site_versus_and_page_name_the_same_runs(tables):
    (row,) = RunSums(tables).tasks().to_dict("records")
    assert (row["score"], row["by"]) == (0.7, "B, D")
    cells = RunSums(tables).cells().set_index("agent")["score"]
    assert cells.to_dict() == {"A": 1.1, "B": 0.7, "C": 0.4, "D": 0.7}
    site = Pages(tables, {}, {}, "T")._summary(TASK)
    assert (site["best"], site["agent"], site["unpassed"]) == ("0.7", "B, D", False)
    (sides,) = by_task(tables.pairs, "A", "B")
    assert sides["best"] == [1.1, 0.7]
    assert [run["run_id"] for run in best_pair(tables.pairs, TASK, "A", "B")] == ["a2", "b1"]
    assert [run["run_id"] for run in _best(tables.runs, list("ABCD"))] == ["a2", "b1", "c1", "d2"]
    first = tables.pairs.iloc[by_importance(tables)[:4]]
    assert set(first["run_id"]) == {"a2", "b1", "c1", "d2"}


def test_a_best_run_that_did_not_pass_is_marked(tables):
    made = tables_of(
        ("A", "a1", 0.4, "partial"), ("C", "c1", 0.4, "fail"), ("E", "e1", 0.9, "fail")
    )
    site = Pages(made, {}, {}, "T")._summary(TASK)
    assert (site["best"], site["agent"], site["unpassed"]) == ("0.4", "A, C", True)
    page = dict(Pages(made, {}, {}, "T").texts())["tasks/index.html"]
    assert '0.4<span class="sub">no pass</span></td><td>A, C</td>' in page
    assert "no pass</span>" not in dict(Pages(tables, {}, {}, "T").texts())["tasks/index.html"]


def test_many_agents_of_a_best_run_are_counted():
    made = tables_of(*((agent, agent, 0.4, "pass") for agent in "ABCD"))
    assert Pages(made, {}, {}, "T")._summary(TASK)["agent"] == "A, B and 2 more"
    assert RunSums(made).tasks()["by"].tolist() == ["A, B and 2 more"]
