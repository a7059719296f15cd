"""The steps of `docs/extending/add-a-task.md`, taken in a folder of one's own."""

from __future__ import annotations

import csv
import importlib.util
from pathlib import Path

import pandas as pd
import pytest

from biomlbench.cli._scaffold import make
from biomlbench.errors import TaskError
from biomlbench.grade import grade_csv
from biomlbench.registry import Registry
from biomlbench.task.prepare import prepare_task
from biomlbench.verify.evidence import missing

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "extending" / "add-a-task.md").read_text()


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location(
        "make_leaderboard", ROOT / "tools" / "make_leaderboard.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def own(tmp_path):
    """Return a task from the template, as the page says to make it."""
    assert "biomlbench new task clinical/my-task" in PAGE
    make("task", "clinical/my-task", tmp_path / "my-tasks")
    return tmp_path / "my-tasks" / "clinical" / "my-task"


def test_a_copied_task_becomes_a_task_of_its_own(own, tool, tmp_path, monkeypatch):
    from biomlbench.zoo import leaderboard, models

    # three of the models are enough to see the way; the built-in boards have all of them
    short = [models.find_entry("regression", name) for name in ("mean", "ridge-1.0", "knn-8")]
    monkeypatch.setattr(leaderboard, "entries", lambda _: short)
    common = ["--tasks-dir", str(tmp_path / "my-tasks"), "--data-dir", str(tmp_path / "data")]
    assert tool.main([*common, "--checksums", "clinical/my-task"]) == 0
    assert tool.main([*common, "clinical/my-task"]) == 0
    registry = Registry(tasks_dirs=[tmp_path / "my-tasks"], data_dir=tmp_path / "data")
    task = registry.get_task("my-task")
    assert not prepare_task(task).fresh
    report = grade_csv(pd.read_csv(task.gold_submission), task)
    assert report.score == 0
    assert report.gold_medal
    assert report.leaderboard_size == 3
    with task.leaderboard.open(newline="") as handle:
        names = [row["name"] for row in csv.DictReader(handle)]
    assert names == ["ridge-1.0", "knn-8", "mean"]
    assert "3 places" in (own / "leaderboard.md").read_text()
    assert not missing(own)


def test_recorded_checksums_notice_another_split(own, tool, tmp_path):
    common = ["--tasks-dir", str(tmp_path / "my-tasks"), "--data-dir", str(tmp_path / "data")]
    tool.main([*common, "--checksums", "clinical/my-task"])
    preparer = own / "prepare.py"
    preparer.write_text(preparer.read_text().replace("TEST_SHARE = 0.4", "TEST_SHARE = 0.5"))
    registry = Registry(tasks_dirs=[tmp_path / "my-tasks"], data_dir=tmp_path / "data")
    with pytest.raises(TaskError, match=r"public/train\.csv"):
        prepare_task(registry.get_task("my-task"))


def test_the_tool_wants_a_task(tool, capsys):
    with pytest.raises(SystemExit):
        tool.main([])
    assert "name a task" in capsys.readouterr().err


def test_the_page_names_every_file_of_a_task(own):
    for path in own.iterdir():
        assert f"`{path.name}`" in PAGE
