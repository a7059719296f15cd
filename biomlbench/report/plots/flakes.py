"""Checks that disagree with themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.report.plots import _style as style
from biomlbench.report.plots.false_rates import unmeasured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from biomlbench.report.inputs import Tables

NAME = "flakes"
TITLE = "Checks that disagree with themselves"
CATEGORY = "Trust"
CAPTION = (
    "Share of repeated executions of the same submission in which a check's outcome differed from "
    "its usual one, with 95 % Wilson intervals, flakiest on top."
)


def figure(tables: Tables) -> Figure:
    """Draw a dot with its interval for every check that ever disagreed."""
    flakes = tables.flakes
    if flakes.empty:
        return style.note(TITLE, unmeasured(tables, "No submission was run again."))
    flaky = flakes[flakes["disagreements"] > 0]
    if flaky.empty:
        return style.note(
            TITLE, f"None of {len(flakes):,} checks ever did, in {flakes['runs'].sum():,} repeats."
        )
    ordered = flaky.sort_values(["rate", "task_id", "check"], ascending=[False, True, True])
    left_out = f"first {style.MAX_BARS} of {len(ordered)}" if len(ordered) > style.MAX_BARS else ""
    ordered = ordered.head(style.MAX_BARS)
    canvas = style.canvas(1.6 + 0.34 * len(ordered))
    axes = style.bare(canvas.subplots())
    rows = range(len(ordered))
    axes.hlines(rows, ordered["low"], ordered["high"], color="#CC79A7", linewidth=5, alpha=0.6)
    axes.plot(ordered["rate"], rows, "o", color="#8e3b6f", markersize=7)
    for row, wrong, runs in zip(rows, ordered["disagreements"], ordered["runs"], strict=True):
        axes.text(1.01, row, f"{wrong:g}/{runs:g}", transform=axes.get_yaxis_transform(),
                  va="center", fontsize=8.5, color=style.MUTED)  # fmt: skip
    style.labels(axes, style.check_labels(ordered["task_id"], ordered["check"]), 46)
    axes.set_xlim(0, min(1.0, float(ordered["high"].max()) * 1.08))
    style.percent_axis(axes)
    axes.set_xlabel("share of repeats that disagree")
    style.title(canvas, TITLE, left_out or f"{len(flakes) - len(flaky)} further checks never did")
    return canvas
