"""`snakemake audit`: the same findings as the library gives, and nothing done twice."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from biomlbench.audit import audit_task
from tests.audit.zoo import FLAWED
from tests.waiting import HANG_S

ROOT = Path(__file__).resolve().parents[2]


def snakemake(place, *arguments):
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "audit", "--cores", "1", *arguments],
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(place)},
        capture_output=True,
        text=True,
        timeout=HANG_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.slow
def test_the_rule_writes_what_the_library_finds(tmp_path):
    for name in ("workflow", "scripts", "profiles", "biomlbench"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    shutil.copy(ROOT / "Snakefile", tmp_path)
    task = FLAWED["labels_beside_the_test_rows"][1]().write(tmp_path)
    with (task.folder / "config.yaml").open("a") as file:
        file.write("data_source: {type: manual}\n")
    shutil.copy(task.sample_submission, tmp_path / "submitted.csv")
    (tmp_path / "runs.csv").write_text(
        f"run_id,agent,task_id,submission\nr,a,{task.id},submitted.csv\n"
    )
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.yaml").write_text(
        "runs: [runs.csv]\ntasks_dirs: [tasks]\ndata_dir: data\n"
    )
    snakemake(tmp_path)
    folder = tmp_path / "results" / "audit"
    found = json.loads((folder / task.id / "findings.json").read_text())
    assert found["findings"] == audit_task(task).rows()
    assert task.id in (folder / "audit.html").read_text()
    assert (folder / task.id / "submissions" / "answers-by-key.csv").is_file()
    assert "Nothing to be done" in snakemake(tmp_path)
    (task.folder / "audit.yaml").write_text("waived:\n- {finding: answers-by-key, reason: known}\n")
    snakemake(tmp_path)
    found = json.loads((folder / task.id / "findings.json").read_text())
    assert found["findings"][0]["waived"] == "known"
