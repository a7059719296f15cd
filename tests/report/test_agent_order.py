"""Agents have one order, wherever they are listed."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from biomlbench.report import overview, payload, plots
from biomlbench.report.agent_order import by_place, compared, with_places
from biomlbench.report.compare import compare_agents
from biomlbench.report.inputs import Tables
from biomlbench.report.shown import json_number
from tests.report import fixtures

NAMES = ("rf", "Rf", "=1+1", "Müller", "zoe")


@pytest.fixture(scope="module")
def level():
    """Agents that no measure of the ranking's tells apart but the percentile, backwards by name."""
    made = fixtures.frames(110)
    new = dict(zip(sorted(made.pairs["agent"].unique()), NAMES, strict=True))
    pairs = made.pairs.assign(agent=made.pairs["agent"].map(new))
    agents = made.agents.assign(
        agent=made.agents["agent"].map(new), verified_medal_rate=0.0, pass_rate=0.5
    )
    places = agents["agent"].map({name: place for place, name in enumerate(sorted(NAMES))})
    return Tables(pairs=pairs, agents=agents.assign(leaderboard_percentile=places.astype(float)))


def test_ranking_payload_and_figures_agree(level):
    expected = sorted(NAMES, reverse=True)
    assert [row.agent for row in overview.build(level).ranking] == expected
    assert by_place(level, NAMES) == expected
    placed = with_places(level)
    whole = placed[placed["domain"] == "all"]
    assert whole["agent"].tolist() == expected
    assert whole["place"].tolist() == [1, 2, 3, 4, 5]
    first = placed.groupby("agent", sort=False)["domain"].first()
    assert first.index.tolist() == expected
    assert set(first) == {"all"}
    stored = payload.build(level, {})["agents"]["c"]
    assert set(stored["place"]) == {1, 2, 3, 4, 5}
    for name in ("agent_rates", "medals", "verdict_shares"):
        axes = plots.load(name).figure(level).axes[0]
        assert [tick.get_text() for tick in axes.get_yticklabels()] == expected, name


def test_an_agent_without_a_place_comes_last(level):
    assert by_place(level, ["aaa", "rf", "zoe"]) == ["zoe", "rf", "aaa"]
    assert by_place(Tables(), ["b", "a"]) == ["a", "b"]


def test_whole_parts_of_numbers_are_not_rounded_in_the_payload():
    for value in (1234567, 12345678.4, 105714.2857):
        assert json_number(value, False) == round(value)
    assert json_number(1.23456789, False) == 1.23457
    assert json_number(np.nan, False) is None


def test_comparisons_have_the_rankings_order_and_level_agents_too(level):
    pairs = level.pairs.assign(
        verdict="pass", fault="none", verified_medal=False, leaderboard_percentile=50.0
    )
    found = compared(Tables(pairs=pairs, agents=level.agents))
    assert set(found["difference"]) == {0.0}
    order = sorted(NAMES, reverse=True)
    one = found[found["measure"] == "pass"]
    assert list(zip(one["agent"], one["other"], strict=True)) == list(combinations(order, 2))
    assert (found["low"] <= 0).all()
    assert (found["high"] >= 0).all()
    some = fixtures.frames(110)
    rows = compared(some).sort_values(["measure", "agent", "other"]).reset_index(drop=True)
    known = compare_agents(some.runs).sort_values(["measure", "agent", "other"])
    moved = rows["difference"] > 0
    kept = known[known["difference"] > 0].reset_index(drop=True)
    pd.testing.assert_frame_equal(rows[moved].reset_index(drop=True), kept)
