"""Run all benchmarks, print a table, add it to ``results/bench.csv``, and plot all of that.

Each module ``bench_*.py`` defines ``run(quick) -> list of dict`` with the keys ``figure``,
``ours``, ``peer``, ``ratio``, ``target`` and ``ok``. The exit code is 1 where a target is missed.
A target in seconds is for a machine of speed 1: its ratio is that of such a machine, by the speed
that was measured before and after.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import math
import os
import platform
import subprocess
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.history import draw
from bench.rows import at_speed
from bench.speed import speed

ROOT = Path(__file__).resolve().parents[1]
FIGURES = ("ours", "peer", "ratio", "target")
KEPT = ("time", "commit", "machine", "cores", "load", "speed", "sizes", "figure", *FIGURES, "ok")


def commit() -> str:
    """Return the commit that is measured, with ``+`` where files differ from it."""
    call = ["git", "-C", str(ROOT), "describe", "--always", "--abbrev=12", "--dirty=+"]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def machine() -> str:
    """Return the kind of processor, never the machine's name."""
    with Path("/proc/cpuinfo").open(encoding="utf-8") as file:
        models = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    return models[0] if models else platform.machine()


def load() -> str:
    """Return the mean number of running processes, of which those of others distort times."""
    return Path("/proc/loadavg").read_text(encoding="utf-8").split()[0]


def keep(path: Path, rows: list[dict[str, Any]], about: dict[str, Any]) -> None:
    """Add rows to the table of all measurements, which may have been begun with fewer columns."""
    path.parent.mkdir(parents=True, exist_ok=True)
    before: list[dict[str, Any]] = []
    if path.exists():
        with path.open(encoding="utf-8", newline="") as file:
            before = list(csv.DictReader(file))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, KEPT, lineterminator="\n")
        writer.writeheader()
        writer.writerows(before)
        writer.writerows({**about, **row} for row in rows)


def measured(name: str, quick: bool) -> list[dict[str, Any]]:
    """Return the rows of one benchmark; of one that breaks, a row that says so and is not met."""
    try:
        rows: list[dict[str, Any]] = importlib.import_module(f"bench.{name}").run(quick=quick)
        return rows
    except Exception as error:
        traceback.print_exc()
        words = str(error).strip().splitlines() or [type(error).__name__]
        lost = dict.fromkeys(FIGURES[:3], math.nan)
        return [{"figure": f"{name} broke: {words[-1]}", **lost, "target": "", "ok": False}]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", help="only these, for instance workflow")
    parser.add_argument("--quick", action="store_true", help="smaller sizes, to try the benchmarks")
    parser.add_argument("--out", type=Path, default=Path("results/bench.csv"))
    args = parser.parse_args(arguments)
    found = sorted(path.stem for path in Path(__file__).parent.glob("bench_*.py"))
    names = [f"bench_{name}" for name in args.names] or found
    console = Console()
    table = Table("figure", *FIGURES, "met")
    missed = 0
    for name in names:
        about = {
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
            "commit": commit(),
            "machine": machine(),
            "cores": len(os.sched_getaffinity(0)),
            "load": load(),
            "sizes": "quick" if args.quick else "full",
        }
        before = speed()
        with console.status(name):
            rows = measured(name, args.quick)
        now = (before + speed()) / 2
        about["speed"] = f"{now:.2f}"
        rows = [at_speed(row, now) for row in rows]
        keep(args.out, rows, about)
        for row in rows:
            cells = [f"{row[c]:.3g}" for c in FIGURES[:3]]
            table.add_row(row["figure"], *cells, str(row["target"]), "yes" if row["ok"] else "NO")
        missed += sum(not row["ok"] for row in rows)
    console.print(table)
    plot = args.out.with_suffix(".svg")
    if draw(args.out, plot):
        console.print(f"ratios over commits: {plot}")
    if missed:
        console.print(f"{missed} of {table.row_count} targets are missed")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
