"""The whole pipeline on the toy benchmark."""

from __future__ import annotations

import json

import pyarrow.parquet as pq
import pytest

from biomlbench.contracts import SCHEMAS, read_table
from biomlbench.reproduce.standings import standings
from biomlbench.summary.history import history_of, kept_in
from tests.workflow.conftest import CARD

PAIR_COUNT = 9


@pytest.fixture(scope="module")
def pairs(finished):
    table = read_table("pairs", finished / "results" / "pairs.parquet")
    return {(row["task_id"], row["run_id"]): row for row in table.to_pylist()}


def test_every_configured_pair_has_a_row(pairs):
    assert len(pairs) == PAIR_COUNT + 2  # and the two bad rows of the run tables
    assert ("toy/line", "group") in pairs


@pytest.mark.parametrize(
    ("key", "fault", "reason", "verdict"),
    [
        (("toy/line", "right"), "none", "ok", "pass"),
        (("toy/line", "short"), "submission", "missing_ids", "fail"),
        (("toy/line", "gone"), "submission", "missing_file", "fail"),
        (("toy/line", "program"), "none", "ok", "pass"),
        ((CARD, "kabsch"), "none", "ok", "pass"),
        ((CARD, "broken"), "submission", "syntax_error", "fail"),
        (("no-such-task", "lost"), "run_table", "unknown_task", "fail"),
    ],
)
def test_outcome(pairs, key, fault, reason, verdict):
    row = pairs[key]
    assert (row["fault"], row["reason"], row["verdict"]) == (fault, reason, verdict)


def test_a_bad_line_costs_only_itself(pairs):
    (bad,) = [row for row in pairs.values() if row["reason"] == "bad_run_row"]
    assert "group/submission.jsonl:2" in bad["message"]


def test_medals_and_intervals(pairs):
    right, near = pairs["toy/line", "right"], pairs["toy/line", "near"]
    assert right["medal"] == "silver"
    assert right["verified_medal"]
    assert right["score"] == pytest.approx(0.01)
    assert right["score_low"] <= right["score"] <= right["score_high"]
    assert right["p_gold"] + right["p_silver"] + right["p_bronze"] <= 1 + 1e-12
    assert near["score"] > right["score"]
    assert near["leaderboard_percentile"] < right["leaderboard_percentile"]


def test_tables_have_their_schemas_and_provenance(finished):
    results = finished / "results"
    for path in [*results.glob("*.parquet"), *results.glob("pairs/*/*/*/*.parquet")]:
        read_table(path.stem, path)
    metadata = json.loads(
        pq.read_schema(results / "pairs/toy/line/right/grade.parquet").metadata[b"biomlbench"]
    )
    assert set(metadata) >= {"submission_sha256", "task_fingerprint", "code", "schema_version"}
    assert str(finished) not in json.dumps(metadata)


def test_a_run_keeps_its_results(finished):
    results = finished / "results"
    (kept,) = kept_in(results)
    assert standings(kept.folder, results).equal
    assert history_of(results)["agent"].to_pylist()


def test_no_table_names_the_working_directory(finished):
    for path in (finished / "results").rglob("*.parquet"):
        table = pq.read_table(path, partitioning=None)
        assert str(finished) not in str(table.to_pydict()), path


def test_the_checks_table_has_every_check(finished):
    checks = read_table("checks", finished / "results" / "checks.parquet")
    assert checks.schema.equals(SCHEMAS["checks"], check_metadata=False)
    by_pair = {(row["task_id"], row["run_id"]) for row in checks.to_pylist()}
    assert len(by_pair) == PAIR_COUNT


def test_a_near_duplicate_of_another_agents_run_is_flagged(finished):
    checks = read_table("checks", finished / "results" / "checks.parquet").to_pylist()
    compared = [r for r in checks if r["check"] == "not-a-duplicate"]
    flagged = {r["run_id"]: r for r in compared if r["outcome"] == "failed"}
    # All of these are straight lines in x, by three agents.
    assert {"near", "program", "group"} <= set(flagged)
    assert "near of bob" in flagged["group"]["message"]
    assert {row["severity"] for row in flagged.values()} == {"advisory"}


def test_the_grading_report_is_plain_json(finished):
    text = (finished / "results" / "grading_report.json").read_text()
    report = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))
    assert (report["total_runs"], report["total_errors"]) == (PAIR_COUNT, 2)
    assert {entry["fault"] for entry in report["errors"]} == {"run_table"}


def test_the_report_and_its_figures_are_there(finished):
    html = (finished / "results" / "report.html").read_text()
    assert "Toy benchmark" in html
    assert "http://" not in html.replace("http://www.w3.org", "")
    assert len(list((finished / "results" / "plots").glob("*.svg"))) > 5


def test_the_runs_are_in_the_data_set_of_telemetry_once(finished):
    from biomlbench.calibrate import dataset

    results = finished / "results"
    now = read_table("telemetry", results / "telemetry.parquet").to_pylist()
    kept = dataset.read(results / "telemetry").to_pylist()
    unlabelled = sorted((r["task_id"], r["run_id"]) for r in now if r["label"] is None)
    assert sorted((r["task_id"], r["run_id"]) for r in kept) == unlabelled
    assert unlabelled
    usage = json.loads((results / "calibration" / "usage.json").read_text())
    bad_rows = sum(row["fault"] == "run_table" for row in now)
    assert bad_rows
    assert usage["runs"] == len(unlabelled) - bad_rows  # as in the report's head
    told = {reason for reasons in usage["reasons"].values() for reason, _ in reasons}
    assert "unknown_task" not in told
