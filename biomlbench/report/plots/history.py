"""The agents' rates from one kept result to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from biomlbench.report.plots import _style as style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from biomlbench.report.inputs import Tables

NAME = "history"
TITLE = "Results over time"
CATEGORY = "Agents"
CAPTION = (
    "Each agent's rate of verified medals, or of the verdict pass where no task has a leaderboard, "
    "in every result that was kept, at the time of its run; bands, of the two that lead, are 95 % "
    "intervals over tasks. A dotted line marks that the set of tasks changed: rates on its two "
    "sides are over other tasks."
)
BANDS = 2
MEASURES = (("verified_medal_rate", "verified medals"), ("pass_rate", "verdict pass"))


def has_data(tables: Tables) -> bool:
    """Tell whether two results or more were kept."""
    return bool(tables.history["kept"].nunique() > 1)


def figure(tables: Tables) -> Figure:
    """Draw a line an agent over the times at which results were kept."""
    from matplotlib import dates

    history = tables.history
    if not has_data(tables):
        return style.note(TITLE, "Fewer than two results have been kept.")
    history = history.assign(time=pd.to_datetime(history["kept"], utc=True).dt.tz_localize(None))
    column, label = next((m for m in MEASURES if history[m[0]].notna().any()), MEASURES[-1])
    last = history.groupby("agent", sort=True).tail(1).set_index("agent")
    # Who is not in the last results any more comes after all who are.
    gone = last["time"] < history["time"].max()
    ranked = last.assign(gone=gone).sort_values(["gone", "place"], kind="stable").index
    shown = ranked[: len(style.AGENT_COLOURS)]
    canvas = style.canvas(4.8)
    axes = style.bare(canvas.subplots(), "y")
    names = style.clips(shown, 26)
    for number, (agent, colour) in enumerate(zip(shown, style.AGENT_COLOURS, strict=False)):
        part = history[history["agent"] == agent]
        middle, low, high = (part[f"{column}{end}"].astype(float) for end in ("", "_low", "_high"))
        if number < BANDS:  # more of them hide one another
            axes.fill_between(part["time"], low, high, color=colour, alpha=0.13, linewidth=0)
        name = names[number]
        axes.plot(part["time"], middle, "o-", color=colour, markersize=4, linewidth=1.8, label=name)
    _changes_of_tasks(axes, history)
    untyped: Any = dates
    locator = untyped.AutoDateLocator(minticks=2, maxticks=8)
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(untyped.ConciseDateFormatter(locator))
    axes.set_ylim(-0.02, 1.02)
    axes.set_ylabel(label)
    style.percent_axis(axes, "y")
    style.legend_above(axes, columns=4)
    left_out = len(ranked) - len(shown)
    style.title(canvas, TITLE, f"first {len(shown)} of {len(ranked)} agents" if left_out else "")
    return canvas


def _changes_of_tasks(axes: Axes, history: pd.DataFrame) -> None:
    kept = history.drop_duplicates("kept")
    sets = kept["task_set"].to_numpy()
    times = kept["time"].to_numpy()
    for place in np.flatnonzero(sets[1:] != sets[:-1]):
        halfway = times[place] + (times[place + 1] - times[place]) / 2
        axes.axvline(halfway, color=style.MUTED, linewidth=1, linestyle=":")
