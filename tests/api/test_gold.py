"""The gold submission is held against the metric's best value and the sample submission."""

import json
import re
import shutil

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from biomlbench.audit.run import audit_task
from biomlbench.cli import _cli
from biomlbench.errors import TaskError
from biomlbench.metrics import get_metric
from biomlbench.scoring.gold import look_at_own
from biomlbench.scoring.gradable import check_gradable
from biomlbench.scoring.score import score_submission
from biomlbench.stages.missing_evidence import missing_evidence

N = 40
RNG = np.random.default_rng(3)
REAL = RNG.normal(size=N).round(3)
RISK = pd.DataFrame({"time": RNG.exponential(9, N).round() + 1, "event": RNG.integers(0, 2, N)})
CLASSES = RNG.integers(0, 2, N)
MEASURES = {
    "rmse": REAL,
    "spearman": REAL,
    "r2": REAL,
    "accuracy": CLASSES,
    "log_loss": CLASSES,
    "roc_auc": CLASSES,
    "average_precision": CLASSES,
    "concordance_index": -RISK["time"].to_numpy(),
}


GRADE = "def grade(submission, answers):\n    return float(abs(submission.p - answers.y).mean())\n"


def own_task(factory, metric, gold, sample=0.0, **grader):
    """Return a task whose gold and sample submission have these predictions."""
    truth = MEASURES[metric]
    answers = RISK.copy() if metric == "concordance_index" else pd.DataFrame({"y": truth})
    answers.insert(0, "id", [f"r{i}" for i in range(N)])
    targets = [name for name in answers if name != "id"]
    task = factory.task(
        f"d/{metric}",
        config={
            "grader": grader or {"metric": metric},
            "submission": {"id": "id", "target": targets, "prediction": "p"},
            "dataset": {"gold_submission": "prepared/private/gold_submission.csv"},
        },
        answers=answers.to_csv(index=False),
        sample=answers[["id"]].assign(p=sample).to_csv(index=False),
        leaderboard=None,
        files={"own.py": GRADE},
    )
    answers[["id"]].assign(p=gold).to_csv(task.gold_submission, index=False)
    return task


@pytest.mark.parametrize("metric", MEASURES)
def test_the_best_gold_and_a_useless_sample_are_told_nothing_of(factory, metric):
    task = own_task(factory, metric, MEASURES[metric])
    assert check_gradable(task) == ("", "", False)


@pytest.mark.parametrize("metric", MEASURES)
def test_a_gold_of_other_rows_or_the_other_way_round_is_told(factory, metric):
    """Worse than the sample submission it is the task's error; without a score of that, told."""
    truth = MEASURES[metric]
    reversed_ = truth.max() + truth.min() - truth
    for wrong in (np.random.default_rng(0).permutation(truth), reversed_):
        task = own_task(factory, metric, wrong)
        told = look_at_own(task)
        assert str(task.gold_submission) in told.gold
        assert told.broken or wrong is not reversed_ or metric in ("accuracy", "average_precision")
        if told.broken:
            with pytest.raises(
                TaskError, match=r"worse than the (sample submission|same predictions)"
            ):
                check_gradable(task)
        else:
            best = get_metric(metric).best
            assert re.search(rf"far from {best:g}, the best value of {metric}", told.gold)


def test_a_gold_that_ties_keep_from_the_best_value_is_enough(factory):
    assert not look_at_own(own_task(factory, "rmse", REAL + 0.001)).gold
    assert not look_at_own(own_task(factory, "spearman", REAL.round())).gold


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_a_function_whose_direction_makes_the_gold_worse_than_the_sample_is_told(
    factory, direction
):
    grader = {"grade_fn": "own.py:grade", "direction": direction}
    told = look_at_own(own_task(factory, "rmse", REAL, **grader))
    assert told.broken == (direction == "maximize")


@pytest.mark.parametrize("metric", MEASURES)
def test_a_sample_that_is_the_gold_is_told(factory, metric):
    truth = MEASURES[metric]
    task = own_task(factory, metric, truth, sample=truth)
    told = check_gradable(task)
    assert told.sample.startswith(f"{task.sample_submission}: the sample submission is as good as")
    assert not told.gold


@pytest.mark.parametrize("wrong", ["", "sample", "gold", "absent"])
def test_tables_say_of_own_submissions_what_the_evidence_says(factory, tmp_path, wrong):
    task = own_task(factory, "rmse", REAL + (30.0 if wrong == "gold" else 0), sample=99.0)
    if wrong == "sample":
        task = own_task(factory, "rmse", REAL, sample=REAL)
    if wrong == "absent":
        task.gold_submission.unlink()
    item = "sample" if wrong == "sample" else "gold"
    missing = [one for one in missing_evidence(task) if one.startswith(f"{item} submission: ")]
    assert bool(missing) == bool(wrong)
    assert not any(str(tmp_path) in one for one in missing)
    options = ["--data-dir", str(factory.data), "--tasks-dir", str(factory.tasks), "--json"]
    said = CliRunner().invoke(_cli, ["evidence", task.id, *options])
    items = {one["item"]: one for one in json.loads(said.stdout)["evidence"]["items"]}
    status = items.get(f"{item} submission", {"status": "present"})["status"]
    assert (status == "present") == (not wrong)
    assert said.exit_code == 1 or not wrong


def test_data_that_change_are_looked_at_again(factory):
    task = own_task(factory, "rmse", REAL, sample=99.0)
    before = missing_evidence(task)
    own_task(factory, "rmse", REAL, sample=REAL)
    assert len(missing_evidence(task)) == len(before) + 1
    shutil.rmtree(task.home)
    assert missing_evidence(task) == before


def test_an_audit_finds_a_wrong_gold(factory):
    found = {
        gold: [one.name for one in audit_task(own_task(factory, "rmse", values)).findings]
        for gold, values in (("right", REAL), ("wrong", REAL[::-1]))
    }
    assert "gold-not-best" in found["wrong"]
    assert "gold-not-best" not in found["right"]


UNGRADABLE = {
    "three columns, of which it takes one": ("average_precision", list("abc"), [0, 1] * 3, 0.0),
    "three columns for two classes": ("roc_auc", list("abc"), [0, 1] * 3, 0.0),
    "a row of one class": ("roc_auc", ["p"], [1], 0.5),
    "a row": ("concordance_index", ["p"], [1], 0.5),
    "values that differ by too much": ("mae", ["p"], [1e308, -1e308] * 3, 0.0),
}


@pytest.mark.parametrize("case", UNGRADABLE)
def test_answers_that_no_submission_has_a_score_against_are_refused_before_there_are_runs(
    factory, case
):
    """And to whoever hands something in they are the task's fault."""
    metric, predictions, truth, sample = UNGRADABLE[case]
    targets = ["time", "event"] if metric == "concordance_index" else ["y"]
    ids = pd.DataFrame({"id": [f"r{i}" for i in range(len(truth))]})
    several = len(predictions) == 3 and metric == "average_precision"
    targets = predictions if several else targets
    task = factory.task(
        config={
            "grader": {"metric": metric},
            "submission": {"id": "id", "target": targets, "prediction": predictions},
        },
        answers=ids.assign(**dict.fromkeys(targets, truth)).to_csv(index=False),
        sample=ids.assign(**dict.fromkeys(predictions, sample)).to_csv(index=False),
        leaderboard=None,
    )
    with pytest.raises(
        TaskError, match=rf"{re.escape(str(task.answers))}.*(declare|correct|name) "
    ):
        check_gradable(task)
    for values in (sample, np.arange(len(truth)) / 9):
        handed_in = ids.assign(**dict.fromkeys(predictions, values)).to_csv(index=False).encode()
        result = score_submission(handed_in, task)
        assert result.valid or (result.fault, result.reason) == ("task", "broken_answers")


def test_a_function_gets_no_answers_of_other_rows(factory):
    task = factory.task(
        config={
            "grader": {"grade_fn": "own.py:grade", "direction": "minimize"},
            "submission": {"id": "id", "target": "p"},
        },
        answers="id,p\nr0,1\nx9,2\n",
        sample="id,p\nr0,1\nr1,2\n",
        files={"own.py": GRADE},
        leaderboard=None,
    )
    with pytest.raises(TaskError, match="its ids are not those of"):
        check_gradable(task)
    task.gold_submission.write_text("id,p\nr0,1\nr1,2\n")
    assert look_at_own(task).broken
