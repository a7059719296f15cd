"""`snakemake audit`: the same findings as the library gives, and nothing done twice."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest

from biomlbench.audit import audit_task
from biomlbench.cli._scaffold import make
from tests.audit.zoo import FLAWED
from tests.waiting import HANG_S
from tests.workflow.conftest import copy_workflow


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
    copy_workflow(tmp_path)
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
    # the public files of a task that was prepared later, and has no runs
    other = tmp_path / "data" / "others" / "later" / "prepared" / "public" / "train.csv"
    other.parent.mkdir(parents=True)
    shutil.copy(task.answers, other)
    snakemake(tmp_path)
    found = json.loads((folder / task.id / "findings.json").read_text())
    assert "answers-in-other-tasks" in {row["name"] for row in found["findings"]}
    os.utime(other)
    assert "Nothing to be done" in snakemake(tmp_path)


@pytest.mark.slow
def test_audits_look_into_the_other_tasks_of_the_benchmark_once_those_are_prepared(tmp_path):
    copy_workflow(tmp_path)
    runs = ["run_id,agent,task_id,submission"]
    for name in ("one", "two"):
        task = make("task", f"clinical/{name}", tmp_path / "tasks").files[0].parent
        # two tasks of the very same rows
        code = (task / "prepare.py").read_text().replace(f'*b"clinical/{name}"', "1")
        (task / "prepare.py").write_text(code)
        runs.append(f"r,a,clinical/{name},gone.csv")
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.yaml").write_text(
        "runs: [runs.csv]\ntasks_dirs: [tasks]\ndata_dir: data\n"
    )

    def names(task):
        path = tmp_path / "results" / "audit" / "clinical" / task / "findings.json"
        return {row["name"] for row in json.loads(path.read_text())["findings"]}

    (tmp_path / "runs.csv").write_text("\n".join(runs[:2]) + "\n")
    snakemake(tmp_path)
    assert "answers-in-other-tasks" not in names("one")
    (tmp_path / "runs.csv").write_text("\n".join(runs) + "\n")
    snakemake(tmp_path)
    assert "answers-in-other-tasks" in names("one") & names("two")
    assert "Nothing to be done" in snakemake(tmp_path)
