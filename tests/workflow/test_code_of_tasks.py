"""What a task's own code does to its process costs that task's pairs, and no others."""

from __future__ import annotations

import shutil

import pytest

from tests.workflow.conftest import TABLES
from tests.workflow.test_hard_faults import COMPARED, rows_of

pytestmark = pytest.mark.slow

HEAD = """\
import os, signal, sys
import numpy as np


def act(*tables):
    {body}
    return 1.0
"""
METRIC = "grader: {name: rmse, metric: rmse, direction: minimize}"
OWN = "grader: {name: own, grade_fn: 'grade:act', direction: minimize}"
GRADERS = {
    "changes": "np.sqrt = None; os.environ.clear(); os.chdir('/'); sys.path.clear()",
    "umask": "os.umask(0o777)",
    "limits": "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))",
    "closes": "os.closerange(3, 500)",
    "exits": "os._exit(0)",
    "interrupts": "raise KeyboardInterrupt",
    "crashes": "os.kill(os.getpid(), signal.SIGSEGV)",
    "stops": "os.kill(os.getpid(), signal.SIGSTOP)",
    "forks": "os.fork()",
}
LOST = {"closes", "exits", "interrupts", "crashes", "stops"}
PREPARERS = {"moves": "os.chdir('/')", "leaves": "os._exit(0)"}
RUNS = "run_id,agent,task_id,submission\n"


def test_other_tasks_have_the_results_that_they_have_alone(finished, fresh):
    tasks, line = fresh.path / "toy" / "toy", fresh.path / "toy" / "toy" / "line"
    rows = []
    for name, body in {**GRADERS, **PREPARERS}.items():
        folder = tasks / name
        shutil.copytree(line, folder)
        config = folder / "config.yaml"
        text = config.read_text()
        if name in GRADERS:
            assert METRIC in text
            config.write_text(text.replace(METRIC, OWN))
            (folder / "grade.py").write_text(HEAD.format(body=body))
        else:
            prepare = folder / "prepare.py"
            code = prepare.read_text()
            start = code.index("\n", code.index("def prepare(")) + 1
            prepare.write_text(f"{code[:start]}    import os\n    {body}\n{code[start:]}")
        rows.append(f"own,ada,toy/{name},subs/right.csv\n")
    (fresh.path / "more.csv").write_text(RUNS + "".join(rows))
    fresh.edit("config/config.yaml", "runs.csv", "more.csv, runs.csv")
    fresh.snakemake(*TABLES, "--cores", "1")

    found = rows_of(fresh)
    known = rows_of(type(fresh)(finished))
    for key, row in known.items():
        assert [found[key][c] for c in COMPARED] == [row[c] for c in COMPARED], key
    for name in GRADERS:
        row = found[f"toy/{name}", "own"]
        wanted = ("grader", "grader_error") if name in LOST else ("none", "ok")
        assert (row["fault"], row["reason"]) == wanted, (name, row["message"])
    assert found["toy/moves", "own"]["reason"] == "ok"
    left = found["toy/leaves", "own"]
    assert (left["fault"], left["reason"]) == ("task", "broken_task")
    assert "did not come to its end" in left["message"]
