"""One function, three doors: the API, the command line and the workflow give the same tables."""

from __future__ import annotations

import subprocess
import sys

import pyarrow.parquet as pq
import pytest

from biomlbench.contracts import compared
from biomlbench.stages import STAGES, Context, Pair, run_pair
from tests.workflow.conftest import CARD


@pytest.mark.parametrize(
    ("task", "run", "submission", "kind"),
    [
        ("toy/line", "right", "subs/right.csv", "predictions"),
        ("toy/line", "program", "subs/program.py", "program"),
        (CARD, "kabsch", "subs/kabsch.py", "functions"),
        ("toy/line", "short", "subs/short.csv", "predictions"),
    ],
)
def test_three_doors_give_the_same_tables(
    finished, tmp_path, monkeypatch, task, run, submission, kind
):
    monkeypatch.chdir(finished)
    context = Context(data_dir="data", tasks_dirs=("toy",), bootstrap=200, seed=3)
    run_pair(Pair(task, run, submission, kind), context, tmp_path / "api")
    call = ["grade", submission, task, "--data-dir", "data", "--tasks-dir", "toy"]
    call += ["--bootstrap", "200", "--bootstrap-seed", "3", "--out", str(tmp_path / "cli")]
    subprocess.run([sys.executable, "-m", "biomlbench.cli", *call], capture_output=True)
    for stage in STAGES:
        folders = (finished / "results" / "pairs" / task / run, tmp_path / "api", tmp_path / "cli")
        tables = [pq.read_table(f / f"{stage}.parquet", partitioning=None) for f in folders]
        workflow, api, cli = (compared(stage, table) for table in tables)
        assert workflow.equals(api), stage
        assert workflow.equals(cli), stage
