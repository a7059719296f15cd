"""Things that go wrong around the submissions: the rest is graded, a rerun repairs it."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from biomlbench.contracts import ContractError, read_table
from biomlbench.runtime.locking import LockedError, lock
from biomlbench.stages import STAGES, read_stage
from tests.waiting import wait_until
from tests.workflow.conftest import CARD, TABLES
from tests.workflow.test_batches import assert_equal_summaries
from tests.workflow.test_reruns import assert_equal_results

# What kills the workflow once in every stage.
KILL_THE_RUN = """\
import os, signal, time
flag = Path("killed") / stage
if not flag.exists():
    flag.mkdir(parents=True)
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(60)
"""


@pytest.mark.slow
def test_a_killed_run_goes_on_to_equal_tables(finished, fresh):
    results = fresh.results()
    process = subprocess.Popen(
        fresh.command(), cwd=fresh.path, env=fresh.env(), stderr=subprocess.DEVNULL
    )
    wait_until(lambda: len(list(results.glob("pairs/*/*/*/*.parquet"))) >= 8, by=process)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (results / "pairs.parquet").exists()
    fresh.tables()
    assert_equal_results(finished, fresh.path)


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 4])
def test_a_run_killed_in_every_stage_goes_on_to_equal_tables(finished, fresh, size):
    config = fresh.path / "config" / "config.yaml"
    config.write_text(config.read_text() + f"pairs_per_job: {size}\n")
    fresh.before_each_stage(KILL_THE_RUN)
    # One job at a time: a batch cut off in its middle would leave a pair to a job of its own.
    ends = [fresh.tables("--cores", "1", check=False).returncode for _ in range(len(STAGES) + 1)]
    assert ends == [-signal.SIGKILL] * len(STAGES) + [0]
    assert_equal_summaries(finished, fresh.path)


@pytest.mark.slow
def test_workers_end_with_a_killed_run(fresh):
    process = subprocess.Popen(
        fresh.command(), cwd=fresh.path, env=fresh.env(), stderr=subprocess.DEVNULL
    )
    marker = str(fresh.path).encode()

    def workers():
        found = []
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                environ = Path(f"/proc/{entry}/environ").read_bytes()
                command = Path(f"/proc/{entry}/cmdline").read_bytes()
            except OSError:
                continue
            if marker in environ and b"biomlbench.runtime.pool" in command:
                found.append(entry)
        return found

    wait_until(lambda: len(workers()) > 0)
    process.send_signal(signal.SIGKILL)
    process.wait()
    wait_until(lambda: not workers())


def test_a_second_run_on_the_same_results_is_refused(bench):
    (bench.results() / "report.html").unlink()
    held = lock(bench.results() / ".lock")
    done = bench.snakemake(check=False)
    assert done.returncode != 0
    assert "another run is writing" in done.stderr
    held.close()
    bench.snakemake()


@pytest.mark.slow
def test_of_two_runs_at_once_the_second_is_refused_and_the_first_goes_on(finished, fresh):
    fresh.before_each_stage("""\
        import time

        while stage == "medal" and not Path("go").exists():
            time.sleep(0.05)
    """)
    with (fresh.path / "log").open("w") as log:
        first = subprocess.Popen(
            fresh.command(*TABLES), cwd=fresh.path, env=fresh.env(), stderr=log
        )
        wait_until(lambda: list(fresh.results().glob("pairs/*/*/*/*.parquet")), by=first)
        second = fresh.tables(check=False)
        assert second.returncode != 0
        assert "results: another run is writing to this folder" in second.stderr
        (fresh.path / "go").touch()
        assert first.wait() == 0, (fresh.path / "log").read_text()
    assert_equal_results(finished, fresh.path)


def test_the_lock_is_free_once_closed(tmp_path):
    first = lock(tmp_path / "r" / ".lock")
    with pytest.raises(LockedError, match="another run"):
        lock(tmp_path / "r" / ".lock")
    first.close()
    lock(tmp_path / "r" / ".lock").close()


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "pairs/toy/line/right/medal",
        "tasks/toy/line/prepare",
    ],
)
def test_a_damaged_table_is_named_and_made_again(finished, bench, name):
    damaged = bench.results() / f"{name}.parquet"
    damaged.write_bytes(b"PAR1 nonsense")
    done = bench.snakemake()  # its time tells that it is not what was made, before any job reads it
    assert f"{name}.parquet: was not made here" in done.stderr
    assert_equal_results(finished, bench.path)
    assert "Nothing to be done" in bench.snakemake().stderr


def test_a_table_that_is_damaged_under_way_is_kept_aside_and_made_again_by_the_next_run(tmp_path):
    table = tmp_path / "validate.parquet"
    table.write_bytes(b"PAR1 nonsense")
    with pytest.raises(ContractError, match=r"validate\.parquet: cannot be read"):
        read_stage("validate", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["validate.damaged"]


@pytest.mark.slow
def test_a_task_that_cannot_be_prepared_costs_only_itself(fresh):
    fresh.edit("toy/toy/circle/prepare.py", "rows = [", "raise OSError('no data today')\n    [")
    done = fresh.snakemake(check=False)
    assert done.returncode != 0
    assert "no data today" in done.stderr
    pairs = read_table("pairs", fresh.results() / "pairs.parquet").to_pylist()
    (lost,) = [row for row in pairs if row["task_id"] == "toy/circle"]
    assert (lost["fault"], lost["reason"]) == ("infrastructure", "not_prepared")
    assert "no data today" in lost["message"]
    assert sum(row["reason"] == "ok" for row in pairs) >= 4
    assert (fresh.results() / "report.html").exists()
    fresh.edit("toy/toy/circle/prepare.py", "raise OSError('no data today')\n    [", "rows = [")
    fresh.snakemake()
    pairs = read_table("pairs", fresh.results() / "pairs.parquet").to_pylist()
    assert not [row for row in pairs if row["reason"] == "not_prepared"]


@pytest.mark.slow
def test_faults_of_a_tasks_files_are_the_tasks(fresh):
    (fresh.path / "toy/toy/circle/leaderboard.csv").unlink()
    fresh.edit("toy/toy/line/prepare.py", '(private / "answers.csv")', '(private / "a.csv")')
    done = fresh.snakemake()
    assert "did not write private/answers.csv" in done.stderr
    pairs = read_table("pairs", fresh.results() / "pairs.parquet").to_pylist()
    (circle,) = [row for row in pairs if row["task_id"] == "toy/circle"]
    assert (circle["fault"], circle["reason"]) == ("task", "broken_leaderboard")
    assert circle["score"] is not None
    line = [row for row in pairs if row["task_id"] == "toy/line" and row["stage"] != "runs"]
    assert {(row["fault"], row["reason"]) for row in line} == {("task", "broken_task")}
    assert all("did not write" in row["message"] for row in line)
    assert {row["stage"] for row in line} == {"prepare"}
    assert all(row["submission_sha256"] for row in line)
    tasks = read_table("tasks", fresh.results() / "tasks.parquet").to_pylist()
    assert {row["task_id"]: row["prepared"] for row in tasks}["toy/line"] is False
    assert (fresh.results() / "report.html").exists()


@pytest.mark.slow
def test_what_a_preparer_lacks_is_looked_for_again_by_each_run(fresh):
    config = fresh.path / "config" / "config.yaml"
    config.write_text(config.read_text() + "pairs_per_job: 4\n")
    fresh.edit("toy/toy/circle/prepare.py", "rows = [", "import not_there_yet\n    rows = [")

    def circle():
        done = fresh.tables()
        pairs = read_table("pairs", fresh.results() / "pairs.parquet").to_pylist()
        (row,) = [row for row in pairs if row["task_id"] == "toy/circle"]
        return row, done.stderr

    for _ in range(2):
        lost, said = circle()
        assert (lost["fault"], lost["reason"], lost["score"]) == ("task", "broken_task", None)
        assert "not_there_yet" in lost["message"]
        assert said.count("circle: the preparer failed: ModuleNotFoundError") == 1
    (fresh.path / "not_there_yet.py").touch()
    found, _ = circle()
    assert (found["reason"], found["stage"]) == ("ok", "medal")
    assert "Nothing to be done" in fresh.tables().stderr


@pytest.mark.slow
def test_a_broken_sample_submission_fails_no_job(fresh):
    fresh.edit("toy/toy/circle/prepare.py", '"id,y\\n" + "".join(f"{r', '"id,z\\n" + "".join(f"{r')
    fresh.snakemake()
    pairs = read_table("pairs", fresh.results() / "pairs.parquet").to_pylist()
    (circle,) = [row for row in pairs if row["task_id"] == "toy/circle"]
    assert (circle["stage"], circle["fault"]) == ("validate", "task")
    assert "sample_submission.csv" in circle["message"]
    assert sum(row["reason"] == "ok" for row in pairs) >= 4
    assert (fresh.results() / "report.html").exists()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "sandbox: {provider: bubble}\n",
            "`sandbox.provider`: 'bubble' is not allowed; use one of",
        ),
        (
            "grading_: {}\n",
            "config/config.yaml:{line}: `grading_`: unknown key; did you mean `grading`?",
        ),
        (
            "tasks: {toy/line: {limit: 3}}\n",
            "`tasks.toy/line.limit`: unknown key; did you mean `tasks.toy/line.limits`?",
        ),
    ],
)
def test_a_wrong_config_is_refused_with_a_remedy(bench, line, message):
    config = bench.path / "config" / "config.yaml"
    before = config.read_text()
    config.write_text(before + line)
    done = bench.snakemake("-n", check=False)
    assert done.returncode != 0
    assert message.format(line=before.count("\n") + 1) in done.stdout + done.stderr


@pytest.mark.slow
def test_a_card_that_cannot_be_loaded_costs_only_itself(fresh):
    reference = f"toy/{CARD}/reference.py"
    before = (fresh.path / reference).read_text()
    (fresh.path / reference).write_text(f"{before}\nraise ValueError('no reference today')\n")
    done = fresh.snakemake()
    assert "no reference today" in done.stderr
    pairs = read_table("pairs", fresh.results() / "pairs.parquet").to_pylist()
    lost = [row for row in pairs if row["task_id"] == CARD]
    assert {(row["fault"], row["stage"]) for row in lost} == {("task", "prepare")}
    assert sum(row["reason"] == "ok" for row in pairs) >= 4
    tasks = read_table("tasks", fresh.results() / "tasks.parquet").to_pylist()
    (card,) = [row for row in tasks if row["task_id"] == CARD]
    assert (card["prepared"], card["calibrated"]) == (False, False)
    assert "no reference today" in card["evidence_missing"][0]
    assert (fresh.results() / "report.html").exists()
