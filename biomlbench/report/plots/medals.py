"""Medals of every agent, verified ones apart from the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.report.plots import _style as style
from biomlbench.runtime.shown_numbers import percent
from biomlbench.runtime.words import counted
from biomlbench.scoring.lost_runs import lost_runs
from biomlbench.summary.agents import has_leaderboard

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from biomlbench.contracts.mappings import Arguments
    from biomlbench.report.inputs import Tables

NAME = "medals"
TITLE = "Medals by agent"
CATEGORY = "Agents"
CAPTION = (
    "Share of each agent's fair runs that earned a gold, silver or bronze medal, as a mean over "
    "the tasks that have a leaderboard. Solid: verified, the verdict is pass. Hatched: the score "
    "is good enough, but the verdict is not pass or the medal is withheld, so it should not be "
    "believed."
)


def figure(tables: Tables) -> Figure:
    """Draw one stacked bar an agent: verified medals, then unverified ones."""
    from matplotlib.patches import Patch

    runs = tables.runs
    ranked = has_leaderboard(runs, runs["valid_submission"])
    runs = runs[ranked & ~lost_runs(runs)]
    if runs.empty:
        return style.note(TITLE, "No run is on a task with a leaderboard.")
    by_agent = runs.groupby("agent")
    total, tasks = by_agent.size(), by_agent["task_id"].nunique()
    replicates = runs.groupby(["agent", "task_id"])["run_id"].transform("size")
    weight = 1 / (replicates * runs["agent"].map(tasks)).astype(float)
    shares = weight.groupby([runs["agent"], runs["medal"], runs["verified_medal"]]).sum()
    verified_share = (weight * runs["verified_medal"].astype(float)).groupby(runs["agent"]).sum()
    order, left_out = style.ranked(tables, verified_share.index)
    canvas = style.canvas(1.5 + 0.36 * len(order))
    axes = style.bare(canvas.subplots())
    ends = []
    for row, agent in enumerate(order):
        start = 0.0
        for verified in (True, False):
            for medal, colour in style.MEDAL_COLOURS.items():
                width = shares.get((agent, medal, verified), 0.0)
                if not width:
                    continue
                look: Arguments = (
                    {"color": colour, "edgecolor": "white"}
                    if verified
                    else {"color": "white", "edgecolor": colour, "hatch": "////"}
                )
                axes.barh(row, width, left=start, height=0.72, linewidth=0.8, **look)
                start += width
        ends.append(start)
    for row, (agent, end) in enumerate(zip(order, ends, strict=True)):
        runs_told = counted(int(total[agent]), "run")
        tasks_told = counted(int(tasks[agent]), "task")
        told = f"{percent(verified_share[agent])} verified, {runs_told} on {tasks_told}"
        axes.text(end + 0.008, row, told, va="center", fontsize=8.5, color=style.MUTED)
    style.labels(axes, order)
    axes.set_xlim(0, min(1.35, max([*ends, 0.1]) * 1.35))
    axes.set_xlabel("share of fair runs, mean over tasks with a leaderboard")
    axes.set_xticks(
        [tick for tick in axes.get_xticks() if 0 <= tick <= min(1.0, axes.get_xlim()[1])]
    )
    style.percent_axis(axes)
    keys = [Patch(color=colour, label=name) for name, colour in style.MEDAL_COLOURS.items()]
    keys.append(Patch(facecolor="white", edgecolor=style.MUTED, hatch="////", label="not verified"))
    style.legend_above(axes, keys)
    style.title(canvas, TITLE, left_out)
    return canvas
