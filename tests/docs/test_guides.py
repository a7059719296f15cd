"""The guides whose commands need a benchmark, or a server, around them."""

from __future__ import annotations

import re
import shutil
import signal
import socket
import subprocess
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tests.cli.conftest import copy_project
from tests.controls import right_submission
from tests.docs.snippets import ROOT, RUN, blocks_of, environment, run, script_of
from tests.waiting import HANG_S, wait_until

pytestmark = pytest.mark.slow
WEEKLY = "docs/how-to/calibrate-weekly.md"
SERVE = "docs/how-to/serve.md"
CONFIG = """\
title: Weekly
runs: [my-runs.csv]
calibration:
  tasks: [kernels/kabsch-rmsd, clinical/breast-cancer-wisconsin]
  mutants: 3
  held_out: 2
  second_order: 1
  inputs: 30
  flake_trials: 1
"""
RUNS = """\
run_id,agent,task_id,submission
seed-1,me,kabsch-rmsd,my_solution.py
gold,me,breast-cancer-wisconsin,gold.csv
"""
# What they show others show as well.
MORE_SOLUTIONS = (
    *("bad/centred_in_place", "bad/first_atom_origin", "bad/mean_over_coordinates"),
    *("bad/one_centroid", "bad/per_atom", "bad/scaled_to_target"),
    *("right/quaternion", "right/singular_values"),
)


@pytest.fixture
def clone(tmp_path):
    folder = copy_project(tmp_path / "clone")
    folder.mkdir(exist_ok=True)
    (folder / "bin").mkdir()
    return folder


def ask(clone, home, *command):
    """Run a command as a reader, and stop at once if it fails."""
    done = subprocess.run(
        command, cwd=clone, env=environment(clone, home), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]


def test_calibrate_weekly(clone, tmp_path):
    """In order, on two tasks with few controls; both weeks of the page are this week."""
    home = tmp_path
    # 3,000 drawn calls for each candidate, the edges and all solutions are for the card's own tests
    card = clone / "biomlbench/tasks/kernels/kabsch-rmsd"
    own, _, _ = (card / "config.yaml").read_text().partition("inputs:")
    (card / "config.yaml").write_text(own)
    for name in MORE_SOLUTIONS:
        (card / "solutions" / f"{name}.py").unlink()
    shutil.copy(clone / "biomlbench/demo/functions/kabsch_right.py", clone / "my_solution.py")
    (clone / "config" / "config.yaml").write_text(CONFIG)
    (clone / "my-runs.csv").write_text(RUNS)
    ask(clone, home, "biomlbench", "prepare", "breast-cancer-wisconsin")
    gold = "clinical/breast-cancer-wisconsin/prepared/private/gold_submission.csv"
    right_submission(home / ".cache/biomlbench/data" / gold, clone / "gold.csv")
    ask(clone, home, "snakemake", "--cores", "2")
    week = datetime.now(UTC).strftime("%G-W%V")
    ran = []
    for block in blocks_of(ROOT / WEEKLY):
        if block.kind not in RUN or block.why:
            continue
        text = re.sub(r"20\d\d-W\d\d", week, block.text).replace("$ less ", "$ cat ")
        text = text.replace("my_solution.py\n", "my_solution.py --trials 1\n")  # of each condition
        # so few controls leave a task uncalibrated, and these two fail then, as the page says
        text = re.sub(
            r"^(.*calibrate(?: check --strict|_strict).*?)(  #.*)?$",
            r"\1 || test $? = 1",
            text,
            flags=re.MULTILINE,
        )
        run(replace(block, text=text), ROOT / WEEKLY, clone, home)
        ran += re.findall(r"^\$ (\w+ \w+(?: \w+)?)", text, re.MULTILINE)
    assert {"snakemake calibrate", "biomlbench calibrate propose"} <= set(ran)
    assert (clone / "results" / "calibration" / week / "proposal.yaml").is_file()
    ask(clone, home, "snakemake", "--cores", "2")
    report = (clone / "results" / "report.html").read_text("utf-8")
    assert 'id="figure-kill_matrix"' in report
    assert "so nobody knows how often the grader is wrong" not in report


@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl")
def test_serve(clone, tmp_path):
    """The server as the page starts it, and its requests, on a port that is free."""
    import pandas as pd

    pytest.importorskip("uvicorn", reason="pip install '.[serve]'")
    home = tmp_path
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    blocks = [b for b in blocks_of(ROOT / SERVE) if b.kind in RUN and not b.why]
    *before, start = script_of(blocks[0]).strip().splitlines()
    assert start == "TASK_ID=breast-cancer-wisconsin biomlbench serve"
    for line in before:
        ask(clone, home, "bash", "-euc", line)
    ask(clone, home, "biomlbench", "prepare", "kabsch-rmsd", "diabetes-progression")
    public = "biomlbench/data/clinical/{}/prepared/public/sample_submission.csv"
    cache = home / ".cache"
    pd.read_csv(cache / public.format("breast-cancer-wisconsin")).iloc[:-2].to_csv(
        clone / "my.csv", index=False
    )
    pd.read_csv(cache / public.format("diabetes-progression")).to_parquet(clone / "my.parquet")
    shutil.copy(clone / "biomlbench/demo/functions/kabsch_right.py", clone / "rmsd.py")
    server = subprocess.Popen(
        ["bash", "-c", f"exec env {start} --port {port}"], cwd=clone, env=environment(clone, home)
    )
    try:

        def answers():
            assert server.poll() is None
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", int(port))) == 0

        wait_until(answers)
        answers = [
            run(replace(block, text=block.text.replace("5000", port)), ROOT / SERVE, clone, home)
            for block in blocks[1:]
        ]
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(HANG_S)
    short, valid, judged = answers
    assert "have no row" in short
    assert "Submission is valid." in valid
    assert '"verdict":"pass"' in judged.replace(" ", "")
