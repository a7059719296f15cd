"""Shares of pass, partial and fail for every agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.report.plots import _style as style
from biomlbench.runtime.shown_numbers import percent
from biomlbench.runtime.words import counted
from biomlbench.scoring.lost_runs import lost_runs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from biomlbench.report.inputs import Tables

NAME = "verdict_shares"
TITLE = "Verdicts by agent"
CATEGORY = "Agents"
CAPTION = (
    "Share of each agent's runs by verdict. Grey is what a fault of the task, the grader or the "
    "infrastructure took from the agent: it counts in no verdict. The number at the right is the "
    "number of configured runs."
)
LOST = ("lost", "not the agent's fault", "#cbd2d9")


def figure(tables: Tables) -> Figure:
    """Draw one stacked bar an agent, in the order of the ranking."""
    runs = tables.runs
    if runs.empty:
        return style.note(TITLE, "There are no runs yet.")
    kind = runs["verdict"].mask(lost_runs(runs), LOST[0])
    table = kind.groupby([runs["agent"], kind]).size().unstack(fill_value=0)
    parts = [("pass", "pass"), ("partial", "partial"), ("fail", "fail"), LOST[:2]]
    table = table.reindex(columns=[part for part, _ in parts], fill_value=0)
    total = table.sum(axis=1)
    shares = table.div(total, axis=0)
    kept, left_out = style.ranked(tables, shares.index)
    shares = shares.loc[kept]
    canvas = style.canvas(1.5 + 0.36 * len(shares))
    axes = style.bare(canvas.subplots(), None)
    start = shares["pass"] * 0.0
    colours = style.VERDICT_COLOURS | {LOST[0]: LOST[2]}
    for part, label in parts:
        width = shares[part]
        if part == LOST[0] and not width.any():
            continue
        axes.barh(range(len(shares)), width, left=start, color=colours[part], label=label,
                  height=0.72, edgecolor="white", linewidth=0.8)  # fmt: skip
        for row, (share, left) in enumerate(zip(width, start, strict=True)):
            if share >= 0.06:
                ink = style.INK if part in ("partial", LOST[0]) else "white"
                axes.text(left + share / 2, row, percent(share), ha="center", va="center",
                          fontsize=8.5, color=ink)  # fmt: skip
        start = start + width
    for row, agent in enumerate(shares.index):
        axes.text(1.012, row, counted(int(total[agent]), "run"), va="center", fontsize=8.5,
                  color=style.MUTED)  # fmt: skip
    style.labels(axes, list(shares.index))
    axes.set_xlim(0, 1)
    style.percent_axis(axes)
    style.legend_above(axes)
    style.title(canvas, TITLE, left_out)
    return canvas
