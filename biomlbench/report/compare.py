"""Paired comparison of agents over the tasks that both have tried."""

from __future__ import annotations

from itertools import combinations
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from biomlbench.frames import as_frame
from biomlbench.scoring.lost_runs import lost_runs
from biomlbench.summary.mean_intervals import best_shares, mean_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["MEASURES", "SIGNIFICANT", "compare_agents", "per_task", "ranking"]

MEASURES = ("verified_medal", "pass", "leaderboard_percentile")
LARGEST = {"verified_medal": 1.0, "pass": 1.0, "leaderboard_percentile": 100.0}
"""The largest difference that two means can have."""
COLUMNS = (
    "measure",
    "agent",
    "other",
    "tasks",
    "difference",
    "low",
    "high",
    "detectable",
    "tasks_needed",
    "p",
    "p_holm",
)
TIE = 1e-9
"""Means nearer than this are equal but for rounding."""
EXACT_UP_TO = 12  # tasks: 2**12 sign patterns are enumerated
RANDOM_FLIPS = 9999
FLIPS_A_COMPARISON = 100
"""Patterns drawn for each p-value of a measure, so that adjusting for their number can leave some
below 0.05."""
BLOCK = 10_000  # patterns at a time: their means for all comparisons fill some tens of MB
MAX_AGENTS = 40
SEED = 20240229
SIGNIFICANT = 0.05
POWER = 0.8
norm_quantile = NormalDist().inv_cdf


def per_task(pairs: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Return the mean of a measure over an agent's replicates.

    Parameters
    ----------
    pairs : pandas.DataFrame
        Real runs, as the contract `pairs` declares them. Runs lost to a fault of the task, the
        grader or the infrastructure are left out; an invalid submission counts as 0.
    measure : str
        One of :data:`MEASURES`. Medals and percentiles are taken over tasks that have a
        leaderboard only.

    Returns
    -------
    pandas.DataFrame, shape (tasks, agents)
        NaN where an agent has no fair run of a task.
    """
    pairs = as_frame(pairs)
    fair = pairs[~lost_runs(pairs)]
    if measure == "pass":
        values = (fair["verdict"] == "pass").astype(float)
    else:
        fair = fair[fair["gold_threshold"].notna()]
        values = fair[measure].astype(float).fillna(0.0)
    if fair.empty:
        return pd.DataFrame()
    return values.groupby([fair["task_id"], fair["agent"]]).mean().unstack()


def _flips(tasks: int) -> np.ndarray:
    # one half of the patterns is the mirror of the other, which a two-sided test counts anyway
    if tasks <= EXACT_UP_TO:
        bits = np.arange(2**tasks)[:, None] >> np.arange(tasks)
        return 1.0 - 2.0 * (bits & 1)
    draws = np.random.default_rng(SEED).integers(0, 2, (RANDOM_FLIPS, tasks))
    return np.vstack([np.ones(tasks), 1.0 - 2.0 * draws])


def sign_flip_p(differences: np.ndarray) -> float:
    """Return the two-sided p-value of paired differences under random signs.

    Parameters
    ----------
    differences : ndarray, shape (n,)
        One difference a task.

    Returns
    -------
    float
        Share of sign patterns (all of them up to 12 tasks, else 9,999 drawn with a fixed seed,
        beside the observed one) whose mean is at least as far from zero.

    References
    ----------
    Good, Permutation, Parametric, and Bootstrap Tests of Hypotheses (2005), section 3.2.

    Examples
    --------
    >>> sign_flip_p(np.array([1.0, 2.0, 3.0, 4.0]))
    0.125
    """
    means = _flips(len(differences)) @ differences
    return float(np.mean(np.abs(means) >= abs(differences.sum()) - TIE))


def sign_flip_ps(differences: np.ndarray) -> np.ndarray:
    """Return the two-sided p-values of many paired differences under random signs.

    Parameters
    ----------
    differences : ndarray, shape (comparisons, tasks)
        NaN where a task is not in common.

    Returns
    -------
    ndarray, shape (comparisons,)
        As :func:`sign_flip_p`, but beyond 12 tasks from at least 100 sign patterns a comparison:
        the smallest p-value can then be significant among that many.
    """
    known = ~np.isnan(differences)
    filled = np.where(known, differences, 0.0)
    few = known.sum(axis=1) <= EXACT_UP_TO
    p = np.array(
        [sign_flip_p(row[ok]) if exact else np.nan
         for row, ok, exact in zip(differences, known, few, strict=True)]
    )  # fmt: skip
    if few.all():
        return p
    filled = filled[~few].T
    seen = np.abs(filled.sum(axis=0)) - TIE
    draws = max(RANDOM_FLIPS, FLIPS_A_COMPARISON * len(p) - 1)
    rng = np.random.default_rng(SEED)
    hits = np.ones(filled.shape[1])  # the observed signs
    for start in range(0, draws, BLOCK):
        size = (min(BLOCK, draws - start), len(filled))
        signs = 1.0 - 2.0 * rng.integers(0, 2, size)
        hits += (np.abs(signs @ filled) >= seen).sum(axis=0)
    p[~few] = hits / (draws + 1)
    return p


def holm(p: np.ndarray) -> np.ndarray:
    """Adjust p-values for their number by Holm's method.

    Parameters
    ----------
    p : ndarray, shape (n,)

    Returns
    -------
    ndarray, shape (n,)

    References
    ----------
    Holm, Scandinavian Journal of Statistics 6 (1979) 65-70.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p, kind="stable")
    scaled = p[order] * np.arange(len(p), 0, -1)
    adjusted = np.empty_like(scaled)
    adjusted[order] = np.minimum(np.maximum.accumulate(scaled), 1.0)
    return adjusted


def _detectable(differences: np.ndarray) -> float:
    """Return the smallest mean difference that a paired t-test over so many tasks would find.

    At the 5 % level and 80 % power (Cohen 1988, chapter 2); NaN without any spread.
    """
    # Student's quantiles; `scipy.stats`, which asks for the same ones, takes a second to import.
    from scipy.special import stdtrit

    n = len(differences)
    spread = float(differences.std(ddof=1))
    quantiles = float(stdtrit(n - 1, 0.975) + stdtrit(n - 1, POWER))
    return quantiles * spread / n**0.5 if spread else float("nan")


def _tasks_needed(differences: np.ndarray) -> float:
    """Return how many tasks like these would show the mean difference, at 80 % power.

    NaN where there is no difference, or no spread to go by.
    """
    mean, spread = float(differences.mean()), float(differences.std(ddof=1))
    if abs(mean) <= TIE or not spread:
        return float("nan")
    z = float(norm_quantile(0.975) + norm_quantile(POWER))
    return float(np.ceil((z * spread / mean) ** 2 + 2))  # + 2: the t-test's price at small n


def ranking(pairs: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Return how sure each agent's place is.

    Parameters
    ----------
    pairs : pandas.DataFrame
        Real runs, as the contract `pairs` declares them.
    measure : str
        One of :data:`MEASURES`.

    Returns
    -------
    pandas.DataFrame
        Indexed by agent. `low` and `high`: the best place that is left to it, one behind all
        agents that are better than it (adjusted p at most 0.05), and the worst; all of them
        together hold in 95 % of benchmarks. `best`: the probability that it has the highest mean
        over tasks like these, from the Bayesian bootstrap over the tasks that all have tried;
        NaN where there are fewer than two.

    References
    ----------
    Mogstad M, Romano JP, Shaikh AM, Wilhelm D. Inference for ranks with applications to mobility
    across neighbourhoods and academic achievement across countries. Rev. Econ. Stud. 91 (2024)
    476-518: places from all pairwise tests.
    """
    table = per_task(pairs, measure)
    agents = list(table.columns)
    compared = compare_agents(pairs, [measure])
    sure = compared[compared["p_holm"] <= SIGNIFICANT]
    beaten, beats = sure["other"].value_counts(), sure["agent"].value_counts()
    shared = table.dropna()
    best = best_shares(shared.to_numpy()) if len(shared) > 1 else np.full(len(agents), np.nan)
    return pd.DataFrame(
        {
            "low": [1 + int(beaten.get(agent, 0)) for agent in agents],
            "high": [len(agents) - int(beats.get(agent, 0)) for agent in agents],
            "best": best,
        },
        index=pd.Index(agents, name="agent"),
    )


def compare_agents(pairs: pd.DataFrame, measures: Sequence[str] = MEASURES) -> pd.DataFrame:
    """Compare every two agents by every measure.

    Parameters
    ----------
    pairs : pandas.DataFrame
        Real runs, as the contract `pairs` declares them.
    measures : sequence of str
        Some of :data:`MEASURES`.

    Returns
    -------
    pandas.DataFrame
        One row for a measure and two agents with at least two tasks in common: the mean over
        tasks of the difference (`agent` minus `other`, oriented so that it is not negative) with
        its 95 % interval (:func:`biomlbench.summary.mean_intervals.mean_interval`), the smallest
        mean difference that so many tasks would show in four of five cases (`detectable`), how
        many tasks like these would show the observed one as often (`tasks_needed`), the
        sign-flip p-value and the same adjusted for the number of comparisons of that measure.
        Beyond 40 agents only those with the highest means are compared.
    """
    rows: list[tuple[Any, ...]] = []
    for measure in measures:
        table = per_task(pairs, measure)
        best = table.mean().sort_index().sort_values(ascending=False, kind="stable")
        compared, columns = [], []
        for agent, other in combinations(best.index[:MAX_AGENTS], 2):
            column = (table[agent] - table[other]).to_numpy()
            both = column[~np.isnan(column)]
            if len(both) < 2:
                continue
            columns.append(column)
            mean = float(both.mean())
            if mean < -TIE:
                agent, other, both = other, agent, -both
            mean = abs(mean) if abs(mean) > TIE else 0.0
            largest = LARGEST[measure]
            ends = mean_interval(both, -largest, largest)
            power = (_detectable(both), _tasks_needed(both))
            compared.append((agent, other, len(both), mean, *ends, *power))
        if not compared:
            continue
        p = sign_flip_ps(np.array(columns))
        rows += [
            (measure, *row, *tested)
            for row, *tested in zip(compared, p.tolist(), holm(p).tolist(), strict=True)
        ]
    return pd.DataFrame(rows, columns=list(COLUMNS))
