"""What the sandbox costs, beside a plain interpreter that imports NumPy.

Times are medians; the plain and the sandboxed starts take turns, so that a busy machine slows
both alike. The peers of the other two figures are their bounds.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from typing import Any

from bench.rows import against_target
from biomlbench.sandbox import Case, Limits, providers, run_functions

CODE = b"""
import numpy as np


def add(a, b):
    return a + b
"""
START_RATIO = 1.6
CASE_MS = 5.0
THOUSAND_S = 6.0


def plain_start() -> float:
    """Seconds of ``python -c "import numpy"``."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-I", "-c", "import numpy"], check=True)
    return time.perf_counter() - start


def sandboxed(cases: int, provider: str) -> float:
    """Seconds of a candidate with so many cases, start and end of the sandbox included."""
    work = [Case(str(i), "add", (i, 1)) for i in range(cases)]
    start = time.perf_counter()
    done = run_functions(CODE, work, provider=provider, limits=Limits())
    taken = time.perf_counter() - start
    if any(case.status != "ok" for case in done.cases):
        raise SystemExit(f"a case failed: {done.cases}")
    return taken


def run(quick: bool) -> list[dict[str, Any]]:
    """Measure start, one case more, and a thousand cases."""
    provider = providers.choose("auto").name
    repeats, many, thousand = (3, 50, 100) if quick else (11, 200, 1000)
    plain, one = [], []
    for _ in range(repeats):
        plain.append(plain_start())
        one.append(sandboxed(1, provider))
    longer = [sandboxed(many, provider) for _ in range(1 if quick else 3)]
    start, base = statistics.median(one), statistics.median(plain)
    per_case_ms = (statistics.median(longer) - start) / (many - 1) * 1000
    total = sandboxed(thousand, provider) * 1000 / thousand
    return [
        row(f"{provider}: start with NumPy and one case [s]", start, base, START_RATIO),
        against_target(f"{provider}: one case more [ms]", per_case_ms, CASE_MS, timed=True),
        against_target(
            f"{provider}: 1,000 cases of one candidate [s]", total, THOUSAND_S, timed=True
        ),
    ]


def row(figure: str, ours: float, peer: float, target: float) -> dict[str, Any]:
    """Return one row: `ours` may be at most `target` times `peer`."""
    ratio = ours / peer
    return {
        "figure": figure,
        "ours": ours,
        "peer": peer,
        "ratio": ratio,
        "target": f"<= {target}",
        "ok": ratio <= target,
    }
