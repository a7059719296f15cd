"""Two agents side by side: task by task, run by run, check by check."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from biomlbench.errors import UserError
from biomlbench.frames import as_frame
from biomlbench.report.inputs import is_run
from biomlbench.report.trust import severities
from biomlbench.scoring.best_runs import best_runs
from biomlbench.scoring.lost_runs import lost_runs
from biomlbench.scoring.medals import MEDALS
from biomlbench.summary.agents import counted_percentile
from biomlbench.summary.level_means import level_mean

if TYPE_CHECKING:
    import pandas as pd

    from biomlbench.contracts.mappings import AnyRow

__all__ = [
    "CRITERIA",
    "CheckSides",
    "NoSuchAgentError",
    "TaskSides",
    "best_pair",
    "by_task",
    "differing_checks",
    "matched_runs",
]

LEVEL = "level"
CRITERIA = ("medal_rate", "pass_rate", "percentile", "best")
"""What decides who is ahead, the next one where both agents are level in those before."""


class TaskSides(TypedDict):
    """A task as two agents did it; see :func:`by_task`."""

    task_id: str
    ahead: str | None
    runs: list[int]
    passed: list[int]
    best: list[float | None]
    medal: list[str | None]
    percentile: list[float | None]
    medal_rate: list[float | None]
    pass_rate: list[float | None]
    by: str


class CheckSides(TypedDict):
    """A check that two runs came out of differently; see :func:`differing_checks`."""

    check: str
    suite: str
    severity: str
    outcome: list[str | None]
    reason: list[str | None]


class _Side(TypedDict):
    runs: int
    passed: int
    best: float | None
    medal: str | None
    percentile: float | None
    medal_rate: float | None
    pass_rate: float | None
    rank: tuple[float, ...] | None


class NoSuchAgentError(UserError, LookupError):
    """A results folder has no run of an agent."""


def by_task(pairs: pd.DataFrame, agent: str, other: str) -> list[TaskSides]:
    """Return what became of two agents' runs on each task that either tried.

    Parameters
    ----------
    pairs : pandas.DataFrame
        As the contract `pairs` declares them; controls are left out.
    agent, other : str

    Returns
    -------
    list of dict
        By task: ``task_id``; ``runs``, ``passed``, ``best`` (score of the best run, as
        :mod:`biomlbench.scoring.best_runs` has it), ``medal`` (the best that is verified) and
        ``percentile`` (mean over fair runs, 0 for an invalid one), each as ``[agent's, other's]``,
        None for what there is not; likewise ``medal_rate`` (verified medals a fair run, None
        without a leaderboard) and ``pass_rate`` (passes a fair run); ``ahead``, the agent that has
        the higher medal rate, at a tie the higher pass rate, then the higher percentile, then the
        better best score; ``level`` where all of it is the same, and None where one has no fair
        run; ``by``, which of :data:`CRITERIA` decided, empty where none did.

    Raises
    ------
    NoSuchAgentError
        If one has no run; the message names the nearest.
    """
    runs = as_frame(pairs)
    runs = runs[is_run(runs)]
    known = sorted(runs["agent"].unique())
    for name in (agent, other):
        if name not in known:
            near = difflib.get_close_matches(name, known, 5, 0.0)
            told = f"the nearest of {len(known)} agents are" if known[5:] else "there are"
            raise NoSuchAgentError(f"no run is of agent {name!r}; {told} {', '.join(near)}")
    runs = runs.assign(leaderboard_percentile=counted_percentile(runs))
    both = runs[runs["agent"].isin([agent, other])]
    found: list[TaskSides] = []
    for task, own in both.groupby("task_id", sort=True):
        sides = [_side(own[own["agent"] == name]) for name in (agent, other)]
        ahead, by = _ahead(sides, agent, other)
        found.append(
            {
                "task_id": task,
                "ahead": ahead,
                "by": by,
                "runs": [side["runs"] for side in sides],
                "passed": [side["passed"] for side in sides],
                "best": [side["best"] for side in sides],
                "medal": [side["medal"] for side in sides],
                "percentile": [side["percentile"] for side in sides],
                "medal_rate": [side["medal_rate"] for side in sides],
                "pass_rate": [side["pass_rate"] for side in sides],
            }
        )
    return found


def _side(runs: pd.DataFrame) -> _Side:
    fair = runs[~lost_runs(runs)]
    first = _best_of(runs)
    best = np.nan if first.empty else float(first["score"].iloc[0])
    sign = -1.0 if first["direction"].eq("minimize").any() else 1.0
    has_board = bool(runs["gold_threshold"].notna().any())
    verified = set(runs["medal"][runs["verified_medal"].astype(bool)])
    percentile = _known(fair["leaderboard_percentile"].mean())
    passed = int((runs["verdict"] == "pass").sum())
    # what decides who is ahead; without a fair run there is nothing to decide by
    rank = (
        _known(fair["verified_medal"].astype(float).mean()),
        _known((fair["verdict"] == "pass").mean()),
        percentile,
        _known(sign * best),
    )
    return {
        "runs": len(runs),
        "passed": passed,
        "best": None if np.isnan(best) else float(best),
        "medal": next((medal for medal in MEDALS if medal in verified), None),
        "percentile": None if np.isneginf(percentile) else percentile,
        "medal_rate": rank[0] if len(fair) and has_board else None,
        "pass_rate": rank[1] if len(fair) else None,
        "rank": rank if len(fair) else None,
    }


def _best_of(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the best of one agent's runs of a task, of several the first by its id."""
    return runs[best_runs(runs)].sort_values("run_id", kind="stable").head(1)


def best_pair(
    pairs: pd.DataFrame, task: str, agent: str, other: str
) -> tuple[AnyRow, AnyRow] | None:
    """Return the best run of each of two agents; None where one has no score.

    Parameters
    ----------
    pairs : pandas.DataFrame
    task : str
        Full id.
    agent, other : str
    """
    runs = as_frame(pairs)
    runs = runs[is_run(runs) & (runs["task_id"] == task)]
    one, two = (_named(_best_of(runs[runs["agent"] == name])) for name in (agent, other))
    return (one[0], two[0]) if one and two else None


def _known(value: float) -> float:
    return float("-inf") if np.isnan(value) else float(value)


def _ahead(sides: list[_Side], agent: str, other: str) -> tuple[str | None, str]:
    """Return who is ahead, and the first criterion in which both differ."""
    ranks = [side["rank"] for side in sides]
    if None in ranks:
        return None, ""
    one, two = ([level_mean(value) for value in rank or ()] for rank in ranks)
    by = next(
        (name for name, *both in zip(CRITERIA, one, two, strict=True) if len({*both}) > 1), ""
    )
    return LEVEL if one == two else agent if one > two else other, by


def matched_runs(
    pairs: pd.DataFrame, task: str, agent: str, other: str
) -> list[tuple[AnyRow | None, AnyRow | None]]:
    """Return two agents' runs of a task, those of one seed and attempt beside each other.

    Parameters
    ----------
    pairs : pandas.DataFrame
    task : str
        Full id.
    agent, other : str

    Returns
    -------
    list of (dict or None, dict or None)
        Rows of `pairs`. Runs whose seed and attempt the other agent has not are matched in the
        order of their ids; what is left over stands alone.
    """
    runs = as_frame(pairs)
    runs = runs[is_run(runs) & (runs["task_id"] == task)].sort_values("run_id", kind="stable")
    sides = [_named(runs[runs["agent"] == name]) for name in (agent, other)]
    matched: list[tuple[AnyRow | None, AnyRow | None]] = []
    left = list(sides[1])
    alone = []
    for one in sides[0]:
        two = next((row for row in left if _turn(row) == _turn(one)), None)
        if two is None:
            alone.append(one)
            continue
        left.remove(two)
        matched.append((one, two))
    both = min(len(alone), len(left))
    matched += zip(alone[:both], left[:both], strict=True)
    return [*matched, *((row, None) for row in alone[both:]), *((None, row) for row in left[both:])]


def _named(rows: pd.DataFrame) -> list[AnyRow]:
    return [
        {str(name): _there(value) for name, value in row.items()} for row in rows.to_dict("records")
    ]


def _there(value: Any) -> Any:
    return None if isinstance(value, float) and np.isnan(value) else value


def _turn(row: AnyRow) -> tuple[Any, Any]:
    return row["seed"], row["attempt"]


def differing_checks(checks: pd.DataFrame, task: str, run: str, other: str) -> list[CheckSides]:
    """Return the checks of two runs of a task whose outcomes are not the same.

    Parameters
    ----------
    checks : pandas.DataFrame
        As the contract `checks` declares them.
    task, run, other : str

    Returns
    -------
    list of dict
        ``check``, ``suite``, ``severity`` (both where they differ), and ``outcome`` and
        ``reason`` as ``[one, other]``; None where a run was not checked.
    """
    own = as_frame(checks)
    own = own[own["task_id"] == task]
    sides = [
        {(row["check"], row["suite"]): row for row in _named(own[own["run_id"] == name])}
        for name in (run, other)
    ]
    found: list[CheckSides] = []
    for key in sorted({*sides[0], *sides[1]}):
        rows = [side.get(key) for side in sides]
        outcomes = [None if row is None else row["outcome"] for row in rows]
        if outcomes[0] != outcomes[1]:
            severity = severities(row["severity"] for row in rows if row is not None)
            reasons = [None if row is None else row["reason"] for row in rows]
            found.append({"check": key[0], "suite": key[1], "severity": severity,
                          "outcome": outcomes, "reason": reasons})  # fmt: skip
    return found
