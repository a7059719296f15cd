"""Why runs do not pass, by whose fault it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.report.plots import _style as style
from biomlbench.runtime.shown_numbers import percent

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from biomlbench.report.inputs import Tables

NAME = "failure_reasons"
TITLE = "Why runs did not pass"
CATEGORY = "Telemetry"
CAPTION = (
    "Runs that did not pass, by the first reason code, coloured by whose fault it is. Only the "
    "submission's own faults count against an agent."
)


def _lost(tables: Tables) -> pd.DataFrame:
    runs = tables.runs
    return runs[(runs["verdict"] != "pass") & (runs["reason"] != "ok")]


def lacks(tables: Tables) -> str:
    """Return why there is nothing to show."""
    if len(_lost(tables)):
        return ""
    return (
        "There are no runs yet." if tables.runs.empty else "Every run passed (controls left out)."
    )


def figure(tables: Tables) -> Figure:
    """Draw one bar a reason, most frequent on top."""
    from matplotlib.patches import Patch
    from matplotlib.ticker import MaxNLocator

    if told := lacks(tables):
        return style.note(TITLE, told)
    runs, lost = tables.runs, _lost(tables)
    fault = lost.groupby("reason")["fault"].first().fillna("none")
    counts, left_out = style.largest(lost.groupby("reason").size(), 25)
    canvas = style.canvas(1.5 + 0.3 * len(counts))
    axes = style.bare(canvas.subplots())
    colours = [style.FAULT_COLOURS.get(fault[reason], style.MUTED) for reason in counts.index]
    axes.barh(range(len(counts)), counts, color=colours, height=0.72)
    for row, count in enumerate(counts):
        told = f"{count:,}  ({percent(count / len(runs), 1)})"
        axes.text(count + 0.008 * counts.max(), row, told,
                  va="center", fontsize=8.5, color=style.MUTED)  # fmt: skip
    style.labels(axes, [reason.replace("_", " ") for reason in counts.index])
    axes.set_xlim(0, counts.max() * 1.16)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel(f"runs, of {len(runs):,}")
    present = [name for name in style.FAULT_COLOURS if name in set(fault[counts.index])]
    keys = [Patch(color=style.FAULT_COLOURS[name], label=f"{name}’s fault") for name in present]
    style.legend_above(axes, keys)
    style.title(canvas, TITLE, left_out)
    return canvas
