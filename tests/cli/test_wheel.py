"""A built wheel works outside the clone: tasks, templates, report and types are in it."""

from __future__ import annotations

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


# A run of each kind; all of the demo's are run in a clone, whose outcome tests/demo looks at.
FEW = {
    "clinical/diabetes-progression": ("birch-seed1", "cedar-seed2"),
    "kernels/kabsch-rmsd": ("birch-attempt1",),
}


def test_the_demo_runs_in_an_empty_folder(environment, tmp_path):
    """As a newcomer's who has no clone; then a benchmark of their own up to its report."""
    tables = [
        f"mine/pairs/{task}/{run}/medal.parquet" for task, runs in FEW.items() for run in runs
    ]
    done = run(environment, tmp_path, *tables)
    assert "There is no config/config.yaml here, so this is the demo benchmark." in done.stderr
    assert all((tmp_path / table).is_file() for table in tables)
    assert "Nothing to be done" in run(environment, tmp_path, *tables).stderr
    made = [path for path in tmp_path.iterdir() if path.name != ".snakemake"]
    assert sorted(path.name for path in made) == ["mine", "runs"]
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.yaml").write_text("runs: [few.csv]\n")
    (tmp_path / "few.csv").write_text(
        "run_id,agent,task_id,submission\n"
        "birch-seed1,birch,diabetes-progression,"
        "runs/demo/birch/clinical/diabetes-progression/seed1.csv\n"
    )
    run(environment, tmp_path)
    (row,) = read_table("pairs", tmp_path / "mine" / "pairs.parquet").to_pylist()
    assert (row["verdict"], row["fault"]) == ("pass", "none")
    assert (tmp_path / "mine" / "report.html").is_file()


def run(environment, folder, *targets):
    call = [str(environment), "-m", "biomlbench.cli", "run", *targets, "--results", "mine"]
    variables = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(call, cwd=folder, env=variables, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr[-4000:]
    return done
