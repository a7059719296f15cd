"""A built wheel works outside the clone: tasks, templates, report and types are in it."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from biomlbench.contracts import read_table
from biomlbench.demo import DEMO_TASKS, agents
from biomlbench.registry import Registry
from tests.shared import once

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Build it as pip does; with the backend that is here, so that no network is needed."""
    pytest.importorskip("hatchling", reason="the build backend hatchling is not installed")

    def build(folder):
        call = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
        subprocess.run([*call, "-w", str(folder), str(ROOT)], check=True)

    (path,) = once(tmp_path_factory, "wheel", build).glob("*.whl")
    return path


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory):
    """An environment with the wheel and what it needs, and nothing of the clone."""
    folder = tmp_path_factory.mktemp("environment") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    (site,) = folder.glob("lib/python3*/site-packages")
    here = Path(sysconfig.get_path("purelib"))
    # Compiled files come along: without them every process would compile what it imports.
    left_out = shutil.ignore_patterns("*.pth", "biomlbench*")
    shutil.copytree(here, site, dirs_exist_ok=True, ignore=left_out, copy_function=_link)
    call = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(site)]
    subprocess.run([*call, str(wheel)], check=True)
    return folder / "bin" / "python"


def _link(source, target):
    """Put a file into another folder without a copy, where both are on one file system."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """A folder with the wheel's content only, and a function that runs Python with it."""
    folder = tmp_path_factory.mktemp("installed")
    call = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(folder)]
    subprocess.run([*call, str(wheel)], check=True)
    away = tmp_path_factory.mktemp("away")

    def python(*arguments, code=0):
        environment = os.environ | {"PYTHONPATH": str(folder), "BIOMLBENCH_DATA_DIR": "data"}
        call = [sys.executable, *arguments]
        done = subprocess.run(call, cwd=away, env=environment, capture_output=True, text=True)
        assert done.returncode == code, done.stdout[-2000:] + done.stderr[-3000:]
        return done.stdout

    where = python("-c", "import biomlbench; print(biomlbench.__file__)").strip()
    assert Path(where).is_relative_to(folder)
    return python


def command(python, *arguments, code=0):
    return python("-m", "biomlbench.cli", *map(str, arguments), code=code)


def test_every_file_of_the_package_is_in_it(wheel):
    listed = subprocess.run(
        ["git", "ls-files", "biomlbench", "snakemake_logger_plugin_biomlbench"],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    if listed.returncode:
        pytest.skip("not a Git clone")
    wanted = {name for name in listed.stdout.splitlines() if (ROOT / name).is_file()}
    held = set(zipfile.ZipFile(wheel).namelist())
    assert wanted - held == set()
    assert "biomlbench/py.typed" in held
    assert not [name for name in held if name.startswith("tests/")]


def test_tasks_are_the_same(installed):
    rows = json.loads(command(installed, "tasks", "--json"))
    assert [row["task"] for row in rows] == Registry().list_task_ids()
    assert not [row for row in rows if row["name"].startswith("broken")]


def test_predictions_and_functions_are_graded(installed):
    command(installed, "prepare", "diabetes-progression", "kabsch-rmsd")
    gold = "data/clinical/diabetes-progression/prepared/private/gold_submission.csv"
    reverse = "open('right.csv', 'w').writelines(lines[:1] + lines[:0:-1])"
    installed("-c", f"lines = open({gold!r}).readlines(); {reverse}")
    row = json.loads(command(installed, "grade", "right.csv", "diabetes-progression", "--json"))
    assert (row["score"], row["medal"]) == (0.0, "gold")
    right = ROOT / "biomlbench" / "demo" / "functions" / "kabsch_right.py"
    rows = json.loads(command(installed, "verify", right, "kabsch-rmsd", "--json"))
    assert {row["verdict"] for row in rows} == {"pass"}


def test_templates_are_there(installed):
    command(installed, "new", "task", "clinical/two-drugs")
    command(installed, "new", "problem", "codon-usage")
    rows = json.loads(command(installed, "tasks", "--tasks-dir", "my-tasks", "--json"))
    assert {"clinical/two-drugs", "kernels/codon-usage"} <= {row["task"] for row in rows}
    command(installed, "prepare", "two-drugs", "--tasks-dir", "my-tasks")
    command(installed, "new", "metric", "mine", code=2)


def test_the_report_can_be_written(installed):
    code = (
        "from pathlib import Path; from biomlbench.contracts import SCHEMAS, write_table\n"
        "for name in ('pairs', 'checks', 'agents', 'tasks', 'telemetry'):\n"
        "    write_table(name, SCHEMAS[name].empty_table(), f'results/{name}.parquet')\n"
    )
    installed("-c", code)
    command(installed, "report", "results")
    command(installed, "export", "results", "--format", "ro-crate")


def test_the_workflow_is_in_it(wheel):
    held = set(zipfile.ZipFile(wheel).namelist())
    folders = ("workflow", "scripts", "profiles", "config")
    wanted = {
        path.relative_to(ROOT).as_posix()
        for folder in folders
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    wanted |= {"Snakefile", "envs/requirements.lock"}
    assert {f"biomlbench/share/{name}" for name in wanted} <= held


@pytest.fixture(scope="module")
def demo(environment, tmp_path_factory):
    """A folder in which a newcomer who has no clone has run the demo, all 68 pairs of it."""
    folder = tmp_path_factory.mktemp("demo")
    done = run_demo(environment, folder)
    assert done.returncode == 0, done.stderr[-4000:]
    assert "There is no config/config.yaml here, so this is the demo benchmark." in done.stderr
    return folder


def run_demo(environment, folder):
    call = [str(environment), "-m", "biomlbench.cli", "run", "--results", "mine"]
    variables = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    return subprocess.run(call, cwd=folder, env=variables, text=True, capture_output=True)


@pytest.fixture(scope="module")
def rows(demo):
    return read_table("pairs", demo / "mine" / "pairs.parquet").to_pylist()


def test_the_demo_runs_in_an_empty_folder(environment, demo, rows):
    assert len(rows) == 68
    assert not [row for row in rows if row["fault"] == "infrastructure"]
    assert (demo / "mine" / "report.html").is_file()
    assert "Nothing to be done" in run_demo(environment, demo).stderr
    assert sorted(path.name for path in demo.iterdir() if path.name != ".snakemake") == [
        "mine",
        "runs",
    ]


def test_what_the_demo_spoils_gets_its_reason(rows):
    with (Path(agents.__file__).parent / "expected.csv").open(newline="") as file:
        wanted = {
            (row["task_id"], row["run_id"]): (row["fault"], row["reason"])
            for row in csv.DictReader(file)
        }
    spoilt = [row for row in rows if row["agent"] == "spoilt"]
    assert {(r["task_id"], r["run_id"]): (r["fault"], r["reason"]) for r in spoilt} == wanted
    assert {row["verdict"] for row in spoilt if row["kind"] == "functions"} == {"fail"}


def test_what_the_demo_calls_right_passes_and_what_it_calls_wrong_does_not(rows):
    code = {
        (agent.name, task): names
        for agent in agents.AGENTS
        for task, names in agent.functions.items()
    }
    judged = [row for row in rows if row["kind"] == "functions" and row["agent"] != "spoilt"]
    assert judged
    for row in judged:
        right = "_right" in code[row["agent"], row["task_id"]][row["attempt"] - 1]
        assert (row["verdict"] == "pass") == right, row


def test_the_demos_strong_agent_beats_the_weak_one(rows):
    for task_id in DEMO_TASKS[:4]:
        strong, weak = (
            sum(r["score"] for r in rows if (r["task_id"], r["agent"]) == (task_id, agent))
            for agent in ("aurora", "dune")
        )
        lower = Registry().get_task(task_id).is_lower_better
        assert strong < weak if lower else strong > weak, task_id
