"""The agents' main rates with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.report.plots import _style as style
from biomlbench.task.task import ALL_DOMAINS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from biomlbench.report.inputs import Tables

NAME = "agent_rates"
TITLE = "Agents and how sure their rates are"
CATEGORY = "Agents"
CAPTION = (
    "Mean over tasks of each agent's verified-medal rate, pass rate and leaderboard percentile. "
    "Bars are 95 % intervals over tasks that assume no distribution (Gaffke's; where every task "
    "has 0 or 1, that of Clopper and Pearson). Agents whose bars overlap widely are not told apart."
)
PANELS = (
    ("verified_medal_rate", "verified medals", 1.0),
    ("pass_rate", "verdict pass", 1.0),
    ("leaderboard_percentile", "leaderboard\npercentile", 100.0),
)


def figure(tables: Tables) -> Figure:
    """Draw dots with intervals, a panel a rate."""
    agents = tables.agents
    agents = agents[agents["domain"] == ALL_DOMAINS].set_index("agent")
    if agents.empty:
        return style.note(TITLE, "There are no agents yet.")
    order, left_out = style.ranked(tables, agents.index)
    agents = agents.loc[order]
    canvas = style.canvas(1.7 + 0.36 * len(agents))
    panels = canvas.subplots(1, len(PANELS), sharey=True)
    for axes, (column, label, scale) in zip(panels, PANELS, strict=True):
        style.bare(axes)
        value = agents[column].astype(float) / scale
        low, high = (agents[f"{column}_{end}"].astype(float) / scale for end in ("low", "high"))
        rows = range(len(agents))
        axes.hlines(rows, low, high, color="#9fb3c8", linewidth=5)
        axes.plot(value, rows, "o", color=style.VERDICT_COLOURS["pass"], markersize=7)
        axes.set_xlim(-0.02, 1.02)
        axes.set_title(label, loc="left", fontsize=10, color=style.INK)
        style.percent_axis(axes)
        if scale != 1.0:
            axes.xaxis.set_major_formatter(lambda x, _: f"{100 * x:.0f}")
    style.labels(panels[0], list(agents.index))
    style.title(canvas, TITLE, left_out)
    return canvas
