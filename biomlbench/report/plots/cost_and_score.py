"""What the agents' runs cost against what they reach."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.report.plots import _style as style
from biomlbench.task.task import ALL_DOMAINS

if TYPE_CHECKING:
    from collections.abc import Hashable

    import pandas as pd
    from matplotlib.figure import Figure

    from biomlbench.report.inputs import Tables

NAME = "cost_and_score"
TITLE = "Cost and score"
CATEGORY = "Agents"
CAPTION = (
    "Each agent's mean cost of a run, over the runs whose run table says it (where not all do, "
    "their number stands beside the name), against its mean leaderboard percentile over tasks, or "
    "its pass rate where no task has a leaderboard; bars are 95 % intervals over tasks. The line "
    "joins the agents that no other one beats at the same or less cost (Pareto front), by their "
    "means alone; of more than 12 agents only they are named. Agents of unknown cost are left "
    "out; costs below a ten-thousandth of a cent stand there."
)
COST = "meta_cost_usd"
SCORES = (
    ("leaderboard_percentile", "mean leaderboard percentile", 100.0),
    ("pass_rate", "pass rate", 1.0),
)
MOST_NAMED = 12
LEAST_COST = 1e-6
"""US dollars, less than a token costs anywhere: what is stated below would take up the axis."""
_SMALLEST_RATIO = 20.0
"""Largest over smallest cost from which on the axis is logarithmic."""


def has_data(tables: Tables) -> bool:
    """Tell whether an agent's cost is known."""
    return bool(_known(tables).any())


def _known(tables: Tables) -> pd.Series:
    agents = tables.agents
    cost = agents[COST].astype(float)
    return (agents["domain"] == ALL_DOMAINS) & np.isfinite(cost) & (cost >= 0)


def pareto(cost: np.ndarray, score: np.ndarray) -> np.ndarray:
    """Return the places of the points that no other one beats, in the order of their cost.

    Parameters
    ----------
    cost, score : ndarray of float, shape (n,)
        Less of the one and more of the other is better.

    Returns
    -------
    ndarray of int
        Of equal points the first.

    Examples
    --------
    >>> pareto(np.array([3.0, 1.0, 2.0, 4.0]), np.array([0.5, 0.2, 0.1, 0.9])).tolist()
    [1, 0, 3]
    """
    order = np.lexsort((-score, cost))
    best = np.maximum.accumulate(np.concatenate([[-np.inf], score[order]]))[:-1]
    front: np.ndarray = order[score[order] > best]
    return front


def _of_runs(agent: dict[Hashable, Any]) -> str:
    """Return of how many runs an agent's cost is, where it is not of all."""
    stated, runs = agent[f"{COST}_runs"], agent["runs"]
    return f" ({stated:.0f} of {runs} runs)" if 0 < stated < runs else ""


def figure(tables: Tables) -> Figure:
    """Draw a point an agent with its interval, and the front."""
    total = int((tables.agents["domain"] == ALL_DOMAINS).sum())
    agents = tables.agents[_known(tables)]
    if agents.empty:
        return style.note(TITLE, "No run table says what a run cost (meta_cost_usd).")
    column, label, scale = next((s for s in SCORES if agents[s[0]].notna().any()), SCORES[-1])
    agents = agents[agents[column].notna()]
    if agents.empty:
        return style.note(TITLE, "No agent of known cost has a score yet.")
    untold = style.without(total - len(agents), total, "of unknown cost or score", "agents")
    order, left_out = style.ranked(tables, agents["agent"])
    agents = agents.set_index("agent").loc[order]
    cost = agents[COST].to_numpy(float)
    cost = np.where(cost > 0, np.maximum(cost, LEAST_COST), cost)
    score, low, high = (
        agents[name].to_numpy(float) / scale for name in (column, f"{column}_low", f"{column}_high")
    )
    canvas = style.canvas(4.8)
    axes = style.bare(canvas.subplots(), "y")
    axes.vlines(cost, low, high, color="#9fb3c8", linewidth=3, alpha=0.6)
    front = pareto(cost, score)
    axes.plot(cost[front], score[front], color=style.MUTED, linewidth=1.2, drawstyle="steps-post")
    on_front = np.isin(np.arange(len(cost)), front)
    for chosen, colour in ((~on_front, style.MUTED), (on_front, style.VERDICT_COLOURS["pass"])):
        axes.plot(cost[chosen], score[chosen], "o", color=colour, markersize=7)
    notes = [_of_runs(row) for row in agents.to_dict("records")]
    names = style.clips(agents.index, 24)
    for name, note, x, y, told in zip(names, notes, cost, score, on_front, strict=True):
        if len(cost) > MOST_NAMED and not told:
            continue
        axes.annotate(
            *(name + note, (x, y)),
            xytext=(6, 5),
            textcoords="offset points",
            fontsize=8.5,
            color=style.INK,
        )
    if cost.min() > 0 and cost.max() / cost.min() >= _SMALLEST_RATIO:
        axes.margins(x=0.18)
        style.log_axis(axes)
    else:
        axes.set_xlim(left=min(0.0, cost.min()), right=1.25 * cost.max() or 1.0)
    axes.set_ylim(-0.02, 1.05)
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
    axes.set_xlabel("mean cost of a run, US dollars")
    axes.set_ylabel(label)
    style.percent_axis(axes, "y")
    if scale != 1.0:
        axes.yaxis.set_major_formatter(lambda y, _: f"{100 * y:.0f}")
    style.title(canvas, TITLE, style.joined(left_out, untold))
    return canvas
