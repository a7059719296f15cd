"""What all runs come to, for pages that do not carry all of them: exact sums over every run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from biomlbench.outcomes import Fault
from biomlbench.runtime.words import some_of
from biomlbench.scoring.best_runs import standing
from biomlbench.scoring.lost_runs import lost_runs
from biomlbench.scoring.medals import MEDALS
from biomlbench.summary.agents import counted_percentile

if TYPE_CHECKING:
    from collections.abc import Iterable

    from biomlbench.report.inputs import Tables

__all__ = ["RunSums", "holders"]

_NAMED = 3  # agents that share a best score and are all named


class RunSums:
    """Sums over all real runs of results, as pages show them.

    Parameters
    ----------
    tables : Tables
    """

    def __init__(self, tables: Tables) -> None:
        runs = tables.runs
        pairs = tables.pairs[tables.pairs["fault"] != Fault.RUN_TABLE]
        lost = lost_runs(runs)
        verified = runs["verified_medal"].astype(bool)
        self._runs = runs[["task_id", "agent", "fault", "reason", "score"]].assign(
            runs=1,
            lost=lost.astype(int),
            passed=runs["verdict"].eq("pass").astype(int),
            verified=verified.astype(int),
            percentile=counted_percentile(pairs).reindex(runs.index).where(~lost),
            standing=standing(runs),
            **{medal: (verified & runs["medal"].eq(medal)).astype(int) for medal in MEDALS},
        )

    def _sums(self, key: list[str], names: list[str]) -> pd.DataFrame:
        groups = self._runs.groupby(key, sort=True)
        made = groups[names].sum()
        best = self._runs[self._best(key)].drop_duplicates(key).set_index(key)
        made["score"] = best["score"].astype(float)
        made["percentile"] = groups["percentile"].mean()
        return made.reset_index()

    def cells(self) -> pd.DataFrame:
        """Return a row an agent and task that it has tried.

        Returns
        -------
        pandas.DataFrame
            `agent`, `task_id`, `runs`, `lost` (to others' faults), `passed`, `gold`, `silver`,
            `bronze` (verified ones), `score` (of the best run) and `percentile` (the mean over the
            runs that are not lost, 0 for an invalid submission; NaN where there is no leaderboard).
        """
        return self._sums(["agent", "task_id"], ["runs", "lost", "passed", *MEDALS])

    def tasks(self) -> pd.DataFrame:
        """Return a row a task.

        Returns
        -------
        pandas.DataFrame
            `task_id`, `runs`, `lost`, `passed`, `verified`, `score` (of the best run),
            `percentile`, and `by`: the agents whose run it is, of more than three the first two.
        """
        made = self._sums(["task_id"], ["runs", "lost", "passed", "verified"])
        by = self._runs[self._best(["task_id"])].groupby("task_id")["agent"]
        made["by"] = made["task_id"].map(by.agg(holders)) if len(made) else None
        return made

    def _best(self, key: list[str]) -> pd.Series:
        """Tell which runs are the best of their group, as :func:`best_runs` does."""
        order = self._runs["standing"]
        return order.eq(order.groupby([self._runs[name] for name in key]).transform("max"))

    def reasons(self) -> pd.DataFrame:
        """Return why runs did not pass: `reason`, `fault`, `runs`, `agents` and `tasks`."""
        # in the order of the runs, as pages count
        groups = self._failed().groupby("reason", sort=False)
        return pd.DataFrame(
            {
                "fault": groups["fault"].first(),
                "runs": groups.size(),
                "agents": groups["agent"].nunique(),
                "tasks": groups["task_id"].nunique(),
            }
        ).reset_index(names="reason")

    def agent_reasons(self) -> pd.DataFrame:
        """Return why each agent's runs did not pass: `agent`, `reason` and `runs`."""
        groups = self._failed().groupby(["agent", "reason"], sort=True)
        return groups.size().reset_index(name="runs")

    def _failed(self) -> pd.DataFrame:
        return self._runs[self._runs["passed"].eq(0) & self._runs["reason"].ne("ok")]


def holders(agents: Iterable[str]) -> str:
    """Name the agents of the best runs of a task, of more than three the first two.

    Examples
    --------
    >>> holders(["b", "a", "b"]), holders("abcd")
    ('b, a', 'a, b and 2 more')
    """
    names = list(dict.fromkeys(agents))
    return some_of(names, _NAMED - 1 if len(names) > _NAMED else _NAMED)
