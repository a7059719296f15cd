"""A report that cannot carry all runs shows the same rates and counts as one that does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from biomlbench.report import html
from tests.browser.conftest import _blank
from tests.browser.test_report import PAGES, go, no_errors
from tests.report.large import large

pytestmark = [pytest.mark.slow, pytest.mark.browser]
TASK = "clinical/breast-cancer-wisconsin-00000"
TABLES = ("agents", "matrix", "comparison", "tasks", "reasons", "rates", "check_rates")
OF_AGENTS = ("#agent=agent-00001", "#versus=agent-00001/agent-00003")


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Addresses of a report of 1,760 runs, and of the same with a fifth of the bytes for them."""
    root = tmp_path_factory.mktemp("left-out")
    tables, drawn = large(22, 8, 10), _blank(root)
    # a page of all runs takes means of percentiles with six digits: of these they are exact
    percentile = (4 * tables.pairs["leaderboard_percentile"]).round() / 4
    tables = replace(tables, pairs=tables.pairs.assign(leaderboard_percentile=percentile))
    whole = html.render_tables(tables, drawn=drawn, place="results")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(html, "PAGE_BYTES", len(whole.encode("utf-8")) - 200_000)
        cut = html.render_tables(tables, drawn=drawn, place="results")
    assert '"cut":{' in cut
    assert '"cut":{' not in whole
    for name, text in (("whole", whole), ("cut", cut)):
        (root / f"{name}.html").write_text(text, encoding="utf-8")
    return [(root / f"{name}.html").as_uri() for name in ("whole", "cut")]


def _cells(browser, selector):
    return browser.execute_script(
        "return [...document.querySelectorAll(arguments[0])].map(c => c.textContent.trim())",
        selector,
    )


def test_tables_of_agents_tasks_and_reasons_are_equal(browser, reports):
    shown = []
    for address in reports:
        found = {}
        for page in PAGES:
            go(browser, address, f"#{page}")
            for name in TABLES:
                cells = _cells(browser, f"[data-table='{name}'] :is(th, td)")
                if cells:
                    found[name] = cells
        no_errors(browser)
        shown.append(found)
    assert set(shown[0]) == set(TABLES)
    for name in TABLES:
        different = [
            pair for pair in zip(shown[0][name], shown[1][name], strict=True) if len(set(pair)) > 1
        ]
        assert different == [], name


@pytest.mark.parametrize("page", OF_AGENTS)
def test_pages_of_agents_are_equal(browser, reports, page):
    shown = []
    for address in reports:
        go(browser, address, page)
        shown.append(_cells(browser, "section:not([hidden]) :is(h1, .lede, .facts, td, th)"))
    assert len(shown[0]) > 100
    assert shown[0] == shown[1]


def test_what_is_left_out_is_told(browser, reports):
    for address, told in zip(reports, (False, True), strict=True):
        go(browser, address, "#runs")
        (text,) = _cells(browser, "[data-table='runs']")
        assert ('pandas.read_parquet("results/pairs.parquet")' in text) == told
        assert (" of 1,760 runs: the best run of each agent on each task" in text) == told
        go(browser, address, f"#task={TASK}")
        (text,) = _cells(browser, "#task-page")
        assert ("of this task’s 80 runs" in text) == told
        assert ("The 80 runs of this task" in text) != told
        go(browser, address, "#run=no/such")
        (text,) = _cells(browser, "#missing-page")
        assert ("among those that this page does not carry" in text) == told
