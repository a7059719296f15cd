"""The agents' summary against a plain reading of its definition."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biomlbench.contracts import SCHEMAS
from biomlbench.report import summarize_agents
from biomlbench.summary.agent_ranks import in_order, places


def pairs_of(*rows, **columns):
    """Rows of agent, task, run, percentile (None: invalid), above median, medal."""
    return pd.DataFrame(
        [
            {
                "agent": agent,
                "task_id": task,
                "domain": task.split("/")[0],
                "run_id": run,
                "leaderboard_percentile": percentile,
                "above_median": percentile is not None and percentile > 50,
                "any_medal": percentile is not None and percentile >= 90,
                "valid_submission": percentile is not None,
            }
            for agent, task, run, percentile in rows
        ]
    ).assign(**columns)


PAIRS = pairs_of(
    ("a", "x/1", "1", 40.0), ("a", "x/1", "2", 60.0), ("a", "x/2", "1", 90.0),
    ("a", "y/3", "1", 95.0), ("b", "x/1", "1", 50.0), ("b", "x/2", "1", None),
    ("b", "y/3", "1", 99.0), ("b", "y/3", "2", None),
)  # fmt: skip


def row_of(table, agent, domain="all"):
    (row,) = table[(table["agent"] == agent) & (table["domain"] == domain)].to_dict("records")
    return row


def test_means_over_tasks_of_means_over_replicates():
    row = row_of(summarize_agents(PAIRS), "a")
    means = np.array([50.0, 90.0, 95.0])
    assert row["leaderboard_percentile"] == pytest.approx(means.mean())
    assert row["leaderboard_percentile_se"] == pytest.approx(means.std(ddof=1) / math.sqrt(3))
    assert row["above_median_rate"] == pytest.approx((0.5 + 1 + 1) / 3)
    assert row["any_medal_rate"] == pytest.approx(2 / 3)
    assert row["any_medal_rate_se"] == pytest.approx(math.sqrt(1 / 3) / math.sqrt(3))
    assert (row["tasks"], row["runs"], row["replicates"]) == (3, 4, 4 / 3)
    assert row["completion_rate"] == 1.0


def test_what_runs_cost_is_a_mean_over_those_that_say_so():
    costs = [1.0, None, 3.0, None, None, None, None, None]
    models = ["m2", "m1", None, "m2", None, None, None, None]
    table = summarize_agents(PAIRS.assign(meta_cost_usd=costs, meta_model=models))
    assert row_of(table, "a")["meta_cost_usd"] == 2.0
    assert row_of(table, "a", "y")["meta_model"] == "m2"
    assert row_of(table, "a")["meta_model"] == "m1, m2"
    assert table[table["agent"] == "b"][["meta_cost_usd", "meta_model"]].isna().all(axis=None)


def test_many_models_of_an_agent_are_counted_beyond_the_first_ones(tmp_path):
    models = [f"{n:04}" + "\U0001f600" * 490 for n in range(540)]
    runs = pd.concat([PAIRS[:1].assign(run_id=model, meta_model=model) for model in models])
    table = summarize_agents(runs)
    shown = ", ".join(models[:20])
    assert set(table["meta_model"]) == {f"{shown} and 520 more"}


def test_a_mean_of_some_runs_says_of_how_many_and_what_they_cost_in_all():
    table = summarize_agents(PAIRS.assign(meta_cost_usd=[1.0, None, 3.0, *[None] * 5]))
    stated = ["meta_cost_usd_runs", "meta_cost_usd_total", "meta_tokens_runs", "runs"]
    row = row_of(table, "a")
    assert [row[name] for name in stated] == [2, 4.0, 0, 4]
    nothing = row_of(table, "b")
    assert nothing["meta_cost_usd_runs"] == 0
    assert np.isnan(nothing["meta_cost_usd_total"])  # unknown, and not free of charge


def test_failures_count_as_zero_and_are_shown():
    row = row_of(summarize_agents(PAIRS), "b")
    assert row["completion_rate"] == pytest.approx((1 + 0 + 0.5) / 3)
    assert row["leaderboard_percentile"] == pytest.approx((50 + 0 + 49.5) / 3)
    assert row["leaderboard_percentile_valid"] == pytest.approx((50 + 99) / 2)
    assert (row["runs"], row["runs_valid"], row["runs_fair"]) == (4, 2, 4)


def test_domains_and_ranks():
    table = summarize_agents(PAIRS)
    assert list(zip(table["agent"], table["domain"], strict=True)) == [
        *(("a", "all"), ("a", "x"), ("a", "y"), ("b", "all"), ("b", "x"), ("b", "y")),
    ]
    # Task by task: 50 against 50 shares rank 1.5, 90 against 0, 95 against 49.5.
    assert row_of(table, "a")["mean_rank"] == pytest.approx((1.5 + 1 + 1) / 3)
    assert row_of(table, "b")["mean_rank"] == pytest.approx((1.5 + 2 + 2) / 3)
    assert row_of(table, "a", "x")["mean_rank"] == 1.25
    assert row_of(table, "a", "y")["tasks"] == 1
    assert math.isnan(row_of(table, "a", "y")["leaderboard_percentile_se"])


def test_rows_are_in_the_order_of_the_report():
    """By verified medals, then passes, over all tasks and within one: not by the percentile."""
    pairs = pairs_of(
        *(("high", "x/1", "1", 90.0), ("sound", "x/1", "1", 80.0)),
        verified_medal=[False, True],
        verdict=["fail", "pass"],
    )
    table = summarize_agents(pairs)
    assert list(table["agent"]) == ["sound"] * 2 + ["high"] * 2
    assert list(table["domain"]) == ["all", "x"] * 2
    assert [row_of(table, name)["mean_rank"] for name in ("sound", "high")] == [1.0, 2.0]


def test_scores_rank_where_there_is_no_leaderboard_and_where_percentiles_tie():
    pairs = pairs_of(
        *(("a", "x/1", "1", 100.0), ("b", "x/1", "1", 100.0)),
        *(("a", "x/2", "1", None), ("b", "x/2", "1", None), ("c", "x/2", "1", None)),
        score=[0.2, 0.1, 0.7, 0.9, None],
        direction=["minimize"] * 2 + ["maximize"] * 3,
        gold_threshold=[0.5] * 2 + [None] * 3,
        valid_submission=[True] * 4 + [False],
    )
    table = summarize_agents(pairs)
    assert [row_of(table, name)["mean_rank"] for name in "abc"] == [2.0, 1.0, 3.0]
    assert list(table.query("domain == 'all'")["agent"][:2]) == ["b", "a"]
    unknown = summarize_agents(pairs[:2].drop(columns="direction"))
    assert row_of(unknown, "a")["mean_rank"] == 1.5


def boardless(*rows):
    """Rows of agent, task, verdict: those that pass are valid, and x/board has a leaderboard."""
    agents, tasks, verdicts = zip(*rows, strict=True)
    told = [(a, t, str(n), None) for n, (a, t) in enumerate(zip(agents, tasks, strict=True))]
    return pairs_of(
        *told, verdict=verdicts, verified_medal=False,
        gold_threshold=[0.5 if task == "x/board" else None for task in tasks],
    ).assign(valid_submission=[verdict == "pass" for verdict in verdicts])  # fmt: skip


def test_who_failed_where_there_are_medals_is_behind_who_passed_where_there_are_none():
    """No medal out of one try is no more than no try: the passes decide."""
    table = summarize_agents(
        boardless(("w", "x/board", "fail"), ("x", "x/1", "pass"), ("y", "x/1", "fail"))
    )
    assert math.isnan(row_of(table, "x")["verified_medal_rate"])
    assert row_of(table, "w")["verified_medal_rate"] == 0.0
    assert list(in_order(table)["agent"]) == ["x", "w", "y"]
    assert list(places(table)) == [1, 2, 2]


def test_who_has_nothing_is_first_of_nothing():
    """An agent alone on its task, or among agents without a valid run, has no rank there."""
    rows = [("beta", "x/board", "fail"), ("zero", "x/1", "fail"), ("one", "x/1", "fail")]
    table = summarize_agents(boardless(*rows))
    assert table["mean_rank"].isna().all()
    assert list(places(table)) == [1, 1, 1]
    alone = summarize_agents(boardless(("a", "x/1", "pass"), ("b", "x/2", "pass")))
    assert list(places(alone)) == [1, 1]


def test_ranks_compare_agents_that_met_few_and_many_others():
    """The last of two is not ahead of the third of five, whose mean rank is the worse one."""
    rows = [(name, "x/1", "1", 90.0 - 10 * n) for n, name in enumerate("abcde")]
    rows += [("y", "x/2", "1", 80.0), ("z", "x/2", "1", 70.0)]
    table = summarize_agents(pairs_of(*rows))
    shares = {name: row_of(table, name)["outranked_share"] for name in "abcdeyz"}
    assert shares == {"a": 1.0, "b": 0.75, "c": 0.5, "d": 0.25, "e": 0.0, "y": 1.0, "z": 0.0}
    assert row_of(table, "z")["mean_rank"] < row_of(table, "c")["mean_rank"]


def test_no_domain_is_called_as_all_of_them_are():
    pairs = pairs_of(("a", "x/1", "1", 40.0), ("a", "all/1", "1", 60.0))
    with pytest.raises(ValueError, match="'all', which stands for all domains together"):
        summarize_agents(pairs)
    assert row_of(summarize_agents(pairs.assign(domain="x")), "a")["tasks"] == 2


@pytest.mark.parametrize("turned", [False, True])
def test_means_that_differ_by_rounding_alone_are_level(turned):
    """The mean of 93.47826086956522 three times is not the mean of it once."""
    value = 93.47826086956522
    noisy = 93.4782608695652
    assert noisy != value
    one, two = (noisy, value) if turned else (value, noisy)
    table = summarize_agents(pairs_of(("b", "x/1", "1", one), ("a", "x/1", "1", two)))
    assert row_of(table, "a")["mean_rank"] == row_of(table, "b")["mean_rank"] == 1.5
    assert list(table["agent"]) == ["a", "a", "b", "b"]


def test_a_fault_of_others_leaves_the_rates_and_stays_in_the_count():
    pairs = PAIRS.assign(fault=["none"] * 5 + ["submission", "none", "infrastructure"])
    row = row_of(summarize_agents(pairs), "b")
    assert (row["runs"], row["runs_fair"]) == (4, 3)
    assert row["completion_rate"] == pytest.approx((1 + 0 + 0.5) / 3)
    assert row["completion_rate_fair"] == pytest.approx((1 + 0 + 1) / 3)
    assert row["leaderboard_percentile"] == pytest.approx((50 + 0 + 99) / 3)
    assert row["leaderboard_percentile_configured"] == pytest.approx((50 + 0 + 49.5) / 3)


def test_runs_that_passed_and_runs_that_failed_count_alike_where_only_the_ranking_is_broken():
    """Three passes and an invalid run of a task whose human baselines or leaderboard is broken."""
    rows = [("a", "x/1", str(n), 99.0) for n in range(3)] + [("a", "x/1", "3", None)]
    told = {
        "fault": ["task"] * 3 + ["submission"],
        "stage": ["medal"] * 3 + ["validate"],
        "verdict": ["pass"] * 3 + ["fail"],
        "verified_medal": [True] * 3 + [False],
        "gold_medal": [True] * 3 + [False],
    }
    pairs = pairs_of(*rows, **told)
    for table in (pairs, pairs.drop(columns="stage"), pairs.drop(columns="verdict")):
        row = row_of(summarize_agents(table), "a")
        assert (row["runs"], row["runs_fair"]) == (4, 4)
        assert row["verified_medal_rate"] == row["verified_medal_rate_configured"] == 0.75
        assert row["completion_rate"] == row["completion_rate_fair"] == 0.75
    assert row_of(summarize_agents(pairs), "a")["pass_rate"] == 0.75
    unranked = pairs.assign(leaderboard_percentile=None, gold_threshold=None)
    assert row_of(summarize_agents(unranked), "a")["pass_rate"] == 0.75


@pytest.mark.parametrize("stage", ["grade", "verify", "medal"])
def test_a_run_without_a_result_is_lost_whatever_stage_failed(stage):
    told = {"fault": ["infrastructure", "none"], "stage": stage, "verdict": ["fail", "pass"]}
    pairs = pairs_of(("a", "x/1", "1", None), ("a", "x/1", "2", 40.0), **told)
    row = row_of(summarize_agents(pairs), "a")
    assert (row["runs_fair"], row["pass_rate"]) == (1, 1.0)


def test_an_agent_whose_runs_were_all_lost_is_still_there():
    pairs = pairs_of(("a", "x/1", "1", 40.0), ("b", "x/1", "1", None), fault=["none", "grader"])
    row = row_of(summarize_agents(pairs), "b")
    assert (row["runs"], row["runs_fair"], row["completion_rate"]) == (1, 0, 0.0)
    assert math.isnan(row["leaderboard_percentile"])
    assert math.isnan(row["mean_rank"])
    assert row["leaderboard_percentile_configured"] == 0.0


def test_tasks_without_a_leaderboard_are_no_zeros():
    pairs = pairs_of(
        ("a", "x/1", "1", 40.0), ("a", "k/2", "1", 0.0), gold_threshold=[0.9, None]
    )  # fmt: skip
    pairs["leaderboard_percentile"] = [40.0, None]
    for table in (summarize_agents(pairs), summarize_agents(pairs.drop(columns="gold_threshold"))):
        row = row_of(table, "a")
        assert row["leaderboard_percentile"] == 40.0
        assert row["completion_rate"] == 1.0
        assert row["tasks"] == 2


def test_controls_are_no_runs_and_verdicts_count():
    pairs = PAIRS.assign(
        label=[None] * 7 + ["wrong"],
        verdict=["pass", "fail", *["pass"] * 6],
        verified_medal=False,
        gold_medal=PAIRS["any_medal"],
    )
    table = summarize_agents(pairs)
    assert row_of(table, "b")["runs"] == 3
    assert row_of(table, "a")["pass_rate"] == pytest.approx((0.5 + 1 + 1) / 3)
    assert row_of(table, "a")["verified_medal_rate"] == 0.0
    assert row_of(table, "a")["gold"] == 2


def test_the_contracts_columns_are_there():
    table = summarize_agents(PAIRS.assign(verdict="pass", verified_medal=True, fault="none"))
    assert set(SCHEMAS["agents"].names) <= set(table.columns)
    assert not table[[f.name for f in SCHEMAS["agents"] if not f.nullable]].isna().any().any()


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="any_medal"):
        summarize_agents(PAIRS.drop(columns="any_medal"))
    with pytest.raises(ValueError, match="run 1 of x/1"):
        summarize_agents(pd.concat([PAIRS, PAIRS]))
    with pytest.raises(ValueError, match="run 1 of x/1 has no `agent`"):
        summarize_agents(PAIRS.assign(agent=None))


def test_without_runs_the_columns_are_there():
    table = summarize_agents(PAIRS.iloc[:0])
    assert table.empty
    assert list(table.columns) == SCHEMAS["agents"].names


runs = st.lists(
    st.tuples(
        st.sampled_from("ab"),
        st.sampled_from(["x/1", "x/2", "y/3"]),
        st.one_of(st.none(), st.integers(0, 100).map(float)),
    ),
    min_size=1,
    max_size=20,
)


@settings(deadline=None, max_examples=12)
@given(runs, st.randoms())
def test_laws(rows, random):
    """The order of rows changes nothing; copying every run changes no mean."""
    pairs = pairs_of(*[(a, t, str(i), p) for i, (a, t, p) in enumerate(rows)])
    table = summarize_agents(pairs)
    order = list(range(len(pairs)))
    random.shuffle(order)
    pd.testing.assert_frame_equal(summarize_agents(pairs.iloc[order]), table)
    twice = pd.concat([pairs, pairs.assign(run_id=pairs["run_id"] + "b")])
    rates = [c for c in table if c.endswith("rate") or c in ("mean_rank", "leaderboard_percentile")]
    pd.testing.assert_frame_equal(summarize_agents(twice)[rates], table[rates])
    for name in ("completion_rate", "above_median_rate", "any_medal_rate"):
        assert table[name].dropna().between(0, 1).all()
