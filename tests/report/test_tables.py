"""What is computed for the report: overview, trust, payload, feedback, inputs."""

import json
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biomlbench import contracts
from biomlbench.calibrate import dataset
from biomlbench.calibrate.intervals import wilson
from biomlbench.report import feedback, inputs, overview, payload, side_by_side, trust
from biomlbench.report.inputs import Tables
from biomlbench.report.payload_budget import OfRuns, payload_within
from biomlbench.report.plots import false_rates
from biomlbench.report.shown import MAX_TEXT, printable
from biomlbench.runtime.shown_numbers import percent
from biomlbench.scoring.lost_runs import FAIR, lost_runs
from biomlbench.stages.preparing import ADOPTED, CHANGED
from tests.report import fixtures


@pytest.fixture(scope="module")
def some():
    return fixtures.frames(440)


@pytest.fixture(scope="module")
def built(some):
    return payload.build(some, {})


# inputs -----------------------------------------------------------------------------------------
def test_load_reads_what_was_written(tmp_path, some):
    fixtures.write(tmp_path, 440)
    loaded = Tables.load(tmp_path)
    for name in ("pairs", "checks", "agents", "tasks", "rates", "kills"):
        found = getattr(loaded, name)
        if name == "checks":
            texts = found.select_dtypes("category").columns
            assert {"task_id", "check", "outcome"} <= set(texts)
            assert all(found[text].cat.categories.is_monotonic_increasing for text in texts)
            found = found.astype(dict.fromkeys(texts, "str"))
        pd.testing.assert_frame_equal(found, getattr(some, name))


@pytest.mark.parametrize("rows", [0, 1, 5])
def test_tables_in_pandas_hold_what_arrow_has(rows):
    texts = ["b", None, "a", "b", "c"][:rows]
    lists = [["x", "y"], [], None, ["x", "y"], ["x"]][:rows]
    odd = [["x\x1fy"], ["x", "y"], ["x"], [], ["x\x1fy"]][:rows]
    with_nulls = [["x", None], ["x"], [None], [], None][:rows]
    columns = {"text": texts, "lists": lists, "odd": odd, "with_nulls": with_nulls}
    kinds = {"text": pa.string()}
    table = pa.table(
        {
            name: pa.array(values, kinds.get(name, pa.list_(pa.string())))
            for name, values in columns.items()
        }
    )
    pd.testing.assert_frame_equal(inputs._frame(table), table.to_pandas())
    # In several parts, each of which has its own codes.
    parts = [table.slice(place, 1) for place in range(rows)] or [table]
    coded = pa.concat_tables(
        part.set_column(0, "text", part.column("text").dictionary_encode()) for part in parts
    )
    found = inputs._frame(coded)
    pd.testing.assert_frame_equal(
        found.astype({"text": object}), table.to_pandas().astype({"text": object})
    )
    assert list(found["text"].cat.categories) == sorted({text for text in texts if text})


def test_equal_lists_are_one_object():
    table = pa.table({"lists": pa.array([["x", "y"], ["z"], ["x", "y"]])})
    first, second, third = inputs._frame(table)["lists"]
    assert first is third
    assert first is not second


def test_checks_are_read_as_their_texts_are_coded(tmp_path):
    fixtures.write(tmp_path, 440)
    coded = contracts.read_table("checks", tmp_path / "checks.parquet", coded=True)
    plain = contracts.read_table("checks", tmp_path / "checks.parquet")
    assert pa.types.is_dictionary(coded.schema.field("check").type)
    assert coded.cast(plain.schema).equals(plain)
    assert coded.nbytes < plain.nbytes


def test_only_pairs_are_needed(tmp_path):
    contracts.write_table("pairs", fixtures.tables(5)["pairs"], tmp_path / "pairs.parquet")
    loaded = Tables.load(tmp_path)
    assert len(loaded.pairs) == 5
    assert loaded.checks.empty
    assert loaded.rates.empty


def test_no_pairs_says_so(tmp_path):
    with pytest.raises(contracts.ContractError, match=r"pairs\.parquet: no such table"):
        Tables.load(tmp_path)


def test_telemetry_may_be_a_partitioned_data_set(tmp_path):
    made = fixtures.tables(60)
    contracts.write_table("pairs", made["pairs"], tmp_path / "pairs.parquet")
    for part in (made["telemetry"][:30], made["telemetry"][30:]):
        part = part.set_column(
            part.column_names.index("label"), "label", pa.nulls(len(part), pa.string())
        )
        # graded again, each run is one all the same
        for verdict in ("pass", "fail"):
            place = part.column_names.index("verdict")
            again = part.set_column(place, "verdict", pa.array([verdict] * len(part)))
            dataset.append(tmp_path / "telemetry", again)
    found = Tables.load(tmp_path).telemetry
    assert (len(found), set(found["verdict"])) == (60, {"fail"})


def test_calibration_table_without_a_column_is_refused(tmp_path):
    contracts.write_table("pairs", fixtures.tables(1)["pairs"], tmp_path / "pairs.parquet")
    (tmp_path / "calibration").mkdir()
    pq.write_table(pa.table({"task_id": ["a"]}), tmp_path / "calibration" / "kills.parquet")
    with pytest.raises(contracts.ContractError, match=r"kills\.parquet.*solution"):
        Tables.load(tmp_path)


# overview ---------------------------------------------------------------------------------------
def test_ranking_is_by_verified_medals(some):
    made = overview.build(some)
    values = [row.verified.value for row in made.ranking]
    assert values == sorted(values, reverse=True)
    assert made.lede.startswith(made.ranking[0].agent)
    assert "p\u00a0=\u00a0" in made.detail


def test_ranking_without_leaderboards_is_by_pass(some):
    kernels = some.pairs[some.pairs["domain"] == "kernels"]
    made = overview.build(Tables(pairs=kernels, agents=some.agents, tasks=some.tasks))
    values = [row.passed.value for row in made.ranking]
    assert made.measure == "verdict pass"
    assert values == sorted(values, reverse=True)


def test_verdict_counts_add_up(some):
    for row in overview.build(some).ranking:
        assert sum(row.verdicts.values()) == row.runs
        own = some.pairs[some.pairs["agent"] == row.agent]
        assert row.verdicts["lost"] == lost_runs(own).sum()
        assert row.medals_verified == own["verified_medal"].sum()


def test_both_denominators(some):
    tile = {t.label: t for t in overview.build(some).tiles}["valid"]
    runs = some.pairs
    fair = runs[~lost_runs(runs)]
    assert tile.value == percent(runs["valid_submission"].mean())
    assert f"{percent(fair['valid_submission'].mean())} of fair" in tile.note


def test_a_run_with_score_and_verdict_is_fair_whatever_its_score_is_ranked_against(some):
    runs = some.pairs[some.pairs["fault"].isin(FAIR)].copy()
    graded = runs.index[runs["valid_submission"] & (runs["verdict"] == "pass")]
    before = overview.build(Tables(pairs=runs))
    runs.loc[graded[:3], ["fault", "stage"]] = ["task", "medal"]  # a broken leaderboard
    made = overview.build(Tables(pairs=runs))
    assert made.tiles == before.tiles
    titles = [w.title for w in made.warnings]
    assert "3 runs whose score the task cannot rank or verify" in titles
    assert not any("lost to the task" in title for title in titles)


WITHOUT_RESULT = {"verdict": "fail", "valid_submission": False}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"level": "unsafe"}, "without a sandbox"),
        ({"level": "reduced"}, "reduced sandbox"),
        ({"fault": "grader", **WITHOUT_RESULT}, "lost to the grader"),
        (
            {"fault": "infrastructure", "verdict": "fail", "valid_submission": False},
            "lost to the infrastructure",
        ),
        ({"fault": "task", **WITHOUT_RESULT}, "lost to the task"),
        ({"calibrated": False}, "uncalibrated"),
        ({"any_medal": True, "verified_medal": False}, "not verified"),
        ({"on_boundary": True}, "threshold"),
        ({"n_rows": 1, "score": 0.5}, "of a single test row"),
    ],
)
def test_each_warning_appears_when_and_only_when(some, change, expected):
    quiet = {
        "level": "full", "fault": "none", "calibrated": True, "any_medal": False,
        "verified_medal": False, "on_boundary": False, "n_rows": 100,
    }  # fmt: skip

    def titles(pairs):
        return " | ".join(w.title for w in overview.build(Tables(pairs=pairs)).warnings)

    calm = some.pairs.assign(**quiet)
    assert expected not in titles(calm)
    loud = calm.copy()
    loud.loc[loud.index[:3], list(change)] = list(change.values())
    assert expected in titles(loud)


@pytest.mark.parametrize(
    "reason",
    [
        "second implementation of the score: a function of the task's own grades",
        "known-bad: false pass rate 20.0% (1 of 5), allowed 0.0%",
        None,
    ],
)
def test_why_a_task_is_uncalibrated_is_told_with_its_tasks(some, reason):
    first, second = some.runs["task_id"].unique()[:2]
    missing = {first: [reason] if reason else None, second: ["description: description.md"]}
    pairs = some.pairs.assign(calibrated=~some.pairs["task_id"].isin(missing), fault="none")
    tasks = some.tasks.assign(evidence_missing=some.tasks["task_id"].map(missing))
    told = overview.warnings(Tables(pairs=pairs, tasks=tasks, rates=some.rates))
    (found,) = [warned.text for warned in told if "uncalibrated" in warned.title]
    assert f"{reason or 'incomplete evidence when it was graded'} ({first})" in found
    assert f"description: description.md ({second})" in found


@pytest.mark.parametrize(
    ("note", "level"),
    [
        (f"{CHANGED}: private/answers.csv", "bad"),
        ("not the published files: a", "mild"),
        (ADOPTED, None),
        ("", None),
        (None, None),
    ],
)
def test_changed_data_of_a_task_are_told(some, note, level):
    first, *others = some.tasks["task_id"]
    tasks = some.tasks.assign(data_note=[note, *[""] * len(others)])
    told = overview.warnings(Tables(pairs=some.pairs, tasks=tasks))
    found = [warned for warned in told if "other data" in warned.title]
    assert [warned.level for warned in found] == ([level] if level else [])
    for warned in found:
        assert note in warned.text
        assert warned.text.endswith(f"Tasks: {first}.")


def test_a_verified_medal_for_a_near_copy_is_told(some):
    won = some.pairs[some.pairs["verified_medal"] & some.pairs["label"].isna()].iloc[0]
    row = {"task_id": won["task_id"], "run_id": won["run_id"], "check": "not-a-duplicate"}
    for outcome, expected in (("passed", False), ("failed", True)):
        checks = some.checks.iloc[:1].assign(**row, outcome=outcome)
        warned = overview.warnings(Tables(pairs=some.pairs, checks=checks))
        texts = [w.text for w in warned if "nearly the same predictions" in w.title]
        assert len(texts) == expected
        # two honest models may agree as closely
        assert all("so may those" in text and "`not-a-duplicate`" in text for text in texts)


def _with_equal_files(some):
    """Return tables in which two runs of one agent, and one of another, are one file."""
    first = some.pairs.iloc[0]
    own = some.pairs[
        (some.pairs["agent"] == first["agent"]) & (some.pairs["task_id"] == first["task_id"])
    ].index[:2]
    other = some.pairs.index[some.pairs["agent"] != first["agent"]][:1]
    pairs = some.pairs.assign(submission_sha256=[f"{n:064}" for n in range(len(some.pairs))])
    pairs.loc[[*own, *other], "submission_sha256"] = "f" * 64
    keys = pairs.loc[own, ["task_id", "run_id"]].to_dict("records")
    row = some.checks.iloc[:1].assign(
        check="not-a-duplicate", outcome="passed", reason="ok", severity="advisory"
    )
    told = [row.assign(**key, message=f"the same file as {key['run_id']}") for key in keys]
    return Tables(pairs=pairs, checks=pd.concat([some.checks.astype("object"), *told])), keys


def test_runs_of_one_agent_that_are_one_file_are_told(some):
    tables, keys = _with_equal_files(some)
    (found,) = [w for w in overview.warnings(tables) if "same file" in w.title]
    assert found.title == "2 runs with the same file as another of the agent"
    assert keys[0]["task_id"] in found.text
    assert tables.pairs["agent"].iloc[0] in found.text
    for never_read in (None, "", "absent", "too-large-134217729"):
        unlike = tables.pairs.assign(submission_sha256=never_read)
        assert not [w for w in overview.warnings(Tables(pairs=unlike)) if "same file" in w.title]


def test_equal_files_are_shown_where_the_check_is(some):
    tables, keys = _with_equal_files(some)
    rates = trust.check_rates(tables.checks)
    row = rates[rates["check"] == "not-a-duplicate"].iloc[0]
    assert row["remark"] == "one agent's runs are the same file"
    assert row["failed"] == 0
    stored = payload.build(tables, {})["checks"]
    for key in keys:
        place = tables.pairs.index[
            (tables.pairs["task_id"] == key["task_id"]) & (tables.pairs["run_id"] == key["run_id"])
        ][0]
        suite, _, _, found = stored["outcomes"][stored["pairs"][place]]
        told = {stored["definitions"][stored["suites"][suite][n]][1]: m for n, _, m in found}
        assert told["not-a-duplicate"] == f"the same file as {key['run_id']}"


def test_tasks_with_verified_medals_by_the_old_checks_are_told(some):
    title = "judged by the old checks"
    for verifier, expected in (("v1", True), ("shadow", True), ("v2", False)):
        told = overview.warnings(Tables(pairs=some.pairs.assign(verifier=verifier)))
        assert any(title in w.title for w in told) == expected


def test_rows_that_name_no_run_make_no_task_and_no_run(some):
    typo = some.pairs.iloc[:1].assign(task_id="no/such", run_id="row-1", fault="run_table", kind="")
    both = pd.concat([some.pairs, typo], ignore_index=True)
    mixed = Tables(pairs=both, agents=some.agents, tasks=some.tasks)
    assert payload.build(mixed, {})["tasks"] == payload.build(some, {})["tasks"]


def test_controls_do_not_count(some):
    controls = some.pairs.assign(label="wrong")
    both = pd.concat([some.pairs, controls], ignore_index=True)
    mixed = Tables(pairs=both, agents=some.agents, tasks=some.tasks, rates=some.rates)
    found, expected = overview.build(mixed), overview.build(some)
    assert found.ranking == expected.ranking
    assert found.warnings == expected.warnings
    assert found.lede == expected.lede
    assert [t.value for t in found.tiles] == [t.value for t in expected.tiles]
    assert "440 controls beside" in found.tiles[0].note


def test_empty_and_single():
    made = overview.build(Tables())
    assert made.lede == "No run has been graded yet."
    assert made.ranking == []
    one = overview.build(fixtures.frames(1))
    assert len(one.ranking) == 1
    assert "no other agent" in one.detail


def test_a_rate_has_the_interval_of_the_table():
    row = pd.Series({"x": 0.25, "x_low": 0.0625, "x_high": 0.5, "y": None, "y_low": None})
    assert overview.Rate.of(row, "x") == overview.Rate(25.0, 6.25, 50.0)
    assert str(overview.Rate.of(row, "y")) == "–"
    assert overview.Rate.of(row, "x", 1.0).high == 0.5


def test_the_first_page_says_which_places_are_left_open():
    made = overview.build(fixtures.frames(440))
    agents = len(made.ranking)
    for row in made.ranking:
        assert 1 <= row.best_place <= row.worst_place <= agents
    first, last = made.ranking[0], made.ranking[-1]
    assert first.best_place == 1
    assert last.worst_place == agents
    assert sum(row.probably_best or 0 for row in made.ranking) == pytest.approx(100)


# trust ------------------------------------------------------------------------------------------
KILLS = pd.DataFrame(
    [
        ("k", "m1", "wrong", "a", True), ("k", "m1", "wrong", "b", True),
        ("k", "m2", "wrong", "a", True), ("k", "m2", "wrong", "b", False),
        ("k", "m3", "wrong", "a", False), ("k", "m3", "wrong", "b", False),
        ("k", "r1", "right", "a", False), ("k", "r1", "right", "b", True),
    ],
    columns=["task_id", "solution", "label", "check", "killed"],
)  # fmt: skip


def test_check_power():
    rows = trust.check_power(KILLS).set_index("check")
    counts = ["wrong", "caught", "alone", "right", "rejected"]
    assert rows.loc["a", counts].tolist() == [3, 2, 1, 1, 0]
    assert rows.loc["b", counts].tolist() == [3, 1, 0, 1, 1]
    assert rows["remark"].to_dict() == {"a": "", "b": "rejects right work"}


def test_an_advisory_check_rejects_nothing():
    checks = pd.DataFrame({"task_id": ["k", "k"], "check": ["a", "b"],
                           "severity": ["blocker", "advisory"]})  # fmt: skip
    rows = trust.check_power(KILLS, checks).set_index("check")
    assert rows["remark"].to_dict() == {"a": "", "b": "advisory: remarks on right work"}


def test_families_of_all_tasks_are_one_row():
    rates = pd.DataFrame(
        [("t1", "family", "mutant", "false_pass", 1, 10),
         ("t2", "family", "mutant", "false_pass", 3, 30)],
        columns=["task_id", "scope", "name", "kind", "errors", "n"],
    )  # fmt: skip
    (row,) = false_rates._pooled(rates).to_dict("records")
    assert (row["errors"], row["n"], row["rate"]) == (4, 40, 0.1)
    assert tuple(wilson(4, 40))[3:] == (row["low"], row["high"])


def test_survivors():
    assert trust.survivors(KILLS).to_numpy().tolist() == [["k", "m3"]]
    assert trust.survivors(KILLS[KILLS["label"] == "right"]).empty


def test_check_rates(some):
    table = trust.check_rates(some.checks)
    assert table["applied"].sum() == len(some.checks)
    assert table["failed"].sum() == (some.checks["outcome"] == "failed").sum()
    assert (table["alone"] <= table["failed"]).all()
    assert (table.loc[table["failed"] == 0, "remark"] == "never failed").all()


def checked(*rows, **columns):
    """Rows of run, check, suite and outcome, of one task."""
    names = ["run_id", "check", "suite", "outcome"]
    told = {"task_id": "t", "mode": "oracle_based", "severity": "critical"}
    return pd.DataFrame(rows, columns=names).assign(**told, pattern="", message="", **columns)


def test_a_run_counts_once_however_many_suites_a_check_is_in():
    rows = [("r1", "form", suite, "passed") for suite in ("visible", "hidden", "adversarial")]
    rows += [
        ("r1", "windows", "hidden", "failed"),
        ("r1", "windows", "adversarial", "failed"),
        ("r2", "windows", "hidden", "skipped"),
        ("r2", "windows", "adversarial", "passed"),
    ]
    table = trust.check_rates(checked(*rows)).set_index("check")
    assert table["applied"].to_dict() == {"form": 1, "windows": 2}
    assert table["failed"].to_dict() == {"form": 0, "windows": 1}
    assert table["alone"].to_dict() == {"form": 0, "windows": 1}
    assert table["skipped"].sum() == 0
    assert table.loc["windows", "fail_rate"] == 0.5
    assert table["suite"].to_dict() == {
        "form": "visible, hidden, adversarial", "windows": "hidden, adversarial",
    }  # fmt: skip


def test_checks_on_real_runs_leave_controls_out(some):
    controls = some.pairs["run_id"].isin(some.pairs["run_id"][::3])
    labelled = Tables(
        pairs=some.pairs.assign(label=controls.map({True: "right", False: None})),
        checks=some.checks,
    )
    expected = some.checks[~some.checks["run_id"].isin(some.pairs["run_id"][::3])]
    found = payload.small_tables(labelled)["check_rates"]
    pd.testing.assert_frame_equal(found, trust.check_rates(expected))
    assert found["applied"].sum() < trust.check_rates(some.checks)["applied"].sum()


def test_a_check_that_no_run_reached_never_was_run():
    rows = [("a", "r1", "skipped"), ("a", "r2", "skipped"), ("b", "r1", "passed"),
            ("b", "r2", "skipped"), ("c", "r1", "failed"), ("c", "r2", "skipped")]  # fmt: skip
    checks = pd.DataFrame(rows, columns=["check", "run_id", "outcome"]).assign(
        task_id="t",
        severity="critical",
        suite="hidden",
        mode="oracle_based",
        pattern="",
        message="",
    )
    table = trust.check_rates(checks).set_index("check")
    assert table["applied"].to_dict() == {"a": 0, "b": 1, "c": 1}
    assert table["skipped"].to_dict() == {"a": 2, "b": 1, "c": 1}
    assert np.isnan(table.loc["a", "fail_rate"])
    assert table["fail_rate"].dropna().to_dict() == {"b": 0.0, "c": 1.0}
    assert table.loc[["a", "b"], "remark"].tolist() == ["never run", "never failed"]


def test_a_check_of_two_severities_says_so_and_what_failed():
    rows = [("t", "r1", "critical", "passed"), ("t", "r2", "advisory", "failed"),
            ("t", "r3", "critical", "passed")]  # fmt: skip
    names = ["task_id", "run_id", "severity", "outcome"]
    checks = pd.DataFrame(rows, columns=names).assign(
        check="not-copied", suite="hidden", mode="property_based", pattern="copied", message=""
    )
    (row,) = trust.check_rates(checks).to_dict("records")
    assert row["severity"] == "critical or advisory"
    assert (row["applied"], row["failed"], row["advisory"]) == (3, 1, 1)
    assert row["remark"] == "failed only as advisory"
    checks.loc[0, "outcome"] = "failed"
    (row,) = trust.check_rates(checks).to_dict("records")
    assert (row["failed"], row["advisory"], row["remark"]) == (2, 1, "")
    (differs,) = side_by_side.differing_checks(checks.assign(reason="x"), "t", "r3", "r2")
    assert differs["severity"] == "critical or advisory"


def test_a_check_that_is_advisory_on_some_runs_alone_rejects():
    checks = pd.DataFrame({"task_id": ["k", "k"], "check": ["b", "b"],
                           "severity": ["critical", "advisory"]})  # fmt: skip
    rows = trust.check_power(KILLS, checks).set_index("check")
    assert rows.loc["b", "remark"] == "rejects right work"


def test_gates_are_no_checks(some):
    checks = some.checks.assign(mode="gate")
    assert trust.check_rates(checks).empty


def test_disagreements_are_found():
    checks = pd.DataFrame(
        [("t", "r1", "shadow-agrees", "failed", "v1: pass; v2: fail"),
         ("t", "r2", "shadow-agrees", "passed", "v1: pass; v2: pass"),
         ("t", "r3", "other", "failed", "x")],
        columns=["task_id", "run_id", "check", "outcome", "message"],
    )  # fmt: skip
    assert trust.disagreements(checks)["run_id"].tolist() == ["r1"]


# payload ----------------------------------------------------------------------------------------
def column(stored, name):
    values = stored["c"][name]
    if "k" in values:
        return [values["k"]] * stored["n"]
    if isinstance(values, dict):
        return [None if i < 0 else values["v"][i] for i in values["i"]]
    return values


def test_columns_come_back(some, built):
    stored = built["pairs"]
    assert stored["n"] == len(some.pairs)
    assert column(stored, "run_id") == some.pairs["run_id"].tolist()
    scores = [None if np.isnan(s) else s for s in some.pairs["score"]]
    assert column(stored, "score") == scores  # at full precision
    assert column(stored, "verified_medal") == some.pairs["verified_medal"].astype(int).tolist()


def test_checks_come_back(some, built):
    stored = built["checks"]
    letters = {"p": "passed", "f": "failed", "s": "skipped", "e": "error"}
    found = []
    for row, entry in enumerate(stored["pairs"]):
        if entry < 0:
            continue
        suite, word, margins, details = stored["outcomes"][entry]
        told = {place: (stored["reasons"][code], text) for place, code, text in details}
        assert len(margins) == len(word)
        for place, definition in enumerate(stored["suites"][suite]):
            task, check = stored["definitions"][definition][:2]
            reason, message = told.get(place, ("ok", ""))
            run = some.pairs["run_id"][row]
            found.append((task, run, check, letters[word[place]], reason, message))
    names = ["task_id", "run_id", "check", "outcome", "reason", "message"]
    assert sorted(found) == sorted(some.checks[names].itertuples(index=False, name=None))


@given(st.text(max_size=80))
def test_dumps_is_safe_in_a_script_element(text):
    made = payload.dumps([text])
    assert json.loads(made) == [text]
    assert not re.search("[<>&]", made)


@given(st.text(max_size=900))
def test_printable_is_one_way_and_short(text):
    shown = printable(text)
    assert len(shown) <= MAX_TEXT
    assert printable(shown) == shown
    assert not any(c in shown for c in "\x00\x1b\u202e\u2066\u200f")


def test_no_nan_reaches_the_json(built):
    def refuse(constant):
        raise AssertionError(constant)

    json.loads(payload.dumps(built), parse_constant=refuse)


def test_columns_of_an_empty_frame():
    assert payload.columns(pd.DataFrame({"a": pd.Series([], dtype=float)})) == {
        "n": 0,
        "c": {"a": []},
    }


# feedback ---------------------------------------------------------------------------------------
def execution(root, rows):
    key = {"task_id": "kernels/k", "run_id": "r"}
    base = {"case_id": "c", "suite": "visible", "repeat": 0, "status": "ok", "message": ""}
    table = contracts.from_rows("execute", [{**key, **base, **row} for row in rows])
    contracts.write_table(
        "execute", table, root / "pairs" / "kernels" / "k" / "r" / "execute.parquet"
    )


PAIR = pd.DataFrame(
    [{"task_id": "kernels/k", "run_id": "r", "kind": "functions", "provider": "bwrap",
      "verdict": "fail", "agent": "a", "source": "runs.csv:2"}]
)  # fmt: skip


def test_hidden_output_is_never_read(tmp_path):
    execution(
        tmp_path,
        [
            {"case_id": "v1", "stdout": "seen"},
            {"case_id": "h1", "suite": "hidden", "stdout": "SECRET", "message": "SECRET"},
            {"case_id": "a1", "suite": "adversarial", "stderr": "SECRET"},
        ],
    )
    found = feedback.visible_feedback(tmp_path, PAIR)
    assert "SECRET" not in json.dumps(found)
    assert [case["stdout"] for case in found[0]] == ["seen"]


def test_failures_come_first_and_streams_are_cut(tmp_path):
    rows = [{"case_id": f"c{i}", "stdout": "x" * 9000} for i in range(30)]
    rows.append({"case_id": "bad", "status": "exception", "stderr": "E" * 9000 + "end"})
    execution(tmp_path, rows)
    cases = feedback.visible_feedback(tmp_path, PAIR)[0]
    assert cases[0]["case"] == "bad"
    assert cases[0]["stderr"].endswith("end")
    assert len(cases) == feedback.MAX_CASES
    assert max(len(case["stdout"]) for case in cases) <= feedback.MAX_STREAM


def test_a_damaged_table_costs_only_its_run(tmp_path, caplog):
    path = tmp_path / "pairs" / "kernels" / "k" / "r" / "execute.parquet"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"not parquet")
    assert feedback.visible_feedback(tmp_path, PAIR) == {}
    assert "execute.parquet" in caplog.text


def test_provenance(tmp_path):
    pairs = fixtures.tables(2)["pairs"]
    frame = pairs.to_pandas()
    medal = pairs.select(contracts.SCHEMAS["medal"].names).slice(0, 1)
    folder = tmp_path / "pairs" / frame["task_id"][0] / frame["run_id"][0]
    contracts.write_table("medal", medal, folder / "medal.parquet", {"submission_sha256": "ab"})
    assert feedback.provenance(tmp_path, frame) == {0: {"submission_sha256": "ab"}}


OF_AGENTS = st.lists(
    st.tuples(st.sampled_from("abc"), st.booleans(), st.booleans(), st.sampled_from("xyz")),
    max_size=30,
)


@given(OF_AGENTS, st.integers(1, 12))
def test_what_is_told_of_runs_is_shared_among_agents(drawn, most):
    runs = [
        {"task_id": task, "run_id": f"r{n:02}", "agent": agent, "kind": "program",
         "provider": "bwrap", "verdict": "pass" if passed else "fail",
         "source": f"{agent}/submission.jsonl:{n}" if listed else f"runs.csv:{n}"}
        for n, (agent, listed, passed, task) in enumerate(drawn)
    ]  # fmt: skip
    frame = pd.DataFrame(runs, columns=list(runs[0]) if runs else [*PAIR])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(feedback, "MAX_RUNS", most)
        chosen = frame.loc[feedback._in_turns(frame)]
        left = frame.drop(chosen.index)
        there = {"feedback": len(frame), "provenance": len(frame)} if len(frame) > most else {}
        assert feedback.of_runs(frame) == there
    assert len(chosen) == min(most, len(frame))
    is_listed = [frame["source"].str.contains("jsonl") for frame in (chosen, left)]
    # No list takes the place of a run of a table.
    assert not (is_listed[0].any() and (~is_listed[1]).any())
    for listed in (True, False):
        counts = chosen[is_listed[0] == listed]["agent"].value_counts()
        lacking = left[is_listed[1] == listed]
        for agent in set(lacking["agent"]):
            assert counts.get(agent, 0) >= max(counts, default=0) - 1
            if (lacking[lacking["agent"] == agent]["verdict"] == "fail").any():
                own = chosen[(chosen["agent"] == agent) & (is_listed[0] == listed)]
                assert (own["verdict"] == "fail").all()


def test_what_is_not_told_of_all_runs_is_said():
    tables = fixtures.frames(20)
    told = OfRuns({0: []}, {0: {"a": "b"}}, None, {"provenance": 2100})
    (note,) = json.loads(payload_within(tables, 1_000_000, told, "results"))["notes"].items()
    assert note[0] == "provenance"
    assert (note[1]["shown"], note[1]["of"], note[1]["order"]) == (1, 2100, feedback.ORDER)
    assert note[1]["query"] == 'biomlbench.Results("results").pair("TASK", "RUN")'
