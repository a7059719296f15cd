"""What is known of some runs only, and runs that are one file, are told on the pages."""

import csv
from pathlib import Path
from urllib.parse import quote

import pytest

from biomlbench.contracts import from_rows, read_table, write_table
from biomlbench.report import html
from biomlbench.report.inputs import Tables
from tests.browser.conftest import _blank
from tests.browser.test_report import go, no_errors, show
from tests.report import fixtures
from tests.waiting import wait_until

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A report in which one run of an agent states its cost, and two of its runs are one file."""
    root = tmp_path_factory.mktemp("partial")
    fixtures.write(root, 110, calibrated=False)
    pairs = read_table("pairs", root / "pairs.parquet").to_pylist()
    pairs[0]["meta_cost_usd"] = 0.5
    pairs[1] |= {"fault": "run_table", "reason": "unknown_task", "calibrated": False}
    same = [row for row in pairs if all(row[k] == pairs[0][k] for k in ("agent", "task_id"))]
    for row in same:
        row["submission_sha256"] = "f" * 64
    write_table("pairs", from_rows("pairs", pairs), root / "pairs.parquet")
    write_table("agents", from_rows("agents", fixtures._agents(pairs)), root / "agents.parquet")
    checks = read_table("checks", root / "checks.parquet").to_pylist()
    told = {"check": "not-a-duplicate", "severity": "advisory", "outcome": "passed", "reason": "ok"}
    checks += [
        checks[0] | told | {"task_id": row["task_id"], "run_id": row["run_id"],
                            "message": "the same file as <b>another</b>"}
        for row in same
    ]  # fmt: skip
    write_table("checks", from_rows("checks", checks), root / "checks.parquet")
    text = html.render_tables(Tables.load(root), title="Partial", drawn=_blank(root))
    (root / "report.html").write_text(text, encoding="utf-8")
    return (root / "report.html").as_uri(), pairs


def _text(browser, place):
    return browser.execute_script(f"return document.getElementById('{place}').textContent")


def _page(browser, name):
    query = f"[data-page={name}]"
    return browser.execute_script(f"return document.querySelector('{query}').textContent")


def _run(row):
    return f"#run={quote(row['task_id'] + '/' + row['run_id'], safe='')}"


def test_a_mean_of_one_run_says_so(browser, page):
    address, pairs = page
    agent = pairs[0]["agent"]
    runs = sum(row["agent"] == agent for row in pairs)
    go(browser, address, f"#agent={quote(agent)}")
    text = _text(browser, "agent-page")
    assert f"US$ a run0.5 (1 of {runs} runs)" in text
    assert f"US$ in all0.5 (1 of {runs} runs)" in text
    other = next(row["agent"] for row in pairs if row["agent"] != agent)
    show(browser, f"#versus={quote(agent, safe='')}/{quote(other, safe='')}")
    assert f"0.5 (1 of {runs} runs)" in _text(browser, "versus-page")
    show(browser, "#agents")
    cells = browser.execute_script(
        "return [...document.querySelectorAll('[data-table=agents] tbody td')]"
        ".map(td => td.textContent)"
    )
    assert f"0.5(1 of {runs} runs)" in cells
    no_errors(browser)


def test_runs_that_are_one_file_are_told_with_the_check(browser, page):
    address, pairs = page
    go(browser, address, _run(pairs[0]))
    assert "the same file as <b>another</b>" in _text(browser, "run-page")
    show(browser, "#overview")
    assert "runs with the same file as another of the agent" in _page(browser, "overview")
    no_errors(browser)


def test_a_row_that_names_no_run_has_no_uncalibrated_task(browser, page):
    address, pairs = page
    go(browser, address, _run(pairs[1]))
    text = _text(browser, "run-page")
    assert "fault of the run table" in text
    assert "uncalibrated" not in text


def test_a_share_of_passes_is_called_so_in_the_file(browser, page, downloads):
    go(browser, page[0], "#tasks")
    path = Path(downloads) / "tasks.csv"
    path.unlink(missing_ok=True)
    browser.find_element("css selector", "[data-table=tasks] .toolbar > button").click()
    wait_until(path.exists)
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert "passed" not in rows[0]
    assert all(0 <= float(row["pass_rate"]) <= 1 for row in rows)
