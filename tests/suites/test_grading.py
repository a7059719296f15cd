"""Published graders: their own imports, a process apart, and whose fault a failure is."""

from __future__ import annotations

import ctypes
import re

import numpy as np
import pandas as pd
import pytest

from biomlbench.errors import NotPreparedError, TaskError
from biomlbench.grade import GraderError, grade_submission, validate_submission
from biomlbench.grading.isolated import _processes
from biomlbench.scoring.effective_task import EffectiveTask
from biomlbench.scoring.score import score_submission

from .conftest import GRADERS, ROWS, tables


@pytest.fixture(scope="module", autouse=True)
def _stop_graders():
    yield
    _processes.close()


def save(frame: pd.DataFrame, path) -> object:
    frame.to_csv(path, index=False)
    return path


def test_own_package_relative_imports_and_absent_clients(registry, tmp_path):
    task = registry.get_task("near-miss")
    sample, answers = tables("near-miss")
    truth = answers["y"].to_numpy()
    noise = np.random.default_rng(0).normal(size=ROWS)
    frame = sample.assign(y=truth + noise)
    report = grade_submission(save(frame, tmp_path / "s.csv"), task)
    assert report.score == pytest.approx(np.abs(noise).mean(), rel=1e-12)
    # Rows are matched by id before the grader sees them, so their order is of no account.
    mixed = frame.sample(frac=1, random_state=1)
    assert grade_submission(save(mixed, tmp_path / "m.csv"), task).score == report.score
    as_parquet = tmp_path / "s.parquet"
    frame.to_parquet(as_parquet, index=False)
    assert grade_submission(as_parquet, task).score == pytest.approx(report.score, rel=1e-12)
    assert task.grader(frame, answers) == pytest.approx(report.score, rel=1e-12)


def test_medals_are_against_the_suites_board_and_say_so(registry, tmp_path):
    task = registry.get_task("toy/near-miss")
    sample, answers = tables("near-miss")
    path = save(sample.assign(y=answers["y"])[::-1], tmp_path / "s.csv")
    report = grade_submission(path, task)
    assert report.gold_medal
    assert report.leaderboard_size == 8
    assert report.medal_note.startswith("against 8 fitted models")
    assert task.direction_source == "declared"
    # Humans are the teams without a program's name.
    assert report.beats_human
    assert pd.read_csv(task.human_baselines)["score"].tolist() == [i / 10 for i in range(1, 8)]


def test_an_inferred_direction_is_said_beside_the_medal(registry, tmp_path, monkeypatch):
    task = registry.get_task("near-miss")
    config = {**task.config, "grader": {**task.config["grader"], "name": "my-own-score"}}
    other = type(task)(task.id, task.folder, task.data_dir, config, task.published)
    assert (other.direction, other.direction_source) == ("minimize", "leaderboard")
    note = EffectiveTask(other).medal_note(list(range(10)), other.direction)
    assert "that the score is minimized is inferred from the leaderboard's order" in note


def test_a_grader_that_refuses_the_gold_submission_as_well_is_at_fault(registry, tmp_path):
    task = registry.get_task("near-miss")
    sample, answers = tables("near-miss")
    path = save(sample.assign(y=-200.0), tmp_path / "s.csv")
    try:
        save(sample.assign(y=answers["y"] + 1), task.gold_submission)
        assert grade_submission(path, task).fault == "submission"
        save(sample.assign(y=-300.0), task.gold_submission)
        with pytest.raises(GraderError, match="below -100; the gold submission has no score"):
            grade_submission(path, task)
    finally:
        task.gold_submission.unlink()


def test_submissions_with_wrong_rows_never_reach_the_grader(registry, tmp_path):
    task = registry.get_task("near-miss")
    sample, _ = tables("near-miss")
    for frame, reason in (
        (sample.iloc[1:], "missing_ids"),
        (sample.assign(y="x"), "wrong_type"),
        (sample.assign(y=np.nan), "nan_predictions"),
        (sample.assign(z=1), "extra_columns"),
    ):
        assert grade_submission(save(frame, tmp_path / "s.csv"), task).reason == reason


def test_the_suites_own_error_is_the_submissions_fault(registry, tmp_path):
    task = registry.get_task("near-miss")
    sample, _ = tables("near-miss")
    report = grade_submission(save(sample.assign(y=-200.0), tmp_path / "s.csv"), task)
    assert (report.valid_submission, report.fault) == (False, "submission")
    assert "a value is below -100" in report.message


def test_blank_cells_mean_what_the_grader_says(registry, tmp_path):
    task = registry.get_task("blank-cells")
    _, answers = tables("blank-cells")
    with pytest.raises(TaskError, match="is not declared"):
        _ = task.direction
    task = with_direction(task)
    assert grade_submission(save(answers[::-1], tmp_path / "s.csv"), task).score == 1.0
    nothing = answers.assign(code="")
    expected = float((answers["code"] == "").mean())
    path = save(nothing, tmp_path / "n.csv")
    assert grade_submission(path, task).score == expected
    assert task.grader.score(pd.read_csv(path), pd.read_csv(task.answers)) == expected


def test_submissions_of_any_kind_reach_the_grader_as_files(registry, tmp_path):
    task = registry.get_task("any-file")
    path = tmp_path / "mine.bin"
    path.write_bytes(b"abc")
    assert validate_submission(path, task)[0]
    result = score_submission(path, with_direction(task))
    assert (result.score, result.fault) == (3.5, "none")
    wrong = tmp_path / "mine.txt"
    wrong.write_bytes(b"abc")
    ok, message = validate_submission(wrong, task)
    assert not ok
    assert "must end in .bin" in message
    (tmp_path / "link.bin").symlink_to(task.answers)
    assert not validate_submission(tmp_path / "link.bin", task)[0]


def test_a_hubs_question_is_answered_from_the_answers(registry, tmp_path):
    task = registry.get_task("hub-task")
    assert task.direction == "maximize"
    sample, answers = tables("hub-task")
    scores = np.round(np.random.default_rng(0).random(ROWS), 1)
    report = grade_submission(save(sample.assign(label=scores), tmp_path / "s.csv"), task)
    from sklearn.metrics import roc_auc_score

    assert report.score == pytest.approx(roc_auc_score(answers["label"], scores), rel=1e-12)


def with_direction(task):
    config = {**task.config, "grader": {**task.config["grader"], "direction": "maximize"}}
    return type(task)(task.id, task.folder, task.data_dir, config, task.published)


def test_a_grader_that_is_kept_does_not_make_others_orphans_ours(registry, tmp_path):
    """They would stay zombies, since nothing here waits for them."""
    sample, _ = tables("near-miss")
    grade_submission(save(sample, tmp_path / "s.csv"), registry.get_task("near-miss"))
    assert _processes._held
    flag = ctypes.c_int(-1)
    get_child_subreaper = 37  # linux/prctl.h
    ctypes.CDLL(None).prctl(get_child_subreaper, ctypes.byref(flag), 0, 0, 0)
    assert flag.value == 0


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("loop", "longer than 3 s"),
        ("memory", "more than 4096 MiB"),
        ("exit", "exit code 0"),
    ],
)
def test_what_a_grader_does_wrong_is_booked_on_the_grader(registry, tmp_path, what, words):
    task = with_direction(registry.get_task("moody"))
    sample, _ = tables("moody")
    path = save(sample.assign(what=what), tmp_path / "s.csv")
    with pytest.raises(GraderError, match=words):
        grade_submission(path, task)
    assert task.answers.is_file()
    assert (task.folder / "grade.py").is_file()
    # The process goes on with the next submission.
    assert grade_submission(save(sample, tmp_path / "next.csv"), task).score == 0.5
    refused = grade_submission(save(sample.assign(what="refuse"), tmp_path / "r.csv"), task)
    assert refused.fault == "submission"


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("undefined", "NaN or infinite"),
        ("text", "returned str, not a number"),
        ("raise", r"KeyError in grade.py:\d+;"),
        ("socket", "in socket.py"),
        ("delete", "in grade.py"),
    ],
)
def test_who_makes_a_grader_fail_that_grades_others_has_no_score(registry, tmp_path, what, words):
    task = with_direction(registry.get_task("moody"))
    sample, _ = tables("moody")
    report = grade_submission(save(sample.assign(what=what), tmp_path / "s.csv"), task)
    assert (report.fault, report.reason) == ("submission", "invalid_score")
    assert re.search(words, report.message)
    assert "with the task's own submission it did not" in report.message
    assert task.answers.is_file()
    assert (task.folder / "grade.py").is_file()


def test_a_published_clone_of_the_users_own_needs_no_suite(home, data_dir, tmp_path, monkeypatch):
    from biomlbench.registry import Registry

    monkeypatch.setenv("BIOMLBENCH_SUITES", str(tmp_path / "none"))
    tasks = home / "toy-suite/tree/toysuite/tasks"
    task = Registry([tasks], data_dir).get_task("near-miss")
    assert task.published.package == "toysuite"
    _, answers = tables("near-miss")
    assert grade_submission(save(answers[::-1], tmp_path / "s.csv"), task).score == 0.0


def test_a_folder_that_root_keeps_to_itself_is_shown_and_nothing_beside_the_package(
    home, data_dir, tmp_path, monkeypatch
):
    import shutil

    from biomlbench.registry import Registry

    monkeypatch.setenv("BIOMLBENCH_SUITES", str(tmp_path / "none"))
    clone = tmp_path / "clone"
    shutil.copytree(home / "toy-suite/tree", clone)
    (clone / "secret.txt").write_text("answers of another task")
    grader = clone / "toysuite/tasks/toy/near-miss/grade.py"
    grader.write_text(
        "import os\ndef grade(submission, answers):\n    return float(len(os.listdir('/suite')))\n"
    )
    for path in (clone, *clone.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)
    task = Registry([clone / "toysuite/tasks"], data_dir).get_task("near-miss")
    _, answers = tables("near-miss")
    assert grade_submission(save(answers[::-1], tmp_path / "s.csv"), task).score == 1.0


def test_bare_ids_resolve_and_broken_folders_hide_nothing(registry):
    assert registry.get_task("hub-task").id == "toy/hub-task"
    assert {f"toy/{name}" for name in GRADERS} | {"toy/broken"} <= set(registry.list_task_ids())
    assert "toy/hub-task" in registry.get_tasks_by_domain("toy")
    with pytest.raises(TaskError, match="toy/near-miss"):
        registry.get_task("miss")
    assert registry.get_task("hub-task").compute["runtime_min"] == 15


def test_unprepared_tasks_say_what_to_do(registry, tmp_path):
    from biomlbench.task.prepare import DataSourceError, prepare_task

    task = registry.set_data_dir(tmp_path).get_task("near-miss")
    with pytest.raises(NotPreparedError):
        grade_submission(tmp_path / "s.csv", task)
    with pytest.raises(DataSourceError, match=r"published source: polaris.*data_dir"):
        prepare_task(task)
    raw = tmp_path / "toy/near-miss/raw"
    raw.mkdir(parents=True)
    sample, answers = tables("near-miss")
    save(sample, raw / "sample_submission.csv")
    save(answers, raw / "answers.csv")
    made = prepare_task(task)
    assert made.fresh
    assert "private/answers.csv" in made.files
    assert not prepare_task(task).fresh
    assert grade_submission(save(answers[::-1], tmp_path / "s.csv"), task).score == 0.0


def test_checksums_of_both_kinds_are_compared(registry, tmp_path):
    import hashlib

    from biomlbench.suites.data import differing_files

    task = registry.get_task("near-miss")
    folder = tmp_path / "near-miss"
    folder.mkdir()
    copy = type(task)(task.id, folder, task.data_dir, task.config, task.published)
    data = task.answers.read_bytes()
    sums = folder / "checksums.yaml"
    sums.write_text(f"zip: {'0' * 32}\nprivate:\n  answers.csv: {hashlib.md5(data).hexdigest()}\n")
    assert differing_files(copy) == []
    sums.write_text(f"private:\n  answers.csv: {hashlib.sha256(data).hexdigest()}\n")
    assert differing_files(copy) == []
    sums.write_text(f"private/answers.csv: {'0' * 64}\npublic:\n  more.csv: {'0' * 32}\n")
    assert differing_files(copy) == ["private/answers.csv", "public/more.csv"]
    sums.write_text("private: [1]\n")
    with pytest.raises(TaskError, match="neither an MD5 nor a SHA-256"):
        differing_files(copy)


def test_a_grader_with_an_interpreter_of_its_own(tmp_path):
    """A bare virtual environment, with one module of its own and no pandas."""
    import subprocess
    import sys

    from biomlbench.registry import Registry

    folder = tmp_path / "tasks" / "mine" / "own-python"
    folder.mkdir(parents=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "env"], check=True)
    (libraries,) = (folder / "env").glob("lib/python*/site-packages")
    (libraries / "only_there.py").write_text("FACTOR = 2.0\n")
    (folder / "config.yaml").write_text(
        "dataset:\n  answers: prepared/private/answers.txt\n"
        "  sample_submission: prepared/public/sample.bin\n"
        "grader: {name: mine, grade_fn: 'grade:grade', direction: maximize, python: env}\n"
    )
    (folder / "grade.py").write_text(
        "from biomlbench.grade_helpers import InvalidSubmissionError\n"
        "import only_there\n\n"
        "def grade(submission, answers):\n"
        "    size = len(submission.read_bytes())\n"
        "    if size > 5:\n"
        "        raise InvalidSubmissionError('above 5')\n"
        "    return only_there.FACTOR * size + float(answers.read_text())\n"
    )
    prepared = tmp_path / "data/mine/own-python/prepared"
    for part, text in (("public/sample.bin", "x"), ("private/answers.txt", "0.25")):
        (prepared / part).parent.mkdir(parents=True)
        (prepared / part).write_text(text)
    task = Registry([tmp_path / "tasks"], tmp_path / "data").get_task("own-python")
    path = tmp_path / "mine.bin"
    path.write_bytes(b"abc")
    assert grade_submission(path, task).score == 6.25
    path.write_bytes(b"abcdef")
    assert grade_submission(path, task).fault == "submission"
    text = (folder / "grade.py").read_text()
    (folder / "grade.py").write_text(text.replace("submission, answers", "answers, submission"))
    again = Registry([tmp_path / "tasks"], tmp_path / "data").get_task("own-python")
    with pytest.raises(GraderError, match=r"called with \(submission, answers\)"):
        grade_submission(path, again)
    (folder / "grade.py").write_text(text)
    (folder / "env" / "pyvenv.cfg").unlink()
    again = Registry([tmp_path / "tasks"], tmp_path / "data").get_task("own-python")
    with pytest.raises(TaskError, match="no virtual environment"):
        grade_submission(path, again)
