"""What each table of a report may weigh that cannot be whole, and which of its rows come first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from biomlbench.task.task import ALL_DOMAINS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

__all__ = ["BYTES", "FIGURE_BYTES", "PAGE_BYTES", "TABLES", "TableBudget"]

PAGE_BYTES = 15_000_000
"""The whole file."""
FIGURE_BYTES = 7_000_000
"""Figures, as they stand in it; the largest are left out beyond."""
BYTES = {
    "cells": 2_000_000, "tasks": 1_000_000, "leaderboards": 500_000, "descriptions": 500_000,
    "feedback": 500_000, "agents": 450_000, "rows": 400_000, "comparison": 300_000,
    "check_rates": 300_000, "provenance": 250_000, "history": 250_000, "agent_reasons": 200_000,
    "check_power": 150_000, "disagreements": 150_000, "rates": 150_000, "survivors": 100_000,
    "flakes": 100_000,
}  # fmt: skip
"""Bytes of each table in a report that cannot carry all; runs and checks have what is left."""


@dataclass(frozen=True)
class TableBudget:
    """How a table is cut.

    Attributes
    ----------
    what, order : str
        What its rows are, and which are shown first, in words.
    by : sequence of (str, bool)
        The columns by which rows are chosen, and whether small values come first.
    read : str
        The expression of Python that gives all rows, with ``{folder}``.
    local : bool
        Whether only the results folder has what `read` reads, not a site's downloads.
    """

    what: str
    order: str
    read: str
    by: Sequence[tuple[str, bool]] = ()
    local: bool = False

    def first(self, frame: pd.DataFrame, agents: Sequence[str]) -> np.ndarray:
        """Return positions of rows, those first that are to be shown.

        Parameters
        ----------
        frame : pandas.DataFrame
        agents : sequence of str
            In the order of the ranking, by which ``agent`` is ordered, and ``domain`` by whether
            it is all of them.
        """
        keys = []
        for name, rising in self.by:
            values = frame[name]
            if name == "agent":
                places = {agent: place for place, agent in enumerate(agents)}
                values = values.map(places).fillna(len(places))
            elif name == "domain":
                values = values.ne(ALL_DOMAINS)
            elif name == "scope":
                values = values.ne("overall")
            numbers = values.to_numpy(float, na_value=np.nan)
            keys.append(np.where(np.isnan(numbers), np.inf, numbers if rising else -numbers))
        order: np.ndarray = np.lexsort(keys[::-1]) if keys else np.arange(len(frame))
        return order

    def query(self, folder: str, local: bool) -> str:
        """Return how to get all rows, from results or from a site's downloads."""
        if self.local and not local:
            return ""
        return self.read.replace("{folder}", folder.replace("\\", "\\\\").replace('"', '\\"'))


def _file(name: str) -> str:
    return f'pandas.read_parquet("{{folder}}/{name}.parquet")'


_TRUST = "biomlbench.report.trust"
_PAIRS = 'biomlbench.Results("{folder}").pair("TASK", "RUN")'
RANKING = "those of the agents with the best places"
TABLES = {
    "runs": TableBudget("runs", "", _file("pairs")),
    "tasks": TableBudget("tasks", "those with most runs", _file("tasks")),
    "agents": TableBudget(
        "rows of agents", "rates over all domains first, then by place", _file("agents"),
        (("domain", True), ("place", True)),
    ),
    "cells": TableBudget(
        "agents", "those with the best places",
        _file("pairs") + '.groupby(["agent", "task_id"])["verdict"].value_counts()',
    ),
    "agent_reasons": TableBudget(
        "agents", "those with the best places",
        _file("pairs") + '.groupby("agent")["reason"].value_counts()',
    ),
    "history": TableBudget(
        "kept results of agents", RANKING, 'biomlbench.Results("{folder}").history',
        (("agent", True),), local=True,
    ),
    "comparison": TableBudget(
        "comparisons", "those with the smallest adjusted p",
        'biomlbench.report.compare.compare_agents(biomlbench.Results("{folder}").runs)',
        (("p_holm", True), ("difference", False)), local=True,
    ),
    "check_rates": TableBudget(
        "checks", "those that broke, then those that fail most often",
        f"{_TRUST}.check_rates({_file('checks')}, {_file('pairs')})",
        (("broken", False), ("fail_rate", False), ("failed", False)),
    ),
    "check_power": TableBudget(
        "checks", "those that reject right work, then those that catch least",
        f"{_TRUST}.check_power({_file('calibration/kills')})",
        (("rejected", False), ("caught", True), ("alone", True)), local=True,
    ),
    "survivors": TableBudget(
        "survivors", "by task", f"{_TRUST}.survivors({_file('calibration/kills')})", local=True
    ),
    "disagreements": TableBudget(
        "runs", "by task", f"{_TRUST}.disagreements({_file('checks')})"
    ),
    "rates": TableBudget(
        "error rates", "those over everything, then the highest", _file("calibration/rates"),
        (("scope", True), ("rate", False), ("n", False)), local=True,
    ),
    "flakes": TableBudget(
        "checks", "those that disagree most often", _file("calibration/flakes"),
        (("rate", False),), local=True,
    ),
    "feedback": TableBudget("runs", "", f'{_PAIRS}.stage("execute")', local=True),
    "provenance": TableBudget("runs", "", _PAIRS, local=True),
}  # fmt: skip
"""By the name that a report's data has."""
