"""The main process stays idle while many long jobs run: no pile of timers."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.workflow.conftest import predictions

PAIRS, AT_ONCE, SECONDS = 96, 8, 2.0
NO_GUARD = """
from biomlbench.workflow.snakemake_adapter import Adapter

Adapter.no_rate_limit = lambda self: None
"""
# Snakemake's own pool has a thread a core and five, ours waits in it.
MOST_THREADS = 2 * AT_ONCE + 16
MOST_CORES = 0.25


def watch(process: subprocess.Popen) -> tuple[int, float]:
    """Return most threads of a process, and its CPU use (cores) in the second half of its life."""
    threads, samples = 0, []
    while process.poll() is None:
        try:
            status = Path(f"/proc/{process.pid}/status").read_text()
            fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            break
        threads = max(threads, int(status.partition("Threads:")[2].split()[0]))
        cpu = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        samples.append((time.monotonic(), cpu))
        time.sleep(0.2)
    (t0, c0), (t1, c1) = samples[len(samples) // 3], samples[-len(samples) // 10]
    return threads, (c1 - c0) / (t1 - t0)


def run_long_jobs(bench) -> tuple[int, float]:
    bench.before_each_stage(f'if stage == "validate":\n    __import__("time").sleep({SECONDS})')
    (bench.path / "runs.csv").write_text(
        "run_id,agent,task_id,submission\n"
        + "".join(f"r{n},ada,line,subs/near.csv\n" for n in range(PAIRS))
    )
    (bench.path / "subs" / "near.csv").write_text(predictions(2.1))
    call = [sys.executable, "-m", "snakemake", "--cores", str(AT_ONCE), "--until", "validate"]
    log = (bench.path / "log").open("w")
    process = subprocess.Popen(call, cwd=bench.path, env=bench.env(), stdout=log, stderr=log)
    found = watch(process)
    assert process.returncode == 0, (bench.path / "log").read_text()
    return found


@pytest.mark.slow
def test_many_two_second_jobs_leave_the_main_process_idle(fresh):
    threads, cores = run_long_jobs(fresh)
    print(threads, cores)
    assert threads <= MOST_THREADS
    assert cores <= MOST_CORES


@pytest.mark.slow
def test_without_the_guard_timers_pile_up(fresh):
    # When this fails Snakemake has been repaired, and the guard can go.
    fresh.at_start(NO_GUARD)
    threads, cores = run_long_jobs(fresh)
    print(threads, cores)
    assert threads > MOST_THREADS or cores > MOST_CORES
