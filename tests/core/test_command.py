"""What `biomlbench run` refuses before Snakemake starts, which would name no file and no line."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import biomlbench
from biomlbench.cli import run
from biomlbench.errors import UserError
from biomlbench.task.registry import cache_dir
from biomlbench.workflow import command
from biomlbench.workflow.command import check_configs

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("good one.yaml").write_text("runs: [a.csv]\n")
    Path("broken.yaml").write_text("title: x\nruns: [a.csv\n")
    Path("list.yaml").write_text("- a\n")
    Path("empty.yaml").touch()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--configfile", "gone.yaml"], "gone.yaml: there is no such config file in /"),
        (["--configfile=gone.yaml"], "gone.yaml: there is no such config file in /"),
        (["-n", "--configfile", "good one.yaml", "broken.yaml"], r"broken.yaml:[23]: "),
        (["--configfiles", "list.yaml"], "list.yaml:1: a config is a mapping"),
        (["--configfile", "empty.yaml"], "empty.yaml:1: a config is a mapping"),
        (["good one.yaml"], "by its option, --configfile 'good one.yaml'"),
        (["GOOD.YAML"], "by its option, --configfile GOOD.YAML"),
        (["--cores=2", "good one.yaml"], "by its option, --configfile 'good one.yaml'"),
        (["--directory", "nope", "-n"], "nope: to run in it, make this folder in /"),
        (["-d=nope"], "nope: to run in it"),
    ],
)
def test_a_config_that_cannot_be_used_is_named(arguments, said):
    with pytest.raises(UserError, match=said):
        check_configs(arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--configfile", "good one.yaml", "-n"],
        ["--configfile=good one.yaml"],
        ["calibrate", "--profile", "x.yaml"],
        ["--config", "runs=[a.csv]"],
        ["-d", ".", "calibrate"],
        ["--directory=.", "calibrate"],
    ],
)
def test_all_else_is_left_to_snakemake(arguments):
    check_configs(arguments)


@pytest.mark.parametrize(
    "given",
    [
        ["--configfile", "good one.yaml", "--cores", "2", "calibrate"],
        ["--configfile", "good one.yaml", "-c2", "calibrate"],
        ["--configfile", "good one.yaml", "--cores=2", "calibrate"],
        ["--cores", "2", "--configfile", "good one.yaml", "--results", "mine", "calibrate"],
    ],
)
def test_an_option_of_ours_ends_the_list_of_config_files(given, monkeypatch):
    started = []
    monkeypatch.setattr(command, "become_snakemake", lambda call, cores: started.append(call))
    done = CliRunner().invoke(run.command, given)
    assert done.exit_code == 0, done.output
    (call,) = started
    place = call.index("good one.yaml")
    assert call[place + 1].startswith("--cores=")
    assert "calibrate" in call[place + 2 :]
    assert ("results_dir=mine" in call) == ("mine" in given)


def test_all_cores_are_those_that_this_process_may_use(monkeypatch):
    started = []
    monkeypatch.setattr(command, "become_snakemake", lambda call, cores: started.append(cores))
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 2, 5})
    for given in (["--cores", "all"], ["-call"], ["--cores=all"], [], ["-c2"]):
        assert CliRunner().invoke(run.command, given).exit_code == 0
    assert started == [3, 3, 3, 3, 2]


@pytest.mark.parametrize("given", [["--touch"], ["-n", "-t"], ["calibrate", "--touch"]])
def test_touch_is_refused_with_a_remedy(given):
    done = CliRunner().invoke(run.command, given)
    assert isinstance(done.exception, UserError)
    assert str(done.exception).startswith("--touch would have results")
    assert "leave it out" in str(done.exception)


def test_snakemake_has_a_cache_where_the_home_folder_cannot_be_made(tmp_path, monkeypatch):
    """As `/nonexistent` of an account of a service; the data of tasks stay where they were."""
    (tmp_path / "file").touch()
    for name in ("XDG_CACHE_HOME", "BIOMLBENCH_CACHE_DIR"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "file" / "home"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(command.os, "execv", lambda *_: None)
    before = cache_dir()
    command.become_snakemake([], 1)
    assert before.is_relative_to(tmp_path / f"cache-{os.getuid()}")
    assert os.environ["XDG_CACHE_HOME"] == str(tmp_path / f"cache-{os.getuid()}")
    assert cache_dir() == before


def test_the_package_is_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "biomlbench", "--version"], capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("biomlbench")


def test_no_process_takes_its_modules_from_the_working_directory(tmp_path):
    for name in ("snakemake", "pip", "json", "importlib"):
        (tmp_path / f"{name}.py").write_text("open('caught', 'w').close()\n")
    code = (
        "from biomlbench.cli._doctor import _index; _index();"
        "from biomlbench.workflow.command import become_snakemake as run; run(['--version'], 1)"
    )
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], cwd=tmp_path, env=env, capture_output=True, check=True
    )
    assert done.stdout.decode().strip()[0].isdigit()
    assert not (tmp_path / "caught").exists()


def test_every_module_that_is_run_by_name_is_not_sought_in_the_working_directory():
    package = Path(biomlbench.__file__).parent
    calls = [
        (path.name, number)
        for path in package.rglob("*.py")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(r'sys\.executable, "-m"', line)
    ]
    assert calls == []
