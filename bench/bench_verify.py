"""How long verification of one candidate takes, card by card: execution in the sandbox, judging.

Every card's own reference is the candidate; the target is for the slowest card, the peer is the
reference in this process, without a sandbox and without a judgement.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import biomlbench.tasks
from biomlbench.verify import card, compute, decide, judge
from biomlbench.verify.execution import in_sandbox

if TYPE_CHECKING:
    from collections.abc import Callable

KERNELS = Path(biomlbench.tasks.__file__).parent / "kernels"
REPEATS = 3
TARGET_S = 2.0
"""Most seconds for one candidate on the slowest card."""
QUICK_CARDS = 3


class Cost(NamedTuple):
    """Seconds of one card, the best of several times."""

    oracle: float
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
    oracle_s, oracle = best(repeats, compute, loaded, plan)
    sandbox_s, outputs = best(repeats, in_sandbox, folder / "reference.py", plan.cases, loaded)
    judge_s, rows = best(repeats, judge, loaded, plan, oracle, outputs)
    if decide(rows).verdict != "pass":
        raise RuntimeError(f"{folder.name}: its reference does not pass")
    return Cost(oracle_s, sandbox_s, judge_s, len(plan.cases))


def run(quick: bool = False) -> list[dict[str, Any]]:
    """Measure every card, its slowest one against the target.

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
        "peer": cost.oracle,
        "ratio": cost.candidate / cost.oracle,
        "target": f"{TARGET_S:g} s",
        "ok": cost.candidate <= TARGET_S,
    }
