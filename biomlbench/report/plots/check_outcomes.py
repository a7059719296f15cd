"""How often each check fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.report.plots import _style as style
from biomlbench.report.trust import check_rates

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from biomlbench.report.inputs import Tables

NAME = "check_outcomes"
TITLE = "Outcomes of each check"
CATEGORY = "Trust"
CAPTION = (
    "Share of passed, failed, broken (the check itself raised an error) and skipped outcomes of "
    "each check over all real runs it was applied to, each run counted once: it failed a check "
    "that it failed in any suite. A check that never fails may be weak; one that fails nearly "
    "always may be wrong."
)
PARTS = (
    ("passed", "passed", "#0072B2"),
    ("failed", "failed", "#C8502B"),
    ("broken", "the check broke", "#CC79A7"),
    ("skipped", "skipped", "#cbd2d9"),
)


def figure(tables: Tables) -> Figure:
    """Draw one stacked bar a check, most failures on top."""
    rates = check_rates(tables.checks, tables.pairs)
    if rates.empty:
        return style.note(TITLE, "No check was run yet.")
    names = style.check_labels(rates["task_id"], rates["check"])
    table = rates.assign(passed=(rates["applied"] - rates["failed"] - rates["broken"]).clip(0))
    table = table[[part for part, _, _ in PARTS]].set_axis(names).sort_index()
    total = table.sum(axis=1)
    shares = table.div(total, axis=0)
    kept, left_out = style.largest(shares["failed"] + shares["broken"])
    shares = shares.loc[kept.index]
    canvas = style.canvas(1.5 + 0.25 * len(shares))
    axes = style.bare(canvas.subplots())
    start = shares["passed"] * 0.0
    for part, label, colour in PARTS:
        if shares[part].any():
            axes.barh(range(len(shares)), shares[part], left=start, color=colour, label=label,
                      height=0.74, edgecolor="white", linewidth=0.5)  # fmt: skip
        start = start + shares[part]
    for row, key in enumerate(shares.index):
        told = f"{table['failed'][key]:,} of {total[key]:,} failed"
        axes.text(1.012, row, told, va="center", fontsize=8, color=style.MUTED)
    style.labels(axes, list(shares.index), 46)
    axes.set_xlim(0, 1)
    style.percent_axis(axes)
    style.legend_above(axes)
    style.title(canvas, TITLE, left_out and f"the ones that fail most: {left_out}")
    return canvas
