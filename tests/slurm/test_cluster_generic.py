"""The profile for clusters with a submit command, with stand-ins for PBS's commands."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.slurm.test_profiles import PBS
from tests.workflow.test_batches import assert_equal_summaries

pytestmark = pytest.mark.slow
# A queue of one job at a time; what a job was asked for is kept for the test.
QSUB = """\
#!/bin/sh
mkdir -p "$PBS_HOME"
id=$(mktemp -d "$PBS_HOME/job.XXXXXX")
echo "$@" > "$id/asked"
for script; do :; done
cp "$script" "$id/script"
( flock 9; $KILL_FIRST sh "$id/script" > "$id/out" 2>&1; echo $? > "$id/status" ) \\
    9> "$PBS_HOME/lock" < /dev/null > /dev/null 2>&1 &
basename "$id"
"""
QSTAT = """\
#!/bin/sh
test -e "$PBS_HOME/$3/status" || { echo "    job_state = R"; exit 0; }
echo "    job_state = F"
echo "    Exit_status = $(cat "$PBS_HOME/$3/status")"
"""
# Kills the first job that comes by, as a node's failure would.
KILLER = """\
#!/bin/sh
mkdir "$PBS_HOME/killed" 2>/dev/null || exec "$@"
"$@" &
sleep 1.5
kill -9 $!
exit 137
"""


@pytest.fixture
def cluster(tmp_path):
    """Folder with the stand-ins, and the environment to find them."""
    pytest.importorskip(
        "snakemake_executor_plugin_cluster_generic", reason="pip install .[cluster]"
    )
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, text in {"qsub": QSUB, "qstat": QSTAT, "killer": KILLER}.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    path = f"{folder}:{os.environ['PATH']}"
    return {"PATH": path, "PBS_HOME": str(tmp_path / "pbs"), "KILL_FIRST": str(folder / "killer")}


def test_jobs_go_through_the_submit_command(finished, fresh, cluster):
    call = [sys.executable, "-m", "snakemake", "--profile", str(PBS)]
    done = subprocess.run(
        call, cwd=fresh.path, env={**fresh.env(), **cluster}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert_equal_summaries(finished, fresh.path)
    jobs = list(Path(cluster["PBS_HOME"]).glob("job.*"))
    asked = {(job / "asked").read_text().rpartition(" /")[0] for job in jobs}
    # One of two batches, a program, two of a problem card; and the one that was killed, again.
    assert len(jobs) == 1 + 1 + 2 + 1
    assert sorted((job / "status").read_text().strip() for job in jobs)[-2:] == ["0", "137"]
    assert any("-l select=1:ncpus=1:mem=2000mb -l walltime=100:00" in line for line in asked)
    # One Snakemake a job: it started no further one for its stages.
    # What a cluster's jobs write says what they were about, as this machine sees it.
    shutil.copytree(fresh.results(), fresh.path / "moved")
    assert not fresh.stages_with("pairs_per_job=500", "results_dir=moved")
    read_snakefile = "Building DAG of jobs"
    assert {(job / "out").read_text().count(read_snakefile) for job in jobs} == {1}
