"""Known ways for a grader of submissions to be wrong: each is impossible here."""

import inspect
import json

import numpy as np
import pandas as pd
import pytest

from biomlbench.errors import GraderError
from biomlbench.grade import grade_csv, grade_jsonl, validate_submission
from biomlbench.grade_helpers import Grader, TaskReport
from biomlbench.scoring.humans import human_tiers
from biomlbench.scoring.medals import rank_score

OWN = {"grader": {"name": "own", "grade_fn": "grade:grade", "direction": "maximize"}}


def own_task(factory, body, **kwargs):
    code = f"import numpy as np\ndef grade(submission, answers):\n    {body}\n"
    return factory.task(config=OWN, files={"grade.py": code}, **kwargs)


@pytest.mark.parametrize("board", [(0.5, 0.9, 0.7, 0.6, 0.95), (0.95, 0.5, 0.9, 0.6, 0.7)])
def test_direction_is_not_guessed_from_the_first_and_last_row(factory, good, board):
    """Whichever of the two rows is higher, more is better for a ROC AUC."""
    report = grade_csv(factory.submission(good), factory.task(leaderboard=board))
    assert report.gold_medal
    assert not report.is_lower_better
    worst = grade_csv(factory.submission([-x for x in good]), factory.task(leaderboard=board))
    assert not worst.any_medal


@pytest.mark.parametrize(
    "value", ["np.nan", "np.inf", "-np.inf", "float('nan')", "np.float64('inf')"]
)
def test_a_score_that_is_no_number_is_invalid_and_wins_nothing(factory, good, value):
    report = grade_csv(factory.submission(good), own_task(factory, f"return {value}"))
    assert (report.valid_submission, report.score, report.any_medal) == (False, None, False)
    assert report.reason == "invalid_score"


def test_scores_are_not_rounded_before_they_are_ranked(factory, good):
    task = own_task(factory, "return 0.949996", leaderboard=(0.95, 0.9, 0.8, 0.7, 0.6))
    report = grade_csv(factory.submission(good), task)
    assert report.score == 0.949996
    assert not report.gold_medal
    assert Grader("g", lambda s, a: 0.949996)(pd.DataFrame(), pd.DataFrame()) == 0.949996


@pytest.mark.parametrize(
    "value",
    ["np.float32(0.75)", "np.float64(0.75)", "np.int64(1)", "np.array(0.75)", "np.array([0.75])"],
)
def test_numpy_scalars_are_scores(factory, good, value):
    report = grade_csv(factory.submission(good), own_task(factory, f"return {value}"))
    assert report.valid_submission
    assert type(report.score) is float


def test_json_holds_no_nan(factory, good):
    """Not even where a report holds one."""
    report = grade_csv(factory.submission(good), factory.task(leaderboard=None))
    spoilt = TaskReport.from_dict({**report.to_dict(), "human_percentile": float("nan")})
    text = json.dumps(spoilt.to_dict(), allow_nan=False)
    assert json.loads(text)["human_percentile"] is None


def test_the_reports_folder_is_made_before_grading(factory, good):
    factory.task()
    factory.submission(good, name="a.csv")
    lines = factory.submission(
        name="s.jsonl", text='{"task_id": "toy-task", "submission_path": "a.csv"}\n'
    )
    out = factory.root / "not" / "there" / "yet"
    report_path, individual = grade_jsonl(lines, out, factory.registry())
    assert report_path.parent == individual.parent == out


def test_two_rows_do_not_stand_for_all(factory, good):
    """An inner join would score them 1.0."""
    report = grade_csv(factory.submission(good[:2]), factory.task())
    assert (report.score, report.reason) == (None, "missing_ids")


def test_an_extra_column_does_not_replace_the_answers(factory):
    """A merge would give the submission's own `y_true` to a careless grader."""
    task = own_task(
        factory,
        "merged = answers.merge(submission, on='id', suffixes=('_true', '_pred')); "
        "return float((merged['y_true'] == merged['y_pred']).mean())",
    )
    text = "id,y,y_true,y_pred\n" + "".join(f"r{i},9,1,1\n" for i in range(6))
    report = grade_csv(factory.submission(text=text), task)
    assert (report.score, report.reason) == (None, "extra_columns")


@pytest.mark.parametrize("order", [[5, 4, 3, 2, 1, 0], [2, 0, 1, 5, 3, 4]])
def test_predictions_are_matched_by_id_not_by_position(factory, good, order):
    by_metric = factory.task("d/metric")
    by_position = own_task(
        factory, "return float((submission['y'] > 0.5).astype(int).eq(answers['y']).mean())"
    )
    path = factory.submission([good[i] for i in order], ids=[f"r{i}" for i in order])
    assert grade_csv(path, by_metric).score == 1.0
    assert grade_csv(path, by_position).score == 1.0


@pytest.mark.parametrize("masks", ["empty", "0-255", "two-valued"])
def test_dice_stays_between_0_and_1(factory, masks):
    """Empty masks score as the metric declares; other values than 0 and 1 cannot be written."""
    from biomlbench.metrics import MetricError, get_metric

    dice = get_metric("dice")
    empty, full = np.zeros((2, 2)), np.ones((2, 2))
    if masks == "empty":
        assert dice([empty], [empty]) == 1.0
        columns = {"m": {"type": "rle", "height": 2, "width": 2}}
        task = factory.task(
            config={
                "grader": {"metric": "dice"},
                "submission": {"id": "id", "target": "m", "columns": columns},
            },
            answers="id,m\nr0,\n",
            sample="id,m\nr0,1 1\n",
            leaderboard=None,
        )
        assert grade_csv(factory.submission(text="id,m\nr0,\n"), task).score == 1.0
    else:
        wrong = full * 255 if masks == "0-255" else np.array([[0, 2], [2, 0]])
        with pytest.raises(MetricError):
            dice([full], [wrong])


def test_human_tiers_follow_the_direction():
    errors = [1.0, 2.0, 3.0, 4.0, 5.0]
    assert human_tiers(errors, "minimize")["expert"] < human_tiers(errors, "minimize")["novice"]
    assert human_tiers(errors, "maximize")["expert"] > human_tiers(errors, "maximize")["novice"]


def test_answers_are_not_read_for_every_submission(factory, good, monkeypatch):
    from biomlbench.submission import own_tables as tables

    reads = []
    original = tables.own_table
    monkeypatch.setattr(
        "biomlbench.submission.answers.own_table", lambda *a: reads.append(a) or original(*a)
    )
    task, path = factory.task(), factory.submission(good)
    for _ in range(10):
        grade_csv(path, task)
    assert len(reads) == 1


def test_no_clock_in_the_compared_part(factory, good):
    task, path = factory.task(), factory.submission(good)
    first, second = grade_csv(path, task), grade_csv(path, task)
    assert first.created_at != second.created_at
    assert first == second
    assert hash(first) == hash(second)
    from biomlbench.scoring import humans as human
    from biomlbench.scoring import medals
    from biomlbench.scoring import score as scoring
    from biomlbench.submission import validation as validate

    for module in (human, medals, scoring, validate):
        source = inspect.getsource(module)
        assert "datetime" not in source
        assert "import time" not in source


def test_a_graders_bug_is_not_booked_on_the_submission(factory, good):
    task = own_task(factory, "return submission['no such column'].mean()")
    path = factory.submission(good)
    with pytest.raises(GraderError, match="KeyError"):
        grade_csv(path, task)
    assert validate_submission(path, task)[0]
    lines = factory.submission(
        name="s.jsonl", text='{"task_id": "toy-task", "submission_path": "submission.csv"}\n'
    )
    report_path, _ = grade_jsonl(lines, factory.root / "out", factory.registry())
    report = json.loads(report_path.read_text())
    assert report["task_reports"] == []
    assert report["errors"][0]["fault"] == "grader"


def test_a_contradictory_leaderboard_is_refused(factory, good):
    task = factory.task(leaderboard=(0.1, 0.2, 0.3, 0.4, 0.5))
    report = grade_csv(factory.submission(good), task)
    assert (report.score, report.any_medal, report.gold_threshold) == (1.0, False, None)
    assert (report.reason, report.fault) == ("broken_leaderboard", "task")
    assert "worst score to the best" in report.message
    assert report.medal_note == f"broken_leaderboard: {report.message}"
    # Without a file there is nothing but scores, and their order says nothing.
    assert rank_score(0.5, [0.1, 0.2, 0.3, 0.4, 0.5], "maximize")["gold_medal"]
