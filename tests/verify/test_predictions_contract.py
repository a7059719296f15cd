"""What every check of predictions must declare and show, whichever there are."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

from biomlbench.outcomes import Fault, fault_of
from biomlbench.registry import Registry
from biomlbench.scoring.score import score_submission
from biomlbench.submission.answers import answers_of
from biomlbench.submission.validation import inspect_submission
from biomlbench.verify import decide, predictions
from biomlbench.verify.modes import all_modes
from biomlbench.verify.predictions import Predicted, all_checks

CHECKS = all_checks()
PROBABILITIES = ("p_a", "p_b")
TASKS = {
    "numbers": {
        "grader": {"name": "error", "metric": "rmse"},
        "submission": {"id": "id", "target": "y", "prediction": "y",
                       "columns": {"y": {"type": "number", "minimum": -9, "maximum": 9}}},
        "noise_floor": 0.05,
    },
    "one-sided": {
        "grader": {"name": "rank", "metric": "spearman"},
        "submission": {"id": "id", "target": "y", "prediction": "y",
                       "columns": {"y": {"type": "number", "minimum": -9}}},
    },
    "probabilities": {
        "grader": {"name": "loss", "metric": "log_loss"},
        "submission": {"id": "id", "target": "kind", "prediction": list(PROBABILITIES)},
    },
}  # fmt: skip
N = 24


@pytest.fixture(params=TASKS)
def right(request, tmp_path):
    """Good predictions of a task, read and scored."""
    return build(request.param, tmp_path)


def build(name, tmp_path):
    rng = np.random.default_rng(5)
    ids = [f"r{i}" for i in range(N)]
    truth = rng.normal(size=N)
    if name == "probabilities":
        truth = (truth > 0).astype(int)
        sure = np.where(truth == 1, 0.75, 0.25) + rng.uniform(-0.1, 0.1, N)
        good, answers = {"p_a": 1 - sure, "p_b": sure}, {"kind": truth}
    else:
        good, answers = {"y": truth + rng.normal(scale=0.3, size=N)}, {"y": truth}
    folder, data = tmp_path / "tasks/demo" / name, tmp_path / "data/demo" / name / "prepared"
    for path in (folder, data / "public", data / "private"):
        path.mkdir(parents=True)
    (folder / "config.yaml").write_text(json.dumps({"name": name, **TASKS[name]}))
    blank = {column: np.full(N, 0.5) for column in good}
    files = {
        "public/sample_submission.csv": blank,
        "public/test.csv": {"x": rng.uniform(size=N)},
        "private/answers.csv": answers,
    }
    for file, columns in files.items():
        pyarrow.csv.write_csv(pa.table({"id": ids, **columns}), data / file)
    task = Registry([tmp_path / "tasks"], tmp_path / "data").get_task(f"demo/{name}")
    order = rng.permutation(N)
    return predicted(task, pa.table({"id": ids, **good}).take(order))


def predicted(task, table, score=None):
    if score is None:
        score = score_submission(table, task).score
    return Predicted(
        task, inspect_submission(table, task), answers_of(task), score, task.public_dir
    )


def rows_of(check, found):
    return predictions._rows(check, found)


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
class TestCheck:
    def test_declaration(self, check):
        assert Path(check.__file__).stem == check.CHECK.replace("-", "_")
        assert check.__doc__.startswith(f"`{check.CHECK}`: ")
        assert check.MODE in all_modes()
        assert check.SEVERITY in ("blocker", "critical", "advisory")
        assert fault_of(check.REASON) in (Fault.SUBMISSION, Fault.GRADER)
        assert check.PATTERN
        assert check.look.__doc__
        assert check.known_bad.__doc__

    def test_right_predictions_do_not_fail(self, check, right):
        assert {row.outcome for row in rows_of(check, right)} <= {"passed", "skipped"}

    def test_the_known_bad_does(self, check, right):
        bad = check.known_bad(right)
        if bad is None:
            return
        table, score = bad
        rows = rows_of(check, predicted(right.task, table, score))
        assert {row.outcome for row in rows} & {"failed", "error"}
        for row in rows:
            assert row.check.startswith(check.CHECK)
            if row.outcome == "failed":
                assert row.reason == check.REASON
                assert fault_of(row.reason) == Fault.SUBMISSION
            if row.outcome == "error":
                assert fault_of(row.reason) == Fault.GRADER
        if {row.severity for row in rows} != {"advisory"}:
            assert decide(rows).verdict != "pass"

    def test_some_task_has_a_known_bad(self, check, tmp_path):
        assert any(check.known_bad(build(name, tmp_path / name)) for name in TASKS)


BROKEN = '''"""`always-breaks`: a made-up check, for the test."""

from biomlbench.outcomes import Reason

CHECK, ORDER, MODE, SEVERITY = "always-breaks", 999, "MODE", "critical"
REASON, PATTERN = Reason.PROPERTY_VIOLATED, "nothing"


def look(predicted):
    """Break, or pass."""
    from biomlbench.verify.predictions import Found

    if "BREAK":
        raise RuntimeError("answers are 1, 2, 3")
    return [Found()]


def known_bad(predicted):
    """Show nothing."""
    return None
'''


@pytest.fixture
def add(tmp_path, monkeypatch):
    """Add a check by its file."""

    def add(mode="property_based", breaks="yes"):
        folder = tmp_path / "more"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        text = BROKEN.replace('MODE"', f'{mode}"').replace("BREAK", breaks)
        (folder / "always_breaks.py").write_text(text)
        monkeypatch.setattr(predictions, "__path__", [*predictions.__path__, str(folder)])
        all_checks.cache_clear()

    yield add
    all_checks.cache_clear()
    sys.modules.pop("biomlbench.verify.predictions.always_breaks", None)


def test_a_check_is_one_file_and_its_own_fault_is_not_the_submissions(right, add):
    add()
    rows = predictions.judge(right.task, right.table, None, right.score)
    found = rows[-1]
    assert (found.check, found.outcome, found.reason) == ("always-breaks", "error", "grader_error")
    assert found.message == "the check raised RuntimeError"
    assert decide(rows)[:2] == ("partial", ["grader_error"])


@pytest.mark.parametrize(
    ("mode", "verdict"), [("property_based", "pass"), ("shape_guard", "partial")]
)
def test_the_policy_of_cards_decides_on_a_check_by_its_mode(right, add, mode, verdict):
    add(mode, breaks="")
    found = predictions.judge(right.task, right.table, None, right.score)[-1]
    assert (found.check, found.outcome) == ("always-breaks", "passed")
    assert decide([found]).verdict == ("pass" if all_modes()[mode].SEMANTIC else "partial")
