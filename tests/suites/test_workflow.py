"""A suite in the workflow: every task has a row, prepared or not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from .conftest import tables

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_every_task_of_a_suite_has_a_row(home, data_dir, tmp_path, monkeypatch):
    monkeypatch.setenv("BIOMLBENCH_SUITES", str(home))
    _, answers = tables("near-miss")
    answers.assign(y=answers["y"] + 0.09).to_csv(tmp_path / "good.csv", index=False)
    sample, _ = tables("moody")
    sample.assign(what="exit").to_csv(tmp_path / "exit.csv", index=False)
    answers.assign(y=-200.0).to_csv(tmp_path / "low.csv", index=False)
    (tmp_path / "runs.csv").write_text(
        "run_id,agent,task_id,submission\n"
        "one,a,near-miss,good.csv\ntwo,b,near-miss,low.csv\nthree,a,hub-task,absent.csv\n"
    )
    (tmp_path / "config.yaml").write_text(
        f"runs: [runs.csv]\nsuite: toy-suite\ndata_dir: {data_dir}\n"
    )
    command = [str(Path(sys.executable).with_name("snakemake")), "-s", str(ROOT / "Snakefile")]
    command += ["--configfile", "config.yaml", "--cores", "1"]
    command += ["--workflow-profile", str(ROOT / "profiles" / "default")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    pairs = pd.read_parquet(tmp_path / "results" / "pairs.parquet").set_index("run_id")
    assert pairs.loc["one", "medal"] == "gold"
    assert pairs.loc["one", "medal_note"].startswith("against 8 fitted models")
    assert pairs.loc["two", "fault"] == "submission"
    assert pairs.loc["three", "reason"] == "missing_file"
    tasks = pd.read_parquet(tmp_path / "results" / "tasks.parquet").set_index("task_id")
    assert len(tasks) == 6
    assert tasks["prepared"].to_dict()["toy/moody"] is False
    assert "config.yaml: cannot be read" in tasks.loc["toy/broken", "leaderboard_note"]
    assert (tmp_path / "results" / "report.html").is_file()
