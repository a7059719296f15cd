"""`biomlbench new`: what comes out of a template works, and passes the contract tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from biomlbench.cli import _cli
from biomlbench.cli._scaffold import KINDS, ScaffoldError, make
from biomlbench.registry import Registry

ROOT = Path(__file__).resolve().parents[2]
OF_TASKS = {"task", "problem"}
"""Kinds that are folders of tasks; the others are files of a clone."""


def pytest_in(clone, *arguments):
    """Run tests of the copy, in which a new thing must be found without being listed."""
    environment = os.environ | {"PYTHONPATH": str(clone), "PYTEST_ADDOPTS": ""}
    for name in [name for name in environment if name.startswith("PYTEST_XDIST")]:
        del environment[name]
    # A folder of its own: pytest would go through those of all earlier runs, and remove old ones.
    own = f"--basetemp={clone.parent / 'tmp'}"
    call = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", own, *arguments]
    done = subprocess.run(call, cwd=clone, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    return done.stdout


def test_a_task_can_be_prepared_and_graded_as_it_is(tmp_path):
    from biomlbench.grade import grade_csv
    from biomlbench.task.prepare import prepare_task

    made = make("task", "clinical/two-drugs", tmp_path)
    assert {path.name for path in made.files} == {
        *("config.yaml", "prepare.py", "baseline.py", "description.md"),
    }
    task = Registry(tasks_dirs=[tmp_path], data_dir=tmp_path / "data").get_task("two-drugs")
    assert task.name == "Two drugs"
    prepare_task(task)
    gold, sample = (
        grade_csv(pd.read_csv(p), task) for p in (task.gold_submission, task.sample_submission)
    )
    assert gold.score == 0
    assert sample.score > 20
    assert "no leaderboard" in gold.medal_note
    assert "My name" not in "".join(path.read_text() for path in made.files)


def test_tasks_of_the_template_tell_nothing_of_one_another(tmp_path):
    from biomlbench.task.prepare import prepare_task

    parts = []
    for name in ("clinical/two-drugs", "clinical/other-drugs", "cells/two-drugs"):
        make("task", name, tmp_path)
        task = Registry(tasks_dirs=[tmp_path], data_dir=tmp_path / "data").get_task(name)
        prepare_task(task)
        parts += [pd.read_csv(task.public_dir / file) for file in ("train.csv", "test.csv")]
    features = [name for name in parts[1].columns if name != "id"]
    assert not pd.concat(parts)[features].duplicated().any()


@pytest.fixture(scope="module")
def grown(tmp_path_factory):
    """A copy of the project with one more of everything, and what was made of each kind."""
    from tests.cli.conftest import copy_project

    clone = copy_project(tmp_path_factory.mktemp("grown"))
    tasks, data = clone / "biomlbench" / "tasks", clone / "data"
    made = {kind: make(kind, f"tried-{kind}", clone) for kind in KINDS if kind not in OF_TASKS}
    made["problem"] = make("problem", "kernels/tried-problem", tasks)
    made["task"] = make("task", "clinical/two-drugs", tasks)
    tool = [sys.executable, "tools/make_leaderboard.py", "--data-dir", str(data)]
    environment = os.environ | {"PYTHONPATH": str(clone)}
    for more in (["--checksums"], []):
        subprocess.run([*tool, *more, "clinical/two-drugs"], cwd=clone, env=environment, check=True)
    config = made["task"].files[0].parent / "config.yaml"
    config.write_text(config.read_text().replace("# leaderboard", "leaderboard"))
    return clone, made


@pytest.mark.slow
def test_a_task_with_its_leaderboard_passes_the_contract_of_all_tasks(grown):
    clone, _ = grown
    out = pytest_in(clone, "tests/tasks/test_contract.py", "-k", "two-drugs")
    assert "7 passed" in out


@pytest.mark.slow
def test_one_more_of_everything_passes_the_contracts_of_all(grown):
    """The command that `biomlbench new` ends with finds what was made, and passes."""
    clone, made = grown
    paths, names = ["tests/verify/test_cards.py"], ["tried-problem"]
    for kind in made.keys() - OF_TASKS:
        python, m, pytest_, path, k, name = made[kind].next_step.split()
        assert (python, m, pytest_, k) == ("python", "-m", "pytest", "-k")
        paths.append(path)
        names.append(name)
    passed = [
        line
        for line in pytest_in(clone, "-vv", *paths, "-k", " or ".join(names)).splitlines()
        if " PASSED" in line
    ]
    for name in names:
        assert any(name in line for line in passed), name


@pytest.mark.slow
def test_one_more_of_everything_passes_lint(grown):
    """What the templates write is as clean as the rest, under names of any length."""
    clone, _ = grown
    for tool in ("ruff", "mypy"):
        pytest.importorskip(tool, reason="pip install '.[lint]'")
    if (ROOT / ".mypy_cache").is_dir():  # what it found of files that are the same here
        shutil.copytree(ROOT / ".mypy_cache", clone / ".mypy_cache")
    for call in (["ruff", "check", "."], ["ruff", "format", "--check", "."], ["mypy"]):
        done = subprocess.run(
            [sys.executable, "-m", *call], cwd=clone, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]


def test_a_problem_is_a_calibrated_card(tmp_path):
    from biomlbench.verify import card, evidence

    made = make("problem", "codon-usage", tmp_path)
    folder = tmp_path / "kernels" / "codon-usage"
    task = Registry(tasks_dirs=[tmp_path]).get_task("kernels/codon-usage")
    assert task.name == "Codon usage"
    assert evidence.missing(folder) == []
    assert evidence.matrix(folder).complete
    assert len(card.load(folder).plan().cases) > 30
    assert made.next_step == f"biomlbench evidence kernels/codon-usage --tasks-dir {tmp_path}"


def test_metric_check_and_plot_pass_the_contracts_of_all(clone):
    for kind in ("metric", "check", "plot"):
        made = make(kind, f"tried-{kind}", clone)
        assert all(path.is_file() for path in made.files)
    tests = {
        "tests/metrics/test_contract.py": 15,
        "tests/report/test_plots.py": 7,
        "tests/cli/test_check_contract.py": 3,
    }
    out = pytest_in(clone, *tests, "-k", "tried_metric or tried_plot or tried_check")
    assert int(out.split(" passed")[0].split()[-1]) >= sum(tests.values())
    pytest_in(clone, "tests/verify/test_rules.py", "-k", "schema")
    doctest = ["--doctest-modules", "biomlbench/metrics/tried_metric.py"]
    assert "1 passed" in pytest_in(clone, *doctest)


def test_a_new_check_tells_right_from_wrong_output(clone):
    """Not only declared: found by its name, it judges."""
    if not (clone / "biomlbench" / "verify" / "modes" / "used_check.py").exists():
        make("check", "used-check", clone)
    code = """
import sys
from types import SimpleNamespace as Plain
import numpy as np
from biomlbench.verify.modes import get_mode
mode = get_mode("used_check")
check = Plain(options={"of": "x"})
mode.resolve(check, None)
inputs = {"x": np.array([1.0, 2.0])}
assert mode.judge(check, Plain(inputs=inputs, output=np.array([2.0, 2.0])), None).ok
found = mode.judge(check, Plain(inputs=inputs, output=np.array([3.0])), None)
assert not found.ok and "1 number" in found.message
"""
    subprocess.run([sys.executable, "-c", code], cwd=clone, check=True)


@pytest.mark.parametrize(
    ("kind", "name", "said"),
    [
        ("task", "no-domain", "clinical/no-domain"),
        ("task", "Clinical/x", "lower-case"),
        ("task", "clinical/../x", "lower-case"),
        ("task", "all/x", "all domains together .* such as clinical/x"),
        ("problem", "clinical/x", "kernels/x"),
        ("metric", "class", "reserved word of Python.*class-of-mine"),
        ("metric", "rmse/../../x", "lower-case"),
        ("plot", "1st", "lower-case"),
        ("tasks", "x", "no template"),
    ],
)
def test_a_bad_name_is_refused_with_a_better_one(tmp_path, kind, name, said):
    with pytest.raises(ScaffoldError, match=said):
        make(kind, name, tmp_path)
    assert not list(tmp_path.iterdir())


def test_nothing_is_overwritten(clone, tmp_path):
    make("task", "clinical/mine", tmp_path)
    with pytest.raises(ScaffoldError, match="there already"):
        make("task", "clinical/mine", tmp_path)
    before = (clone / "biomlbench" / "report" / "plots" / "medals.py").read_text()
    with pytest.raises(ScaffoldError, match="there already"):
        make("plot", "medals", clone)
    assert (clone / "biomlbench" / "report" / "plots" / "medals.py").read_text() == before


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("metric", "rmse"),  # in a file of several
        ("metric", "roc-auc"),
        ("metric", "get-metric"),  # what the package itself is asked for
        ("metric", "np"),  # what the template's code uses
        ("check", "all-modes"),
        ("data-source", "s3"),
        ("data-source", "sha256"),
        ("export", "all-forms"),
        ("provider", "auto"),
        ("provider", "unsafe"),
        ("submission-kind", "py"),
    ],
)
def test_a_name_that_is_taken_in_any_file_is_refused(clone, kind, name):
    def files():
        return set((clone / "biomlbench").rglob("*.py"))

    before = files()
    with pytest.raises(ScaffoldError, match="already"):
        make(kind, name, clone)
    assert files() == before


def test_a_task_of_that_id_elsewhere_is_told(tmp_path):
    taken = Registry().list_task_ids()[0]
    with pytest.raises(ScaffoldError, match=f"a task {taken} already"):
        make("problem" if taken.startswith("kernels/") else "task", taken, tmp_path)


def test_a_clone_that_cannot_be_read_is_told_so(clone):
    broken = clone / "biomlbench" / "metrics" / "broken_metric.py"
    broken.write_text("1 / 0\n")
    try:
        with pytest.raises(ScaffoldError, match="ZeroDivisionError"):
            make("metric", "never-made", clone)
    finally:
        broken.unlink()
    assert not (clone / "biomlbench" / "metrics" / "never_made.py").exists()


def test_a_metric_needs_a_clone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ScaffoldError, match="--to"):
        make("metric", "anything")
    with pytest.raises(ScaffoldError, match="not a clone"):
        make("metric", "anything", tmp_path)


def test_the_command_says_what_it_made_and_how_to_go_on(tmp_path):
    result = CliRunner().invoke(_cli, ["new", "problem", "codon-usage", "--to", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert "reference.py" in result.output
    assert "biomlbench evidence kernels/codon-usage" in result.output
    assert "docs/extending/add-a-problem.md" in result.output
    again = CliRunner().invoke(_cli, ["new", "problem", "codon-usage", "--to", str(tmp_path)])
    assert again.exit_code == 2
    assert "there already" in again.output


def test_the_command_offers_every_kind():
    from biomlbench.cli.new import command

    assert tuple(command.params[0].type.choices) == KINDS
