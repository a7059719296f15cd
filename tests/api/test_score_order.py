"""Scores are compared on the scale of their task: units of the answers change no judgement."""

import numpy as np
import pandas as pd
import pytest

from biomlbench.audit.run import audit_task
from biomlbench.scoring.gold import look_at_own, own_order
from biomlbench.scoring.gradable import check_gradable
from biomlbench.scoring.score_order import ScoreOrder
from biomlbench.verify.predictions import judge

N = 40
UNITS = (1e-30, 1e-9, 1.0, 1e9, 1e30)
TRUTH = np.random.default_rng(5).normal(3, 1, N)
OWN = "def grade(s, a):\n    return float(((s.p - a.y) ** 2).mean())\n"
GRADERS = {"metric": {"metric": "rmse"}, "function": {"grade_fn": "own.py:grade",
                                                      "direction": "minimize"}}  # fmt: skip


def units_task(factory, unit, grader="metric", sample=0.0, error=0.1):
    """Return a task in other units, with a board of work that has errors of that share."""
    frame = pd.DataFrame({"id": [f"r{i}" for i in range(N)], "y": TRUTH * unit})
    power = 1 if grader == "metric" else 2
    task = factory.task(
        f"d/{grader}{UNITS.index(unit)}",
        config={
            "grader": GRADERS[grader],
            "submission": {"id": "id", "target": "y", "prediction": "p"},
        },
        answers=frame.to_csv(index=False),
        sample=frame[["id"]].assign(p=np.asarray(sample) * unit).to_csv(index=False),
        leaderboard=[(error * unit * step) ** power for step in (1, 2, 3, 4, 5)],
        files={"own.py": OWN},
    )
    frame[["id"]].assign(p=frame["y"]).to_csv(task.gold_submission, index=False)
    return task


def handed_in(factory, task, unit, error):
    """Write predictions, their rows the other way round, so that none is a copy of the gold."""
    values = (TRUTH + error * np.resize([1.0, -1.0], N)) * unit
    ids = [f"r{i}" for i in range(N)]
    return factory.submission(values[::-1].tolist(), ids[::-1], header=("id", "p"), name="s.csv")


@pytest.mark.parametrize("grader", GRADERS)
@pytest.mark.parametrize("unit", UNITS)
def test_the_sample_is_no_gold_in_any_units(factory, grader, unit):
    assert check_gradable(units_task(factory, unit, grader)) == ("", "", False)
    told = look_at_own(units_task(factory, unit, grader, sample=TRUTH))
    assert "the sample submission is as good as the gold submission" in told.sample


@pytest.mark.parametrize("unit", UNITS)
def test_a_public_column_holds_the_answers_or_not_in_any_units(factory, unit):
    task = units_task(factory, unit)
    ids = [f"r{i}" for i in range(N)]
    for name, values in (("same", TRUTH), ("other", TRUTH[::-1] + 1), ("zeros", 0 * TRUTH)):
        frame = pd.DataFrame({"id": ids, "x": values * unit})
        frame.to_csv(task.public_dir / "test.csv", index=False)
        found = {one.name for one in audit_task(task).findings}
        assert ("answers-by-key" in found) == (name == "same")


@pytest.mark.parametrize("unit", UNITS)
def test_a_score_is_plausible_in_any_units(factory, unit):
    task = units_task(factory, unit)
    for error, outcome in ((0.05, "passed"), (1e-5, "passed"), (0.0, "failed"), (1e-13, "failed")):
        path = handed_in(factory, task, unit, error)
        rows = {row.check: row for row in judge(task, str(path), None, error * unit)}
        assert rows["plausible-score"].outcome == outcome, error
        assert rows["second-implementation"].outcome == "passed", error
        wrong = judge(task, str(path), None, error * unit + 1e-3 * unit)
        assert [r.outcome for r in wrong if r.check == "second-implementation"] == ["error"]


def test_an_audit_finds_the_same_in_any_units(factory):
    found = [
        {(one.name, one.severity) for one in audit_task(units_task(factory, unit)).findings}
        for unit in (1e-9, 1.0)
    ]
    assert found[0] == found[1]


def test_the_scale_is_that_of_the_metric_or_of_the_tasks_own_submissions(factory):
    assert own_order(factory.task(humans=None)) == ScoreOrder("maximize", 1.0)
    order = own_order(units_task(factory, 1e-9))
    assert order.scale == pytest.approx(np.sqrt((TRUTH**2).mean()) * 1e-9)
    assert order.better(0.0, 1e-17)
    assert order.same(0.0, 1e-19)
