"""Aggregate the benchmark of the working folder, step by step, and print what each step takes.

Run as a process of its own: ``python -m bench.aggregating PAIRS``.
"""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import yaml

from biomlbench.report import plots
from biomlbench.report.inputs import Tables
from biomlbench.report.write import write_report
from biomlbench.runtime.threads import limit_threads
from biomlbench.summary.aggregate import aggregate
from biomlbench.summary.telemetry import telemetry
from biomlbench.workflow.plan import Benchmark

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[1]
RESULTS = Path("results")
Result = TypeVar("Result")


def measured(step: str, function: Callable[..., Result], *args: Any) -> Result:
    """Run a step and print its CPU time, wall time and peak of memory."""
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    wall, cpu = time.perf_counter(), time.process_time()
    result = function(*args)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    kilobytes = re.findall("VmHWM:[ \\t]*([0-9]+)", status)
    peak = int(kilobytes[0]) / 1e6
    print(f"{step:<20} {cpu:8.1f} s CPU {wall:8.1f} s wall {peak:6.2f} GB", flush=True)
    return result


def draw(tables: Tables) -> None:
    """Draw every figure that has data, as the workflow's jobs do."""
    for name in plots.names():
        plots.render(name, tables, RESULTS / "plots")


def main(pairs: int) -> None:
    """Aggregate so many pairs, draw the figures and write the report."""
    limit_threads(1)  # as the rules have
    config = yaml.safe_load(Path("config/config.yaml").read_text(encoding="utf-8"))
    benchmark = measured("reading the runs", Benchmark, config, ROOT)
    if len(benchmark.runs) != pairs:
        raise RuntimeError(f"{pairs} pairs were made, and {len(benchmark.runs)} are found")
    measured("aggregate", aggregate, benchmark, RESULTS)
    measured("telemetry", telemetry, benchmark, RESULTS)
    del benchmark
    tables = measured("tables of figures", Tables.load, RESULTS)
    measured("figures", draw, tables)
    del tables
    measured("report", write_report, RESULTS, "Benchmark")


if __name__ == "__main__":
    main(int(sys.argv[1]))
