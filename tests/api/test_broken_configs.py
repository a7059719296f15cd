"""A mistake in one task's config is a row with the task's fault: no stage raises over it."""

import pytest

from biomlbench.contracts import from_rows, write_table
from biomlbench.errors import TaskError
from biomlbench.stages import Context, Pair, prepare, run_pair
from biomlbench.summary.task_rows import task_rows

SUBMISSION = {"id": "id", "target": "y"}
BROKEN = {
    "unknown key": {"submission": {**SUBMISSION, "tragets": "z"}},
    "column type": {"submission": {**SUBMISSION, "columns": {"y": {"type": "float"}}}},
    "dataset": {"dataset": 3},
    "submission": {"submission": 3},
    "metric": {"grader": {"metric": "roc_acu"}},
    "option": {"grader": {"metric": "roc_auc", "options": {"positive": 1}}},
    "key of the grader": {"grader": {"metric": "roc_auc", "directoin": "maximize"}},
}
BOUNDS = {"minimum not a number": (float("nan"), None), "minimum above maximum": (5, 1)}
BROKEN |= {
    name: {"submission": {**SUBMISSION, "columns": {"y": {"minimum": low, "maximum": high}}}}
    for name, (low, high) in BOUNDS.items()
} | {"id twice": {"submission": {"id": ["id", "id"], "target": "y"}}}
REFUSED = {
    "leaderboard_note": {"leaderboard_note": {"a": "b"}},
    "leaderboard_of": {"leaderboard_of": ["models"]},
    "name": {"name": ["a"]},
    "name` has more than": {"name": "a" * 5000},
    "task_type": {"task_type": 3},
    "difficulty": {"difficulty": []},
    "description": {"description": True},
    "grader.name": {"grader": {"metric": "roc_auc", "name": {"a": "b"}}},
    "limits.wall_s": {"limits": {"wall_s": "1:30"}},
    "limits.cpu_s": {"limits": {"cpu_s": -1}},
    "limits.memory_mb": {"limits": {"memory_mb": float("inf")}},
    "limits.processes": {"limits": {"processes": 10**400}},
    "compute_requirements.memory_mb": {"compute_requirements": {"memory_mb": "lots"}},
    "compute_requirements.cpus": {"compute_requirements": {"cpus": float("nan")}},
}
"""By the key that the message names."""


def row_of(factory, config, file, folder):
    task = factory.task(config=config)
    context = Context(str(factory.data), (str(factory.tasks),))
    prepare.compute(task.id, context)
    tables = run_pair(Pair(task.id, "run", str(file), "predictions"), context, folder)
    (row,) = tables["medal"].to_pylist()
    return row


@pytest.mark.parametrize("mistake", BROKEN)
def test_predictions(factory, good, tmp_path, mistake):
    row = row_of(factory, BROKEN[mistake], factory.submission(good), tmp_path / "pair")
    assert (row["fault"], row["reason"], row["score"]) == ("task", "broken_task", None)
    assert row["message"]


def benchmark_of(factory, *tasks):
    from biomlbench.workflow.plan import Benchmark
    from tests.workflow.conftest import ROOT

    table = factory.root / "runs.csv"
    rows = "".join(f"{number},a,{task},s.csv\n" for number, task in enumerate(tasks))
    table.write_text(f"run_id,agent,task_id,submission\n{rows}")
    config = {
        "runs": [str(table)],
        "tasks_dirs": [str(factory.tasks)],
        "data_dir": str(factory.data),
    }
    return Benchmark(config, ROOT)


@pytest.mark.parametrize("key", REFUSED)
def test_a_task_with_an_unusable_value_costs_its_own_rows(factory, tmp_path, key):
    factory.task("demo/sound")
    with pytest.raises(TaskError, match=f"demo/broken/config.yaml: `{key}"):
        factory.task("demo/broken", config=REFUSED[key])
    benchmark = benchmark_of(factory, "demo/sound", "demo/broken")
    (bad,) = benchmark.bad_rows
    assert (bad.task_id, bad.reason) == ("demo/broken", "broken_task")
    assert f"`{key}" in bad.message
    assert [row["task_id"] for row in task_rows(benchmark, tmp_path, {})] == ["demo/sound"]


def test_facts_that_the_table_of_tasks_cannot_hold_are_left_out_of_it(factory, tmp_path, caplog):
    factory.task("demo/sound")
    task = factory.task("demo/long", leaderboard=[n / 30_000 for n in range(30_000, 0, -1)])
    (task.folder / "description.md").write_text("a" * 2_000_000)
    rows = task_rows(benchmark_of(factory, "demo/sound", "demo/long"), tmp_path, {})
    table = from_rows("tasks", rows)
    write_table("tasks", table, tmp_path / "tasks.parquet")
    long, sound = table.to_pylist()
    assert (long["description"], sound["description"]) == (None, "# Toy task\n")
    assert "demo/long: `description` is left out of the table of tasks" in caplog.text
    board = long["leaderboard"]
    assert len(board) == 10_000
    assert (board[0], board[-1]) == (1.0, 1 / 30_000)
    assert board == sorted(board, reverse=True)


@pytest.mark.parametrize("mistake", BROKEN | {"difficulty": None})
def test_the_tables_over_all_tasks_have_its_row(factory, tmp_path, mistake):
    task = factory.task(config={**BROKEN, "difficulty": {"difficulty": "hrad"}}[mistake])
    benchmark = benchmark_of(factory, task.id)
    assert benchmark.compute(task.id)["cpus"] == 1
    (row,) = task_rows(benchmark, tmp_path, {})
    assert row["task_id"] == task.id
