"""Paired comparison of agents: exact cases, symmetry, calibration under the null."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biomlbench.report.compare import (
    MEASURES,
    compare_agents,
    holm,
    per_task,
    ranking,
    sign_flip_p,
    sign_flip_ps,
)
from tests.report import fixtures

floats = st.floats(-100, 100).map(lambda x: round(x, 3))


def pairs(rows):
    columns = ["task_id", "agent", "verdict", "fault", "verified_medal", "leaderboard_percentile",
               "gold_threshold"]  # fmt: skip
    return pd.DataFrame(rows, columns=columns)


def test_all_in_one_direction_gives_the_smallest_p():
    for n in range(2, 11):
        assert sign_flip_p(np.ones(n)) == pytest.approx(2 / 2**n)


@given(st.lists(floats, min_size=2, max_size=10))
def test_p_is_symmetric_and_ignores_order_and_scale(values):
    d = np.array(values)
    p = sign_flip_p(d)
    assert 0 < p <= 1
    assert sign_flip_p(-d) == p
    assert sign_flip_p(np.sort(d)) == p
    assert sign_flip_p(4 * d) == p


def test_p_is_uniform_when_there_is_no_difference():
    rng = np.random.default_rng(0)
    for n in (10, 14):
        found = np.array([sign_flip_p(rng.standard_normal(n)) for _ in range(150)])
        assert abs((found <= 0.05).mean() - 0.05) < 0.05
        assert abs((found <= 0.5).mean() - 0.5) < 0.13


def test_many_p_values_are_those_of_each():
    rng = np.random.default_rng(2)
    differences = rng.standard_normal((4, 14)) + 0.4
    differences[0, 3:] = np.nan  # exact
    differences[1, 0] = np.nan
    found = sign_flip_ps(differences)
    assert found[0] == sign_flip_p(differences[0, :3])
    each = [sign_flip_p(row[~np.isnan(row)]) for row in differences]
    assert found == pytest.approx(each, abs=0.02)


def test_among_many_agents_the_best_of_all_tasks_is_surely_first():
    """The number of drawn signs bounds a p-value from below, and 40 agents are 780 pairs."""
    rng = np.random.default_rng(3)
    rows = [
        (f"t{task}", f"a{agent:02d}", verdict, "none", False, 0, np.nan)
        for task in range(30)
        for agent, verdict in enumerate(["pass", *rng.choice(["pass", "fail"], 39, p=[0.3, 0.7])])
    ]
    places = ranking(pairs(rows), "pass")
    assert places.loc["a00", ["low", "high"]].tolist() == [1, 1]
    assert places["low"].drop("a00").min() == 2


@settings(max_examples=50)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_never_lowers_and_keeps_the_order(values):
    p = np.array(values)
    adjusted = holm(p)
    assert (adjusted >= p).all()
    assert (adjusted <= 1).all()
    order = np.argsort(p, kind="stable")
    assert (np.diff(adjusted[order]) >= 0).all()
    assert adjusted.min() == pytest.approx(min(1, len(p) * p.min()))


def test_replicates_are_averaged_before_tasks():
    rows = [
        ("t1", "a", "pass", "none", True, 90, 1.0),
        ("t1", "a", "fail", "submission", False, np.nan, 1.0),
        ("t2", "a", "pass", "none", False, 50, np.nan),
    ]
    assert per_task(pairs(rows), "pass")["a"].to_dict() == {"t1": 0.5, "t2": 1.0}
    # an invalid submission counts as nothing; a task without a leaderboard does not count
    assert per_task(pairs(rows), "leaderboard_percentile")["a"].to_dict() == {"t1": 45.0}


def test_faults_of_others_do_not_count():
    rows = [
        ("t1", "a", "pass", "none", False, 0, np.nan),
        ("t1", "a", "fail", "infrastructure", False, np.nan, np.nan),
        ("t1", "a", "fail", "grader", False, np.nan, np.nan),
        ("t1", "a", "fail", "task", False, np.nan, np.nan),
    ]
    assert per_task(pairs(rows), "pass")["a"]["t1"] == 1.0


def test_rows_are_oriented_and_complete():
    table = compare_agents(fixtures.frames(440).runs)
    assert set(table["measure"]) == set(MEASURES)
    assert len(table) == 3 * 10
    assert (table["difference"] >= 0).all()
    told = table.dropna(subset="low")
    assert len(told)
    assert (told["low"] <= told["difference"]).all()
    assert (told["difference"] <= told["high"]).all()
    assert (table["p_holm"] >= table["p"]).all()
    worst = table[(table["measure"] == "leaderboard_percentile") & (table["agent"] == "dummy")]
    assert worst.empty


def test_no_spread_between_tasks_still_leaves_unseen_tasks():
    rows = [
        (f"t{task}", agent, verdict, "none", False, 0, np.nan)
        for task in range(4)
        for agent, verdict in (("a", "pass"), ("b", "fail"))
    ]
    (row,) = compare_agents(pairs(rows)).to_dict("records")
    assert (row["agent"], row["difference"], row["p"]) == ("a", 1.0, 2 / 2**4)
    # on four tasks of four; a fifth might differ
    assert row["low"] < 1.0 == row["high"]
    assert np.isnan(row["tasks_needed"])


def test_intervals_stay_within_what_is_possible():
    rows = [
        (
            f"t{task}",
            agent,
            "pass" if agent == "a" or task == 0 else "fail",
            "none",
            False,
            0,
            np.nan,
        )
        for task in range(3)
        for agent in "ab"
    ]
    (row,) = compare_agents(pairs(rows)).to_dict("records")
    assert -1 <= row["low"] < row["difference"] < row["high"] <= 1


def test_more_tasks_of_the_same_kind_decide():
    """As many tasks as it says are needed show the difference in about four of five cases."""
    rng = np.random.default_rng(5)
    differences = np.array([1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, -1.0, -1.0, 0.0, 1.0, -1.0])
    rows = [
        (f"t{task}", agent, "pass" if passed else "fail", "none", False, 0, np.nan)
        for task, difference in enumerate(differences)
        for agent, passed in (("a", difference > 0), ("b", difference < 0))
    ]
    (row,) = compare_agents(pairs(rows)).to_dict("records")
    assert row["p"] > 0.05
    assert row["detectable"] > row["difference"]
    n = int(row["tasks_needed"])
    seen = rng.choice(differences, (1000, n))
    t = seen.mean(axis=1) / (seen.std(axis=1, ddof=1) / n**0.5)
    assert np.mean(t > 1.98) == pytest.approx(0.8, abs=0.05)


def test_places_follow_from_the_sure_differences():
    rows = [
        (f"t{task}", agent, verdict, "none", False, 0, np.nan)
        for task in range(12)
        for agent, verdict in (
            ("best", "pass"), ("level", "pass"), ("worst", "fail"),
        )
    ]  # fmt: skip
    table = ranking(pairs(rows), "pass")
    assert table.loc["best", ["low", "high"]].tolist() == [1, 2]
    assert table.loc["level", ["low", "high"]].tolist() == [1, 2]
    assert table.loc["worst", ["low", "high"]].tolist() == [3, 3]
    assert table["best"].tolist() == [0.5, 0.5, 0.0]


def test_one_task_is_no_comparison():
    rows = [("t1", agent, "pass", "none", False, 0, np.nan) for agent in "ab"]
    assert compare_agents(pairs(rows)).empty
    assert compare_agents(pairs([])).empty


def test_level_agents_have_no_difference_at_all():
    rows = [(f"t{task}", agent, "pass", "none", False, 10.0 + share, 1.0)
            for task in range(3) for agent, share in (("a", 0.1 + 0.2), ("b", 0.3))]  # fmt: skip
    found = compare_agents(pairs(rows))
    assert set(found["difference"]) == {0.0}
    assert found["tasks_needed"].isna().all()
    assert set(found["p"]) == {1.0}
