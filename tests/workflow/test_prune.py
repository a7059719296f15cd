"""What is left over in the results: listed, and deleted only when asked."""

from __future__ import annotations

import subprocess
import sys

import pytest

from biomlbench.runtime.locking import lock
from biomlbench.workflow.assignment import Assignment


def prune(bench, *arguments, answer=""):
    call = [sys.executable, "-m", "biomlbench.cli", "prune", *arguments]
    return subprocess.run(
        call, cwd=bench.path, env=bench.env(), input=answer, capture_output=True, text=True
    )


def files(bench):
    return sorted(path for path in bench.results().rglob("*") if path.is_file())


def test_nothing_is_left_over_of_a_finished_run(bench):
    assert prune(bench).stdout == "Nothing is left over.\n"


def test_a_pair_that_left_is_listed_and_stays(bench):
    bench.edit("runs.csv", "near,bob,line,subs/near.csv,2025-03-04T12:00:00Z\n", "")
    before = files(bench)
    done = prune(bench)
    assert "results/pairs/toy/line/near " in done.stdout
    assert "right" not in done.stdout
    assert prune(bench, "--delete", answer="n\n").returncode == 0
    assert files(bench) == before


def test_the_config_may_be_named_as_run_takes_it(bench):
    config = "config/config.yaml"
    assert prune(bench, "--configfile", config).stdout == "Nothing is left over.\n"
    done = prune(bench, config, "--configfile", config)
    assert (done.returncode, "name one config" in done.stderr) == (2, True)


def test_what_is_listed_is_deleted_when_asked_and_nothing_else(bench):
    bench.edit("runs.csv", "near,bob,line,subs/near.csv,2025-03-04T12:00:00Z\n", "")
    before = files(bench)
    assert prune(bench, "--delete", "--yes").returncode == 0
    gone = set(before) - set(files(bench))
    assert len([path for path in gone if path.suffix == ".parquet"]) == 5
    assert all(path.stem == "near" or path.parent.name == "near" for path in gone)
    assert prune(bench).stdout == "Nothing is left over.\n"


def test_nothing_is_deleted_under_a_run(bench):
    bench.edit("runs.csv", "near,bob,line,subs/near.csv,2025-03-04T12:00:00Z\n", "")
    held = lock(bench.results() / ".lock")
    done = prune(bench, "--delete", "--yes")
    held.close()
    assert done.returncode != 0
    assert "another run is writing" in done.stderr
    assert (bench.results() / "pairs/toy/line/near/medal.parquet").exists()


@pytest.mark.parametrize(
    ("left", "listed"), [(1, "kept for the others"), (2, "no configured pair")]
)
def test_batches_go_when_all_their_pairs_left(bench, left, listed):
    members = {run: {"submission": f"subs/{run}.csv", "seed": None} for run in ("near", "old")}
    Assignment({("toy/line", "b00001"): members}).write(bench.results())
    folder = bench.results() / "batches/toy/line/b00001"
    folder.mkdir(parents=True)
    (folder / "medal.parquet").write_bytes(b"x" * 100)
    if left == 2:
        bench.edit("runs.csv", "near,bob,line,subs/near.csv,2025-03-04T12:00:00Z\n", "")
    done = prune(bench, "--delete", "--yes")
    (line,) = [line for line in done.stdout.splitlines() if "batches/toy" in line]
    assert listed in line
    assert folder.exists() == (left == 1)
