"""What a stage's code hash covers, and that it covers all the stage uses."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pytest

from biomlbench.stages import STAGES
from biomlbench.stages.chain import dependencies, module_of
from biomlbench.workflow.code_hash import modules_of
from tests.workflow.conftest import CARD

# Runs one stage with some modules made unimportable.
WITHOUT = """
import json, sys
stage, folder, unused, pairs = json.loads(sys.argv[1])
for name in unused:
    sys.modules[name] = None
from biomlbench.stages import Context, Pair, run_stage
context = Context(data_dir="data", tasks_dirs=("toy",), bootstrap=50)
for pair in pairs:
    run_stage(stage, Pair(*pair), context, f"{folder}/{pair[0]}/{pair[1]}")
"""
PAIRS = [
    ("toy/line", "right", "subs/right.csv", "predictions"),
    ("toy/line", "short", "subs/short.csv", "predictions"),
    ("toy/line", "program", "subs/program.py", "program"),
    (CARD, "kabsch", "subs/kabsch.py", "functions"),
]


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_runs_without_what_its_hash_leaves_out(finished, tmp_path, stage):
    for task, run, *_ in PAIRS:
        source = finished / "results" / "pairs" / task / run
        shutil.copytree(source, tmp_path / task / run)
    question = json.dumps([stage, str(tmp_path), dependencies(stage).unused, PAIRS])
    call = [sys.executable, "-c", WITHOUT, question]
    done = subprocess.run(call, cwd=finished, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


PREPARE = """
import json, sys
for name in json.loads(sys.argv[1]):
    sys.modules[name] = None
from biomlbench.stages import Context
from biomlbench.stages.prepare import compute
for task in json.loads(sys.argv[3]):
    compute(task, Context(data_dir=sys.argv[2], tasks_dirs=("toy",)))
"""


def test_preparing_needs_nothing_that_its_hash_leaves_out(finished, tmp_path):
    unused = json.dumps(dependencies("prepare").unused)
    call = [sys.executable, "-c", PREPARE, unused, str(tmp_path), json.dumps(["toy/line", CARD])]
    done = subprocess.run(call, cwd=finished, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_imports_are_followed():
    modules = modules_of(module_of("medal"), dependencies("medal").unused)
    assert "scoring/medals.py" in modules  # imported by name
    assert "scoring/leaderboard.py" in modules  # by what the module before imports
    assert "task/task.py" in modules  # by the registry, within a function
    assert not [name for name in modules if name.startswith(("sandbox/", "report/"))]


def test_plug_ins_count_as_a_whole():
    modules = modules_of(module_of("grade"), dependencies("grade").unused)
    assert {"metrics/ranking.py", "metrics/overlap.py"} & set(modules)
    assert len([name for name in modules if name.startswith("metrics/")]) > 5
