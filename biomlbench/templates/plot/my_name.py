"""My name: an example to be replaced by a figure of your own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.report.plots import _style as style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from biomlbench.report.inputs import Tables

NAME = "my_name"
TITLE = "My name"
CATEGORY = "Agents"
CAPTION = (
    "For each agent, the number of its runs with and without a valid submission. "
    "Controls, whose true label is known, are left out."
)


def figure(tables: Tables) -> Figure:
    """Draw a bar an agent; tables may be empty, and names are whatever agents call themselves."""
    from matplotlib.ticker import MaxNLocator

    runs = tables.runs
    if runs.empty:
        return style.note(TITLE, "There are no runs yet.")
    counts = runs.groupby("agent")["valid_submission"].agg(["sum", "size"])
    order, left_out = style.largest(counts["size"])
    counts = counts.loc[order.index]
    canvas = style.canvas(1.7 + 0.36 * len(counts))
    axes = style.bare(canvas.subplots())
    rows = range(len(counts))
    axes.barh(rows, counts["size"], color=style.GRID, label="all runs")
    colour = style.VERDICT_COLOURS["pass"]
    axes.barh(rows, counts["sum"].astype(int), height=0.5, color=colour, label="valid")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("runs")
    style.labels(axes, list(counts.index))
    style.legend_above(axes)
    style.title(canvas, TITLE, left_out)
    return canvas
