"""The first sentence: who is ahead, on which tasks, and whether it may be chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from biomlbench.report.agent_order import settled_by
from biomlbench.report.compare import SIGNIFICANT, compare_agents, per_task
from biomlbench.report.headline import headline
from biomlbench.runtime.shown_numbers import fixed, number_text
from biomlbench.runtime.words import some_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from biomlbench.report.inputs import Tables
    from biomlbench.report.overview import Row

__all__ = ["lede"]

_NAMED = 3
"""Level agents whose tasks are counted."""


@dataclass(frozen=True)
class _Tasks:
    """Which tasks the means that the first sentence compares are over."""

    tried: dict[str, frozenset[str]]
    """By agent: those on which a run of it counts."""
    counted: int
    every: int

    @classmethod
    def of(cls, runs: pd.DataFrame, measure: str) -> _Tasks:
        """Count the tasks that count for a measure, of all and of each agent."""
        table = per_task(runs, measure)
        tried = {str(agent): frozenset(table.index[table[agent].notna()]) for agent in table}
        counted = runs if measure == "pass" else runs[runs["gold_threshold"].notna()]
        return cls(tried, counted["task_id"].nunique(), runs["task_id"].nunique())

    def __getitem__(self, agent: str) -> frozenset[str]:
        return self.tried.get(agent, frozenset())

    @property
    def some(self) -> bool:
        """Whether there are tasks that the measure leaves out."""
        return self.counted < self.every

    @property
    def all(self) -> str:
        """Name those that count."""
        return (
            f"the {self.counted} of {self.every} tasks with a leaderboard" if self.some else "tasks"
        )

    @property
    def _whole(self) -> str:
        return f"the {self.counted} tasks" + (" with a leaderboard" if self.some else "")

    def of_agent(self, agent: str) -> str:
        """Name those that an agent's mean is over."""
        few = len(self[agent]) < self.counted
        return f"{len(self[agent])} of {self._whole}" if few else self.all

    def beside(self, agent: str, rate: str, other: str) -> str:
        """Return an agent's rate beside another's, and over how many it is where one tried few."""
        if not self[agent]:
            return "was tried on none of them"
        few = any(len(self[name]) < self.counted for name in (agent, other))
        return f"{rate} over {len(self[agent])}" if few else rate

    def tried_by(self, rows: Sequence[Row]) -> str:
        """Say how many of them each of some agents has tried, where it is not all."""
        if all(len(self[row.name]) == self.counted for row in rows):
            return ""
        told = [f"{row.agent} was tried on {len(self[row.name])}" for row in rows]
        return f"Of {self._whole} {some_of(told, _NAMED)}."


def lede(tables: Tables, ranking: Sequence[Row], measure: str) -> tuple[str, str]:
    """Return the first sentence of a report or site, and what is to be known of it.

    Parameters
    ----------
    tables : Tables
    ranking : sequence of Row
        The best first.
    measure : str
        What they are ranked by, one of :data:`compare.MEASURES`.
    """
    if not ranking:
        return "No run has been graded yet.", ""
    tasks = _Tasks.of(tables.runs, measure)
    what = "verified medals" if measure == "verified_medal" else "the verdict pass"
    rates = [row.verified if measure == "verified_medal" else row.passed for row in ranking]
    first, rate = ranking[0], rates[0]
    told = headline(
        [row.agent for row in ranking],
        [rate.value for rate in rates],
        measure,
        f" on {tasks.all}" if tasks.some else "",
        settled_by(tables),
    )
    mean = f"{what} on {rate} of its runs as a mean over {tasks.of_agent(first.name)}"
    if len(ranking) == 1:
        return f"{first.agent} earned {mean}.", "There is no other agent."
    if told.text:
        detail = (
            f"{tasks.tried_by(ranking[: told.level])} {told.detail}" if rate.value else told.detail
        )
        return f"{told.text}.", detail.strip()
    second, other = ranking[1], rates[1]
    beside = tasks.beside(second.name, str(other), first.name)
    text = f"{first.agent} leads: {mean}, {second.agent} {beside}."
    return text, _how_sure(tables.runs, measure, first.name, second.name, tasks)


def _how_sure(runs: pd.DataFrame, measure: str, first: str, second: str, tasks: _Tasks) -> str:
    """Say whether the lead of the first agent over the second is more than chance."""
    apart = "" if tasks[first] == tasks[second] else "The two means are not over the same tasks. "
    table = compare_agents(runs[runs["agent"].isin([first, second])], [measure])
    if table.empty:
        return f"{apart}Too few tasks in common to tell whether the difference is more than chance."
    row = table.iloc[0]
    if row["p"] <= SIGNIFICANT:
        word = "The lead is unlikely to be chance"
    else:
        word = "The lead may well be chance"
    by, low, high = (
        fixed(100 * row[name]).replace("-", "−") for name in ("difference", "low", "high")
    )
    sure = (
        f"{word}: {by} points (95\u00a0% interval {low} to {high}) over {row['tasks']} tasks in "
        f"common, p\u00a0=\u00a0{number_text(row['p'], 2)} by a paired sign-flip test."
    )
    needed = row["tasks_needed"]
    if row["p"] > SIGNIFICANT and np.isfinite(needed) and needed > row["tasks"]:
        sure += f" About {fixed(needed)} tasks like these would decide it."
    return apart + sure
