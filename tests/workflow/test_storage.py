"""Single pairs take little room; tables over all pairs let readers skip what they need not."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from biomlbench.contracts import from_rows, read_table, write_table
from biomlbench.contracts._tables import QUERIED
from biomlbench.contracts._writing import MOST_GROUPS, ROWS_A_GROUP
from biomlbench.stages import STAGES

MOST_BYTES = {"predictions": 21_000, "program": 26_000, "functions": 40_000}
"""Of a pair's five tables together, some more than the toy pairs take."""
TASKS, RUNS, CHECKS = 20, 100, 6


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Checks of 2,000 pairs, sorted as the workflow sorts them."""
    rows = [
        {
            "task_id": f"domain/task-{task:02d}", "run_id": f"run-{run:03d}", "check": f"c{check}",
            "suite": "hidden", "mode": "exact_match", "severity": "blocker", "outcome": "passed",
            "reason": "ok", "message": "", "weight": 1.0, "pattern": "", "verdict": "pass",
            "verdict_reasons": [], "verifier": "v2", "calibrated": True,
        }
        for task in range(TASKS) for run in range(RUNS) for check in range(CHECKS)
    ]  # fmt: skip
    path = tmp_path_factory.mktemp("large") / "checks.parquet"
    write_table("checks", from_rows("checks", rows), path)
    return path


def groups_read(path, condition):
    """Row groups that pyarrow reads for a condition, by their statistics, and all there are."""
    (fragment,) = ds.dataset(path).get_fragments()
    return len(fragment.split_by_row_group(condition)), fragment.num_row_groups


@pytest.mark.parametrize(
    ("condition", "most"),
    [
        (pc.field("task_id") == "domain/task-07", 2),
        ((pc.field("task_id") == "domain/task-07") & (pc.field("run_id") == "run-050"), 2),
        (pc.field("task_id") == "domain/none", 0),
        (pc.field("task_id").isin(["domain/task-00", "domain/task-19"]), 4),
    ],
    ids=["task", "run", "no-such-task", "two-tasks"],
)
def test_row_groups_are_skipped(large, condition, most):
    read, there = groups_read(large, condition)
    assert there == TASKS * RUNS * CHECKS // ROWS_A_GROUP == 12
    assert read <= most
    whole = pq.read_table(large)
    assert pq.read_table(large, filters=condition).equals(whole.filter(condition))


def test_unsorted_rows_would_not_let_them_be_skipped(large, tmp_path):
    """The test above can fail: on rows in another order no group is skipped."""
    table = read_table("checks", large)
    mixed = table.take(pa.array([n * 7919 % len(table) for n in range(len(table))]))
    write_table("checks", mixed, tmp_path / "checks.parquet")
    read, there = groups_read(tmp_path / "checks.parquet", pc.field("task_id") == "domain/task-07")
    assert read == there


def test_a_huge_table_has_few_row_groups(tmp_path):
    rows = ROWS_A_GROUP * MOST_GROUPS * 2
    columns = {
        "agent": ["a"] * rows,
        "domain": ["d"] * rows,
        "tasks": [1] * rows,
        "runs": [1] * rows,
    }
    names = from_rows("agents", []).schema
    arrays = [pa.array(columns.get(f.name, [None] * rows), f.type) for f in names]
    write_table("agents", pa.Table.from_arrays(arrays, schema=names), tmp_path / "a.parquet")
    assert pq.read_metadata(tmp_path / "a.parquet").num_row_groups == MOST_GROUPS


def test_results_are_sorted_and_carry_statistics_and_descriptions(finished):
    for name in QUERIED:
        path = finished / "results" / f"{name}.parquet"
        table = read_table(name, path)
        assert all(field.metadata[b"doc"] for field in pq.read_schema(path)), name
        group = pq.read_metadata(path).row_group(0)
        assert all(group.column(n).statistics is not None for n in range(group.num_columns))
        if "run_id" in table.column_names:
            keys = list(zip(*(table[c].to_pylist() for c in ("task_id", "run_id")), strict=True))
            assert keys == sorted(keys), name


def test_other_readers_see_the_same(finished):
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    polars = pytest.importorskip("polars", reason="Polars is not installed")
    path = finished / "results" / "checks.parquet"
    rows = read_table("checks", path).filter(pc.field("outcome") == "failed").to_pylist()
    ours = sorted((row["task_id"], row["run_id"], row["check"]) for row in rows)
    assert ours
    query = f"select task_id, run_id, \"check\" from '{path}' where outcome = 'failed' order by all"
    assert duckdb.sql(query).fetchall() == ours
    frame = polars.scan_parquet(path).filter(polars.col("outcome") == "failed")
    found = frame.select("task_id", "run_id", "check").collect().rows()
    assert sorted(found) == ours


def test_a_pair_takes_little_room(finished):
    pairs = read_table("pairs", finished / "results" / "pairs.parquet").to_pylist()
    seen = set()
    for row in pairs:
        folder = finished / "results" / "pairs" / row["task_id"] / row["run_id"]
        if row["kind"]:
            sizes = {path.name: path.stat().st_size for path in folder.iterdir()}
            assert set(sizes) == {f"{stage}.parquet" for stage in STAGES}
            assert sum(sizes.values()) < MOST_BYTES[row["kind"]], sizes
            seen.add(row["kind"])
    assert seen == set(MOST_BYTES)


def test_no_table_holds_a_copy_of_the_submission(finished):
    for path in (finished / "results" / "pairs").rglob("execute.parquet"):
        for row in read_table("execute", path).to_pylist():
            assert (row["status"] == "passthrough") <= (row["output"] is None), path
    text = (finished / "subs/right.csv").read_text()
    some = text.splitlines()[10]
    for path in (finished / "results/pairs/toy/line/right").iterdir():
        assert some not in str(pq.read_table(path, partitioning=None).to_pydict()), path
