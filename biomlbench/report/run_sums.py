"""What all runs come to, for pages that do not carry all of them: exact sums over every run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from biomlbench.outcomes import Fault
from biomlbench.scoring.lost_runs import lost_runs
from biomlbench.scoring.medals import MEDALS
from biomlbench.summary.agents import counted_percentile

if TYPE_CHECKING:
    from biomlbench.report.inputs import Tables

__all__ = ["RunSums"]

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
        self._minimised = runs["direction"].eq("minimize")
        score = runs["score"].astype(float)
        lost = lost_runs(runs)
        verified = runs["verified_medal"].astype(bool)
        self._runs = runs[["task_id", "agent", "fault", "reason"]].assign(
            runs=1,
            lost=lost.astype(int),
            passed=runs["verdict"].eq("pass").astype(int),
            verified=verified.astype(int),
            percentile=counted_percentile(pairs).reindex(runs.index).where(~lost),
            signed=score.where(np.isfinite(score)) * np.where(self._minimised, -1.0, 1.0),
            **{medal: (verified & runs["medal"].eq(medal)).astype(int) for medal in MEDALS},
        )

    def _sums(self, key: list[str], names: list[str]) -> pd.DataFrame:
        groups = self._runs.groupby(key, sort=True)
        made = groups[names].sum()
        sign = np.where(self._minimised.groupby([self._runs[name] for name in key]).any(), -1, 1)
        made["score"] = groups["signed"].max() * sign
        made["percentile"] = groups["percentile"].mean()
        return made.reset_index()

    def cells(self) -> pd.DataFrame:
        """Return a row an agent and task that it has tried.

        Returns
        -------
        pandas.DataFrame
            `agent`, `task_id`, `runs`, `lost` (to others' faults), `passed`, `gold`, `silver`,
            `bronze` (verified ones), `score` (the best) and `percentile` (the mean over the runs
            that are not lost, 0 for an invalid submission; NaN where there is no leaderboard).
        """
        return self._sums(["agent", "task_id"], ["runs", "lost", "passed", *MEDALS])

    def tasks(self) -> pd.DataFrame:
        """Return a row a task.

        Returns
        -------
        pandas.DataFrame
            `task_id`, `runs`, `lost`, `passed`, `verified`, `score` (the best), `percentile`, and
            `by`: the agents that have the best score, of more than three the first two.
        """
        made = self._sums(["task_id"], ["runs", "lost", "passed", "verified"])
        signed = self._runs["signed"]
        best = signed.eq(signed.groupby(self._runs["task_id"]).transform("max"))
        holders = self._runs[best].drop_duplicates(["task_id", "agent"]).groupby("task_id")["agent"]
        made["by"] = made["task_id"].map(holders.agg(_listed)) if len(made) else None
        return made

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


def _listed(agents: pd.Series) -> str:
    names = list(agents)
    if len(names) <= _NAMED:
        return ", ".join(names)
    return f"{', '.join(names[: _NAMED - 1])} and {len(names) - _NAMED + 1} more"
