"""Tables are checked when written and when read."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from biomlbench import contracts
from biomlbench.contracts import (
    PAIR,
    SCHEMAS,
    ContractError,
    calibration_rows,
    compared,
    from_rows,
    read_table,
    rows,
    write_table,
)
from biomlbench.errors import explain
from biomlbench.reproduce.compare import DifferenceRow
from biomlbench.scoring.award import Award
from biomlbench.stages import provenance
from biomlbench.stages.outputs import case_row
from tests.report import fixtures

CASE = {"task_id": "a/b", "run_id": "r", **case_row(status="ok")}
ROW = {
    "task_id": "a/b", "run_id": "r", "check": "file", "outcome": "passed", "reason": "ok",
    "message": "",
}  # fmt: skip


def test_round_trip_with_provenance(tmp_path):
    table = from_rows("validate", [ROW])
    write_table("validate", table, tmp_path / "deep" / "validate.parquet", {"code": "abc"})
    assert read_table("validate", tmp_path / "deep" / "validate.parquet").to_pylist() == [ROW]
    record = contracts.provenance(tmp_path / "deep" / "validate.parquet")
    assert record == {"table": "validate", "schema_version": "1", "code": "abc"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"reason": None}, "validate.reason.* must not be null"),
        ({"more": 1}, "unknown column"),
        ({"message": 3.5}, "validate.message"),
    ],
)
def test_a_wrong_row_is_refused(change, message):
    with pytest.raises(ContractError, match=message):
        from_rows("validate", [{**ROW, **change}])


@pytest.mark.parametrize("columns", [None, ["agent"], ["task_id", "run_id"]])
def test_a_pair_in_two_rows_is_refused_by_whoever_reads_results(tmp_path, columns):
    path = tmp_path / "pairs.parquet"
    table = fixtures.tables(20)["pairs"]
    write_table("pairs", table, path)
    read_table("pairs", path, columns)
    write_table("pairs", pa.concat_tables([table, table.slice(3, 2)]), path)
    with pytest.raises(ContractError, match=rf"{path}: 2 pair\(s\) in more than one row, such as"):
        read_table("pairs", path, columns)


def test_another_table_is_refused_on_both_sides(tmp_path):
    other = pa.table({"task_id": ["a/b"]})
    with pytest.raises(ContractError, match="not a `validate` table"):
        write_table("validate", other, tmp_path / "t.parquet")
    assert not list(tmp_path.iterdir())
    pq.write_table(other, tmp_path / "t.parquet")
    with pytest.raises(ContractError, match=r"t\.parquet: not a `validate` table.*run_id"):
        read_table("validate", tmp_path / "t.parquet")


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" + bytes(100) + b"PAR1"])
def test_a_damaged_file_is_named(tmp_path, content):
    (tmp_path / "t.parquet").write_bytes(content)
    with pytest.raises(ContractError, match=r"t\.parquet: cannot be read"):
        read_table("validate", tmp_path / "t.parquet")


@pytest.mark.parametrize("record", [b"[" * 100_000, b"[]", b"nothing", b"\xff"])
def test_a_forged_provenance_is_named(tmp_path, record):
    path = tmp_path / "pairs.parquet"
    table = pa.table({"a": [1]})
    pq.write_table(table.replace_schema_metadata({b"biomlbench": record}), path)
    with pytest.raises(ContractError, match=r"pairs\.parquet: what it was made from"):
        contracts.provenance(path)


def test_every_column_is_documented():
    for name, schema in contracts.SCHEMAS.items():
        for field in schema:
            assert field.metadata[b"doc"], (name, field.name)


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_description_stands_alone(name):
    """A reader of one column sees no other: nothing may refer to the row above."""
    told = {}
    for field in SCHEMAS[name]:
        doc = field.metadata[b"doc"].decode()
        assert not re.search(r"\b(likewise|ditto)\b|\bof (it|them)$|^(of )?its ", doc), field.name
        told.setdefault(doc, []).append(field.name)
    assert [names for names in told.values() if len(names) > 1] == []


def test_compared_leaves_out_what_may_differ():
    kept = compared("execute", SCHEMAS["execute"].empty_table()).column_names
    assert "status" in kept
    assert not {"wall_s", "cpu_s", "peak_mb", "provider"} & set(kept)


def test_the_line_of_a_run_table_is_no_result():
    """A table whose rows are in another order, or that has another name, gives the same results."""
    kept = compared("pairs", SCHEMAS["pairs"].empty_table()).column_names
    assert "source" not in kept
    assert {"submission", "time", "agent", "score"} <= set(kept)


TRIED = """
import json, pathlib, sys
from biomlbench.contracts import SCHEMAS
from biomlbench.stages import Context, Pair, run_pair

here = pathlib.Path(sys.argv[1])
folder, data = here / "tasks/demo/toy", here / "data/demo/toy/prepared"
for path in (folder, data / "public", data / "private"):
    path.mkdir(parents=True)
config = {"grader": {"name": "e", "metric": "rmse"}, "submission": {"id": "id", "target": "y"}}
(folder / "config.yaml").write_text(json.dumps({"name": "Toy", **config}))
rows = "id,y\\n" + "".join(f"r{i},0.{i}\\n" for i in range(5))
for file in ("public/sample_submission.csv", "private/answers.csv"):
    (data / file).write_text(rows)
(here / "right.csv").write_text(rows)
context = Context(str(here / "data"), (str(here / "tasks"),), bootstrap=0)
found = []
for name in ("right", "absent"):
    pair = Pair("demo/toy", name, str(here / f"{name}.csv"), "predictions")
    found += run_pair(pair, context, here / name)["medal"].column("n_tried").to_pylist()
assert found == [7, None], found
assert "n_tried" in SCHEMAS["pairs"].names
"""


@pytest.mark.slow
def test_a_column_of_the_score_takes_two_places(tmp_path):
    """As docs/how-to/add-a-column.md says; done in a copy."""
    from tests.cli.conftest import copy_project

    clone = copy_project(tmp_path / "clone")
    for file, line, more in (
        ("contracts/_results.py", "SCORE = [", 'field("n_tried", I64, "tried out"),'),
        ("stages/scored.py", "    return {", '"n_tried": 7,'),
    ):
        path = clone / "biomlbench" / file
        before, found, after = path.read_text().partition(f"{line}\n")
        assert found, f"{file} has no line `{line}` any more"
        path.write_text(before + found + f"        {more}\n" + after)
    subprocess.run([sys.executable, "-c", TRIED, str(tmp_path)], cwd=clone, check=True)


@pytest.mark.parametrize(
    ("row", "table", "without"),
    [
        (rows.StructureRow, "validate", PAIR),
        (rows.CaseRow, "execute", PAIR),
        (rows.GradeRow, "grade", PAIR),
        (rows.TaskRow, "tasks", ()),
    ],
)
def test_typed_rows_are_those_of_the_tables(row, table, without):
    own = list(SCHEMAS[table])[len(without) :]
    assert row.__required_keys__ | row.__optional_keys__ == {column.name for column in own}
    assert {column.name for column in own if not column.nullable} == row.__required_keys__


WHOLE = {
    "prepare": rows.PrepareRow,
    "validate": rows.ValidateRow,
    "verify": rows.VerifyRow,
    "medal": rows.MedalRow,
    "telemetry": rows.TelemetryRow,
    "controls": calibration_rows.ControlRow,
    "rates": calibration_rows.RateRow,
    "flakes": calibration_rows.FlakeRow,
    "kills": calibration_rows.KillRow,
    "margins": calibration_rows.MarginRow,
    "allowed_rates": calibration_rows.AllowedRatesRow,
    "unused_rows": calibration_rows.UnusedRow,
    "differences": DifferenceRow,
}


@pytest.mark.parametrize("name", WHOLE)
def test_a_typed_row_has_the_columns_of_its_table(name):
    assert set(WHOLE[name].__annotations__) == set(SCHEMAS[name].names)


def test_a_row_of_pairs_has_columns_of_its_table():
    there = set(SCHEMAS["pairs"].names)
    assert set(rows.PairRow.__annotations__) <= there
    told_elsewhere = {*provenance.COLUMNS, *(field.name for field in contracts.RUN_METADATA)}
    assert there - set(rows.PairRow.__annotations__) <= told_elsewhere


def test_the_columns_that_stages_hand_on_are_those_of_their_typed_rows():
    assert set(rows.ScoreColumns.__annotations__) == set(contracts.SCORE_COLUMNS)
    assert set(rows.RunColumns.__annotations__) == set(contracts.RUN_COLUMNS)
    assert set(rows.VerdictColumns.__annotations__) == set(contracts.VERDICT_COLUMNS)
    given = Award().columns()
    assert set(given) == set(rows.AwardColumns.__annotations__)


def test_large_tables_leave_the_disk_a_reserve_for_small_ones(tmp_path, monkeypatch):
    """How much is returned a submission may choose, but not whether others are graded."""
    small, large = (
        from_rows("execute", [{**CASE, "output": bytes(size)}]) for size in (1000, 2_000_000)
    )
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=513 << 20))
    write_table("execute", small, tmp_path / "small.parquet")
    with pytest.raises(OSError, match="No space left on device") as caught:
        write_table("execute", large, tmp_path / "large.parquet")
    assert "large.parquet: No space left on device; the disk is full; free some of it" in explain(
        caught.value
    )
    assert [path.name for path in tmp_path.iterdir()] == ["small.parquet"]
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=600 << 20))
    write_table("execute", large, tmp_path / "large.parquet")
