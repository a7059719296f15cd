"""Several benchmarks in one folder, from any folder, and as part of another workflow.

The steps of run-anywhere.md are among them.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

import pytest

from biomlbench.calibrate.gate import MEASURED, not_within_allowed
from biomlbench.contracts import compared, from_rows, read_table, write_table
from biomlbench.reproduce.inputs import Inputs
from biomlbench.workflow.checked_config import checked
from biomlbench.workflow.config import ConfigError
from tests.workflow.conftest import PER_PAIR, ROOT, Bench

ONE = """\
title: One pair
runs: [one.csv]
tasks_dirs: [toy]
grading: {bootstrap: 200, seed: 3}
"""
MODULE = """\
module biomlbench:
    snakefile: "Snakefile.biomlbench"
    config: config["grading"]
    %s

use rule * from biomlbench%s
"""


def add_one(path, results=None):
    """Write a config of one pair beside the toy benchmark's."""
    line = f"results_dir: {results}\n" if results else ""
    (path / "one.yaml").write_text(ONE + line)
    (path / "one.csv").write_text("run_id,agent,task_id,submission\nfirst,eve,line,subs/near.csv\n")


def state(folder):
    """Times, sizes and names of all files but Snakemake's own."""
    return {
        str(path): (path.stat().st_mtime_ns, path.stat().st_ctime_ns, path.stat().st_size)
        for path in folder.rglob("*")
        if ".snakemake" not in path.parts and "__pycache__" not in path.parts
    }


def pairs_of(results):
    return read_table("pairs", results / "pairs.parquet")


def planned(text):
    found = re.findall(r"^(\w+) +(\d+)$", text, re.MULTILINE)
    return {rule: int(n) for rule, n in found}


def test_a_dry_run_changes_nothing_and_plans_a_replaced_submission(bench):
    add_one(bench.path)
    bench.snakemake()
    text = (bench.path / "subs" / "right.csv").read_text()
    (bench.path / "subs" / "near.csv").write_text(text)
    os.utime(bench.path / "subs" / "near.csv", (1, 1))
    before = state(bench.path)
    assert bench.stages() == dict.fromkeys(PER_PAIR, 1)
    assert bench.stages() == dict.fromkeys(PER_PAIR, 1)
    bench.snakemake("-n", "--configfile", "one.yaml", "--config", "results_dir=elsewhere")
    assert state(bench.path) == before


def test_another_benchmark_has_a_folder_of_its_own(bench):
    add_one(bench.path, "out/one")
    before = state(bench.results())
    bench.snakemake("--configfile", "one.yaml")
    assert state(bench.results()) == before
    out = bench.path / "out" / "one"
    assert [row["agent"] for row in pairs_of(out).to_pylist()] == ["eve"]
    assert (out / "report.html").is_file()
    assert '"runs": 1,' in (out / "calibration" / "usage.json").read_text()
    assert Inputs({"config": {"results_dir": "out/one"}}, out).base == bench.path
    done = bench.snakemake("-n", "--configfile", "one.yaml")
    assert "Nothing to be done" in done.stderr


def test_a_config_after_a_calibration_plans_its_own_jobs(bench):
    """Whatever has been calibrated in the folder, `snakemake` measures none of it again."""
    add_one(bench.path)
    rows = [
        {
            "task_id": task,
            "within_allowed": False,
            "reasons": ["known-bad"],
            "right": 1,
            "wrong": 1,
            "false_pass": 1.0,
            "false_pass_high": 1.0,
            "false_fail": 0.0,
            "false_fail_high": 0.5,
        }
        for task in ("toy/line", "toy/circle")
    ]
    path = bench.results() / "calibration" / "allowed_rates.parquet"
    made_from = {MEASURED: '{"toy/line": ["of another config", "x"]}'}
    write_table("allowed_rates", from_rows("allowed_rates", rows), path, made_from)
    done = bench.snakemake("-n", "--configfile", "one.yaml")
    jobs = planned(done.stdout + done.stderr)
    assert jobs["medal"] == 1
    assert not {rule for rule in jobs if rule.startswith("calibrate")} - {"calibrate_telemetry"}
    assert jobs["total"] < 30
    before = pairs_of(bench.results())
    bench.snakemake()  # aggregates again, as the table is new
    assert compared("pairs", pairs_of(bench.results())).equals(compared("pairs", before))


def test_only_the_calibration_of_the_same_config_counts(tmp_path, caplog):
    row = {
        "within_allowed": False,
        "reasons": ["mutants"],
        "right": 1,
        "wrong": 1,
        "false_pass": 1.0,
        "false_pass_high": 1.0,
        "false_fail": 0.0,
        "false_fail_high": 0.5,
    }
    rows = [{"task_id": name, **row} for name in ("t/own", "t/old", "t/other", "t/gone")]
    made_from = {MEASURED: '{"t/own": ["a", "1"], "t/old": ["a", "1"], "t/other": ["b", "1"]}'}
    path = tmp_path / "calibration" / "allowed_rates.parquet"
    write_table("allowed_rates", from_rows("allowed_rates", rows), path, made_from)
    now = {"t/own": ("a", "1"), "t/old": ("a", "2"), "t/other": ("a", "1"), "t/new": ("a", "1")}
    assert not_within_allowed(tmp_path, now) == {"t/own": ("mutants",), "t/old": ("mutants",)}
    assert "out of date for t/old:" in caplog.text
    assert len(not_within_allowed(tmp_path)) == 4


@pytest.mark.parametrize("name", [".", "..", "a/..", "a{task}", "<b>", "a\nb", "../.."])
def test_a_folder_that_cannot_hold_results_is_refused(name):
    with pytest.raises(ConfigError, match=r"`results_dir`.*name a folder, as results-2"):
        checked({"runs": ["a.csv"], "results_dir": name}, ROOT)


@pytest.mark.parametrize(
    ("name", "taken"), [("a/", "a"), ("./a//b", "a/b"), ("../r", "../r"), ("/x/r", "/x/r")]
)
def test_a_folder_for_results_is_taken_as_a_path(name, taken):
    assert checked({"runs": ["a.csv"], "results_dir": name}, ROOT)["results_dir"] == taken


@pytest.mark.slow
def test_two_benchmarks_at_the_same_time(fresh, finished):
    add_one(fresh.path, "out/one")
    arguments = [[], ["--configfile", "one.yaml"]]
    both = [
        subprocess.Popen(
            fresh.command(*more),
            cwd=fresh.path,
            env=fresh.env(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for more in arguments
    ]
    said = [process.communicate()[0] for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert pairs_of(fresh.path / "out" / "one").num_rows == 1
    alone, beside = (compared("pairs", pairs_of(p / "results")) for p in (finished, fresh.path))
    assert alone.equals(beside)


@pytest.mark.slow
def test_results_anywhere_run_from_anywhere(fresh, tmp_path):
    add_one(fresh.path)
    away = tmp_path / "away"
    away.mkdir()
    where = tmp_path / "all results" / "here"
    call = ["-s", str(fresh.path / "Snakefile"), "--configfile", str(fresh.path / "one.yaml")]
    call += ["--directory", str(fresh.path), "--config", f"results_dir={where}"]
    command = [sys.executable, "-m", "snakemake", "--cores", "2", *call]
    subprocess.run(command, cwd=away, env=fresh.env(), check=True, capture_output=True)
    assert pairs_of(where).num_rows == 1
    assert not (fresh.path / "results").exists()


def test_a_folder_without_a_config_gets_the_demo(tmp_path):
    command = [sys.executable, "-m", "snakemake", "-s", str(ROOT / "Snakefile"), "-n"]
    command += ["--config", "results_dir=demo-results"]
    done = subprocess.run(command, cwd=tmp_path, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    jobs = planned(done.stdout + done.stderr)
    assert (jobs["medal"], jobs["demo"]) == (68, 1)
    assert not [path for path in tmp_path.rglob("*") if ".snakemake" not in path.parts]


def importing(path, clause, name="", rest=""):
    """Make the toy benchmark one that another workflow imports."""
    shutil.move(path / "Snakefile", path / "Snakefile.biomlbench")
    (path / "Snakefile").write_text(MODULE % (clause, name) + rest)
    shutil.rmtree(path / "config")
    shutil.rmtree(path / "profiles")
    add_one(path)
    indented = "".join(f"  {line}\n" for line in (path / "one.yaml").read_text().splitlines())
    (path / "theirs.yaml").write_text(f"grading:\n{indented}")
    return Bench(path)


MINE = """
rule mine:
    default_target: True
    input: "%s/report.html"
    output: "mine.txt"
    shell: "cp {input} {output}"
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("clause", "name", "results"),
    [
        ('prefix: "graded"', " as grading_*", "graded/results"),
        ('pathvars: results="graded"', "", "graded"),
        ("", " as *_of_biomlbench", "results"),
    ],
)
def test_the_rules_run_in_another_workflow(fresh, clause, name, results):
    bench = importing(fresh.path, clause, name, MINE % results)
    bench.snakemake("--configfile", "theirs.yaml")
    assert (bench.path / "mine.txt").is_file()
    assert [row["verdict"] for row in pairs_of(bench.path / results).to_pylist()] == ["pass"]
    assert (bench.path / results / ".submissions.json").is_file()
    again = bench.snakemake("--configfile", "theirs.yaml")
    assert "Nothing to be done" in again.stderr


def test_a_prefix_that_results_cannot_have_is_refused(fresh):
    bench = importing(fresh.path, 'prefix: "graded"')
    config = ["--config", "grading={'runs': ['one.csv'], 'results_dir': '/tmp/elsewhere'}"]
    done = bench.snakemake("-n", *config, check=False)
    assert done.returncode != 0
    said = done.stdout + done.stderr
    assert "`prefix` or `replace_prefix` does not go with results in /tmp/elsewhere" in said


def test_a_title_may_have_braces(bench):
    done = bench.snakemake("-n", "--config", "title=Results {2025} {wildcards.run}")
    assert "WildcardError" not in done.stdout + done.stderr
