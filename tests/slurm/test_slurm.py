"""The Slurm profile on a real Slurm: the same tables, and jobs and nodes that are lost."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections import Counter

import pytest

from biomlbench.contracts import read_table
from tests.waiting import wait_until
from tests.workflow.conftest import CARD, ROOT, Bench, predictions, write_benchmark
from tests.workflow.test_batches import assert_equal_summaries
from tests.workflow.test_grants import SEE
from tests.workflow.test_progress import last_line
from tests.workflow.test_reproduce import TABLES

pytestmark = [pytest.mark.slurm, pytest.mark.root, pytest.mark.slow]
PROFILE = ROOT / "profiles" / "slurm"
NOT_DONE = ("bad_run_row", "unknown_task")


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "snakemake", "--profile", str(PROFILE), *arguments]


def run(slurm, path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {**slurm.env, "PYTHONPATH": str(ROOT)}
    call = command(*arguments)
    done = subprocess.run(call, cwd=path, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def nodes_of(slurm, jobs) -> set[str]:
    found = slurm.nodes_of_jobs()
    return {found[job] for job in jobs}


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    """Fifty pairs of all three kinds, done without Slurm."""
    path = tmp_path_factory.mktemp("local")
    write_benchmark(path)
    lines = [f"copy{n},eve,{CARD},subs/kabsch.py," for n in range(2)]
    lines += [f"program{n},eve,line,subs/program.py," for n in range(2)]
    for number in range(38):
        (path / "subs" / f"many{number}.csv").write_text(predictions(1.5 + number / 40))
        lines.append(
            f"many{number},eve,{'line' if number % 4 else 'circle'},subs/many{number}.csv,"
        )
    with (path / "runs.csv").open("a") as file:
        file.write("\n".join(lines) + "\n")
    fresh = tmp_path_factory.mktemp("fresh") / "bench"
    shutil.copytree(path, fresh)
    Bench(path).snakemake()
    return path, fresh


@pytest.fixture
def fresh(local, tmp_path):
    path = tmp_path / "bench"
    shutil.copytree(local[1], path)
    return path


def test_the_profile_gives_the_tables_of_a_local_run(slurm, local, fresh):
    before = set(slurm.jobs())
    done = run(slurm, fresh)
    submitted = set(slurm.jobs()) - before
    pairs = read_table("pairs", fresh / "results" / "pairs.parquet")
    assert len(pairs) >= 50
    # The run table's bad rows are in the table too, but no job has been done for them.
    faults = Counter(row["fault"] for row in pairs.to_pylist() if row["reason"] not in NOT_DONE)
    line = last_line(done.stderr)
    assert line.startswith(f"{faults.total()} of {faults.total()} pairs · {faults['none']} sound")
    assert f"· {faults['submission']} the submission's fault · " in line
    assert set(pairs.column("kind").to_pylist()) >= {"predictions", "program", "functions"}
    # Predictions of two tasks in a batch each, which share a job; code by itself.
    assert len(submitted) == 1 + 7
    assert nodes_of(slurm, submitted) == set(slurm.names)
    assert_equal_summaries(local[0], fresh)
    levels = {r["level"] for r in pairs.to_pylist() if r["provider"]}
    expected = read_table("pairs", local[0] / "results" / "pairs.parquet").to_pylist()
    assert levels == {r["level"] for r in expected if r["provider"]}
    assert "Nothing to be done" in run(slurm, fresh).stderr


def test_a_cancelled_job_is_tried_again(slurm, local, fresh):
    before = set(slurm.jobs())
    log = (fresh / "log").open("w")
    env = {**slurm.env, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command(), cwd=fresh, env=env, stdout=log, stderr=log)
    cancelled = None
    while process.poll() is None and cancelled is None:
        running = [j for j, s in slurm.jobs().items() if j not in before and s == "RUNNING"]
        if running and list(fresh.glob("results/*/*/*/*/validate.parquet")):
            cancelled = running[-1]
            slurm.command("scancel", cancelled)
        time.sleep(0.1)
    assert process.wait() == 0, (fresh / "log").read_text()
    assert cancelled is not None
    assert slurm.jobs()[cancelled] == "CANCELLED"
    assert_equal_summaries(local[0], fresh)


def test_a_lost_node_loses_nothing(slurm, local, fresh):
    before = set(slurm.jobs())
    lost = slurm.names[-1]

    def running():
        assert process.poll() is None, (fresh / "log").read_text()
        where = slurm.nodes_of_jobs()
        states = slurm.jobs().items()
        return {j for j, s in states if s == "RUNNING" and where.get(j) == lost} - before

    env = {**slurm.env, "PYTHONPATH": str(ROOT)}
    with (fresh / "log").open("w") as log:
        process = subprocess.Popen(command(), cwd=fresh, env=env, stdout=log, stderr=log)
    wait_until(lambda: list(fresh.glob("results/*/*/*/*/validate.parquet")), by=process)
    jobs = wait_until(running, by=process)
    slurm.lose_node(lost)
    try:
        assert process.wait() == 0, (fresh / "log").read_text()
        assert slurm.state_of(lost).startswith("down")
        # What it ran was done elsewhere, by Slurm or by a further job.
        submitted = set(slurm.jobs()) - before
        done = {j for j, state in slurm.jobs().items() if state == "COMPLETED"} & submitted
        assert jobs - done or nodes_of(slurm, jobs) == {slurm.names[0]}
    finally:
        slurm.start_node(lost)
    assert_equal_summaries(local[0], fresh)
    assert "Nothing to be done" in run(slurm, fresh).stderr


def test_results_are_reproduced_over_both_nodes(slurm, local, tmp_path):
    before = set(slurm.jobs())
    call = [sys.executable, "-m", "biomlbench.cli", "reproduce", "results", "--profile", "slurm"]
    env = {**slurm.env, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [*call, "--into", str(tmp_path / "again"), "--json"],
        cwd=local[0], env=env, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert found["equal"]
    assert set(found["tables"]) == TABLES
    assert found["not_again"] == []
    assert nodes_of(slurm, set(slurm.jobs()) - before) == set(slurm.names)


def test_what_a_task_asks_for_reaches_slurm(slurm, fresh):
    config = fresh / "toy" / "toy" / "line" / "config.yaml"
    config.write_text(
        config.read_text()
        + "\ncompute_requirements: {memory_mb: 3000, runtime_min: 7, cpus: 2, gpus: 0}\n"
    )
    (fresh / "subs" / "program.py").write_text(SEE)
    before = set(slurm.jobs())
    run(slurm, fresh, "results/pairs/toy/line/program/medal.parquet")
    (job,) = set(slurm.jobs()) - before
    asked = slurm.command("squeue", "-h", "-t", "all", "-j", job, "-o", "%m %C %l").stdout.split()
    # Four stages of ten minutes, and the one that runs the program of seven.
    assert asked == ["3000M", "2", "47:00"]
    # And from there the program.
    seen = read_table("execute", fresh / "results/pairs/toy/line/program/execute.parquet")
    assert seen.column("stdout")[0].as_py() == "2 2\n"
