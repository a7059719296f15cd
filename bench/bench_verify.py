"""How long one candidate takes in all stages, card by card: nearly all of it is verification.

Every card's own reference is the candidate. The floor is a process that imports what the candidate
does, and makes the same calls in as many forks, without a sandbox, a result or a judgement.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import biomlbench.tasks
from bench.scratch import kept_folder
from biomlbench.outcomes import Suite
from biomlbench.sandbox.inside.calls import SEQUENCE
from biomlbench.stages import Context, Pair, run_pair
from biomlbench.stages.cards import load_card
from biomlbench.stages.preparing import prepare_card
from biomlbench.verify.many_draws import in_few_processes

if TYPE_CHECKING:
    from collections.abc import Callable

    from biomlbench.stages.cards import LoadedCard

KERNELS = Path(biomlbench.tasks.__file__).parent / "kernels"
REPEATS = 2
TARGET = 3.0
"""Most that a candidate may take, in floors."""
QUICK_CARDS = 3
CALLS_IN_FORKS = """
import os, pickle, runpy, sys, warnings

warnings.simplefilter("ignore")
code = runpy.run_path(sys.argv[1])
with open(sys.argv[2], "rb") as file:
    processes = pickle.load(file)
for calls in processes:
    pid = os.fork()
    if not pid:
        for function, args, kwargs in calls:
            try:
                code[function](*args, **kwargs)
            except Exception:
                pass
        os._exit(0)
    os.waitpid(pid, 0)
"""


class Cost(NamedTuple):
    """Seconds of one card, the least of several times, and the processes that make its calls."""

    floor: float
    candidate: float
    processes: float


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
    reference = task.folder / "reference.py"
    pair = Pair(task_id, "reference", str(reference), "functions")
    run_pair(pair, context, scratch)  # encodes the cases
    processes = calls_of(load_card(task), context.repeats)
    calls = scratch / "calls.pickle"
    calls.write_bytes(pickle.dumps(processes))
    call = [sys.executable, "-c", CALLS_IN_FORKS, str(reference), str(calls)]
    floor, _ = least(repeats, partial(subprocess.run, call, check=True))
    candidate, tables = least(repeats, partial(run_pair, pair, context, scratch))
    if set(tables["verify"].column("verdict").to_pylist()) != {"pass"}:
        raise RuntimeError(f"{task_id}: its reference does not pass")
    return Cost(floor, candidate, len(processes))


def calls_of(loaded: LoadedCard, repeats: int) -> list[list[tuple[str, Any, Any]]]:
    """Return the calls that a right candidate gets, those of one process together."""
    groups = in_few_processes(loaded.oracle.draws.cases)
    cases = [
        case
        for case in loaded.plan.cases
        for _ in range(repeats if case.suite == Suite.HIDDEN else 1)
    ]
    return [
        list(case.args[1])
        if case.function == SEQUENCE
        else [(case.function, case.args, dict(case.kwargs))]
        for case in (*cases, *(group.call for group in groups.values()))
    ]


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
    with kept_folder() as name:
        context = Context(f"{name}/data", ())
        costs = {
            folder.name: measure(f"kernels/{folder.name}", context, Path(name) / "pair", repeats)
            for folder in folders
        }
    slowest = max(costs, key=lambda name: costs[name].candidate)
    mean = Cost(*(sum(column) / len(costs) for column in zip(*costs.values(), strict=True)))
    print(f"slowest card: {slowest}; {mean.processes:.0f} processes a card", flush=True)
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
