"""The report's first page: who is ahead, how sure that is, and what not to believe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from biomlbench.report.agent_order import in_order, places, ranked_by
from biomlbench.report.cautions import Warned, warnings
from biomlbench.report.compare import ranking as open_places
from biomlbench.report.lede import lede
from biomlbench.report.shown import MAX_NAME, shown_name
from biomlbench.runtime.shown_numbers import NOTHING, fixed, percent
from biomlbench.runtime.words import counted
from biomlbench.scoring.lost_runs import lost_runs
from biomlbench.scoring.medals import MEDALS

if TYPE_CHECKING:
    from biomlbench.report.inputs import Tables

__all__ = ["Overview", "Rate", "Row", "Tile", "build"]


@dataclass(frozen=True)
class Rate:
    """A mean over tasks in percent, with its 95 % interval; None where there is none."""

    value: float | None
    low: float | None = None
    high: float | None = None

    @classmethod
    def of(cls, row: pd.Series, column: str, scale: float = 100.0) -> Rate:
        """Read a rate and its interval from a row of the `agents` table."""
        names = (column, f"{column}_low", f"{column}_high")
        # a column of nothing but nulls holds None
        value, low, high = (
            scale * float(row[name]) if pd.notna(row.get(name)) else None for name in names
        )
        return cls(value, low, high) if value is not None else cls(None)

    def __str__(self) -> str:
        if self.value is None:
            return NOTHING
        if self.low is None or self.high is None:
            return f"{fixed(self.value)}\u00a0%"
        ends = "\u2060–\u2060".join(map(fixed, (self.low, self.high)))
        return f"{fixed(self.value)}\u00a0% ({ends}\u00a0%)"


@dataclass(frozen=True)
class Row:
    """An agent's line in the ranking."""

    place: int
    best_place: int
    worst_place: int
    probably_best: float | None
    agent: str
    """As it is shown."""
    name: str
    """As the tables have it."""
    tasks: int
    runs: int
    runs_fair: int
    verified: Rate
    passed: Rate
    percentile: Rate
    completed: Rate
    completed_fair: float | None
    medals: dict[str, int]
    medals_verified: int
    verdicts: dict[str, int]


@dataclass(frozen=True)
class Tile:
    """A number with its name and what it means."""

    label: str
    value: str
    note: str
    doc: str


@dataclass(frozen=True)
class Overview:
    """Everything on the first page."""

    lede: str
    detail: str
    measure: str
    tiles: list[Tile]
    ranking: list[Row]
    warnings: list[Warned]


def build(tables: Tables) -> Overview:
    """Sum up the tables of a results folder.

    Parameters
    ----------
    tables : Tables

    Returns
    -------
    Overview
        Agents are ranked by the verified-medal rate where any task has a leaderboard, else by
        the pass rate; ties by pass rate, percentile and mean rank. Further ties share a place.
    """
    runs, measure = tables.runs, ranked_by(tables)
    ranking = _ranking(tables, measure)
    text, detail = lede(tables, ranking, measure)
    return Overview(
        lede=text,
        detail=detail,
        measure="verified medals" if measure == "verified_medal" else "verdict pass",
        tiles=_tiles(runs, int(tables.pairs["label"].notna().sum())),
        ranking=ranking,
        warnings=warnings(tables),
    )


def _ranking(tables: Tables, measure: str) -> list[Row]:
    runs = tables.runs
    lost = lost_runs(runs)
    state = runs["verdict"].mask(lost, "lost")
    verdicts = state.groupby([runs["agent"], state]).size()
    verified = runs.groupby("agent")["verified_medal"].sum()
    known = open_places(runs, measure)
    rows = []
    for (_, row), place in zip(in_order(tables).iterrows(), places(tables), strict=True):
        agent = row["agent"]
        fair = row["completion_rate_fair"]
        # an agent without any run that this measure counts may have any place, above others too
        low, high, best = (
            known.loc[agent] if agent in known.index else (1, len(known), float("nan"))
        )
        rows.append(
            Row(
                place=int(place),
                best_place=int(low),
                worst_place=int(high) + len(tables.agents["agent"].unique()) - len(known),
                probably_best=100.0 * float(best) if np.isfinite(best) else None,
                agent=shown_name(agent, MAX_NAME),
                name=agent,
                tasks=int(row["tasks"]),
                runs=int(row["runs"]),
                runs_fair=int(row["runs_fair"]) if np.isfinite(row["runs_fair"]) else 0,
                verified=Rate.of(row, "verified_medal_rate"),
                passed=Rate.of(row, "pass_rate"),
                percentile=Rate.of(row, "leaderboard_percentile", 1.0),
                completed=Rate.of(row, "completion_rate"),
                completed_fair=100.0 * float(fair) if np.isfinite(fair) else None,
                medals={m: int(row[m]) for m in MEDALS},
                medals_verified=int(verified.get(agent, 0)),
                verdicts={
                    part: int(verdicts.get((agent, part), 0))
                    for part in ("pass", "partial", "fail", "lost")
                },
            )
        )
    return rows


def _share(part: int, whole: int) -> str:
    return percent(part / whole) if whole else NOTHING


def _tiles(runs: pd.DataFrame, controls: int) -> list[Tile]:
    total = len(runs)
    fair = runs[~lost_runs(runs)]
    lost = total - len(fair)
    fair_passed = int((fair["verdict"] == "pass").sum())
    fair_valid = int(fair["valid_submission"].sum())
    passed = int((runs["verdict"] == "pass").sum())
    valid = int(runs["valid_submission"].sum())
    medals, verified = int(runs["any_medal"].sum()), int(runs["verified_medal"].sum())
    rankable = int(runs["gold_threshold"].notna().sum())
    return [
        Tile(
            "runs",
            f"{total:,}",
            f"{counted(runs['agent'].nunique(), 'agent')}, "
            f"{counted(runs['task_id'].nunique(), 'task')}"
            + (f"; {counted(controls, 'control')} beside" if controls else ""),
            "Configured runs, whatever became of them. Controls, whose true label is known, count "
            "in no rate.",
        ),
        Tile(
            "valid",
            _share(valid, total),
            f"{valid:,} with a score; {_share(fair_valid, len(fair))} of fair runs",
            "Runs with a valid submission and a finite score, over all configured runs and over "
            "the fair ones: those not lost to the task, the grader or the infrastructure.",
        ),
        Tile(
            "verdict pass",
            _share(passed, total),
            f"{counted(passed, 'run')}; {_share(fair_passed, len(fair))} of fair runs",
            "Runs that passed every blocker and critical check, at both denominators.",
        ),
        Tile(
            "verified medals",
            f"{verified:,}",
            f"of {counted(medals, 'medal')} on {counted(rankable, 'run')} with a leaderboard",
            "Medals whose verdict is pass, and which nothing withholds. Others should not be "
            "believed.",
        ),
        Tile(
            "not the agent’s fault",
            f"{lost:,}",
            f"{_share(lost, total)} of all runs",
            "Runs without a result by a fault of the task, the grader or the infrastructure. They "
            "count against no agent.",
        ),
    ]
