"""A card whose checks an output can lead astray: it costs the candidate, and nobody else."""

from __future__ import annotations

import re
import shutil
import warnings

import pytest

from biomlbench.contracts import from_rows
from biomlbench.errors import TaskError
from biomlbench.outcomes import Fault, fault_of
from biomlbench.sandbox import codec
from biomlbench.scoring.effective_task import EffectiveTask
from biomlbench.serve.feedback import visible_feedback
from biomlbench.stages import Context, bounded_judging, judged
from biomlbench.stages.cards import load_card, loaded_from
from biomlbench.stages.missing_evidence import missing_evidence
from biomlbench.stages.outputs import case_row
from biomlbench.stages.prepare import compute
from biomlbench.verify.card import Card
from biomlbench.verify.judging import judge
from biomlbench.verify.oracle import RightResult
from tests.verify.conftest import TEMPLATE

ATTACKS = {
    "memory": "bytearray(1 << 40)",
    "memory_by_and_by": "[bytearray(1 << 20) for _ in range(1 << 20)]",
    "time": "sum(iter(int, 1))",
    "crash": "os.abort()",
    "exit": "os._exit(0)",
    "recursion": "deep(output)",
}
PROPERTY = '''

import os

def deep(value):
    return deep(value)


def led_astray(inputs, output):
    """The output does not lead the check astray."""
    if {when}:
        {what}
    return True
'''


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A folder of tasks with one card, and a function that gives it a property."""
    monkeypatch.setattr(bounded_judging, "ALLOWANCE", bounded_judging.Allowance(1, 128))
    folder = tmp_path / "tasks/kernels/gc"
    shutil.copytree(TEMPLATE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    context = Context(data_dir=str(tmp_path / "data"), tasks_dirs=(str(tmp_path / "tasks"),))

    def prepared(when, what):
        with (folder / "properties.py").open("a") as file:
            file.write(PROPERTY.format(when=when, what=what))
        verifier = folder / "verifier.yaml"
        verifier.write_text(
            re.sub(r"property: \{name: bounded.*\}", "property: {name: led_astray}",
                   verifier.read_text())
        )  # fmt: skip
        compute("kernels/gc", context)
        return context.task("kernels/gc")

    return prepared


def executed(task, value):
    """Return the `execute` table of code that returns a value for every case."""
    rows = [
        {
            "task_id": task.id,
            "run_id": "r",
            **case_row(
                case_id=case.id,
                suite=case.suite,
                repeat=0,
                status="ok",
                output=codec.encode(value),
                stdout="",
                stderr="",
                wall_s=0.0,
                cpu_s=0.0,
                peak_mb=0.0,
                measured_by="",
            ),
        }
        for case in load_card(task).plan.cases
    ]
    return from_rows("execute", rows)


def outcomes(task, value):
    row = judged.grade(EffectiveTask(task, {}), executed(task, value))
    return row["judged"]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] * (name in ("time", "memory_by_and_by")))
        for name in ATTACKS
    ],
)
def test_an_output_that_leads_a_check_astray_fails_its_submission(home, name):
    task = home("output == 0.123", ATTACKS[name])
    rows = outcomes(task, 0.123)
    assert any(row["outcome"] == "failed" for row in rows)
    assert {fault_of(row["reason"]) for row in rows} <= {Fault.SUBMISSION, Fault.NONE}
    assert "judging_limit" in {row["reason"] for row in rows} or name.startswith(
        ("memory", "recursion")
    )
    for seen in visible_feedback(task, executed(task, 0.123), "v2"):
        assert (seen["outcome"], fault_of(seen["reason"])) == ("failed", Fault.SUBMISSION)
    # an output that leads nothing astray is judged as ever
    assert "judging_limit" not in {row["reason"] for row in outcomes(task, 0.5)}


@pytest.mark.parametrize("name", ["memory", "crash"])
def test_a_check_that_never_ends_well_is_the_graders_fault(home, name):
    task = home("True", ATTACKS[name])
    rows = outcomes(task, 0.5)
    assert {row["outcome"] for row in rows if row["reason"] == "grader_error"} == {"error"}
    assert "judging_limit" not in {row["reason"] for row in rows}


@pytest.mark.parametrize(
    ("what", "told"), [("os.abort()", "judging its"), ("return False", "the card's own checks")]
)
def test_a_card_whose_checks_refuse_its_reference_is_uncalibrated(home, what, told):
    (missing,) = missing_evidence(home("True", what))
    assert missing.startswith(f"reference solution: {told}")


def test_nothing_is_missing_of_a_card_that_its_reference_passes(home):
    assert missing_evidence(home("False", "return False")) == ()


def test_a_card_that_is_not_prepared_is_told_before_its_cases_are_planned(monkeypatch, tmp_path):
    planned = []
    monkeypatch.setattr(Card, "plan", planned.append)
    with pytest.raises(TaskError, match="prepare the task first"):
        loaded_from(TEMPLATE, tmp_path / "oracle.bin")
    assert not planned


def test_what_a_card_warns_of_in_an_output_is_not_printed(home):
    """The output is the candidate's choice, and a warning names a file of the grader's."""
    task = home("__import__('warnings').warn('of an output')", "pass")
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # else it is printed, which a fork of pytest never does
        rows = outcomes(task, 0.123)
        card = load_card(task)
        found = judge(*card, dict.fromkeys(card.oracle.values, RightResult("ok", 0.123)))
    assert "error" not in {row["outcome"] for row in rows}
    assert "error" not in {str(row.outcome) for row in found}
