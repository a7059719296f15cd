"""A task's private files are no submissions, under whatever name and by whatever door."""

from __future__ import annotations

import json
import os
import shutil

import pandas as pd
import pytest

from biomlbench.grade import grade_csv, grade_jsonl, validate_submission
from biomlbench.outcomes import Reason
from biomlbench.registry import Registry
from biomlbench.scoring.suspicion import beyond_the_board
from biomlbench.stages import Context, Pair, run_pair
from biomlbench.task.prepare import prepare_task

TASK = "clinical/diabetes-progression"


@pytest.fixture(scope="module")
def registry(tmp_path_factory):
    registry = Registry(data_dir=tmp_path_factory.mktemp("private") / "data")
    prepare_task(registry.get_task(TASK))
    return registry


@pytest.fixture
def task(registry):
    return registry.get_task(TASK)


def plain(source, path):
    return source


def hard_link(source, path):
    os.link(source, path)
    return path


def symbolic_link(source, path):
    path.symlink_to(source)
    return path


def linked_folder(source, path):
    path.symlink_to(source.parent)
    return path / source.name


def copy(source, path):
    shutil.copy(source, path)
    return path


WAYS = [plain, hard_link, symbolic_link, linked_folder, copy]


@pytest.fixture(params=WAYS, ids=lambda way: way.__name__)
def stolen(request, task, tmp_path):
    """The gold submission, by each way to hand it in."""
    return request.param(task.gold_submission, tmp_path / "my_work.csv")


def is_refused(reason):
    return reason in (Reason.PRIVATE_FILE, Reason.UNSAFE_PATH)


def test_the_grading_api_refuses(stolen, task):
    report = grade_csv(stolen, task)
    assert not report.valid_submission
    assert report.score is None
    assert "private" in report.message or "own data" in report.message or "link" in report.message
    assert validate_submission(stolen, task)[0] is False


def test_lists_of_submissions_refuse(stolen, task, registry, tmp_path):
    path = tmp_path / "run-group" / "submission.jsonl"
    path.parent.mkdir()
    path.write_text(json.dumps({"task_id": TASK, "submission_path": str(stolen)}) + "\n")
    report, _ = grade_jsonl(path, tmp_path / "out", registry)
    (entry,) = json.loads(report.read_text())["task_reports"]
    assert not entry["valid_submission"]


def test_the_workflow_refuses(stolen, task, tmp_path):
    context = Context(data_dir=str(task.data_dir), bootstrap=0)
    tables = run_pair(Pair(TASK, "r", str(stolen)), context, tmp_path / "stages")
    row = tables["medal"].to_pylist()[0]
    assert is_refused(row["reason"])
    assert (row["score"], row["any_medal"], row["verdict"]) == (None, False, "fail")


def test_answers_and_raw_data_are_refused_too(task, tmp_path):
    for path in (task.answers, copy(task.answers, tmp_path / "a.csv")):
        assert "own" in grade_csv(path, task).message
    task.raw_dir.mkdir(exist_ok=True)
    raw = task.raw_dir / "table.csv"
    shutil.copy(task.sample_submission, raw)
    assert not grade_csv(raw, task).valid_submission
    assert not grade_csv(hard_link(raw, tmp_path / "b.csv"), task).valid_submission
    raw.unlink()


def test_a_copy_is_refused_though_it_was_read_for_another_purpose_before(task, tmp_path):
    from biomlbench.submission.reading import read_table
    from biomlbench.submission.sample import sample_of

    path = copy(task.gold_submission, tmp_path / "c.csv")
    read_table(path, sample_of(task).columns)
    assert not grade_csv(path, task).valid_submission


def test_honest_files_are_graded(task, tmp_path):
    assert validate_submission(task.sample_submission, task)[0]
    honest = pd.read_csv(task.sample_submission)
    honest["progression"] = range(len(honest))
    honest.to_csv(tmp_path / "h.csv", index=False)
    os.link(tmp_path / "h.csv", tmp_path / "twin.csv")
    assert grade_csv(tmp_path / "twin.csv", task).valid_submission


def test_predictions_that_repeat_the_answers_in_other_words_earn_no_verified_medal(task, tmp_path):
    gold = pd.read_csv(task.gold_submission)
    gold["progression"] += 0.001
    gold.to_csv(tmp_path / "g.csv", index=False)
    context = Context(data_dir=str(task.data_dir), bootstrap=0)
    tables = run_pair(Pair(TASK, "r", str(tmp_path / "g.csv")), context, tmp_path / "stages")
    row = tables["medal"].to_pylist()[0]
    assert row["medal"] == "gold"
    assert not row["verified_medal"]
    assert row["reason"] == "suspicious_score"
    assert "withheld" in row["medal_note"]


def boards():
    registry = Registry()
    for task_id in registry.list_task_ids():
        task = registry.get_task(task_id)
        if not task.is_card and task.leaderboard:
            yield pytest.param(task, id=task_id)


@pytest.mark.parametrize("task", list(boards()))
def test_honest_models_are_not_suspicious_and_perfect_scores_are(task):
    """The best of the models on each board, against a board without the three best."""
    scores = pd.read_csv(task.leaderboard)["score"].tolist()
    best = task.metric.best
    for score in scores[:3]:
        assert beyond_the_board(score, scores[3:], task.direction, best) == ""
    assert beyond_the_board(best, scores, task.direction, best)
