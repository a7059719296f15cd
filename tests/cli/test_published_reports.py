"""The published grading reports, as exports and of `grade-jsonl`: keys, digits and bytes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from textwrap import dedent

import pytest
from click.testing import CliRunner

from biomlbench.cli import TROUBLE, _cli
from biomlbench.export import export
from biomlbench.export.published import published_text
from biomlbench.scoring.medals import rank_score
from biomlbench.scoring.task_report import TaskReport
from tests.controls import right_submission

SHARED = [
    *("score", "gold_threshold", "silver_threshold", "bronze_threshold", "median_threshold"),
    *("any_medal", "gold_medal", "silver_medal", "bronze_medal", "above_median"),
    *("submission_exists", "valid_submission", "is_lower_better", "created_at", "submission_path"),
]
TOTALS = [
    *("total_runs", "total_runs_with_submissions", "total_valid_submissions", "total_medals"),
    *("total_gold_medals", "total_silver_medals", "total_bronze_medals", "total_above_median"),
]
NOW = datetime(2025, 4, 1, 12, 30, 15, 250, tzinfo=UTC)


def report(score=0.123456789, percentile=12.35, size=2000, **more):
    medals = {"gold_medal": False, "silver_medal": False, "bronze_medal": score is not None}
    limits = {"gold_threshold": 0.1, "silver_threshold": 0.2, "bronze_threshold": 1 / 3}
    values = {
        "task_id": "polarishub/caco2",
        "score": score,
        **limits,
        "median_threshold": 0.5,
        "any_medal": score is not None,
        **medals,
        "above_median": score is not None,
        "submission_exists": True,
        "valid_submission": score is not None,
        "is_lower_better": True,
        "created_at": None,
        "submission_path": "runs/g/s-é.csv",
        "leaderboard_percentile": percentile,
        "leaderboard_size": size,
        "beats_human": True,
        "human_percentile": 66.6666,
        "score_low": 0.1,
    }
    return TaskReport(**(values | more))


def invalid():
    return report(None, None, beats_human=None, human_percentile=None, created_at=NOW)


def test_bioml_bench_has_its_keys_in_its_order_and_its_digits():
    told = json.loads(published_text([report(), invalid()], "bioml-bench", NOW))
    best = ("avg_leaderboard_percentile", "best_leaderboard_percentile")
    last = ("worst_leaderboard_percentile", "task_reports")
    assert list(told) == [*TOTALS, "total_beats_human", *best, *last]
    first, second = told["task_reports"]
    ours = ("leaderboard_percentile", "leaderboard_size", "beats_human", "human_percentile")
    assert list(first) == list(second) == ["task_id", *SHARED, *ours]
    assert first["score"] == 0.12346
    assert first["bronze_threshold"] == 1 / 3
    assert first["leaderboard_percentile"] == 12.4  # as NumPy rounds; Python gives 12.3
    assert first["human_percentile"] == 66.7
    assert first["created_at"] == "2025-04-01T12:30:15.000250"
    assert (told["total_valid_submissions"], told["total_beats_human"]) == (1, 1)
    assert second["score"] is second["beats_human"] is second["leaderboard_percentile"] is None


def test_mle_bench_names_competitions():
    told = json.loads(published_text([report()], "mle-bench", NOW))
    assert list(told) == [*TOTALS, "competition_reports"]
    assert list(told["competition_reports"][0]) == ["competition_id", *SHARED]
    assert told["competition_reports"][0]["competition_id"] == "caco2"


def test_two_tasks_of_one_name_keep_their_domains():
    ids = ("clinical/sepsis", "onco/sepsis", "polarishub/caco2")
    text = published_text([report(task_id=one) for one in ids], "mle-bench", NOW)
    found = [entry["competition_id"] for entry in json.loads(text)["competition_reports"]]
    assert found == ["clinical/sepsis", "onco/sepsis", "caco2"]


def test_layout_is_that_of_the_published_programs():
    text = published_text([report()], "bioml-bench", NOW)
    assert text == json.dumps(json.loads(text), indent=2)
    assert "\\u00e9" in text


def test_task_without_a_leaderboard_has_null_thresholds():
    limits = dict.fromkeys([name for name in SHARED if name.endswith("threshold")])
    (entry,) = json.loads(published_text([report(**limits)], "bioml-bench", NOW))["task_reports"]
    assert entry["gold_threshold"] is None


def test_export_needs_the_day(tmp_path, results_with_pairs):
    with pytest.raises(ValueError, match="give `date`"):
        export(results_with_pairs, "mle-bench", tmp_path)
    (path,) = export(results_with_pairs, "mle-bench", tmp_path, date="2025-04-01")
    entries = json.loads(path.read_text())["competition_reports"]
    assert {entry["created_at"] for entry in entries} == {"2025-04-01T00:00:00"}


@pytest.fixture
def results_with_pairs(tmp_path):
    from tests.report import fixtures

    folder = tmp_path / "results"
    fixtures.write(folder, 20, calibrated=False)
    return folder


@pytest.fixture
def group(tmp_path, monkeypatch):
    """A prepared task of one's own, and a list with a good, a bad and an unknown line."""
    from biomlbench.cli._scaffold import make
    from biomlbench.registry import Registry
    from biomlbench.task.prepare import prepare_task

    monkeypatch.chdir(tmp_path)
    make("task", "clinical/two-drugs", "my-tasks")
    task = Registry(tasks_dirs=["my-tasks"], data_dir="data").get_task("two-drugs")
    prepare_task(task)
    Path("group").mkdir()
    right_submission(task.private_dir / "gold_submission.csv", "group/good.csv")
    Path("group/bad.csv").write_text("nothing\n1\n")
    names = [("two-drugs", "good"), ("two-drugs", "bad"), ("absent", "good")]
    lines = [json.dumps({"task_id": t, "submission_path": f"{f}.csv"}) for t, f in names]
    Path("group/submission.jsonl").write_text("\n".join(lines[:2]) + "\n")
    return lines[2]


WHERE = ["--tasks-dir", "my-tasks", "--data-dir", "data"]


def grade(*args):
    return CliRunner().invoke(_cli, ["grade-jsonl", "group/submission.jsonl", *args, *WHERE])


def as_published():
    words = ["grade", "--submission", "group/submission.jsonl", "--output-dir", "theirs"]
    return CliRunner().invoke(_cli, [*words, *WHERE])


def test_command_for_grade_jsonl(group):
    done = grade("--json", "--to", "graded")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert (told["total_runs"], told["total_valid_submissions"]) == (2, 1)
    assert len(list(Path("graded").glob("*_individual_reports/*.json"))) == 2
    done = grade("--json", "--format", "bioml-bench", "--to", "published")
    assert list(json.loads(done.stdout))[: len(TOTALS)] == TOTALS
    (path,) = Path("published").glob("*_grading_report.json")
    assert path.read_text() == json.dumps(json.loads(path.read_text()), indent=2)


def test_lines_that_cannot_be_graded_are_told(group):
    with Path("group/submission.jsonl").open("a") as file:
        file.write(group + "\n")
    for done in (grade(), as_published()):
        assert done.exit_code == TROUBLE
        assert "1 line could not be graded" in done.output
        assert "group/submission.jsonl: line 3: there is no task 'absent'" in done.output
    assert grade("--bootstrap", "5").exit_code == 2


# Reads reports with the published classes, makes the summary anew, and writes it as they do.
_THEIRS = dedent("""
    import importlib.abc, importlib.machinery, json, sys
    from unittest.mock import MagicMock

    package, kind, key, clone = sys.argv[1:]

    class Stubs(importlib.abc.MetaPathFinder, importlib.abc.Loader):
        needed = {f"{package}.{n}" for n in ("data", "registry", "s3_utils", "utils")}

        def find_spec(self, name, path=None, target=None):
            if name in self.needed or name == "tqdm":
                return importlib.machinery.ModuleSpec(name, self)

        def create_module(self, spec):
            return MagicMock(__spec__=spec)

        def exec_module(self, module):
            pass

    sys.meta_path.insert(0, Stubs())
    sys.path.insert(0, clone)
    helpers = __import__(f"{package}.grade_helpers", fromlist=["x"])
    grade = __import__(f"{package}.grade", fromlist=["x"])
    told = json.load(sys.stdin)
    reports = [getattr(helpers, kind).from_dict(entry) for entry in told[key]]
    json.dump(grade.aggregate_reports(reports), sys.stdout, indent=2)
""")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "package", "kind", "key"),
    [
        ("bioml-bench", "biomlbench", "TaskReport", "task_reports"),
        ("mle-bench", "mlebench", "CompetitionReport", "competition_reports"),
    ],
)
def test_bytes_are_those_of_the_published_program(tmp_path, form, package, kind, key):
    clones = Path(os.environ.get("BIOMLBENCH_SUITES") or tmp_path)
    found = [p.parents[1] for p in clones.glob(f"*/{package}/grade_helpers.py")]
    if not found:
        pytest.skip(f"BIOMLBENCH_SUITES names no folder with a clone of {form}")
    board = [i / 7 for i in range(1999)]
    reports = [invalid()]
    for number in range(300):
        score = number * 0.9123456789
        ranking = {k: v for k, v in rank_score(score, board, "minimize").items() if k in KNOWN}
        ranking["any_medal"] = any(ranking[f"{m}_medal"] for m in ("gold", "silver", "bronze"))
        reports.append(report(score, **ranking))
    text = published_text(reports, form, NOW)
    command = [sys.executable, "-c", _THEIRS, package, kind, key, str(found[0])]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == text


KNOWN = set(TaskReport.__dataclass_fields__) - {"leaderboard_percentile", "leaderboard_size"}
