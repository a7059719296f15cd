"""How fast the machine is now, beside the one on which targets in seconds were set.

Machines differ, and shared ones change from minute to minute: a bound in seconds says little
without a yardstick that was measured beside it. The yardstick does a little of what the library
does: plain Python, JSON, hashes, sorted numbers.
"""

from __future__ import annotations

import hashlib
import json
import os
import statistics
import time
from multiprocessing import get_context

import numpy as np

__all__ = ["speed"]

NOMINAL_S = 0.12
"""Seconds that the yardstick takes on the machine of the targets: two quiet cores of an AMD EPYC at
2.45 GHz, Python 3.11."""
MOST_CORES = 2
REPEATS = 9


def speed() -> float:
    """Return how many times as fast as the machine of the targets this one is now.

    Both cores work, as in a run of the workflow: two of a virtual machine may share one.
    """
    cores = min(MOST_CORES, len(os.sched_getaffinity(0)))
    with get_context("spawn").Pool(cores) as pool:
        of_cores = pool.map(median_of_yardsticks, range(cores), chunksize=1)
    return NOMINAL_S / statistics.mean(of_cores)


def median_of_yardsticks(_core: int) -> float:
    """Return the median of some measurements, in seconds."""
    return statistics.median(yardstick() for _ in range(REPEATS))


def yardstick() -> float:
    """Return the seconds of CPU that a fixed piece of work takes."""
    numbers = np.random.default_rng(0).normal(size=200_000)
    start = time.process_time()
    total = 0
    for i in range(1_000_000):
        total += i * i
    rows = [{"id": f"r{i}", "y": i / 7, "ok": i % 2 == 0} for i in range(20_000)]
    text = json.dumps(rows)
    counts: dict[str, int] = {}
    for row in json.loads(text):
        counts[row["id"][:3]] = counts.get(row["id"][:3], 0) + 1
    hashlib.sha256(text.encode() * 4).digest()
    np.sort(numbers)
    return time.process_time() - start
