"""A run of the workflow reads the run tables once: what was planned is what is aggregated."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from biomlbench.contracts import ContractError
from biomlbench.outcomes import Reason
from biomlbench.runtime.json_lines import encoded
from biomlbench.runtime.locking import lock
from biomlbench.workflow import planned
from biomlbench.workflow.bad_rows import BadRow
from biomlbench.workflow.plan import Benchmark
from biomlbench.workflow.run_metadata import metadata_of
from biomlbench.workflow.run_state import LOCK
from biomlbench.workflow.runs import Run
from tests.workflow.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

text = st.text(st.characters(exclude_categories=()), max_size=8)  # surrogates too
number = st.none() | st.integers(-(2**63), 2**63)
cells = st.dictionaries(
    st.sampled_from(["meta_tokens", "meta_cost_usd", "meta_model", "meta_x", "meta_steps"]),
    st.integers(0, 2**53).map(str) | st.floats(0, 1e300).map(repr) | st.text(max_size=5),
)
runs = st.builds(
    Run, text, text, text, text, text, number, number, number, st.none() | text, st.none() | text,
    text, text, st.none() | text, cells.map(metadata_of),
)  # fmt: skip
bad_rows = st.builds(BadRow, text, text, text, text, text, st.sampled_from(Reason), text)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.lists(runs, max_size=3), st.lists(bad_rows, max_size=3))
def test_what_is_read_is_what_was_planned(tmp_path: Path, good: list[Run], bad: list[BadRow]):
    whole = planned.Planned(good, bad, {"gone.csv": None, "runs.csv": "a\udcff,b\n"})
    planned.write(tmp_path, whole)
    assert planned.read(tmp_path) is None  # nobody runs
    with lock(tmp_path / LOCK):
        assert repr(planned.read(tmp_path)) == repr(whole)


@given(st.lists(text, max_size=4), st.dictionaries(text, st.none() | text, max_size=3))
def test_texts_are_written_no_longer_than_they_must_be(listed: list[str], by_name):
    whole = {"a": listed, "b": by_name}
    written = encoded(whole)
    assert json.dumps(json.loads(written)) == json.dumps(json.loads(json.dumps(whole)))
    assert len(written.encode()) <= len(json.dumps(whole).encode())


def test_a_damaged_record_is_told(tmp_path: Path) -> None:
    with lock(tmp_path / LOCK):
        assert planned.read(tmp_path) is None
        for content in ("{", "[]", '{"runs": [[1]], "bad_rows": [], "tables": {}}'):
            (tmp_path / planned.RECORD).write_text(content)
            with pytest.raises(ContractError, match="run the workflow again"):
                planned.read(tmp_path)


def test_only_jobs_take_what_was_planned(bench) -> None:
    config = {"runs": ["runs.csv"], "tasks_dirs": [str(bench.path / "toy")], "results_dir": "r"}
    table = bench.path / "runs.csv"
    config["runs"] = [str(table)]
    results = bench.path / "r"
    first = Benchmark(config, ROOT, results=results)
    with lock(results / LOCK):
        first.write_planned()
        written = table.read_text()
        table.write_text(written.replace("right,ada,line", "other,eve,line"))
        job = Benchmark(config, ROOT, results=results, planned=True)
        assert (job.runs, job.bad_rows) == (first.runs, first.bad_rows)
        assert job.runs_hash == first.runs_hash
        assert job.table_texts == first.table_texts == {str(table): written}
        assert ("toy/line", "other") in Benchmark(config, ROOT, results=results).runs
    assert ("toy/line", "other") in Benchmark(config, ROOT, results=results, planned=True).runs


REWRITE = """
import json
from pathlib import Path
lines = [
    {"task_id": "line", "submission_path": None, "run_id": f"new{n}"} for n in range(3)
] + [{"task_id": "line", "submission_path": "b.csv", "run_id": "own", "attempt": 1}]
Path("group/submission.jsonl").write_text("\\n".join(map(json.dumps, lines)))
Path("runs.csv").write_text("run_id,agent,task_id,submission\\nx,ada,line,subs/right.csv\\n")
"""


def test_tables_that_change_during_a_run_count_in_the_next(bench) -> None:
    (bench.path / "group/b.csv").write_bytes((bench.path / "group/a.csv").read_bytes())
    (bench.path / "subs/bad.csv").write_text("id\n")
    planned_lines = [
        {"task_id": "line", "submission_path": "a.csv", "run_id": "own", "attempt": 7},
        {"task_id": "line", "submission_path": "gone.csv", "run_id": "failed"},
    ]
    listed = "\n".join(map(json.dumps, planned_lines))
    (bench.path / "group/submission.jsonl").write_text(listed)
    tables = (bench.path / "runs.csv").read_text()
    bench.before_each_stage(REWRITE)
    bench.tables()
    rows = pq.read_table(bench.results() / "pairs.parquet").to_pylist()
    own = {row["run_id"]: row for row in rows if row["agent"] == "group"}
    assert own.keys() == {"own", "failed"}
    assert (own["own"]["attempt"], own["own"]["submission"]) == (7, "group/a.csv")
    assert own["failed"]["reason"] == "missing_file"
    assert {row["agent"] for row in rows} == {"ada", "bob", "group"}
    record = json.loads((bench.results() / "provenance.json").read_text())
    assert record["run_tables"] == {"runs.csv": tables, "group/submission.jsonl": listed}
    assert (bench.path / "group/submission.jsonl").read_text() != listed

    assert bench.planned()["aggregate"] == 1
    bench.tables()
    rows = pq.read_table(bench.results() / "pairs.parquet").to_pylist()
    assert {row["run_id"] for row in rows} == {"x", "own", "new0", "new1", "new2"}
