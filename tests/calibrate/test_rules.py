"""`snakemake calibrate` on two small cards: resumes, does nothing twice, reruns what it must."""

import base64
import json
import os
import re
import shutil
import signal
import subprocess
import sys

import pytest

from biomlbench.calibrate import edits
from biomlbench.calibrate.mutants import HELD_OUT, family_of
from biomlbench.calibrate.unused_rows import IN_CONFIG
from biomlbench.contracts import read_table
from tests.waiting import HANG_S, wait_until
from tests.workflow.conftest import copy_workflow

CARDS = ("kernels/parts", "kernels/shares")


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    """A checkout whose tasks are the planted card, twice; one run of it has a label."""
    from tests.calibrate.conftest import write_planted

    bench = tmp_path_factory.mktemp("bench")
    copy_workflow(bench)
    for card in CARDS:
        write_planted(bench / "tasks" / card)
        # else the verdicts would depend on the hash seed of a worker process
        edits.apply(bench / "tasks" / card / "verifier.yaml", "words", {"severity": "advisory"})
    bad = bench / "tasks" / CARDS[1] / "solutions" / "bad" / "no_eps.py"
    shutil.copy(bad, bench / "submitted.py")
    (bench / "runs.csv").write_text(
        "run_id,agent,task_id,submission,label\nr,a,kernels/shares,submitted.py,wrong\n"
    )
    (bench / "labels.csv").write_text("task_id,run_id,label,who,why\n")
    (bench / "config").mkdir()
    (bench / "config" / "config.yaml").write_text(
        "runs: [runs.csv]\ntasks_dirs: [tasks]\n"
        f"calibration: {{tasks: [{', '.join(CARDS)}], mutants: 12, inputs: 30, flake_trials: 1,\n"
        "  held_out: 3, second_order: 0,\n"
        "  adjudications: labels.csv, flake_runs: [{task_id: kernels/shares, run_id: r}]}\n"
    )
    return bench


def _start(bench, *arguments, target="calibrate"):
    return subprocess.Popen(
        [sys.executable, "-m", "snakemake", target, *arguments, "--cores", "2"],
        cwd=bench,
        env={**os.environ, "PYTHONPATH": str(bench)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def _finish(process, fails=False):
    said = process.communicate(timeout=HANG_S)[0]
    assert (process.returncode != 0) == fails, said
    return said


def _planned(bench, *arguments):
    """Return the jobs that a run would do: rule to how often."""
    said = _finish(_start(bench, *arguments, "-n"))
    if "Nothing to be done" in said:
        return {}
    table = said.rpartition("Job stats:")[2]
    jobs = dict(re.findall(r"^(\w+) +(\d+)$", table, re.MULTILINE))
    return {rule: int(n) for rule, n in jobs.items() if rule not in ("calibrate", "total")}


def _noted(bench):
    """Return the tables of controls whose jobs Snakemake has noted as done, and when made.

    It notes a job first and takes the mark of an unfinished one away afterwards; a table that is
    still marked is made again, with reason.
    """
    folder = bench / ".snakemake"
    notes = list((folder / "metadata").glob("*"))
    notes = [note for note in notes if not (folder / "incomplete" / note.name).exists()]
    paths = [bench / base64.b64decode(note.name).decode() for note in notes]
    return {path: path.stat().st_mtime_ns for path in paths if "/controls/" in str(path)}


def _overall(bench):
    rates = read_table("rates", bench / "results" / "calibration" / "rates.parquet").to_pylist()
    return {row["kind"]: (row["errors"], row["n"]) for row in rates if row["scope"] == "overall"}


@pytest.mark.slow
def test_a_killed_calibration_goes_on_and_a_finished_one_does_nothing(bench):
    first = _start(bench)
    results = bench / "results" / "calibration"
    done = wait_until(lambda: _noted(bench), by=first)
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()
    assert 0 < len(list(results.glob("controls/*/*/*.parquet"))) < 8
    assert not (results / "rates.parquet").exists()
    _finish(_start(bench))
    assert all(path.stat().st_mtime_ns == stamp for path, stamp in done.items())
    assert len(list(results.glob("controls/*/*/*.parquet"))) == 8
    assert _planned(bench) == {}
    rows = read_table("allowed_rates", results / "allowed_rates.parquet").to_pylist()
    assert {row["task_id"]: row["within_allowed"] for row in rows} == dict.fromkeys(CARDS, False)
    survivors = read_table("mutants", results / "survivors.parquet").to_pylist()
    assert all(row["diff"].startswith("--- reference") for row in survivors)
    rates = read_table("rates", results / "rates.parquet").to_pylist()
    held_out = [row for row in rates if row["name"] == HELD_OUT]
    # how many are let by is said, which ones is not
    assert {row["n"] for row in held_out} == {3}
    assert not any(family_of(row["operator"]) == HELD_OUT for row in survivors)
    kills = read_table("kills", results / "kills.parquet").to_pylist()
    assert not any(row["family"] == HELD_OUT for row in kills)
    flakes = read_table("flakes", results / "flakes.parquet").to_pylist()
    trials = {(row["task_id"], row["check"]): row["runs"] for row in flakes}
    # the run that is to be repeated counts as well, under five conditions
    assert trials["kernels/shares", "words"] == trials["kernels/parts", "words"] + 5


@pytest.mark.slow
def test_a_new_label_alone_makes_only_the_tables_again(bench):
    _finish(_start(bench))
    wrong, right = _overall(bench)["false_pass"], _overall(bench)["false_fail"]
    (bench / "labels.csv").write_text(
        "task_id,run_id,label,who,why\n"
        "kernels/shares,r,right,ada,the epsilon does not matter\n"
        "kernels/shares,bad/twice_eps,right,ada,nor does this\n"
    )
    assert _planned(bench) == {"calibrate_tables": 1}
    _finish(_start(bench))
    now = _overall(bench)
    assert now["false_pass"][1] == wrong[1] - 2
    # the run was not taken for right work, the control was
    assert now["false_fail"] == (right[0] + 1, right[1] + 2)
    assert now["false_pass"][0] == wrong[0] - 1
    assert _planned(bench) == {}
    # the label in the run table counts as well; what it says there is overridden here
    runs = bench / "runs.csv"
    runs.write_text(runs.read_text().replace(",wrong", ",right"))
    assert _planned(bench) == {}
    (bench / "labels.csv").write_text("task_id,run_id,label,who,why\n")
    assert _planned(bench) == {"calibrate_tables": 1}


@pytest.mark.slow
def test_strict_fails_after_the_tables_are_written_and_names_the_tasks(bench):
    _finish(_start(bench))
    strict = bench / "strict.yaml"
    strict.write_text("calibration: {strict: true}\n")
    for ask in (("calibrate_strict",), ("--configfile", strict.name)):
        assert _planned(bench, *ask) == {"calibrate_strict": 1}
        said = _finish(_start(bench, *ask), fails=True)
        assert re.search(
            "2 of 2 tasks are not within the allowed error rates: kernels/parts, kernels/shares",
            said,
        )
    assert (bench / "results" / "calibration" / "allowed_rates.parquet").is_file()
    assert _planned(bench) == {}
    allowed = "{false_pass_high: 1, known_bad: 1, mutants: 1, false_fail: 1}"
    strict.write_text(f"calibration: {{strict: true, allowed: {allowed}}}\n")
    _finish(_start(bench, "--configfile", strict.name))
    assert _planned(bench, "--configfile", strict.name) == {}


@pytest.mark.slow
def test_marks_and_labels_do_not_go_round_in_circles(bench):
    # calibration reads labelled runs, and the tables over all runs say what it has found
    _finish(_start(bench))
    _finish(_start(bench, target="all"))
    pairs = read_table("pairs", bench / "results" / "pairs.parquet").to_pylist()
    assert [row["calibrated"] for row in pairs] == [False]
    for target in ("all", "calibrate"):
        assert "Nothing to be done" in _finish(_start(bench, "-n", target=target))


@pytest.mark.slow
def test_a_change_of_one_card_measures_only_that_card_again(bench):
    _finish(_start(bench))
    verifier = bench / "tasks" / CARDS[1] / "verifier.yaml"
    verifier.write_text(verifier.read_text().replace("rtol: 1.0e-12", "rtol: 1.0e-6"))
    assert _planned(bench) == {
        # its labelled run is verified again, too
        "validate": 1, "execute": 1, "grade": 1, "verify": 1, "medal": 1, "prepare": 1,
        "calibrate_mutants": 1, "calibrate_controls": 4, "calibrate_flakes": 1,
        "calibrate_flaky_run": 1, "calibrate_tables": 1,
    }  # fmt: skip
    controls = sorted((bench / "results" / "calibration" / "controls").rglob("*.parquet"))
    before = {path: path.stat().st_mtime_ns for path in controls}
    _finish(_start(bench))
    changed = {path.parent.name for path in controls if path.stat().st_mtime_ns != before[path]}
    assert changed == {"shares"}


@pytest.mark.slow
def test_rows_that_are_no_use_end_no_calibration_and_are_kept_with_why(bench):
    (bench / "more.csv").write_text(
        "run_id,agent,task_id,submission\ngone,a,kernels/shares,gone.py\n"
        "ok,a,kernels/shares,submitted.py\n"
    )
    (bench / "wrong.csv").write_text(
        "task_id,run_id,label,who,why\n"
        "shares,ok,wrong,ada,so it is\n"
        "shares,r,falsch,ada,no label\n"
        "shares,no-such-run,right,ada,a typing error\n"
    )
    (bench / "wrong.yaml").write_text(
        "runs: [runs.csv, more.csv]\ncalibration:\n  adjudications: wrong.csv\n"
        "  flake_runs: [{task_id: shares, run_id: gone}, {task_id: shares, run_id: r},\n"
        "    {task_id: shares, run_id: nobody}, {task_id: no/task, run_id: r}]\n"
    )
    _finish(_start(bench, "--configfile", "wrong.yaml"))
    done = subprocess.run(
        [sys.executable, "-m", "biomlbench.cli", "calibrate", "check", "--json"],
        cwd=bench, env={**os.environ, "PYTHONPATH": str(bench)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    unused = json.loads(done.stdout)["unused_rows"]
    assert [(row["source"], row["task_id"], row["run_id"]) for row in unused] == [
        (IN_CONFIG, "kernels/shares", "nobody"),
        (IN_CONFIG, "no/task", "r"),
        ("wrong.csv:3", "shares", "r"),
        (IN_CONFIG, "kernels/shares", "gone"),
        ("wrong.csv:4", "kernels/shares", "no-such-run"),
    ]
    assert "gone.py" in unused[3]["message"]
    kills = read_table("kills", bench / "results" / "calibration" / "kills.parquet").to_pylist()
    # those beside them count: r by its run table, ok by its adjudication
    assert {row["solution"] for row in kills if row["family"] == "run"} == {"run/r", "run/ok"}
    assert _planned(bench, "--configfile", "wrong.yaml") == {}
    _finish(_start(bench, "--configfile", "wrong.yaml", target="all"))
    page = (bench / "results" / "report.html").read_text()
    assert "5 rows for the calibration could not be used" in page
