"""Killed workers, full and read-only disks, submissions that change: a rerun repairs it all."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import contextmanager

import pytest

from biomlbench.contracts import read_table
from biomlbench.stages import STAGES
from tests.workflow.conftest import Bench, predictions
from tests.workflow.test_reruns import assert_equal_results

pytestmark = pytest.mark.slow
COMPARED = ("score", "verdict", "fault", "reason", "message", "submission_sha256")
KILL = """\
import os, signal
flag = Path("killed") / f"{stage}-{pair['run_id']}"
if pair["run_id"] in ("near", "program", "kabsch") and not flag.exists():
    flag.mkdir(parents=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""
REPLACE = """\
import shutil
if stage == "grade" and pair["run_id"] == "near" and Path("later.csv").exists():
    shutil.move("later.csv", pair["submission"])
"""
# Of what agents hand in, once the run is planned.
MISUSE = """\
import os
if stage == "WHEN" and not Path("misused").exists():
    Path("misused").mkdir(exist_ok=True)
    os.utime("subs/near.csv", (2**32, 2**32))
    for name in ("group/a.csv", "subs/short.csv", "subs/program.py"):
        Path(name).unlink(missing_ok=True)
    if not os.path.lexists("subs/kept"):
        os.mkfifo("subs/kept")
        os.replace("subs/kept", "subs/short.csv")
    if not os.path.lexists("subs/program.py"):
        os.symlink("program.py", "subs/program.py")
"""
MISUSED = {("toy/line", run) for run in ("group", "short", "program")}


def rows_of(bench):
    table = read_table("pairs", bench.results() / "pairs.parquet")
    return {(row["task_id"], row["run_id"]): row for row in table.to_pylist()}


def test_a_worker_killed_in_every_stage_costs_only_a_retry(finished, fresh):
    fresh.before_each_stage(KILL)
    done = fresh.tables()
    killed = sorted(path.name for path in (fresh.path / "killed").iterdir())
    assert killed == sorted(f"{s}-{r}" for s in STAGES for r in ("near", "program", "kabsch"))
    assert "the worker process ended with status -9" in done.stderr
    assert_equal_results(finished, fresh.path)


def test_a_worker_that_always_dies_costs_only_its_pair(fresh):
    always = KILL.replace("parents", "exist_ok=True, parents")
    always = always.replace('in ("near", "program", "kabsch") and not flag.exists()', '== "near"')
    fresh.before_each_stage(always)
    assert fresh.snakemake(check=False).returncode != 0
    rows = rows_of(fresh)
    lost = rows.pop(("toy/line", "near"))
    assert (lost["fault"], lost["reason"]) == ("infrastructure", "stage_failed")
    assert "ended with status -9" in lost["message"]
    assert not [row for row in rows.values() if row["reason"] == "stage_failed"]
    assert (fresh.results() / "report.html").exists()


def test_a_submission_replaced_under_way_is_noticed_and_graded_next_time(fresh, tmp_path):
    (fresh.path / "later.csv").write_text(predictions(2.3))
    fresh.before_each_stage(REPLACE)
    untouched = type(fresh)(tmp_path / "untouched")
    shutil.copytree(fresh.path, untouched.path)
    (untouched.path / "later.csv").replace(untouched.path / "subs" / "near.csv")
    fresh.tables()
    lost = rows_of(fresh)["toy/line", "near"]
    assert (lost["fault"], lost["reason"]) == ("submission", "submission_changed")
    assert set(fresh.stages().values()) == {1}
    fresh.snakemake()
    untouched.tables()
    assert_equal_results(untouched.path, fresh.path)


@pytest.mark.parametrize(("when", "size"), [("validate", 1), ("grade", 4)])
def test_an_agent_harms_only_itself_by_what_becomes_of_its_files(finished, fresh, when, size):
    """Gone, a pipe, a link to itself, a time in the future: no job fails over it."""
    with (fresh.path / "config/config.yaml").open("a") as file:
        file.write(f"pairs_per_job: {size}\n")
    fresh.before_each_stage(MISUSE.replace("WHEN", when))
    fresh.tables()
    usual, rows = rows_of(Bench(finished)), rows_of(fresh)
    assert {row["fault"] for key, row in rows.items() if key in MISUSED} == {"submission"}
    for key in rows.keys() - MISUSED:
        assert [rows[key][name] for name in COMPARED] == [usual[key][name] for name in COMPARED]
    fresh.tables()
    rows = rows_of(fresh)
    assert {rows[key]["reason"] for key in MISUSED} == {"missing_file", "unsafe_path"}
    assert fresh.stages() == {}


@contextmanager
def mounted(target, *options: str):
    if os.geteuid() != 0:
        pytest.skip("mounting a file system needs root")
    call = ["mount", *options, str(target)]
    done = subprocess.run(call, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"{' '.join(call)}: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(target)], check=True)


@pytest.mark.root
def test_a_full_disk_is_named_and_the_run_goes_on_when_there_is_room(finished, fresh):
    results = fresh.results()
    results.mkdir()
    with mounted(results, "-t", "tmpfs", "-o", "size=120k", "tmpfs"):
        done = fresh.snakemake(check=False)
        assert done.returncode != 0
        assert "No space left on device" in done.stderr
        made = list(results.rglob("*.parquet"))
        assert made
        subprocess.run(["mount", "-o", "remount,size=200m", str(results)], check=True)
        fresh.snakemake()
        assert_equal_results(finished, fresh.path)


@pytest.mark.root
def test_a_read_only_results_folder_is_named(finished, fresh):
    results = fresh.results()
    results.mkdir()
    with mounted(results, "--bind", str(results)):
        subprocess.run(["mount", "-o", "remount,bind,ro", str(results)], check=True)
        done = fresh.tables(check=False)
        assert done.returncode != 0
        assert "results: cannot be written (Read-only file system)" in done.stderr
    fresh.tables()
    assert_equal_results(finished, fresh.path)
