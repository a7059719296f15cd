"""Grading functions of a task that call registered metrics, or fail: whose fault that is."""

import logging

import pytest

from biomlbench.outcomes import Fault, Reason
from biomlbench.runtime import apart
from biomlbench.scoring.gradable import check_gradable
from biomlbench.scoring.score import score_submission
from biomlbench.stages.missing_evidence import missing_evidence

LABELS = ("nucleus", "membrane")
GRADE = """
LABELS = ["nucleus", "membrane"]

def grade(submission, answers):
    from biomlbench.metrics import get_metric

    metric = get_metric("METRIC")
    return sum(metric(answers[label], submission[label]) for label in LABELS) / len(LABELS)

def broken(submission, answers):
    return {}["no such key"]
"""
TRUTH = ((0, 1), (1, 1), (0, 0), (1, 0), (1, 1), (0, 0))


@pytest.fixture(params=["here", "in a fork"], autouse=True)
def place(request, monkeypatch):
    monkeypatch.setattr(apart, "_is_on", request.param == "in a fork")
    monkeypatch.setattr(apart, "is_alone", lambda: True)


def table(rows):
    lines = [f"r{i},{a},{b}" for i, (a, b) in enumerate(rows)]
    return "\n".join(["id,nucleus,membrane", *lines]) + "\n"


def labels_task(factory, metric="roc_auc", truth=TRUTH, function="grade", **more):
    sample = table([(0.5, 0.5)] * len(truth))
    task = factory.task(
        config={
            "grader": {"name": "mean", "grade_fn": f"grade:{function}", "direction": "maximize"},
            "submission": {"id": "id", "target": LABELS, "prediction": LABELS},
            "dataset": {"gold_submission": "prepared/private/gold_submission.csv"},
        },
        answers=table(truth),
        sample=sample,
        files={"grade.py": GRADE.replace("METRIC", metric)},
        **more,
    )
    task.gold_submission.write_text(table(truth))
    return task


CONSTANT = {
    "all": [(0.5, 0.5)] * 6,
    "one label": [(0.1 * i, 0.5) for i in range(6)],
}


@pytest.mark.parametrize("name", CONSTANT)
@pytest.mark.parametrize("metric", ["roc_auc", "spearman", "pearson"])
def test_what_a_metric_says_of_predictions_is_the_submissions_fault(factory, metric, name):
    task = labels_task(factory, metric)
    found = score_submission(factory.submission(text=table(CONSTANT[name])), task)
    assert (found.reason, found.fault) == (Reason.CONSTANT_PREDICTIONS, Fault.SUBMISSION)
    assert score_submission(factory.submission(text=table((*TRUTH[:5], (1, 0)))), task).valid


def test_answers_of_one_class_are_the_tasks_fault_whatever_is_predicted(factory):
    truth = [(1, a) for a, _ in TRUTH]
    task = labels_task(factory, truth=truth)
    for rows in (*CONSTANT.values(), TRUTH):
        found = score_submission(factory.submission(text=table(rows)), task)
        assert (found.reason, found.fault) == (Reason.BROKEN_ANSWERS, Fault.TASK)
        assert str(task.folder) in found.message


def test_what_the_gold_submission_is_refused_for_as_well_is_the_functions_fault(factory):
    task = labels_task(factory, "log_loss")
    task.gold_submission.write_text(table([(7, 7)] * 6))
    found = score_submission(factory.submission(text=table([(7, 8)] * 6)), task)
    assert found.fault == Fault.GRADER


def test_a_constant_sample_is_nothing_to_tell(factory, caplog):
    task = labels_task(factory)
    assert check_gradable(task) == ("", "", False)
    assert not caplog.records


def test_a_function_that_fails_is_told_once_with_its_own_frames(factory, caplog):
    task = labels_task(factory, function="broken")
    assert "KeyError: 'no such key'" in check_gradable(task).gold
    (record,) = (one for one in caplog.records if one.levelno == logging.ERROR)
    told = record.getMessage()
    assert not record.exc_info
    assert told.count("Traceback") == 1
    assert "grade.py" in told
    assert "no such key" in told
    assert "biomlbench/" not in told
    assert any("no such key" in item for item in missing_evidence(task))
    check_gradable(factory.get(task.id))
    score_submission(factory.submission(text=table(TRUTH)), task)
    assert caplog.text.count("Traceback") == 3


def test_a_leaderboard_that_grading_refuses_is_told_before(factory, caplog):
    task = labels_task(factory, leaderboard=(0.5, 0.6, 0.7, 0.8, 0.9))
    check_gradable(task)
    assert "from the worst score to the best" in caplog.text
    assert str(task.leaderboard) in caplog.text
    assert any(
        item.startswith("leaderboard: grading refuses it") for item in missing_evidence(task)
    )


def test_human_baselines_that_grading_refuses_are_told_before(factory):
    task = factory.task(humans=(7,))
    assert any(item.startswith("human baselines: grading") for item in missing_evidence(task))
