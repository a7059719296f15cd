"""A submission run again and again: what is unstable, the checks or it."""

import pytest

from biomlbench.calibrate.flaky import Condition
from biomlbench.calibrate.flaky_runs import OUTPUTS, RunTrial, flaky_in_run, merged, run_trials
from biomlbench.stages import Context
from biomlbench.stages.prepare import compute

TASK = "kernels/shares"
CONDITIONS = [
    *[Condition("repetition")] * 2,
    Condition("case order", order=1),
    Condition("threads", threads=2),
    *(Condition("hash seed", hash_seed=seed) for seed in range(1, 7)),
]
UNSTABLE = """\
def shares(x, eps=1e-3):
    total = sum(float(v) for v in x) + eps
    return [float(v) / total + (hash("a") % 5) for v in x]
"""
THREADS = """\
import os


def shares(x, eps=1e-3):
    return [float(v) / (x.sum() + eps) for v in x] * int(os.environ["OMP_NUM_THREADS"])
"""


def _rows(found):
    return {row["check"]: row for row in flaky_in_run(TASK, "run/r", found)}


def _trials(*seen):
    return [
        RunTrial(number, factor, "c", outcome, outputs)
        for number, (factor, outcome, outputs) in enumerate(seen)
    ]


def test_two_outcomes_on_the_same_outputs_are_the_checks_doing():
    base = ("repetition", "passed", "x")
    rows = _rows(_trials(base, base, ("hash seed", "failed", "x"), ("threads", "passed", "x")))
    assert (rows["c"]["disagreements"], rows["c"]["runs"]) == (1, 4)
    assert rows["c"]["causes"] == ["hash seed"]
    assert rows["c"]["solutions"] == ["run/r"]
    assert rows[OUTPUTS]["disagreements"] == 0


def test_another_outcome_on_other_outputs_is_the_submissions_doing():
    base = ("repetition", "passed", "x")
    rows = _rows(_trials(base, base, ("hash seed", "failed", "y"), ("threads", "failed", "y")))
    assert rows["c"]["disagreements"] == 0
    assert rows[OUTPUTS]["disagreements"] == 2
    assert rows[OUTPUTS]["causes"] == ["hash seed", "threads"]


def test_what_varies_with_nothing_changed_needs_no_other_cause():
    seen = [("repetition", "passed", "x"), ("repetition", "failed", "x")]
    rows = _rows(_trials(*seen, ("threads", "passed", "x"), ("load", "failed", "x")))
    assert rows["c"]["disagreements"] == 2
    assert rows["c"]["causes"] == ["repetition"]


def test_rows_of_several_submissions_become_one_a_check():
    base = ("repetition", "passed", "x")
    one = flaky_in_run(TASK, "run/a", _trials(base, ("load", "failed", "x")))
    two = flaky_in_run(TASK, "run/b", _trials(base, base, ("hash seed", "failed", "x")))
    (row,) = merged([*one, *two])
    assert (row["check"], row["disagreements"], row["runs"]) == ("c", 2, 5)
    assert row["causes"] == ["hash seed", "load"]
    assert row["solutions"] == ["run/a", "run/b"]
    assert row["low"] < row["rate"] < row["high"]


@pytest.mark.parametrize(
    ("task", "submission", "message"),
    [
        ("breast-cancer-wisconsin", "x.csv", "only problem cards"),
        ("kabsch-rmsd", "no-such-run", "neither a file nor a run of kernels/kabsch-rmsd"),
    ],
)
def test_the_command_says_what_it_cannot_repeat(tmp_path, task, submission, message):
    from click.testing import CliRunner

    from biomlbench.cli import _cli

    call = ["calibrate", "flakes", task, submission, "--results", str(tmp_path)]
    done = CliRunner().invoke(_cli, call)
    assert done.exit_code != 0
    assert message in done.output


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "flaky", "varies"),
    [
        (None, {"words"}, []),
        (UNSTABLE, {"words"}, ["hash seed"]),
        (THREADS, {"words"}, ["threads"]),
    ],
    ids=["right", "hash-dependent", "thread-dependent"],
)
def test_in_the_sandbox_each_is_found_by_its_cause(planted, tmp_path, source, flaky, varies):
    path = planted / "kernels" / "shares" / "solutions" / "right" / "loop.py"
    if source is not None:
        path = tmp_path / "submitted.py"
        path.write_text(source)
    context = Context(data_dir=str(tmp_path / "data"), tasks_dirs=(str(planted),))
    compute(TASK, context)
    rows = _rows(run_trials(TASK, str(path), context, CONDITIONS))
    assert {name for name, row in rows.items() if row["disagreements"]} == flaky | (
        {OUTPUTS} if varies else set()
    )
    assert rows["words"]["causes"] == ["hash seed"]
    assert rows[OUTPUTS]["causes"] == varies
