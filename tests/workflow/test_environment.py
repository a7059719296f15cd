"""A task may name the virtual environment that its submissions run in."""

from __future__ import annotations

import sys
import venv

import pytest

from biomlbench.contracts import from_rows
from biomlbench.errors import NotPreparedError
from biomlbench.stages import Context, Pair
from biomlbench.stages.chain.execute import compute
from biomlbench.stages.chain.validate import compute as validate

PROGRAM = """
import os, sys
from pathlib import Path
Path(os.environ["OUTPUT_PATH"]).write_text(sys.prefix)
"""


@pytest.fixture
def task(tmp_path):
    folder = tmp_path / "tasks" / "toy" / "other"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text(
        "name: Other\nenvironment: own-packages\n"
        "grader: {name: rmse, metric: rmse, direction: minimize}\n"
    )
    public = tmp_path / "data" / "toy" / "other" / "prepared" / "public"
    public.mkdir(parents=True)
    (public / "sample_submission.csv").write_text("id,y\na,1\nb,2\n")
    (tmp_path / "program.py").write_text(PROGRAM)
    return folder


def run(task):
    root = task.parents[2]
    context = Context(data_dir=str(root / "data"), tasks_dirs=(str(root / "tasks"),))
    pair = Pair("toy/other", "r", str(root / "program.py"), "program")
    before = {"validate": from_rows("validate", validate(pair, context, {}))}
    return compute(pair, context, before)[0]


def test_code_runs_in_the_named_environment(task):
    venv.create(task / "own-packages", with_pip=False)
    row = run(task)
    assert row["status"] == "ok", row["message"]
    assert row["output"].decode() == str(task / "own-packages") != sys.prefix


def test_a_missing_environment_is_named_with_the_mend(task):
    with pytest.raises(
        NotPreparedError, match=r"no virtual environment 'own-packages'.*venv envs/own-pack"
    ):
        run(task)
