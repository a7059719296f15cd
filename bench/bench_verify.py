"""How long one candidate takes in all stages, card by card: nearly all of it is verification.

Every card's own reference is the candidate. The floor is a process that imports what the candidate
does and forks once for each case, without a sandbox, a call or a judgement.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import biomlbench.tasks
from biomlbench.stages import Context, Pair, run_pair
from biomlbench.stages.cards import load_card
from biomlbench.stages.preparing import prepare_card

if TYPE_CHECKING:
    from collections.abc import Callable

KERNELS = Path(biomlbench.tasks.__file__).parent / "kernels"
REPEATS = 2
TARGET = 7.0
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
    """Seconds of one card, the least of several times."""

    floor: float
    candidate: float
    cases: float


def least(repeats: int, function: Callable[[], Any]) -> tuple[float, Any]:
    """Return the least seconds of so many calls, and the last result."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - start)
    return min(times), result


def measure(task_id: str, context: Context, scratch: Path, repeats: int) -> Cost:
    """Return what one card's reference costs as a candidate, in all stages."""
    task = context.task(task_id)
    prepare_card(task)
    reference, cases = task.folder / "reference.py", len(load_card(task).plan.cases)
    pair = Pair(task_id, "reference", str(reference), "functions")
    run_pair(pair, context, scratch)  # encodes the cases
    call = [sys.executable, "-c", FORKS, str(reference), str(cases)]
    floor, _ = least(repeats, partial(subprocess.run, call, check=True))
    candidate, tables = least(repeats, partial(run_pair, pair, context, scratch))
    if set(tables["verify"].column("verdict").to_pylist()) != {"pass"}:
        raise RuntimeError(f"{task_id}: its reference does not pass")
    return Cost(floor, candidate, cases)


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
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        context = Context(f"{name}/data", ())
        costs = {
            folder.name: measure(f"kernels/{folder.name}", context, Path(name) / "pair", repeats)
            for folder in folders
        }
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
