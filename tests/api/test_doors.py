"""Whoever asks, the answer is one: the API, JSON Lines, the command line, a pair, a batch.

Each door grades the same submission of the same task; every field that two of them tell is
compared. A change that the config makes to a task must be worth what the same change in the
task's own folder is worth.
"""

from __future__ import annotations

import json
import math
import shutil
from dataclasses import fields
from pathlib import Path

import pandas as pd
import pytest
import yaml
from click.testing import CliRunner

import biomlbench.verify
from biomlbench.cli import _cli
from biomlbench.contracts import compared
from biomlbench.errors import TaskError
from biomlbench.grade import TaskReport, grade_csv, grade_jsonl, validate_submission
from biomlbench.outcomes import Verifier
from biomlbench.sandbox import SandboxUnavailable
from biomlbench.scoring.task_report import TaskReport as Report
from biomlbench.stages import STAGES, Context, Pair, run_pair
from biomlbench.stages.prepare import compute
from biomlbench.workflow.batch_tables import run_batch

BOOTSTRAP, SEED = 1000, 3
VERSIONS = tuple(map(str, Verifier))
TASK = "demo/toy-task"
TEMPLATE = Path(biomlbench.verify.__file__).parent / "template"
OUTSIDE = (95.0, 80.0, 70.0, 60.0, 50.0)
ELSEWHERE = ("created_at", "submission_path")  # the clock, and how the path was written

TASKS = {
    "plain": {},
    "humans": {"humans": (0.55, 0.7, 0.95)},
    "no-leaderboard": {"leaderboard": None},
    "outside-the-range": {"leaderboard": OUTSIDE},
    "empty-leaderboard": {"leaderboard": "score\n"},
    "broken-humans": {"humans": ("high", 0.5)},
    "impossible-humans": {"humans": (1.7, 0.5)},
    "minimize": {
        "config": {"grader": {"name": "RMSE of y", "metric": "rmse"}},
        "leaderboard": (0.1, 0.2, 0.35, 0.4, 0.6),
    },
    "own-function": {
        "config": {"grader": {"name": "hits", "grade_fn": "own.py:hits", "direction": "maximize"}},
        "files": {"own.py": "def hits(s, a):\n    return ((s.y > 0.5) == (a.y > 0.5)).mean()\n"},
    },
}  # fmt: skip
GOOD = (0.1, 0.9, 0.2, 0.8, 0.7, 0.3)
BROKEN = {
    "outside-the-range": "broken_leaderboard",
    "empty-leaderboard": "broken_leaderboard",
    "broken-humans": "broken_task",
    "impossible-humans": "broken_task",
}
EXIT_CODES = {"none": 0, "submission": 1, "task": 3}
SUBMISSIONS = {
    "right": {"values": GOOD},
    "reversed": {"values": GOOD[::-1], "ids": [f"r{i}" for i in range(6)][::-1]},
    "middling": {"values": (0.1, 0.6, 0.65, 0.2, 0.7, 0.3)},
    "constant": {"values": (0.5,) * 6},
    "short": {"values": GOOD[:3]},
    "strangers": {"values": GOOD, "ids": [f"x{i}" for i in range(6)]},
    "repeated": {"values": (*GOOD, 0.1), "ids": [*(f"r{i}" for i in range(6)), "r0"]},
    "missing-value": {"values": (*GOOD[:5], "")},
    "text": {"values": (*GOOD[:5], "high")},
    "other-columns": {"values": GOOD, "header": ("id", "z")},
    "empty": {"text": ""},
    "binary": {"text": b"\x00\x01\x02"},
    "absent": None,
}


def told(report: TaskReport) -> dict:
    return {f.name: getattr(report, f.name) for f in fields(report) if f.name not in ELSEWHERE}


def of_row(row: dict) -> dict:
    return told(Report.from_pair({**row, "submission": ""}))


def combinations():
    """Every task with every submission; the fast ones meet each task and each submission."""
    for name in TASKS:
        for submission in SUBMISSIONS:
            fast = name == "plain" or submission in ("right", "short")
            yield pytest.param(name, submission, marks=() if fast else pytest.mark.slow)


@pytest.mark.parametrize(("name", "submission"), combinations())
def test_every_door_tells_the_same(factory, tmp_path, name, submission):
    factory.task(**TASKS[name])
    file = tmp_path / "absent.csv"
    if SUBMISSIONS[submission] is not None:
        file = factory.submission(**SUBMISSIONS[submission])
    context = Context(str(factory.data), (str(factory.tasks),), bootstrap=BOOTSTRAP, seed=SEED)
    pair = Pair(TASK, "run", str(file))
    tables = run_pair(pair, context, tmp_path / "pair")
    (row,) = tables["medal"].to_pylist()

    for stage in STAGES:
        in_batch = run_batch(stage, [pair], context, tmp_path / "batch")
        assert compared(stage, in_batch).equals(compared(stage, tables[stage])), stage

    options = ["--data-dir", str(factory.data), "--tasks-dir", str(factory.tasks), "--json"]
    options += ["--bootstrap", str(BOOTSTRAP), "--bootstrap-seed", str(SEED)]
    said = CliRunner().invoke(_cli, ["grade", str(file), TASK, *options])
    volatile = {"wall_s", "cpu_s", "peak_mb", "run_id"}
    assert {k: v for k, v in json.loads(said.stdout).items() if k not in volatile} == {
        k: v for k, v in row.items() if k not in volatile
    }

    lines = tmp_path / "submission.jsonl"
    lines.write_text(json.dumps({"task_id": TASK, "submission_path": file.name}) + "\n")
    shutil.copy(file, tmp_path / file.name) if file.parent != tmp_path else None
    report_path, _ = grade_jsonl(
        lines, tmp_path / "out", factory.registry(), bootstrap=BOOTSTRAP, seed=SEED, progress=False
    )
    listed = json.loads(report_path.read_text())
    report = grade_csv(file, factory.get(TASK), bootstrap=BOOTSTRAP, seed=SEED)
    if report.valid_submission and name in BROKEN:
        assert report.score is not None
        assert (report.reason, report.fault) == (BROKEN[name], "task")
        assert row["fault"] == "task" or row["stage"] == "verify"
        assert name.endswith("-humans") or not report.any_medal
    median, score = report.median_threshold, report.score
    if median is None:
        assert report.above_median is None
    elif score is None:
        assert report.above_median is False
    else:
        assert report.above_median is (score < median if name == "minimize" else score > median)
    found = told(report)
    by_command = CliRunner().invoke(_cli, ["grade-sample", str(file), TASK, *options[:4]])
    plain = grade_csv(file, factory.get(TASK))
    assert told(TaskReport.from_dict(json.loads(by_command.stdout))) == told(plain)
    assert by_command.exit_code == EXIT_CODES[plain.fault]
    (entry,) = listed["task_reports"]
    by_line = told(Report.from_dict(entry))
    if report.reason == "missing_file":  # named as it was given: here by its name, above in full
        said = f"there is no file `absent.csv` (looked for in {tmp_path})"
        assert by_line.pop("message") == said
        assert found["message"] == f"there is no file `{file}`"
        by_line["message"] = found["message"]
    assert by_line == found
    of_pair = of_row(row)
    # The row's first fault may be a check's that looked at a valid score.
    if report.valid_submission and row["stage"] == "verify":
        for told_of in (of_pair, found):
            for key in ("reason", "fault", "message"):
                del told_of[key]
    assert of_pair == found


BOOLEAN = {"id": [f"r{i}" for i in range(6)], "y": [False, True, False, True, False, False]}


@pytest.mark.parametrize("written", ["numbers", "booleans"])
@pytest.mark.parametrize("grader", ["metric", "function"])
def test_booleans_are_taken_by_every_door(factory, tmp_path, written, grader):
    spelt = (False, True, False, True, True, False) if written == "booleans" else (0, 1, 0, 1, 1, 0)
    sample = "id,y\n" + "".join(f"r{i},{y}\n" for i, y in enumerate(spelt[::-1]))
    config = {"grader": {"name": "accuracy", "metric": "accuracy"}}
    if grader == "function":
        config = {"grader": {"name": "hits", "grade_fn": "own.py:hits", "direction": "maximize"}}
    code = "def hits(s, a):\n    return (s.y == a.y).mean()\n"
    task = factory.task(truth=spelt, sample=sample, config=config, files={"own.py": code})
    frame = pd.DataFrame(BOOLEAN)
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_csv(tmp_path / "a.csv.gz", index=False)
    frame.to_parquet(tmp_path / "a.parquet", index=False)
    frame.astype({"y": int}).to_csv(tmp_path / "numbers.csv", index=False)
    files = ("a.csv", "a.csv.gz", "a.parquet", "numbers.csv")
    reports = [grade_csv(one, task) for one in (frame, *(tmp_path / name for name in files))]
    assert [(one.score, one.reason) for one in reports] == [(5 / 6, "ok")] * 5


BROKEN_SAMPLES = {
    "columns": "id,z\nr0,1\n",
    "rows": "id,y\n",
    "bytes": "PAR1",
    "twice": "id,y\na,1\na,1\n",
}


@pytest.mark.parametrize("sample", BROKEN_SAMPLES)
def test_a_broken_sample_submission_is_the_tasks_fault_and_no_jobs(factory, tmp_path, sample):
    factory.task(sample=BROKEN_SAMPLES[sample])
    file = factory.submission(GOOD)
    context = Context(str(factory.data), (str(factory.tasks),))
    (prepared,) = compute(TASK, context).to_pylist()
    tables = run_pair(Pair(TASK, "run", str(file)), context, tmp_path / "pair")
    (row,) = tables["medal"].to_pylist()
    assert (row["stage"], row["fault"], row["reason"]) == ("validate", "task", "broken_task")
    assert (prepared["reason"], prepared["message"]) == (row["reason"], row["message"])
    assert "sample_submission.csv" in row["message"]
    with pytest.raises(TaskError) as raised:
        grade_csv(file, factory.get(TASK))
    assert (str(raised.value), raised.value.reason) == (row["message"], row["reason"])
    options = ["--data-dir", str(factory.data), "--tasks-dir", str(factory.tasks)]
    assert CliRunner().invoke(_cli, ["grade", str(file), TASK, *options]).exit_code == 3
    said = CliRunner().invoke(_cli, ["prepare", TASK, *options])
    assert isinstance(said.exception, TaskError)


PROGRAM = """\
import os
values = {values}
if os.environ["SEED"] == "7":
    values = values[::-1]
with open(os.environ["OUTPUT_PATH"], "w") as file:
    file.write("id,y\\n" + "".join(f"r{{i}},{{y}}\\n" for i, y in enumerate(values)))
"""
PROGRAMS = {
    "right": PROGRAM.format(values=GOOD),
    "middling": PROGRAM.format(values=SUBMISSIONS["middling"]["values"]),
    "short": PROGRAM.format(values=GOOD[:3]),
    "raises": "raise ValueError",
    "syntax": "def (",
    "absent": None,
}


def listed(tmp_path, lines, context, **options):
    """Return what a list of submissions gives as reports, and as errors."""
    path = tmp_path / "submission.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    out = tmp_path / f"out-{len(list(tmp_path.iterdir()))}"
    report, _ = grade_jsonl(path, out, context.registry, progress=False, **options)
    found = json.loads(report.read_text())
    return [told(Report.from_dict(entry)) for entry in found["task_reports"]], found["errors"]


def of_pair(task, file, context, out, kind, seed=0):
    """Return a pair's report without what only a verdict says."""
    (row,) = run_pair(Pair(task, "run", str(file), kind, seed), context, out)["medal"].to_pylist()
    if row["valid_submission"] and row["stage"] == "verify":
        row |= {"reason": "ok", "fault": "none", "message": ""}
    return of_row(row)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_graded_alike_by_every_door(factory, tmp_path, name):
    factory.task(humans=(0.55, 0.7, 0.95))
    file, code = tmp_path / "model.py", PROGRAMS[name]
    if code is not None:
        file.write_text(code)
    context = Context(
        str(factory.data), (str(factory.tasks),), bootstrap=BOOTSTRAP, seed=SEED, reruns=False
    )
    expected = of_pair(TASK, file, context, tmp_path / "pair", "program")
    report = grade_csv(file, factory.get(TASK), bootstrap=BOOTSTRAP, seed=SEED)
    assert told(report) == expected
    line = {"task_id": TASK, "submission_path": str(file)}
    for workers in (1, 2):
        found, errors = listed(
            *(tmp_path, [line, line], context), workers=workers, bootstrap=BOOTSTRAP, seed=SEED
        )
        assert (found, errors) == ([expected] * 2, [])
    assert report.fault == ("none" if name in ("right", "middling") else "submission")


def test_a_program_in_a_list_gets_the_seed_of_its_line(factory, tmp_path):
    factory.task()
    file = tmp_path / "model.py"
    file.write_text(PROGRAMS["right"])
    context = Context(str(factory.data), (str(factory.tasks),), bootstrap=0, reruns=False)
    expected = of_pair(TASK, file, context, tmp_path / "pair", "program", 7)
    line = {"task_id": TASK, "submission_path": "model.py", "seed": 7}
    ((found,), errors) = listed(tmp_path, [line], context)
    task = factory.get(TASK)
    for one in (found, told(grade_csv(file, task, program_seed=7))):
        assert one == expected
    assert errors == []
    assert found["score"] != grade_csv(file, task).score


def test_a_link_to_a_program_is_none_in_a_list(factory, tmp_path):
    factory.task()
    (tmp_path / "own.py").write_text(PROGRAMS["right"])
    (tmp_path / "model.py").symlink_to("own.py")
    context = Context(str(factory.data), (str(factory.tasks),))
    line = {"task_id": TASK, "submission_path": "model.py"}
    ((found,), _) = listed(tmp_path, [line], context)
    assert (found["reason"], found["submission_exists"]) == ("unsafe_path", False)


def test_where_no_code_can_be_run_the_machine_is_at_fault(factory, tmp_path, monkeypatch):
    def unavailable(*args, **kwargs):
        raise SandboxUnavailable("no sandbox here")

    monkeypatch.setattr("biomlbench.sandbox.run_program", unavailable)
    factory.task()
    file = tmp_path / "model.py"
    file.write_text(PROGRAMS["right"])
    with pytest.raises(SandboxUnavailable):
        grade_csv(file, factory.get(TASK))
    context = Context(str(factory.data), (str(factory.tasks),))
    found, (error,) = listed(tmp_path, [{"task_id": TASK, "submission_path": "model.py"}], context)
    assert found == []
    assert (error["reason"], error["fault"]) == ("stage_failed", "infrastructure")
    assert error["message"] == "no sandbox here"


CARD = "kernels/gc-content"


@pytest.mark.parametrize("code", ["reference.py", "solutions/bad/upper_only.py", "broken"])
def test_a_problem_card_is_graded_alike_by_every_door(cards, tmp_path, code):
    file = tmp_path / "code.py"
    file.write_text("def gc(" if code == "broken" else (TEMPLATE / code).read_text())
    folder = cards / "v2"
    context = Context(str(folder / "data"), (str(folder / "tasks"),))
    expected = of_pair(CARD, file, context, tmp_path / "pair", "functions")
    task = context.task(CARD)
    line = {"task_id": CARD, "submission_path": "code.py"}
    assert listed(tmp_path, [line], context) == ([expected], [])
    assert told(grade_csv(file, task)) == expected
    options = ["--data-dir", str(folder / "data"), "--tasks-dir", str(folder / "tasks")]
    said = CliRunner().invoke(_cli, ["grade-sample", str(file), CARD, *options])
    assert told(TaskReport.from_dict(json.loads(said.stdout))) == expected
    with pytest.raises(TypeError, match="path of a file with code"):
        grade_csv(pd.DataFrame({"id": ["a"]}), task)


@pytest.fixture(scope="module")
def cards(tmp_path_factory):
    """A card under three verifiers, each in a folder of tasks of its own."""
    path = tmp_path_factory.mktemp("cards")
    for version in VERSIONS:
        folder = path / version / "tasks" / CARD
        shutil.copytree(TEMPLATE, folder, ignore=shutil.ignore_patterns("__pycache__"))
        config = yaml.safe_load((folder / "config.yaml").read_text())
        config["verifier"] = {"version": version}
        (folder / "config.yaml").write_text(yaml.safe_dump(config))
        tasks, data = path / version / "tasks", path / version / "data"
        compute(CARD, Context(str(data), (str(tasks),)))
    return path


class TestChangesOfTheConfig:
    """What `tasks.<id>` changes is what the same words in the task's folder would be."""

    def rows(self, context, task, submission, out, kind="predictions"):
        tables = run_pair(Pair(task, "run", str(submission), kind), context, out)
        return {
            stage: [
                {k: v for k, v in row.items() if k != "task_id"}
                for row in compared(stage, table).to_pylist()
            ]
            for stage, table in tables.items()
        }

    @pytest.mark.parametrize("board", [(0.99, 0.9, 0.8), OUTSIDE, (0.5, 0.6, 0.7, 0.8, 0.9)])
    @pytest.mark.parametrize("submission", ["right", "middling", "constant", "absent"])
    def test_leaderboard(self, factory, tmp_path, board, submission):
        factory.task("demo/declared", leaderboard=board)
        factory.task("demo/changed")
        found = SUBMISSIONS[submission]
        file = factory.submission(**found) if found else tmp_path / "absent.csv"
        where = (str(factory.data), (str(factory.tasks),))
        changed = factory.tasks / "demo/declared/leaderboard.csv"
        declared = self.rows(Context(*where), "demo/declared", file, tmp_path / "declared")
        context = Context(*where, overrides={"leaderboard": str(changed)})
        assert self.rows(context, "demo/changed", file, tmp_path / "changed") == declared

    def context(self, cards, version, **changes):
        folder = cards / version
        return Context(str(folder / "data"), (str(folder / "tasks"),), overrides=changes)

    @pytest.mark.parametrize("code", ["reference.py", "solutions/bad/upper_only.py", "broken"])
    @pytest.mark.parametrize("wanted", VERSIONS)
    def test_verifier(self, cards, tmp_path, wanted, code):
        file = tmp_path / "code.py"
        file.write_text("def gc(" if code == "broken" else (TEMPLATE / code).read_text())
        out = tmp_path / "declared"
        declared = self.rows(self.context(cards, wanted), CARD, file, out, "functions")
        (medal,) = declared["medal"]
        suite = "visible" if wanted != "v2" else "hidden"
        assert (medal["metric"], medal["verifier"]) == (f"{suite}_checks", wanted)
        for other in set(VERSIONS) - {wanted}:
            context = self.context(cards, other, verifier=wanted)
            assert self.rows(context, CARD, file, tmp_path / other, "functions") == declared

    def test_a_table_is_no_code(self, cards, tmp_path):
        file = tmp_path / "predictions.csv"
        file.write_text("id,y\nr1,0.5\n")
        context = self.context(cards, "v2")
        found = self.rows(context, CARD, file, tmp_path / "pair", "functions")
        told = "\n".join(row["message"] for row in found["validate"])
        assert "expressions alone; hand in the code that defines gc_content; Python code" in told
        told = f"Submission invalid! {told.strip()}"
        assert validate_submission(file, context.task(CARD)) == (False, told)
        assert found["medal"][0]["reason"] == "missing_function"

    def test_repeats_and_limits(self, cards, tmp_path):
        changes = {"repeats": 2, "limits": {"memory_mb": 300}}
        file = TEMPLATE / "reference.py"
        context = self.context(cards, "v2", **changes)
        found = self.rows(context, CARD, file, tmp_path / "pair", "functions")
        assert {row["repeat"] for row in found["execute"] if row["suite"] == "hidden"} == {0, 1}
        assert [row["check"] for row in found["verify"]][-1] == "repeats-agree"
        assert found["medal"][0]["verdict"] == "pass"

    def test_a_verifier_that_a_task_does_not_have_is_refused(self, factory, tmp_path):
        factory.task()
        context = Context(str(factory.data), (str(factory.tasks),), overrides={"verifier": "v1"})
        with pytest.raises(TaskError, match=r"tasks\.demo/toy-task\.verifier.*leave it out"):
            context.effective_task(TASK).check()


@pytest.mark.parametrize("name", BROKEN)
def test_the_table_of_the_command_tells_what_is_broken(factory, name):
    """Once, whether in the table or below it."""
    factory.task(**TASKS[name])
    file = factory.submission(values=GOOD)
    options = ["--data-dir", str(factory.data), "--tasks-dir", str(factory.tasks)]
    said = CliRunner().invoke(_cli, ["grade", str(file), TASK, *options, "--bootstrap", "0"])
    message = grade_csv(file, factory.get(TASK)).message
    assert said.exit_code == EXIT_CODES["task"]
    assert said.output.count(message) == 1


@pytest.mark.parametrize("grader", ["metric", "function"])
def test_no_score_is_a_negative_zero(factory, tmp_path, grader):
    config = {"grader": {"name": "own", "grade_fn": "own.py:grade", "direction": "maximize"}}
    config = {"grader": {"metric": "mae"}} if grader == "metric" else config
    code = "def grade(s, a):\n    return -abs(s.y - a.y).mean()\n"
    task = factory.task(config=config, files={"own.py": code}, leaderboard=None)
    report = grade_csv(pd.DataFrame({"id": [f"r{i}" for i in range(6)], "y": [0, 1, 0, 1, 1, 0]}),
                       task, bootstrap=BOOTSTRAP)  # fmt: skip
    scores = [report.score, report.score_low, report.score_high]
    assert {math.copysign(1, one) for one in scores if one is not None} == {1.0}
    assert report.score == 0


def test_a_refused_leaderboard_awards_no_medals_in_the_list_of_tasks(factory):
    factory.task("demo/plain")
    factory.task("demo/refused", leaderboard=OUTSIDE)
    factory.task("demo/none", leaderboard=None)
    options = ["--data-dir", str(factory.data), "--tasks-dir", str(factory.tasks), "--json"]
    said = CliRunner().invoke(_cli, ["tasks", "--domain", "demo", *options])
    told = {row["task"].rpartition("/")[2]: row["medals"] for row in json.loads(said.stdout)}
    assert told == {"plain": "yes", "refused": "leaderboard refused", "none": "no leaderboard"}
