"""The first sentence: true of every agent that it names or leaves out."""

import pandas as pd
import pytest

from biomlbench.export.site_feed import feed
from biomlbench.report import overview
from biomlbench.report.headline import headline
from biomlbench.report.inputs import Tables
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
    assert made.lede == "No agent has a verified medal."
    assert "ordered by the rate of passes" in made.detail
    history = some.history.assign(verified_medal_rate=0.0)
    told = feed(history, "Ours")
    assert told.count("<title>No agent has a verified medal</title>") == 2
    assert "is first of" not in told
    assert "is first of 5" in feed(some.history, "Ours")


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
