"""Simulate how often the report's intervals hold the truth; prints a Markdown table.

python tools/interval_coverage.py [--benchmarks 2000]
"""

from __future__ import annotations

import argparse
import itertools
import zlib
from typing import NamedTuple

import numpy as np
import pandas as pd

from biomlbench.report.compare import ranking
from biomlbench.summary.mean_intervals import mean_interval

#: Rates of single tasks: Beta distributed, or a few tasks that are solved and the rest never.
SCENARIOS = {
    "symmetric": (2.0, 2.0),
    "extremes": (0.5, 0.5),
    "skewed": (0.3, 2.0),
    "near the ceiling": (4.0, 0.4),
    "one in ten": None,
}
AGENTS = 3
#: Places take all paired tests, so only one benchmark in so many has them simulated.
PLACES_EVERY = 4


class Coverage(NamedTuple):
    """Shares of simulated benchmarks whose intervals hold the truth."""

    scenario: str
    tasks: int
    replicates: int
    mean: float
    standard_errors: float
    difference: float
    places: float


def _task_rates(scenario: str, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    parameters = SCENARIOS[scenario]
    if parameters is None:
        return (rng.random(shape) < 0.1).astype(float)
    return rng.beta(*parameters, shape)


def _true_mean(scenario: str) -> float:
    parameters = SCENARIOS[scenario]
    return 0.1 if parameters is None else parameters[0] / sum(parameters)


def coverage(scenario: str, tasks: int, replicates: int, n: int) -> Coverage:
    """Simulate benchmarks of agents that are equally good on average, but not task by task.

    Parameters
    ----------
    scenario : str
        One of :data:`SCENARIOS`.
    tasks, replicates : int
    n : int
        Simulated benchmarks.

    Returns
    -------
    Coverage
        `mean`: of an agent's interval; `standard_errors`: of mean plus and minus 1.96 standard
        errors, for comparison; `difference`: of the interval between two agents, whose truth is
        0; `places`: benchmarks in which all agents may still be first.
    """
    rng = np.random.default_rng([tasks, replicates, zlib.crc32(scenario.encode())])
    truth = _true_mean(scenario)
    held = np.zeros(3)
    first = []
    for number in range(n):
        rates = _task_rates(scenario, (tasks, AGENTS), rng)
        passed = rng.random((tasks, AGENTS, replicates)) < rates[:, :, None]
        means = passed.mean(axis=2)
        low, high = mean_interval(means[:, 0])
        half = 1.96 * means[:, 0].std(ddof=1) / tasks**0.5
        between = mean_interval(means[:, 0] - means[:, 1], -1.0, 1.0)
        held += (
            low - 1e-9 <= truth <= high + 1e-9,
            abs(means[:, 0].mean() - truth) <= half,
            between.low <= 0 <= between.high,
        )
        if number % PLACES_EVERY == 0:
            first.append(_all_may_be_first(passed))
    return Coverage(scenario, tasks, replicates, *(held / n).tolist(), float(np.mean(first)))


def _all_may_be_first(passed: np.ndarray) -> bool:
    tasks, agents, replicates = passed.shape
    task, agent, _ = np.indices(passed.shape).reshape(3, -1)
    pairs = pd.DataFrame(
        {
            "task_id": task,
            "agent": agent.astype(str),
            "fault": "none",
            "verdict": np.where(passed.ravel(), "pass", "fail"),
            "verified_medal": False,
            "leaderboard_percentile": np.nan,
            "gold_threshold": np.nan,
        }
    )
    assert len(pairs) == tasks * agents * replicates
    return bool((ranking(pairs, "pass")["low"] == 1).all())


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--benchmarks", type=int, default=2000, help="simulated, a row")
    n = parser.parse_args().benchmarks
    print("| rates of tasks | tasks | replicates | agent's interval | ± 1.96 s.e. "
          "| difference | places |")  # fmt: skip
    print("|---|---|---|---|---|---|---|")
    for scenario, tasks, replicates in itertools.product(
        SCENARIOS, (4, 6, 12, 24, 100), (1, 3, 10)
    ):
        row = coverage(scenario, tasks, replicates, n)
        shares = " | ".join(f"{100 * share:.1f} %" for share in row[3:])
        print(f"| {scenario} | {tasks} | {replicates} | {shares} |", flush=True)


if __name__ == "__main__":
    main()
