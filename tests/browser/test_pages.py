"""Pages of agents side by side and over time, columns and downloads, in a browser."""

from __future__ import annotations

import csv
import shlex
from pathlib import Path

import pandas as pd
import pytest

from biomlbench.report import html
from biomlbench.report.inputs import Tables
from biomlbench.report.overview import build
from biomlbench.report.run_sums import RunSums
from biomlbench.report.side_by_side import by_task, differing_checks, matched_runs
from biomlbench.runtime.shown_numbers import fixed, number_text, percent
from biomlbench.summary.agents import summarize_agents
from tests.browser.conftest import _blank
from tests.browser.test_report import (
    PAGES,
    address,
    cells,
    go,
    heads,
    no_errors,
    settle,
    show,
    violations,
    visible,
    wait,
)
from tests.report import fixtures
from tests.waiting import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.slow]
DIABETES = "clinical/diabetes-progression"
VERSUS = "#versus=aide/biomni/clinical%2Fdiabetes-progression"


def texts(driver, label):
    """The cells of a table's body, by its label."""
    return driver.execute_script(
        "return [...document.querySelectorAll(`[aria-label='${arguments[0]}'] tbody tr`)]"
        ".map(r => [...r.children].map(c => c.innerText.trim().replace(/\\s+/g, ' ')))",
        label,
    )


def task_cell(task):
    """The text of a task's name, with the domain that may be for readers alone."""
    domain, _, name = task.rpartition("/")
    return f"{name} of {domain}"


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    """A report of two tasks of one name, best runs without a pass, and few measured checks."""
    root = tmp_path_factory.mktemp("odd")
    some = fixtures.frames(220)
    new = {"clinical/breast-cancer-wisconsin": "drug-discovery/diabetes-progression"}
    moved = {
        name: getattr(some, name).assign(task_id=getattr(some, name)["task_id"].replace(new))
        for name in ("pairs", "checks", "tasks", "telemetry")
    }
    pairs = moved["pairs"]
    bad = pairs["task_id"].eq("drug-discovery/solubility") & pairs["verdict"].eq("pass")
    pairs.loc[bad, "verdict"] = "partial"
    check = "kernels/layer-norm:oracle-visible"
    rate = {"task_id": "kernels/layer-norm", "scope": "check", "name": check, "n": 7, "errors": 7,
            "kind": "false_fail", "rate": 1.0, "low": 0.65, "high": 1.0}  # fmt: skip
    agents = summarize_agents(pairs)
    rates = pd.DataFrame([rate, rate | {"name": "kernels/layer-norm:oracle"}])
    tables = Tables(**moved, agents=agents, rates=rates)
    text = html.render_tables(tables, title="Odd", drawn=_blank(root), rows={}, place="odd")
    (root / "report.html").write_text(text, encoding="utf-8")
    return tables, (root / "report.html").as_uri()


def test_two_tasks_of_one_name_are_told_apart_for_all(browser, odd):
    _, url = odd
    go(browser, url, "#versus=aide/biomni")
    shown = browser.execute_script(
        "return [...document.querySelectorAll('#versus-page .domain')].map(s => s.textContent)"
    )
    assert shown == [" of clinical", " of drug-discovery"]
    links = "return [...document.querySelectorAll('#versus-page th a')].map(a => a.hash)"
    assert sum("diabetes-progression" in one for one in browser.execute_script(links)) == 2
    show(browser, "#agents")
    assert browser.execute_script("return document.querySelectorAll('.matrix .domain').length") == 2


def test_best_runs_are_those_of_the_library(browser, odd):
    tables, url = odd
    go(browser, url, "#tasks")
    sums = {row["task_id"]: row for row in RunSums(tables).tasks().to_dict("records")}
    names, best, by = (cells(browser, "tasks", heads(browser, "tasks").index(name))
                       for name in ("task", "best score", "by"))  # fmt: skip
    shown = dict(zip(names, zip(best, by, strict=True), strict=True))
    for task, row in sums.items():
        score, agents = shown[task_cell(task)]
        assert agents == row["by"]
        assert ("no pass" in score) == (row["passed"] == 0)
        assert score.removesuffix("no pass") == number_text(row["score"], 5)
    assert "no pass" in shown[task_cell("drug-discovery/solubility")][0]
    expected = by_task(tables.pairs, "aide", "biomni")
    show(browser, "#versus=aide/biomni")
    for row, cells_ in zip(expected, texts(browser, "Tasks side by side"), strict=True):
        for value, text in zip(row["best"], cells_[7:9], strict=True):
            assert text.split()[0] == ("–" if value is None else number_text(value, 5))


def test_the_trust_page_says_what_is_not_measured_and_what_is_advisory(browser, odd):
    tables, url = odd
    go(browser, url, "#trust")
    page = browser.find_element("css selector", "section[data-page=trust]").text
    flakes = browser.find_element("css selector", "[data-table=flakes]")
    assert "not measured yet" not in flakes.text
    assert "No submission was run again" in page
    rates = dict(zip(cells(browser, "rates", 2), cells(browser, "rates", 4), strict=True))
    assert set(rates) == {
        "kernels/layer-norm:oracle-visibleadvisory: changes no verdict",
        "kernels/layer-norm:oracle",
    }
    runs = tables.runs.groupby("task_id").size()
    heads_ = heads(browser, "check_rates")
    shown = zip(*(cells(browser, "check_rates", heads_.index(name)) for name in ("task", "runs")),
                strict=True)  # fmt: skip
    most = {task_cell(task): number for task, number in runs.items()}
    assert all(int(number) <= most[task] for task, number in shown)


def test_two_agents_are_what_the_library_says(browser, told):
    url = (told / "report.html").as_uri()
    go(browser, url, "#agent=aide")
    browser.execute_script(
        "const s = document.getElementById('versus'); s.value = 'biomni';"
        "s.dispatchEvent(new Event('change'))"
    )
    wait(browser, "return !document.querySelector('section[data-page=versus]').hidden")
    assert address(browser) == "#versus=aide/biomni"
    assert browser.execute_script("return document.activeElement.id") == "h-versus"
    tables = Tables.load(told)
    expected = by_task(tables.pairs, "aide", "biomni")
    shown = texts(browser, "Tasks side by side")
    assert [(row[0], row[-1]) for row in shown] == [
        (task_cell(row["task_id"]), row["ahead"] or "–") for row in expected
    ]
    assert [row[1:3] for row in shown] == [
        [f"{passed} of {runs}" for passed, runs in zip(row["passed"], row["runs"], strict=True)]
        for row in expected
    ]
    browser.find_element("partial link text", "diabetes-progression").click()
    wait(browser, "return document.activeElement.id === 'h-versus-task'")
    assert address(browser) == VERSUS
    pairs = matched_runs(tables.pairs, DIABETES, "aide", "biomni")
    shown = texts(browser, "Runs side by side")
    assert [(row[0], row[3]) for row in shown] == [(a["run_id"], b["run_id"]) for a, b in pairs]
    for row, (one, two) in zip(shown, pairs, strict=True):
        found = differing_checks(tables.checks, DIABETES, one["run_id"], two["run_id"])
        assert row[6].count("|") == len(found)
        assert all(item["check"] in row[6] for item in found)
    # Only rows that differ, by how far; what is not a number of this page's is its text.
    assert texts(browser, "Rows that differ") == [["p3", "3", "7"], ["<p2>", "2", "2.5"]]
    choice = "document.querySelector('#versus-page select[data-at=\"1\"]')"
    browser.execute_script(
        f"{choice}.value = 'stella'; {choice}.dispatchEvent(new Event('change'))"
    )
    wait(browser, "return location.hash.startsWith('#versus=aide/stella/clinical')")
    assert "biomlbench versus" in browser.find_element("id", "versus-page").text
    for address_ in ("#versus=aide/nobody", "#versus=aide", "#versus=/"):
        show(browser, address_)
        assert visible(browser) == ["missing"]
    no_errors(browser)


def test_differing_rows_say_how_they_were_chosen_and_how_to_get_all(browser, told):
    go(browser, (told / "report.html").as_uri(), VERSUS)
    text = browser.find_element("id", "versus-page").text
    assert "on 2 of the task’s 442 rows" in text
    assert "the best runs of 3 agents lie furthest apart: these two may differ more" in text
    command = next(item.text for item in browser.find_elements("css selector", "#versus-page code"))
    assert shlex.split(command) == [
        *("biomlbench", "versus", "--task", DIABETES, "--rows", "1000"),
        *("aide", "biomni", "my results"),
    ]


NUMBERS = [
    *(None, 0, -0.0, 1, 12, 1234, 1234567, 12345678, 25000 / 3, 1.68571, 0.1, 0.15, 0.125, 2.5),
    *(-2.5, 62.5, 0.99996, 9999.6, 1234.5, 1e-4, 1.234e-5, 1e-12, 1e15, -1234.56, 105714.2857),
]


def test_numbers_are_written_as_the_library_writes_them(browser, told):
    go(browser, (told / "report.html").as_uri())
    for digits in (1, 3, 5, 10):
        shown = browser.execute_script(
            "return arguments[0].map(v => Report.number(v, arguments[1]))", NUMBERS, digits
        )
        assert shown == [number_text(value, digits) for value in NUMBERS]
    for decimals in (0, 1, 3):
        shown = browser.execute_script(
            "return arguments[0].map(v => [Report.fixed(v, arguments[1]),"
            " Report.percent(v, arguments[1])])",
            NUMBERS,
            decimals,
        )
        assert shown == [[fixed(v, decimals), percent(v, decimals)] for v in NUMBERS]


@pytest.mark.parametrize(
    ("asked", "named", "leads_to"),
    [
        ("#run=nope%2F%3Cx%3E", "run “nope/<x>”", "#runs"),
        ("#agent=nobody", "agent “nobody”", "#agents"),
        ("#task=nope", "task “nope”", "#tasks"),
        ("#versus=aide/nobody", "agent “nobody”", "#agents"),
        ("#versus=aide/biomni/nope", "task “nope”", "#tasks"),
        ("#nonsense", "page “nonsense”", "#overview"),
    ],
)
def test_what_is_not_there_is_said_with_a_link_to_what_is(browser, told, asked, named, leads_to):
    go(browser, (told / "report.html").as_uri(), asked)
    assert visible(browser) == ["missing"]
    assert address(browser) == asked
    assert f"There is no {named} here" in browser.find_element("id", "missing-page").text
    browser.find_element("css selector", "#missing-page a").click()
    wait(browser, "return document.querySelector('section[data-page=missing]').hidden")
    assert address(browser) == leads_to
    no_errors(browser)


@pytest.mark.parametrize("asked", ["agent=aide&task_id=nope", "level=nope", "verdict=gone"])
def test_a_filter_whose_value_no_row_has_leaves_no_row(browser, told, asked):
    go(browser, (told / "report.html").as_uri(), f"#runs?{asked}")
    assert [row for row in cells(browser, "runs", 1) if row] == []
    assert address(browser) == f"#runs?{asked}"
    key, value = asked.rpartition("&")[2].split("=")
    control = browser.find_element("css selector", f"[data-table=runs] select[data-key={key}]")
    assert control.is_displayed()
    assert control.get_attribute("value") == value


def test_a_filter_that_a_table_has_not_is_said(browser, told):
    go(browser, (told / "report.html").as_uri(), "#runs?agnet=aide")
    notice = browser.find_element("css selector", "[data-table=runs] [role=status]")
    assert "agnet = aide" in notice.text
    assert "all rows" in notice.text


def test_agents_have_the_rankings_order_on_their_page(browser, told):
    go(browser, (told / "report.html").as_uri(), "#agents")
    expected = [row.agent for row in build(Tables.load(told)).ranking]
    assert cells(browser, "agents", heads(browser, "agents").index("agent")) == expected


def test_an_agents_history_is_drawn(browser, told):
    go(browser, (told / "report.html").as_uri(), "#agent=stella")
    history = Tables.load(told).history
    kept = history[history["agent"] == "stella"]
    points = browser.find_elements("css selector", "#agent-page .history circle")
    assert len(points) == len(kept) == 3
    drawn = [float(point.get_attribute("cy")) for point in points]
    rates = kept["verified_medal_rate"].tolist()
    order = sorted(range(3), key=lambda at: -rates[at])
    assert [drawn[at] for at in order] == sorted(drawn)
    browser.find_element("xpath", "//summary[text()='As a table']").click()
    shown = texts(browser, "History of this agent")
    assert [row[0][:10] for row in shown] == ["2025-01-20", "2025-01-13", "2025-01-06"]
    assert [int(row[1]) for row in shown] == kept["place"].tolist()[::-1]
    no_errors(browser)


def test_columns_are_chosen_told_and_remembered(browser, told):
    from selenium.webdriver.common.keys import Keys

    url = (told / "report.html").as_uri()
    go(browser, url, "#runs")
    browser.execute_script("localStorage.clear()")
    go(browser, url, "#runs")
    usual = heads(browser, "runs")
    assert "hints" not in usual
    chooser = browser.find_element("css selector", "[data-table=runs] .columns summary")
    chooser.send_keys(Keys.ENTER)
    box = browser.find_element("css selector", "[data-table=runs] input[value=hint_tier]")
    box.send_keys(Keys.SPACE)
    assert heads(browser, "runs") != usual
    assert "hints" in heads(browser, "runs")
    assert "columns=" in address(browser)
    box.send_keys(Keys.ESCAPE)
    assert browser.execute_script("return document.activeElement.tagName") == "SUMMARY"
    assert not box.is_displayed()
    link = address(browser)
    go(browser, url, "#runs")  # remembered
    assert "hints" in heads(browser, "runs")
    browser.execute_script("localStorage.clear()")
    go(browser, url, link)  # told
    assert "hints" in heads(browser, "runs")
    for nonsense in ("#runs?columns=", "#runs?columns=nonsense,verdict"):
        browser.execute_script("localStorage.clear()")
        go(browser, url, nonsense)
        assert heads(browser, "runs")[0] == "run"
    browser.execute_script("localStorage.clear()")
    no_errors(browser)


def test_downloads_have_all_columns_and_proper_booleans(browser, told, downloads):
    go(browser, (told / "report.html").as_uri(), "#runs")
    path = Path(downloads) / "runs.csv"
    path.unlink(missing_ok=True)
    browser.find_element("css selector", "[data-table=runs] .toolbar > button").click()
    wait_until(path.exists)
    with path.open(newline="", encoding="utf-8") as file:
        rows = {(row["task_id"], row["run_id"]): row for row in csv.DictReader(file)}
    path.unlink()
    words = {None: "", True: "true", False: "false"}
    for pair in Tables.load(told).pairs.to_dict("records"):
        row = rows[pair["task_id"], pair["run_id"]]
        for name in ("valid_submission", "verified_medal", "above_median", "calibrated"):
            assert row[name] == words[pair[name]], name
        assert row["meta_tokens"] == str(int(pair["meta_tokens"]))


def test_downloads_hold_nothing_that_a_spreadsheet_computes(browser, told):
    go(browser, (told / "report.html").as_uri(), "#runs")
    texts = ["=1", " =1", "\uff1d1", "\n@x", "\tx", "a=1", "'=1"]
    made = browser.execute_script("return arguments[0].map(Report.csvCell)", texts)
    assert made == ["'=1", "' =1", "'\uff1d1", '"\'\n@x"', "'\tx", "a=1", "''=1"]


def test_minimised_scores_have_their_best_first(browser, told):
    go(browser, (told / "report.html").as_uri(), "#runs?task_id=clinical%2Fdiabetes-progression")
    shown = cells(browser, "runs", heads(browser, "runs").index("score"))
    scores = [float(text) for text in shown if text != "–"]
    assert len(scores) > 5
    assert scores == sorted(scores)
    go(browser, (told / "report.html").as_uri(), "#runs?task_id=drug-discovery%2Fsolubility")
    shown = cells(browser, "runs", heads(browser, "runs").index("score"))
    scores = [float(text) for text in shown if text != "–"]
    assert scores == sorted(scores, reverse=True)


def test_tables_fit_a_desktop(browser, told):
    browser.execute_script("try { localStorage.clear() } catch { }")
    for page in (*(f"#{name}" for name in PAGES), "#agent=aide", VERSUS):
        go(browser, (told / "report.html").as_uri(), page)
        wide = browser.execute_script(
            "return [...document.querySelectorAll('section:not([hidden]) .scroll')]"
            ".filter(s => s.scrollWidth > s.clientWidth + 1)"
            ".map(s => s.getAttribute('aria-label'))"
        )
        assert wide == [], (page, wide)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("page", [VERSUS, "#agent=aide", "#runs", "#agents"])
def test_what_is_told_is_accessible(browser, told, axe, page, theme):
    go(browser, (told / "report.html").as_uri(), page)
    browser.execute_script(
        "document.documentElement.dataset.theme = arguments[0];"
        "document.querySelectorAll('section:not([hidden]) details').forEach(d => d.open = true)",
        theme,
    )
    settle(browser)
    found = violations(browser, axe)
    browser.execute_script("delete document.documentElement.dataset.theme")
    assert found == []
