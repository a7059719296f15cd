"""The order of agents: over all tasks, and within each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.summary.level_means import level_means
from biomlbench.task.task import ALL_DOMAINS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

__all__ = ["RANKED_BY", "in_order", "places", "task_ranks"]

RANKED_BY = ("verified_medal_rate", "pass_rate", "leaderboard_percentile", "outranked_share")
"""What agents are ranked by, the next where they are level in those before.

Of all, more is better, and nothing is 0: an agent without a value, as none of its runs counts for
it, stands where one stands that has tried and got none, and what comes next decides.
"""
_WITHIN = ("verified_medal_rate", "pass_rate", "leaderboard_percentile", "standing")
"""What agents are ranked by within a task, as `biomlbench versus` compares two."""


def in_order(agents: pd.DataFrame, by: Sequence[str] = RANKED_BY) -> pd.DataFrame:
    """Return the rows over all domains in the order of the ranking.

    Parameters
    ----------
    agents : DataFrame
        As :func:`biomlbench.summary.agents.summarize_agents` returns it.
    by : sequence of str
        Columns.

    Returns
    -------
    DataFrame
        The best first; ties, of means that are equal but for rounding, by name.
    """
    return agents.loc[_keys(agents, by).index]


def places(agents: pd.DataFrame, by: Sequence[str] = RANKED_BY) -> pd.Series:
    """Return each agent's place in the ranking, from 1, in the order of :func:`in_order`.

    Parameters
    ----------
    agents, by
        As for :func:`in_order`.

    Returns
    -------
    Series of int
        By the rows of `agents`; agents that are level in all columns share the better place.
    """
    import pandas as pd

    keys = _keys(agents, by)
    level = keys.drop(columns="agent").duplicated()
    counted = pd.Series(range(1, len(keys) + 1), keys.index)
    return counted.mask(level).ffill().astype("int64")


def _keys(agents: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Return what the rows over all domains are ordered by, in that order."""
    overall = agents[agents["domain"] == ALL_DOMAINS]
    names = [name for name in by if name in overall]  # an older table may lack the last
    counted = {name: level_means(overall[name]).fillna(0.0) for name in names}
    ascending = [False] * len(names) + [True]
    return overall[["agent"]].assign(**counted).sort_values([*names, "agent"], ascending=ascending)


def task_ranks(runs: pd.DataFrame) -> pd.DataFrame:
    """Return how each agent stands among the agents of each task.

    Parameters
    ----------
    runs : DataFrame
        Fair runs: ``agent``, ``task_id``, ``valid`` (1 or 0), ``verified_medal_rate``,
        ``pass_rate``, ``leaderboard_percentile`` and ``standing``
        (:func:`biomlbench.scoring.best_runs.standing`).

    Returns
    -------
    DataFrame
        ``agent``, ``task_id``; ``rank`` from 1, which agents that tie share as its mean; and
        ``outranked``, the share of the other agents that it is ahead of, those that tie counted
        half, and 0 without a valid run. Both NaN where no other agent has tried the task, or
        none has a valid run: nothing is compared there.
    """
    import numpy as np

    how = {**dict.fromkeys(_WITHIN[:-1], "mean"), "standing": "max", "valid": "max"}
    found = runs.groupby(["task_id", "agent"]).agg(how)
    keys = found[list(_WITHIN)].apply(level_means).fillna(-np.inf)
    order = keys.groupby(list(_WITHIN), sort=True).ngroup().groupby("task_id")
    agents, valid = order.transform("size"), found["valid"].gt(0)
    compared = agents.gt(1) & valid.groupby("task_id").transform("any")
    rank = order.rank(ascending=False, method="average").where(compared)
    outranked = ((agents - rank) / (agents - 1)).where(valid | rank.isna(), 0.0)
    return found[[]].assign(rank=rank, outranked=outranked).reset_index()
