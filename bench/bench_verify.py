"""How long verification of one candidate takes, card by card: execution in the sandbox, judging.

Every card's own reference is the candidate. The floor is a process that imports what the candidate
does and forks once for each case, without a sandbox, a call or a judgement.
"""

from __future__ import annotations

import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import biomlbench.tasks
from biomlbench.verify import card, compute, decide, judge
from biomlbench.verify.execution import in_sandbox

if TYPE_CHECKING:
    from collections.abc import Callable

KERNELS = Path(biomlbench.tasks.__file__).parent / "kernels"
REPEATS = 3
TARGET = 5.0
"""Most that a candidate may take, in floors."""
QUICK_CARDS = 3
FORKS = """
import os, runpy, sys

runpy.run_path(sys.argv[1])
for _ in range(int(sys.argv[2])):
    pid = os.fork()
    if not pid:
        os._exit(0)
    os.waitpid(pid, 0)
"""


class Cost(NamedTuple):
    """Seconds of one card, the best of several times."""

    floor: float
    sandbox: float
    judgement: float
    cases: float

    @property
    def candidate(self) -> float:
        """What a candidate costs: the oracle's outputs are there already."""
        return self.sandbox + self.judgement


def best(repeats: int, function: Callable[..., Any], *args: Any) -> tuple[float, Any]:
    """Return the least seconds of so many calls, and the last result."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = function(*args)
        times.append(time.perf_counter() - start)
    return min(times), result


def measure(folder: Path, repeats: int) -> Cost:
    """Return what one card's reference costs as a candidate."""
    loaded = card.load(folder)
    plan = loaded.plan()
    oracle = compute(loaded, plan)
    reference, cases = folder / "reference.py", len(plan.cases)
    call = [sys.executable, "-c", FORKS, str(reference), str(cases)]
    floor_s, _ = best(repeats, partial(subprocess.run, call, check=True))
    sandbox_s, outputs = best(repeats, in_sandbox, reference, plan.cases, loaded)
    judge_s, rows = best(repeats, judge, loaded, plan, oracle, outputs)
    if decide(rows).verdict != "pass":
        raise RuntimeError(f"{folder.name}: its reference does not pass")
    return Cost(floor_s, sandbox_s, judge_s, cases)


def run(quick: bool = False) -> list[dict[str, Any]]:
    """Measure every card; the slowest one and the mean are told.

    Parameters
    ----------
    quick : bool
        A few cards, once each.

    Returns
    -------
    list of dict
        ``figure``, ``ours`` and ``peer`` (seconds), ``ratio``, ``target`` and ``ok``.
    """
    folders = sorted(path.parent for path in KERNELS.glob("*/verifier.yaml"))
    repeats = REPEATS
    if quick:
        folders, repeats = folders[:QUICK_CARDS], 1
    costs = {folder.name: measure(folder, repeats) for folder in folders}
    slowest = max(costs, key=lambda name: costs[name].candidate)
    mean = Cost(*(sum(column) / len(costs) for column in zip(*costs.values(), strict=True)))
    print(f"slowest card: {slowest}; {mean.cases:.0f} cases a card", flush=True)
    return [
        _row(f"verify a candidate, slowest of {len(costs)} cards, s", costs[slowest]),
        _row(f"verify a candidate, mean of {len(costs)} cards, s", mean),
    ]


def _row(figure: str, cost: Cost) -> dict[str, Any]:
    return {
        "figure": figure,
        "ours": cost.candidate,
        "peer": cost.floor,
        "ratio": cost.candidate / cost.floor,
        "target": f"<= {TARGET}",
        "ok": cost.candidate <= TARGET * cost.floor,
    }
