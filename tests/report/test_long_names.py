"""Names that differ only where they are cut: they stay different wherever they are shortened."""

from __future__ import annotations

import dataclasses
import re

import pytest

from biomlbench.export.site_feed import feed
from biomlbench.export.site_pages import Pages, slug
from biomlbench.report import overview, plots
from biomlbench.report.html import render_tables
from biomlbench.report.inputs import Tables
from biomlbench.report.plots import _style
from biomlbench.report.shown import MAX_NAME, shown_name
from tests.report import fixtures

LONG = "a" * 100 + "/model-{}/" + "b" * 80
NAMES = {"aide": LONG.format(1), "mlagentbench": LONG.format(2)}


def _renamed(frame):
    if "agent" not in frame:
        return frame
    return frame.assign(agent=frame["agent"].replace(NAMES))


@pytest.fixture(scope="module")
def named():
    some = fixtures.frames(165, weeks=4)
    assert set(NAMES) <= set(some.agents["agent"])
    frames = {field.name: getattr(some, field.name) for field in dataclasses.fields(Tables)}
    frames["agents"] = some.agents.assign(meta_cost_usd=1.0, meta_cost_usd_runs=some.agents["runs"])
    return Tables(**{name: _renamed(frame) for name, frame in frames.items()})


def test_a_name_that_looks_cut_is_not_taken_for_one_that_is():
    cut = shown_name(LONG.format(1), MAX_NAME)
    assert len(cut) == MAX_NAME
    assert cut != shown_name(LONG.format(2), MAX_NAME)
    assert shown_name(cut, MAX_NAME) != cut
    assert shown_name("a name", MAX_NAME) == "a name"


def test_an_agent_has_a_page_and_links_of_its_own(named):
    pages = dict(Pages(named, {}, {}, "t").texts())
    rows = {row.name: row.agent for row in overview.build(named).ranking}
    assert len(set(rows.values())) == len(rows)
    for name in NAMES.values():
        place = f"agents/{slug(name)}.html"
        assert f'href="{place}">{rows[name]}</a>' in pages["index.html"]
        assert f"<h1>{rows[name]}</h1>" in re.sub(r"<h1[^>]*>", "<h1>", pages[place])
    task = next(text for place, text in pages.items() if place.startswith("tasks/") and all(
        f"../agents/{slug(name)}.html" in text for name in NAMES.values()
    ))  # fmt: skip
    for name in NAMES.values():
        assert f'href="../agents/{slug(name)}.html">{rows[name]}</a>' in task


def test_the_report_leads_from_the_ranking_to_the_agent(named):
    page = render_tables(named, title="t")
    for name in NAMES.values():
        assert f'href="#agent={name.replace("/", "%2F")}"' in page


def test_the_lead_of_an_agent_with_a_long_name_is_tested(named):
    some = overview.build(fixtures.frames(165, weeks=4))
    assert overview.build(named).detail == some.detail


def test_the_feed_tells_them_apart(named):
    told = feed(named.history, "t")
    for name in NAMES.values():
        assert shown_name(name, MAX_NAME) in told


@pytest.mark.parametrize("name", ["agent_rates", "cost_and_score", "history", "verdict_shares"])
def test_labels_of_a_figure_are_different(named, name):
    figure = plots.load(name).figure(named)
    figure.draw_without_rendering()
    texts = [one.get_text() for one in figure.findobj(match=lambda one: hasattr(one, "get_text"))]
    shown = {text for text in texts if re.match("aaaa+…b+", text)}
    assert len(shown) == len(NAMES), shown


def test_labels_stay_different_from_names_that_look_cut():
    names = [LONG.format(1), LONG.format(2), _style.clip(LONG.format(1)), "a"]
    labels = _style.clips([*names, names[0]])
    assert len(set(labels)) == len(names)
    assert labels[0] == labels[-1]
