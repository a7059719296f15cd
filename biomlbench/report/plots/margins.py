"""How far right and wrong controls stay from each check's threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from biomlbench.report.plots import _style as style
from biomlbench.report.plots.false_rates import unmeasured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from biomlbench.report.inputs import Tables

NAME = "margins"
TITLE = "Margins of right and wrong controls"
CATEGORY = "Trust"
CAPTION = (
    "Distance of each control from the check's threshold, in units of the threshold (symmetric "
    "logarithmic scale): left of the line the check fails, right of it passes. Right controls "
    "should all be right of the line, and wrong ones may be on either side as long as some other "
    "check catches them. Where the two clouds are far apart there is room to move the threshold."
)
LABELS = (("right", "#0072B2", -0.17), ("wrong", "#C8502B", 0.17))
SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
MAX_ROWS, MAX_POINTS = 60, 300


def _power(value: float) -> str:
    """Return a tick as a power of ten, which stays short.

    Examples
    --------
    >>> [_power(value) for value in (-1e6, -100, 0, 1)]
    ['−10⁶', '−10²', '0', '1']
    """
    if abs(value) < 10:
        return f"{value:g}".replace("-", "−")
    exponent = str(round(np.log10(abs(value)))).translate(SUPERSCRIPT)
    return ("−" if value < 0 else "") + f"10{exponent}"


def figure(tables: Tables) -> Figure:
    """Draw a strip a check: blue for right controls, red for wrong ones."""
    from matplotlib.lines import Line2D
    from matplotlib.ticker import SymmetricalLogLocator

    margins = tables.margins
    margins = margins[np.isfinite(margins["margin"].to_numpy(float))]
    if margins.empty:
        return style.note(TITLE, unmeasured(tables, "No check of a control has a threshold."))
    labels = style.check_labels(margins["task_id"], margins["check"])
    keys = pd.Series(labels, margins.index, name="key")
    # the check whose right controls come closest to failing is on top
    right = margins["margin"].where(margins["label"] == "right")
    closest = right.groupby(keys).min().fillna(np.inf)
    order = closest.sort_index(kind="stable").sort_values(kind="stable").index
    left_out = f"the {MAX_ROWS} closest of {len(order)}" if len(order) > MAX_ROWS else ""
    order = order[:MAX_ROWS]
    canvas = style.canvas(1.7 + 0.27 * len(order), 9.5)
    axes = style.bare(canvas.subplots())
    groups = dict(tuple(margins.groupby([keys, margins["label"]])))
    for row, key in enumerate(order):
        for label, colour, offset in LABELS:
            if (key, label) not in groups:
                continue
            values = np.sort(groups[key, label]["margin"].to_numpy(float))
            if len(values) > MAX_POINTS:
                values = np.quantile(values, np.linspace(0, 1, MAX_POINTS))
            axes.plot(values, np.full(len(values), row + offset), "|", color=colour, alpha=0.65,
                      markersize=6, label=f"{label} controls" if row == 0 else None)  # fmt: skip
    axes.axvline(0, color=style.INK, linewidth=1.2)
    axes.set_xscale("symlog", linthresh=1)
    axes.xaxis.set_major_locator(SymmetricalLogLocator(base=100, linthresh=1))
    axes.xaxis.set_major_formatter(lambda x, _: _power(x))
    axes.set_xlabel("← fails      margin in units of the threshold      passes →")
    style.labels(axes, list(order), 46)
    style.legend_above(
        axes,
        [
            Line2D([], [], color=colour, linewidth=4, label=f"{label} controls")
            for label, colour, _ in LABELS
        ],
    )
    style.title(canvas, TITLE, left_out)
    return canvas
