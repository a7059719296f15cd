"""A task's own code that ends the process, or means to, costs its own line or row and no more."""

import json

import pytest

from biomlbench.errors import GraderError, TaskError
from biomlbench.grade import grade_csv, grade_jsonl
from biomlbench.stages import Context, Pair, run_pair
from biomlbench.task.prepare import prepare_task

LEAVES = {
    "sys.exit": "import sys\n    sys.exit(3)",
    "SystemExit": "raise SystemExit('no')",
    "GeneratorExit": "raise GeneratorExit",
    "own": "raise type('Stop', (BaseException,), {})('no')",
}
GRADE_FN = {"name": "own", "grade_fn": "own.py:leave", "direction": "maximize"}
HOOKS = {
    "grade_fn": {"grader": GRADE_FN},
    "inputs_fn": {"grader": {"name": "own", "metric": "roc_auc", "inputs_fn": "own.py:leave"}},
}


def leaving(factory, hook, way):
    code = f"def leave(submission, answers):\n    {LEAVES[way]}\n"
    return factory.task("demo/leaves", config=HOOKS[hook], files={"own.py": code})


@pytest.mark.parametrize("way", LEAVES)
@pytest.mark.parametrize("hook", HOOKS)
def test_a_grader_that_leaves_is_a_graders_fault(factory, good, tmp_path, hook, way):
    task, file = leaving(factory, hook, way), factory.submission(good)
    with pytest.raises(GraderError, match="raised"):
        grade_csv(file, task)
    context = Context(str(factory.data), (str(factory.tasks),))
    tables = run_pair(Pair(task.id, "run", str(file)), context, tmp_path / "pair")
    (row,) = tables["medal"].to_pylist()
    assert (row["stage"], row["fault"], row["reason"]) == ("grade", "grader", "grader_error")


@pytest.mark.parametrize("workers", [1, 2])
def test_its_line_is_an_error_and_the_next_one_is_graded(factory, good, workers):
    leaving(factory, "grade_fn", "sys.exit")
    factory.task("demo/toy-task")
    file, lines = factory.submission(good), factory.root / "submission.jsonl"
    tasks = ("demo/leaves", "demo/toy-task", "demo/leaves", "demo/toy-task")
    entries = [{"task_id": task, "submission_path": file.name} for task in tasks]
    lines.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    path, _ = grade_jsonl(
        lines, factory.root / "out", factory.registry(), workers=workers, progress=False
    )
    found = json.loads(path.read_text())
    assert [report["score"] for report in found["task_reports"]] == [1.0, 1.0]
    assert {(entry["reason"], entry["fault"]) for entry in found["errors"]} == {
        ("grader_error", "grader")
    }
    assert all("SystemExit" in entry["message"] for entry in found["errors"])


@pytest.mark.parametrize("way", LEAVES)
def test_a_module_that_leaves_when_imported_is_a_tasks_fault(factory, good, way):
    code = f"def leave(submission, answers):\n    return 0.5\nif True:\n    {LEAVES[way]}\n"
    task = factory.task(config=HOOKS["grade_fn"], files={"own.py": code})
    with pytest.raises(TaskError, match="cannot be imported"):
        grade_csv(factory.submission(good), task)


@pytest.mark.parametrize("way", LEAVES)
def test_a_preparer_that_leaves_is_a_tasks_fault(factory, tmp_path, way):
    code = f"def prepare(raw, public, private):\n    {LEAVES[way]}\n"
    config = {"preparer": "own.py:prepare", "source": []}
    factory.task(config=config, files={"own.py": code})
    registry = type(factory.registry())([factory.tasks], tmp_path / "empty")
    (tmp_path / "empty/demo/toy-task/raw").mkdir(parents=True)
    with pytest.raises(TaskError, match="the preparer failed"):
        prepare_task(registry.get_task("demo/toy-task"))


def test_an_interruption_is_no_fault(factory, good):
    code = "def leave(submission, answers):\n    raise KeyboardInterrupt\n"
    task = factory.task(config=HOOKS["grade_fn"], files={"own.py": code})
    with pytest.raises(KeyboardInterrupt):
        grade_csv(factory.submission(good), task)


def test_a_whole_number_that_no_float_holds_is_no_score(factory, good):
    code = "def leave(submission, answers):\n    return 10**400\n"
    task = factory.task(config=HOOKS["grade_fn"], files={"own.py": code})
    assert grade_csv(factory.submission(good), task).reason == "invalid_score"
