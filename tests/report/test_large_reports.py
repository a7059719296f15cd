"""A report of very much stays small, says what it leaves out, and counts all of it."""

import dataclasses
import json

import numpy as np
import pytest

from biomlbench.report import compare, html, payload_budget, table_budgets
from biomlbench.report.agent_order import in_order
from biomlbench.report.fitting import most_that_fit, weight
from biomlbench.report.inputs import Tables
from biomlbench.report.page import ASSETS
from biomlbench.report.payload import build, dumps
from biomlbench.report.payload_budget import OfRuns, payload_within
from biomlbench.report.run_order import by_importance
from tests.report import fixtures
from tests.report.large import large

SHARE = 50  # of the budgets, so that few rows are too many
ROOM = 250_000
NOTHING = OfRuns({}, {})


@pytest.fixture
def tight(monkeypatch):
    """Budgets of a fiftieth, and few patterns behind p-values, which no test here looks at."""
    monkeypatch.setattr(compare, "RANDOM_FLIPS", 99)
    monkeypatch.setattr(compare, "FLIPS_A_COMPARISON", 1)
    for name, most in table_budgets.BYTES.items():
        monkeypatch.setitem(payload_budget.BYTES, name, most // SHARE)


@pytest.fixture(scope="module")
def some():
    """Twelve tasks, ten agents, ten runs of each."""
    return large(12, 10, 10)


def _within(tables, room=ROOM, of_runs=NOTHING, place="results"):
    text = payload_within(tables, room, of_runs, place)
    assert len(text.encode("utf-8")) <= room
    return json.loads(text)


def _rows(stored):
    """Return the rows of a stored table as the page reads them."""

    def value(column, row):
        if isinstance(column, list):
            return column[row]
        if "k" in column:
            return column["k"]
        return None if column["i"][row] < 0 else column["v"][column["i"][row]]

    return [{name: value(c, row) for name, c in stored["c"].items()} for row in range(stored["n"])]


@pytest.mark.parametrize("size", [(200, 2, 2), (2, 700, 1), (2, 2, 400), (40, 6, 3)])
def test_the_data_stays_within_its_bytes_whatever_there_is_much_of(tight, size):
    made = _within(large(*size))
    notes = made["cut"]["notes"]
    assert notes["runs"]["of"] == np.prod(size)
    assert 0 < notes["runs"]["shown"] == made["pairs"]["n"] < notes["runs"]["of"]
    assert made["cut"]["totals"] == {"runs": np.prod(size), "agents": size[1], "tasks": size[0]}
    texts = [payload_budget.BYTES[name] for name in ("tasks", "leaderboards", "descriptions")]
    for name, most in payload_budget.BYTES.items():
        most = sum(texts) if name == "tasks" else most
        stored = made["cut"][name] if name in ("cells", "agent_reasons") else made.get(name)
        assert stored is None or weight(stored) <= most, name


def test_of_much_text_the_bytes_are_kept_as_well(tight):
    tables = large(30, 3, 10)
    long = tables.tasks.assign(
        description="word " * 200, leaderboard=[list(np.linspace(0, 1, 900))] * 30
    )
    cases = [{"case": "c", "status": "ok", "message": "", "stdout": "x" * 2000, "stderr": ""}]
    of_runs = OfRuns(dict.fromkeys(range(900), cases), {row: {"a": "b" * 64} for row in range(900)})
    made = _within(dataclasses.replace(tables, tasks=long), of_runs=of_runs)
    lacking = [task for task in made["tasks"] if "description" in task.get("left_out", [])]
    assert 0 < len(lacking) < 30
    assert not any(task["description"] for task in lacking)
    assert {task["teams"] for task in made["tasks"]} == {900}
    assert 0 < len(made["feedback"]) < made["cut"]["notes"]["feedback"]["of"] == 900
    assert max(map(int, made["feedback"])) < made["pairs"]["n"]


def test_what_fits_is_whole():
    tables = fixtures.frames(110)
    whole = build(tables, {}, {}, None, "results")
    assert "cut" not in whole
    assert payload_within(tables, 1_000_000, NOTHING, "results") == dumps(whole)


def _of_best(runs):
    """Those among which the best one is: the passes, or all where there are none."""
    passed = runs[runs["verdict"] == "pass"]
    return passed if len(passed) else runs


def test_tasks_and_agents_sums_are_those_of_all_runs(tight, some):
    made = _within(some)
    assert made["pairs"]["n"] < len(some.pairs)
    runs = some.runs
    lost = runs["fault"].isin(["task", "grader", "infrastructure"])
    minimised = {row["task_id"]: row["direction"] == "minimize" for row in made["tasks"]}
    boards = {row["task_id"]: row["gold_threshold"] is not None for row in made["tasks"]}

    def counted(own):
        fair = own[~lost[own.index]]
        scores = _of_best(fair)["score"].dropna()
        task = own["task_id"].iloc[0]
        percentiles = fair["leaderboard_percentile"].fillna(0.0) if boards[task] else []
        return {
            "runs": len(own),
            "lost": int(lost[own.index].sum()),
            "passed": int((own["verdict"] == "pass").sum()),
            "score": (scores.min() if minimised[task] else scores.max()) if len(scores) else None,
            "percentile": pytest.approx(np.mean(percentiles), rel=1e-5)
            if len(percentiles)
            else None,
        }

    tasks = _rows(made["cut"]["tasks"])
    assert len(tasks) == len(made["tasks"]) > 0
    for row in tasks:
        own = runs[runs["task_id"] == row["task_id"]]
        expected = counted(own)
        assert {name: row[name] for name in expected} == expected
        assert row["verified"] == own["verified_medal"].sum()
        best = _of_best(own[~lost[own.index]])
        holders = best.loc[best["score"] == row["score"], "agent"].drop_duplicates().tolist()
        many = f"{', '.join(holders[:2])} and {len(holders) - 2} more"
        assert row["by"] == ((", ".join(holders) if len(holders) < 4 else many) or None)
    cells = _rows(made["cut"]["cells"])
    assert cells
    for row in cells:
        own = runs[(runs["task_id"] == row["task_id"]) & (runs["agent"] == row["agent"])]
        expected = counted(own)
        assert {name: row[name] for name in expected} == expected
        won = own.loc[own["verified_medal"].astype(bool), "medal"].value_counts()
        assert [row[m] for m in ("gold", "silver", "bronze")] == [
            won.get(m, 0) for m in ("gold", "silver", "bronze")
        ]


def test_reasons_are_those_of_all_runs(tight, some):
    made = _within(some)
    failed = some.runs[(some.runs["verdict"] != "pass") & (some.runs["reason"] != "ok")]
    found = {row["reason"]: row for row in _rows(made["cut"]["reasons"])}
    assert set(found) == set(failed["reason"])
    for reason, row in found.items():
        own = failed[failed["reason"] == reason]
        counts = (len(own), own["agent"].nunique(), own["task_id"].nunique())
        assert (row["runs"], row["agents"], row["tasks"]) == counts
    for row in _rows(made["cut"]["agent_reasons"]):
        own = some.runs[some.runs["agent"] == row["agent"]]
        assert row["runs"] == (own["reason"] == row["reason"]).sum()


def test_cells_are_those_of_the_first_agents_on_all_tasks_that_are_shown(tight, monkeypatch):
    monkeypatch.setitem(payload_budget.BYTES, "cells", 4_000)
    tables = large(50, 6, 3)
    made = _within(tables)
    note = made["cut"]["notes"]["cells"]
    assert 0 < note["shown"] < note["of"] == 6
    first = in_order(tables)["agent"].tolist()
    cells = {(row["agent"], row["task_id"]) for row in _rows(made["cut"]["cells"])}
    tasks = [task["task_id"] for task in made["tasks"]]
    assert cells == {(agent, task) for agent in first[: note["shown"]] for task in tasks}


def test_runs_keep_their_checks_and_order(tight, some):
    made, whole = _within(some), build(some, {})
    place = {row["run_id"]: number for number, row in enumerate(_rows(whole["pairs"]))}
    shown = [place[row["run_id"]] for row in _rows(made["pairs"])]
    assert shown == sorted(shown)
    assert shown == sorted(by_importance(some)[: len(shown)])

    def outcomes(stored, row):
        at = stored["pairs"][row]
        if at < 0:
            return None
        suite, word, margins, _ = stored["outcomes"][at]
        names = [stored["definitions"][one][1] for one in stored["suites"][suite]]
        return sorted(zip(names, word, map(str, margins), strict=True))

    for new, old in enumerate(shown):
        assert outcomes(made["checks"], new) == outcomes(whole["checks"], old)


def test_the_best_run_of_each_agent_and_task_comes_first(some):
    order = by_importance(some)
    assert sorted(order) == list(range(len(some.pairs)))
    ordered = some.pairs.iloc[order].reset_index(drop=True)
    first, rest = ordered[:120], ordered[120:]
    assert not first.duplicated(["agent", "task_id"]).any()
    for (agent, task), own in some.pairs.groupby(["agent", "task_id"]):
        best = first[(first["agent"] == agent) & (first["task_id"] == task)].iloc[0]
        passed = own[own["verdict"] == "pass"]
        assert (best["verdict"] == "pass") == bool(len(passed))
        scores = (passed if len(passed) else own)["score"].dropna()
        if len(scores):
            rising = own["direction"].iloc[0] == "minimize"
            assert best["score"] == (scores.min() if rising else scores.max())
    warned = rest["fault"].isin(["task", "grader", "infrastructure"]) | rest["level"].eq("reduced")
    warned |= rest["any_medal"].astype(bool) & ~rest["verified_medal"].astype(bool)
    assert warned.any()
    assert warned.is_monotonic_decreasing


def test_controls_come_last_and_rows_without_a_run_are_warned_of(some):
    label = some.pairs["label"].astype(object).mask(some.pairs.index % 7 == 0, "right")
    fault = some.pairs["fault"].mask(some.pairs.index % 11 == 1, "run_table")
    marked = dataclasses.replace(some, pairs=some.pairs.assign(label=label, fault=fault))
    ordered = marked.pairs.iloc[by_importance(marked)].reset_index(drop=True)
    controls = ordered["label"].notna() & (ordered["fault"] != "run_table")
    assert controls.is_monotonic_increasing
    unused = np.flatnonzero(ordered["fault"] == "run_table")
    real = ordered["label"].isna() & (ordered["fault"] != "run_table")
    best = ordered[real].drop_duplicates(["agent", "task_id"])
    assert unused.min() >= len(best)


def test_a_note_says_how_many_which_and_how_to_get_all(tight, some):
    note = _within(some)["cut"]["notes"]["runs"]
    assert note["of"] == 1200
    assert "best run of each agent on each task" in note["order"]
    assert note["query"] == 'pandas.read_parquet("results/pairs.parquet")'
    of_site = _within(some, place="")["cut"]["notes"]
    assert of_site["runs"]["query"] == 'pandas.read_parquet("data/pairs.parquet")'
    assert of_site["comparison"]["query"] == ""  # no download of a site has it


def test_queries_of_notes_can_be_asked(tmp_path):
    import pandas

    import biomlbench
    import biomlbench.report.compare
    import biomlbench.report.trust

    fixtures.write(tmp_path, 55, weeks=2)
    names = {"pandas": pandas, "biomlbench": biomlbench}
    for name, budget in table_budgets.TABLES.items():
        query = budget.query(str(tmp_path), local=True)
        if "TASK" not in query:
            assert eval(query, names) is not None, name


def test_all_budgets_leave_room_for_runs():
    """In the worst case of every table a page has its figures, tables, scripts and runs."""
    own = sum(path.stat().st_size for path in ASSETS.rglob("*") if path.is_file())
    others = table_budgets.FIGURE_BYTES + sum(table_budgets.BYTES.values()) + own
    assert others + 200_000 < table_budgets.PAGE_BYTES
    assert table_budgets.PAGE_BYTES <= 15_000_000


def test_a_page_has_at_most_its_bytes(monkeypatch, tight, some):
    most = 600_000
    monkeypatch.setattr(html, "PAGE_BYTES", most)
    monkeypatch.setattr(html, "figures", lambda *_: [])
    page = html.render_tables(some, place="results")
    assert 0.8 * most < len(page.encode("utf-8")) <= most
    assert "1,200" in page  # the overview counts all


def test_figures_that_are_too_large_are_named(monkeypatch):
    def figure(name, size):
        return html.Figure(name, name.title(), "", "Agents", "s" * size, "d", 1, 1)

    drawn = [figure("small", 10), figure("large", 1000), figure("middle", 100)]
    monkeypatch.setattr(html, "FIGURE_BYTES", 500)
    monkeypatch.setattr(html, "figures", lambda *_: drawn)
    page = html.render_tables(Tables())
    assert 'id="figure-small"' in page
    assert 'id="figure-large"' not in page
    assert "Large (<code>large.png</code>)." in page


def test_rows_of_any_length_fit():
    lengths = [1000] * 5 + [1] * 500
    shown, made = most_that_fit(505, 3000, lambda n: ["x" * size for size in lengths[:n]])
    assert weight(made) <= 3000
    assert 0 < shown < 5
    assert most_that_fit(5, 1, lambda n: ["x"] * n) == (0, [])
