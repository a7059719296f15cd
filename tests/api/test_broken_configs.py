"""A mistake in one task's config is a row with the task's fault: no stage raises over it."""

import pytest

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
OF_PROGRAMS = {
    "limit": {"limits": {"wall_s": "long"}},
    "requirement": {"compute_requirements": {"memory_mb": "lots"}},
}


def row_of(factory, config, file, folder):
    task = factory.task(config=config)
    context = Context(str(factory.data), (str(factory.tasks),))
    prepare.compute(task.id, context)
    kind = "program" if str(file).endswith(".py") else "predictions"
    tables = run_pair(Pair(task.id, "run", str(file), kind), context, folder)
    (row,) = tables["medal"].to_pylist()
    return row


@pytest.mark.parametrize("mistake", BROKEN)
def test_predictions(factory, good, tmp_path, mistake):
    row = row_of(factory, BROKEN[mistake], factory.submission(good), tmp_path / "pair")
    assert (row["fault"], row["reason"], row["score"]) == ("task", "broken_task", None)
    assert row["message"]


@pytest.mark.parametrize("mistake", OF_PROGRAMS)
def test_programs(factory, tmp_path, mistake):
    program = factory.submission(name="program.py", text="print(1)\n")
    row = row_of(factory, OF_PROGRAMS[mistake], program, tmp_path / "pair")
    assert (row["stage"], row["fault"], row["reason"]) == ("execute", "task", "broken_task")
    assert "must be a number" in row["message"]


@pytest.mark.parametrize("mistake", BROKEN | OF_PROGRAMS | {"difficulty": None})
def test_the_tables_over_all_tasks_have_its_row(factory, tmp_path, mistake):
    from biomlbench.workflow.plan import Benchmark
    from tests.workflow.conftest import ROOT

    config = {**BROKEN, **OF_PROGRAMS, "difficulty": {"difficulty": "hrad"}}[mistake]
    task = factory.task(config=config)
    table = tmp_path / "runs.csv"
    table.write_text(f"run_id,agent,task_id,submission\n1,a,{task.id},s.csv\n")
    benchmark = Benchmark(
        {
            "runs": [str(table)],
            "tasks_dirs": [str(factory.tasks)],
            "data_dir": str(factory.data),
        },
        ROOT,
    )
    assert benchmark.compute(task.id)["cpus"] == 1
    (row,) = task_rows(benchmark, tmp_path, {})
    assert row["task_id"] == task.id
