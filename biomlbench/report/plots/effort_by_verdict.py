"""What runs took, by what became of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from biomlbench.report.plots import _style as style
from biomlbench.scoring.lost_runs import lost_runs

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from biomlbench.report.inputs import Tables

NAME = "effort_by_verdict"
TITLE = "Tokens and time by verdict"
CATEGORY = "Agents"
CAPTION = (
    "Tokens and seconds of the agents' runs, as the run tables say them, by the runs' verdict: "
    "boxes are quartiles with the median, whiskers reach from the 5th to the 95th percentile, "
    "numbers in brackets are runs. The axis is logarithmic and begins at a token and a thousandth "
    "of a second at the lowest, where what is less stands; runs whose effort is unknown or zero "
    "are left out, and so are those lost to a fault that is not the agent's; each axis says of how "
    "many runs it is."
)
EFFORTS = (("meta_tokens", "tokens a run"), ("meta_wall_time_s", "agent’s seconds a run"))
LEAST = {"meta_tokens": 1.0, "meta_wall_time_s": 1e-3}
"""What is stated below would take up the axis."""
_POINTS = 400
"""Runs of a verdict up to which each is drawn."""


def has_data(tables: Tables) -> bool:
    """Tell whether a run's tokens or time are known."""
    return bool(_known(tables))


def _known(tables: Tables) -> list[tuple[str, str]]:
    runs = tables.runs
    return [(name, label) for name, label in EFFORTS if (runs[name].astype(float) > 0).any()]


def figure(tables: Tables) -> Figure:
    """Draw a panel of boxes an effort, a box a verdict."""
    known = _known(tables)
    if not known:
        text = "No run table says what a run took (meta_tokens, meta_wall_time_s)."
        return style.note(TITLE, text)
    runs = tables.runs
    total = len(runs)
    runs = runs[~lost_runs(runs)]
    canvas = style.canvas(2.6)
    panels = canvas.subplots(1, len(known), squeeze=False)[0]
    for axes, (name, label) in zip(panels, known, strict=True):
        effort = runs[name].astype(float)
        _boxes(axes, effort.where(effort <= 0, effort.clip(lower=LEAST[name])), runs["verdict"])
        drawn = int((effort > 0).sum())
        axes.set_xlabel(label if drawn == total else f"{label}, of {drawn:,} of {total:,} runs")
    style.title(canvas, TITLE)
    return canvas


def _boxes(axes: Axes, effort: pd.Series, verdict: pd.Series) -> None:
    style.bare(axes, "x")
    names = []
    # The same places in every figure of the same runs.
    places = np.random.default_rng(0)
    for row, (name, colour) in enumerate(style.VERDICT_COLOURS.items()):
        values = effort[(verdict == name) & (effort > 0)].to_numpy()
        names.append(f"{name} ({len(values):,})")
        if not len(values):
            continue
        axes.boxplot(
            values,
            positions=[row],
            orientation="horizontal",
            widths=0.5,
            whis=(5, 95),
            showfliers=False,
            patch_artist=True,
            boxprops={"facecolor": colour, "alpha": 0.35, "edgecolor": colour},
            medianprops={"color": style.INK, "linewidth": 2},
            whiskerprops={"color": style.MUTED},
            capprops={"color": style.MUTED},
            manage_ticks=False,
        )
        if len(values) <= _POINTS:
            height = row + places.uniform(-0.18, 0.18, len(values))
            axes.plot(values, height, "o", color=colour, markersize=3, alpha=0.6)
    style.log_axis(axes)
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:,.0f}" if x >= 1 else f"{x:g}")
    style.labels(axes, names)
