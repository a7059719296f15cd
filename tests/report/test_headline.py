"""The first sentence: true of every agent that it names or leaves out."""

import pandas as pd
import pytest

from biomlbench.export.site_feed import feed
from biomlbench.report import overview
from biomlbench.report.headline import headline
from biomlbench.report.inputs import Tables
from biomlbench.report.side_by_side import by_task
from biomlbench.summary.agents import summarize_agents
from tests.report import fixtures


@pytest.mark.parametrize(
    ("rates", "measure", "expected", "level"),
    [
        ([60.0, 40.0, 0.0], "pass", "", 1),
        ([0.0, 0.0, 0.0], "verified_medal", "No agent has a verified medal", 3),
        ([0.0, 0.0], "pass", "No agent has a run with the verdict pass", 2),
        ([50.0, 50.0, 0.0], "pass", "a and b are level at 50\xa0% with the verdict pass", 2),
        ([50.0, 50.0, 50.0], "verified_medal",
         "a, b and c are level at 50\xa0% with verified medals", 3),
        ([50.0] * 4 + [1.0], "pass",
         "a, b and 2 more agents are level at 50\xa0% with the verdict pass", 4),
        ([100 / 3] * 5, "pass", "All 5 agents are level at 33\xa0% with the verdict pass", 5),
        ([100 / 3, 33.3333333333], "pass", "a and b are level at 33\xa0% with the verdict pass", 2),
        ([None, 0.0], "verified_medal", "No agent has a verified medal", 2),
        ([None, None], "verified_medal", "No agent has a run that counts for verified medals", 2),
    ],
)  # fmt: skip
def test_level_agents_are_counted(rates, measure, expected, level):
    found = headline("abcde"[: len(rates)], rates, measure)
    assert (found.text, found.level) == (expected, level)


def test_report_and_feed_say_that_nobody_has_a_verified_medal():
    some = fixtures.frames(110, weeks=2)
    agents = some.agents.assign(verified_medal_rate=0.0)
    made = overview.build(Tables(pairs=some.pairs, agents=agents))
    assert made.lede.startswith("No agent has a verified medal on the 7 of 11 tasks with a ")
    assert "ordered by the rate of passes" in made.detail
    history = some.history.assign(verified_medal_rate=0.0)
    told = feed(history, "Ours")
    assert told.count("<title>No agent has a verified medal</title>") == 2
    assert "is first of" not in told
    assert "is first of 5" in feed(some.history, "Ours")


def scored(*rows, boards=()):
    """Return pairs of (agent, task, score) that all pass; tasks with a leaderboard have gold."""
    told = pd.DataFrame(rows, columns=["agent", "task_id", "score"])
    gold = told["task_id"].isin(boards)
    some = fixtures.frames(len(told)).pairs.iloc[: len(told)].reset_index(drop=True)
    return some.assign(
        **told, domain="x", run_id=[f"r{n}" for n in range(len(told))], label=None, fault="none",
        reason="ok", valid_submission=True, direction="minimize", verdict="pass", above_median=gold,
        gold_threshold=gold.map({True: 1.0, False: float("nan")}),
        leaderboard_percentile=gold.map({True: 100.0, False: float("nan")}), any_medal=gold,
        gold_medal=gold, silver_medal=False, bronze_medal=False,
        medal=gold.map({True: "gold", False: None}), verified_medal=gold,
    )  # fmt: skip


def built(pairs):
    return overview.build(Tables(pairs=pairs, agents=summarize_agents(pairs)))


def test_scores_order_agents_that_nothing_else_tells_apart():
    """The same agent is ahead in the ranking, in the headline and side by side."""
    rows = [(agent, f"x/{n}", score + n) for agent, score in (("zz good", 0.1), ("aa bad", 0.3))
            for n in (1, 2)]  # fmt: skip
    pairs = scored(*rows)
    made = built(pairs)
    assert [(row.place, row.name) for row in made.ranking] == [(1, "zz good"), (2, "aa bad")]
    assert made.lede == (
        "zz good and aa bad are level at 100\xa0% with the verdict pass; "
        "zz good is first by the ranks of its runs."
    )
    assert [row["ahead"] for row in by_task(pairs, "aa bad", "zz good")] == ["zz good"] * 2
    boards = built(scored(*rows, boards=["x/1", "x/2"]))
    assert [row.name for row in boards.ranking] == ["zz good", "aa bad"]


def test_agents_that_are_level_in_all_share_a_place():
    made = built(scored(*((agent, "x/1", 0.5 + (agent > "b")) for agent in "abcd")))
    assert [(row.place, row.name) for row in made.ranking] == list(
        zip((1, 1, 3, 3), "abcd", strict=True)
    )
    assert made.lede == "All 4 agents are level at 100\xa0% with the verdict pass."


def test_the_headline_says_which_tasks_it_is_about():
    pairs = scored(*((agent, f"x/{n}", 0.5) for agent in "ab" for n in range(8)), boards=["x/0"])
    level = built(pairs).lede
    assert level == (
        "a and b are level at 100\xa0% with verified medals on the 1 of 8 tasks with a leaderboard."
    )
    pairs.loc[pairs["agent"] == "b", "verified_medal"] = False
    lede = built(pairs).lede
    assert "of its runs as a mean over the 1 of 8 tasks with a leaderboard, b" in lede
    alone = built(pairs[pairs["agent"] == "a"]).lede
    assert alone.endswith("of its runs as a mean over the 1 of 8 tasks with a leaderboard.")
    assert "leaderboard" not in built(pairs[pairs["task_id"] == "x/0"]).lede


def test_the_headline_says_on_how_many_tasks_an_agent_was_tried():
    """One run on one of three tasks leads no more than it says."""
    boards = ["x/0", "x/1"]
    pairs = scored(("one", "x/0", 0.5), *(("all", f"x/{n}", 0.5) for n in range(3)), boards=boards)
    pairs.loc[pairs["agent"].eq("all") & pairs["task_id"].eq("x/0"), "verified_medal"] = False
    made = built(pairs)
    assert made.lede.startswith("one leads: verified medals on 100\xa0% (")
    assert " as a mean over 1 of the 2 tasks with a leaderboard, all 50\xa0% (" in made.lede
    assert made.lede.endswith(") over 2.")
    assert made.detail.startswith("The two means are not over the same tasks. Too few tasks in ")
    level = built(pairs.assign(verified_medal=pairs["any_medal"]))
    assert level.lede.startswith("all and one are level at 100\xa0%")
    told = "Of the 2 tasks with a leaderboard all was tried on 2, one was tried on 1. Agents that"
    assert level.detail.startswith(told)
    apart = scored(("a", "x/0", 0.5), ("b", "x/1", 0.5), boards=["x/0"])
    assert built(apart).lede.endswith(
        "the 1 of 2 tasks with a leaderboard, b was tried on none of them."
    )


def test_who_crashed_where_there_are_medals_is_not_first():
    pairs = scored(("w", "x/0", None), ("x", "x/1", 0.5), ("y", "x/1", 0.6), boards=["x/0"])
    crashed = pairs["agent"].eq("w")
    for name in ("valid_submission", "any_medal", "gold_medal", "verified_medal"):
        pairs.loc[crashed, name] = False
    pairs.loc[crashed, ["verdict", "medal", "leaderboard_percentile"]] = ["fail", "none", 0.0]
    made = built(pairs)
    assert [(row.place, row.name) for row in made.ranking] == [(1, "x"), (2, "y"), (3, "w")]
    assert made.lede == (
        "No agent has a verified medal on the 1 of 2 tasks with a leaderboard; x is first by the "
        "ranks of its runs."
    )


def test_a_site_asks_nobody_to_correct_what_it_does_not_name():
    some = fixtures.frames(20)
    bad = some.pairs.iloc[:1].assign(fault="run_table", run_id="t1", source="runs.csv:7")
    for source, expected in (
        ("runs.csv:7", "They count for no agent. Correct them and run again: runs.csv:7."),
        ("", "They count for no agent."),
    ):
        both = pd.concat([some.pairs, bad.assign(source=source)], ignore_index=True)
        texts = [warned.text for warned in overview.warnings(Tables(pairs=both))]
        assert expected in texts
