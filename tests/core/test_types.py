"""Types: the checker is strict about the package, and what it exports is typed for its users."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
USER = """
from pathlib import Path

from biomlbench.grade import TaskReport, aggregate_reports, grade_csv
from biomlbench.metrics import get_metric
from biomlbench.registry import Registry, Task, registry

tasks: Registry = registry.set_data_dir("data")
task: Task = tasks.get_task("caco2-wang")
report: TaskReport = grade_csv(Path("my.csv"), task)
score: float | None = report.score
total: int = aggregate_reports([report])["total_runs"]
error: float = get_metric("rmse")([1.0], [2.0])
"""


def test_the_checker_is_strict_about_the_whole_package():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mypy"]
    assert settings["strict"] is True
    assert set(settings["packages"]) == {
        "bench",
        "biomlbench",
        "snakemake_logger_plugin_biomlbench",
    }
    for override in settings["overrides"]:
        assert set(override) == {"module", "ignore_missing_imports"}
        assert not [name for name in override["module"] if name.startswith("biomlbench")]


def test_no_error_is_ignored_without_its_name():
    for path in sorted((ROOT / "biomlbench").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"type: ignore(?!\[)", text), path
        assert "# mypy:" not in text, path


@pytest.mark.slow
def test_users_code_is_checked_against_it(tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed (extra `lint`)")
    wrong = ["taken: str = report.score\n", "grade_csv(3, task)\n"]
    (tmp_path / "mine.py").write_text(USER + "".join(wrong))
    call = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "mine.py"]
    done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True)
    found = re.findall(r"^mine\.py:(\d+): error: .*\[([\w-]+)\]$", done.stdout, re.MULTILINE)
    first = USER.count("\n") + 1
    expected = [(str(first), "assignment"), (str(first + 1), "arg-type")]
    assert found == expected, done.stdout + done.stderr
