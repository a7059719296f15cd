"""What the Slurm profile costs beside a local run of the same pairs, on the same cores."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from bench.bench_workflow import ROOT, _row, make_benchmark
from bench.scratch import kept_folder
from tests.slurm.slurm_cluster import SlurmCluster, missing

TARGET = 2.0


def run(quick: bool = False) -> list[dict[str, Any]]:
    """Measure 1,000 pairs through a one-node Slurm and locally.

    Parameters
    ----------
    quick : bool
        Fifty pairs.

    Returns
    -------
    list of dict
        ``figure``, ``ours`` and ``peer`` (seconds), ``ratio``, ``target`` and ``ok``; empty where
        no Slurm can be brought up.
    """
    if problem := missing():
        print(f"slurm: left out: {problem}")
        return []
    pairs = 50 if quick else 1_000
    with kept_folder() as name:
        folder = Path(name)
        make_benchmark(folder / "local", pairs)
        shutil.copytree(folder / "local", folder / "slurm")
        cluster = SlurmCluster(folder / "cluster", names=("node",))
        cluster.start()
        try:
            env = {**os.environ, **cluster.env, "PYTHONPATH": str(ROOT)}
            profile = ["--profile", str(ROOT / "profiles" / "slurm")]
            here = _seconds(folder / "local", env, "--cores", "2")
            there = _seconds(folder / "slurm", env, *profile)
        finally:
            cluster.stop()
    return [_row(f"{pairs} pairs through Slurm, wall s against local", there, here, TARGET)]


def _seconds(folder: Path, env: dict[str, str], *arguments: str) -> float:
    call = [sys.executable, "-m", "snakemake", "-s", str(ROOT / "Snakefile")]
    start = time.perf_counter()
    subprocess.run(
        [*call, "--directory", str(folder), *arguments],
        cwd=folder, env=env, capture_output=True, check=True,
    )  # fmt: skip
    return time.perf_counter() - start
