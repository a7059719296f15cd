import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pandas as pd
import pyarrow.dataset as ds
import pytest

from biomlbench.calibrate import dataset
from biomlbench.calibrate.intake import intake
from biomlbench.contracts import from_rows, write_table
from biomlbench.summary.telemetry import iso_week
from tests.waiting import HANG_S, wait_until

ROOT = Path(__file__).resolve().parents[2]


def row(run, verdict="pass", time="2025-04-02T10:00:00", task="kernels/toy", **more):
    base = {
        "task_id": task, "run_id": run, "agent": "a", "week": iso_week(time), "time": time,
        "attempt": 1, "hint_tier": 0, "label": None, "verdict": verdict, "fault": "none",
        "reason": "ok", "checks_failed": [], "hidden_wall_s": [0.1], "reference_s": 0.1,
    }  # fmt: skip
    return base | more


def table(*rows):
    return from_rows("telemetry", rows)


def files(root):
    return sorted(p.name for p in root.rglob("*.parquet"))


def test_appending_again_changes_nothing(tmp_path):
    runs = table(row("r1"), row("r2"), row("r3", time="2025-03-26T10:00:00"))
    assert dataset.append(tmp_path, runs) == 3
    before = files(tmp_path)
    assert len(before) == 2
    # times of a rerun differ, the run is the same
    again = table(row("r1", hidden_wall_s=[9.0]), row("r2"), row("r3", time="2025-03-26T10:00:00"))
    assert dataset.append(tmp_path, again) == 0
    assert files(tmp_path) == before
    assert dataset.weeks(tmp_path) == ["2025-W13", "2025-W14"]
    assert dataset.read(tmp_path).num_rows == 3
    assert dataset.read(tmp_path, "2025-W13").column("run_id").to_pylist() == ["r3"]


def test_intake_adds_the_runs_and_reports_on_the_benchmarks_own(tmp_path):
    source, report = tmp_path / "telemetry.parquet", tmp_path / "calibration" / "usage.json"
    for runs, added, own in (("ab", 2, 2), ("bcd", 2, 3), ("bcd", 0, 3), ("x", 1, 1)):
        write_table("telemetry", table(*map(row, runs)), source)
        assert intake(source, tmp_path / "telemetry", report) == added
        assert json.loads(report.read_text())["runs"] == own
    kept = dataset.read(tmp_path / "telemetry").column("run_id").to_pylist()
    assert sorted(kept) == list("abcdx")


def test_the_week_is_that_of_the_run_and_controls_stay_out(tmp_path):
    assert dataset.append(tmp_path, table(row("c", label="wrong"), row("u", time=None))) == 1
    assert dataset.weeks(tmp_path) == ["undated"]


def test_a_run_graded_otherwise_is_kept_and_the_last_outcome_counts(tmp_path):
    dataset.append(tmp_path, table(row("r1"), row("r2")))
    dataset.append(tmp_path, table(row("r1", "fail"), row("r2")))
    kept = files(tmp_path)
    assert len(kept) == 2
    verdicts = {r["run_id"]: r["verdict"] for r in dataset.read(tmp_path).to_pylist()}
    assert verdicts == {"r1": "fail", "r2": "pass"}
    dataset.append(tmp_path, table(row("r1"), row("r2")))
    assert {r["run_id"]: r["verdict"] for r in dataset.read(tmp_path).to_pylist()}["r1"] == "pass"


def read_by_pandas(root):
    return pd.read_parquet(root)


def read_by_pyarrow(root):
    return ds.dataset(root).to_table().to_pandas()


def read_by_duckdb(root):
    duckdb = pytest.importorskip("duckdb")
    return duckdb.sql(f"from read_parquet('{root}/*/*.parquet')").df()


@pytest.mark.parametrize("reader", [read_by_pandas, read_by_pyarrow, read_by_duckdb])
@pytest.mark.parametrize("is_old", [False, True])
def test_others_read_the_folder_and_the_last_row_of_a_run_is_its_own(tmp_path, reader, is_old):
    dataset.append(tmp_path, table(row("r1"), row("r2", time="2025-03-26T10:00:00")))
    if is_old:
        for week in list(tmp_path.iterdir()):
            week.rename(week.with_name(f"week={week.name}"))
        assert dataset.read(tmp_path).num_rows == 2
    for verdict in ("fail", "partial"):
        dataset.append(tmp_path, table(row("r1", verdict)))
    found = reader(tmp_path)
    assert sorted(found["week"]) == ["2025-W13", "2025-W14", "2025-W14", "2025-W14"]
    last = found.drop_duplicates(["task_id", "run_id", "attempt", "time"], keep="last")
    assert dict(zip(last["run_id"], last["verdict"], strict=True)) == {
        "r1": "partial",
        "r2": "pass",
    }


def test_duckdb_takes_the_last_row_of_a_run_as_documented(tmp_path, monkeypatch):
    duckdb = pytest.importorskip("duckdb")
    for verdict in ("pass", "fail", "partial"):
        dataset.append(tmp_path / "results/telemetry", table(row("r1", verdict), row("r2")))
    page = (ROOT / "docs/how-to/calibrate-weekly.md").read_text()
    query = page.partition('duckdb.sql("""')[2].partition('"""')[0]
    monkeypatch.chdir(tmp_path)
    found = duckdb.sql(f"select run_id, verdict from ({query})").fetchall()
    assert sorted(found) == [("r1", "partial"), ("r2", "pass")]


WRITER = """
import sys
from biomlbench.calibrate import dataset
sys.path.insert(0, sys.argv[3])
from test_dataset import row, table
start = int(sys.argv[2])
for i in range(start, start + 12, 3):
    dataset.append(sys.argv[1], table(*(row(f"r{j}") for j in range(i, i + 6))))
print("done")
"""


def _writer(root, start):
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(root), str(start), os.path.dirname(__file__)],
        stdout=subprocess.PIPE,
    )


def test_two_writers_at_once_lose_and_double_nothing(tmp_path):
    writers = [_writer(tmp_path, start) for start in (0, 0, 6)]
    for writer in writers:
        assert writer.communicate(timeout=HANG_S)[0].strip() == b"done"
    counts = Counter()
    for path in tmp_path.rglob("*.parquet"):
        from biomlbench.contracts import read_table

        counts.update(read_table("telemetry", path).column("run_id").to_pylist())
    assert counts == {f"r{i}": 1 for i in range(21)}


@pytest.mark.parametrize("after", [0.0, 0.03])
def test_a_killed_writer_leaves_no_half_row(tmp_path, after):
    writer = _writer(tmp_path, 0)
    wait_until(lambda: list(tmp_path.rglob("*.parquet")), step_s=0.005)
    time.sleep(after)
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    half = dataset.read(tmp_path)
    assert half.num_rows > 0
    # a temporary file of the dead writer is neither read nor kept
    week = next(tmp_path.glob("2025-*"))
    (week / ".part-000009-dead.parquet.1-1.tmp").write_bytes(b"PAR1 half a file")
    dataset.append(tmp_path, table(*(row(f"r{i}") for i in range(30))))
    rows = dataset.read(tmp_path).column("run_id").to_pylist()
    assert sorted(rows) == sorted({f"r{i}" for i in range(30)} | set(half["run_id"].to_pylist()))
    assert not list(week.glob(".part-*.tmp"))
