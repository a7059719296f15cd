"""Figures say how many runs they leave out, and claim nothing of those."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from biomlbench.report import plots
from biomlbench.report.inputs import Tables
from biomlbench.report.plots import _style, hint_tiers
from tests.report import fixtures


@pytest.fixture(scope="module")
def some():
    return fixtures.frames(165)


def _texts(figure):
    axes = [text.get_text() for axes in figure.axes for text in axes.texts]
    return [text.get_text() for text in figure.texts] + axes


def _legend(axes):
    return axes.get_legend_handles_labels()[1]


def _dated_runs_that_pass(some, dated):
    """Return tables whose first runs are dated and pass; the others do neither."""
    early = np.arange(len(some.telemetry)) < dated
    telemetry = some.telemetry.assign(
        week=np.where(early, "2025-W14", "undated"),
        verdict=np.where(early, "pass", "fail"),
        fault=np.where(early, "none", "submission"),
        checks_failed=[[] if first else ["oracle"] for first in early],
    )
    return dataclasses.replace(some, telemetry=telemetry)


def test_weeks_say_how_many_runs_have_no_date(some):
    texts = _texts(plots.load("weekly_trends").figure(_dated_runs_that_pass(some, 6)))
    assert "left out: 159 of 165 runs, without a date" in texts
    assert "every run with a date passed" in texts
    assert "no check failed in a run with a date" in texts
    assert "every run passed" not in texts


def test_weeks_of_dated_runs_alone_leave_nothing_out(some):
    texts = _texts(plots.load("weekly_trends").figure(_dated_runs_that_pass(some, 165)))
    assert "every run passed" in texts
    assert not any("left out" in text for text in texts)


def test_rows_that_name_no_run_are_no_runs_of_a_week(some):
    fault = some.telemetry["fault"].mask(some.telemetry.index < 10, "run_table")
    week = some.telemetry["week"].mask(some.telemetry.index < 10, "undated")
    tables = dataclasses.replace(some, telemetry=some.telemetry.assign(fault=fault, week=week))
    figure = plots.load("weekly_trends").figure(tables)
    assert not any("left out" in text for text in _texts(figure))
    assert "run_table" not in _legend(figure.axes[1])


def test_hints_say_how_many_runs_are_left_out(some):
    pairs = some.pairs.copy()
    pairs.loc[pairs.index >= 100, "attempt"] = np.nan
    lost = ~pairs["fault"].isin(["none", "submission"]) & pairs["attempt"].notna()
    assert lost.any()
    (told,) = [text for text in _texts(hint_tiers.figure(Tables(pairs=pairs))) if "left" in text]
    assert told == (
        "left out: 65 of 165 runs, without an attempt number; "
        f"left out: {lost.sum()} of 165 runs, lost to a fault that is not the agent’s"
    )


def test_a_tier_that_no_run_tells_is_not_called_no_hint(some):
    untold = hint_tiers.figure(Tables(pairs=some.pairs.assign(hint_tier=np.nan)))
    assert set(_legend(untold.axes[0])) == {"hints not told", "never passed"}
    told = hint_tiers.figure(Tables(pairs=some.pairs.assign(hint_tier=0)))
    assert set(_legend(told.axes[0])) == {"no hint", "never passed"}


def test_an_attempt_of_unknown_hints_may_have_had_higher_ones():
    columns = ["task_id", "agent", "seed", "attempt", "hint_tier", "verdict", "fault"]
    rows = [
        ("t", "a", 0, 1, None, "fail", "submission"),
        ("t", "a", 0, 2, 2, "pass", "none"),
        ("t", "b", 0, 1, 1, "pass", "none"),
        ("t", "b", 0, 2, None, "fail", "submission"),
    ]
    found = hint_tiers.first_passes(pd.DataFrame(rows, columns=columns))
    assert found["tier"].isna().tolist() == [True, False]
    assert found["tier"].iloc[1] == 1


def test_effort_says_of_how_many_runs_it_is(some):
    pairs = some.pairs.assign(meta_tokens=10.0, meta_wall_time_s=5.0)
    pairs.loc[pairs.index >= 40, "meta_wall_time_s"] = np.nan
    figure = plots.load("effort_by_verdict").figure(Tables(pairs=pairs))
    fair = pairs["fault"].isin(["none", "submission"])
    assert [axes.get_xlabel() for axes in figure.axes] == [
        f"tokens a run, of {fair.sum()} of 165 runs",
        f"agent’s seconds a run, of {fair[:40].sum()} of 165 runs",
    ]


def test_costs_say_how_many_agents_have_none(some):
    costs = some.agents["agent"].map({"aide": 1.0, "stella": 2.0})
    tables = dataclasses.replace(some, agents=some.agents.assign(meta_cost_usd=costs))
    texts = _texts(plots.load("cost_and_score").figure(tables))
    assert "left out: 3 of 5 agents, of unknown cost or score" in texts


def test_what_is_left_out_is_counted_only_where_something_is():
    assert _style.without(0, 3, "without a date") == ""
    assert _style.joined("", "a", "", "b") == "a; b"
