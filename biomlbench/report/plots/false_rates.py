"""How often the grader is wrong, with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.calibrate.intervals import wilson_bounds
from biomlbench.report.plots import _style as style
from biomlbench.run_command import run_command

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from biomlbench.report.inputs import Tables

NAME = "false_rates"
TITLE = "How often the grader is wrong"
CATEGORY = "Trust"
CAPTION = (
    "False-pass rate (a control known to be wrong passed) and false-fail rate (a control known to "
    "be right did not) overall, by mode of check taken alone, by task and by kind of control, with "
    "95 % Wilson intervals. A short bar at zero is good evidence; a long bar at zero is only a "
    "lack of controls."
)
LONG = ("check", "operator", "left_out")
"""Scopes of too many rows for a figure."""
SCOPES = {"overall": 0, "mode": 1, "card": 2, "family": 3, "check": 4}
WORDS = {"mode": "mode", "card": "task", "family": "controls", "check": "check"}
FAMILIES = {
    "gold": "gold submission",
    "known_bad": "known bad",
    "held_out_mutant": "mutants, operators held out",
    "mutant": "mutants of the reference",
    "reference": "reference",
    "rewrite": "rewrites of right ones",
    "run": "runs with a label",
    "right": "right, written differently",
    "second_order_mutant": "mutants with two changes",
    "spoilt": "spoilt copies of the gold",
    "stock": "do nothing or cheat",
}
KINDS = (("false_pass", "false pass", "#C8502B"), ("false_fail", "false fail", "#0072B2"))
UNCALIBRATED = f"No calibration yet: run `{run_command('calibrate')}`."


def unmeasured(tables: Tables, otherwise: str) -> str:
    """Return why a figure of calibration is empty: there is none yet, or what else it says."""
    return UNCALIBRATED if tables.rates.empty else otherwise


def _words(scope: str, name: str) -> str:
    name = style.task_label(name)
    return FAMILIES.get(name, name) if scope == "family" else name.replace("_", " ")


def _pooled(rates: pd.DataFrame) -> pd.DataFrame:
    """Return one row a scope, name and kind: families are counted for each task apart."""
    counts = rates.groupby(["scope", "name", "kind"], sort=False)[["errors", "n"]].sum()
    counts["low"], counts["high"] = wilson_bounds(
        counts["errors"].to_numpy(float), counts["n"].to_numpy(float)
    )
    counts["rate"] = counts["errors"] / counts["n"]
    return counts.reset_index()


def figure(tables: Tables) -> Figure:
    """Draw a forest plot, a panel a kind of error; checks only where nothing coarser exists."""
    rates = tables.rates
    if "week" in rates and len(rates):
        rates = rates[rates["week"] == rates["week"].max()]
    if rates.empty:
        return style.note(TITLE, UNCALIBRATED)
    coarse = rates[~rates["scope"].isin(LONG)]
    rates = _pooled(coarse if len(coarse) else rates)
    rates["order"] = rates["scope"].map(SCOPES).fillna(len(SCOPES))
    rates["label"] = [
        "overall" if scope == "overall" else f"{WORDS.get(scope, scope)}: {_words(scope, name)}"
        for scope, name in zip(rates["scope"], rates["name"], strict=True)
    ]
    keys = rates.groupby("label", sort=False)["order"].min()
    keys = keys.sort_index(kind="stable").sort_values(kind="stable")
    rows = {label: row for row, label in enumerate(keys.index[: style.MAX_BARS])}
    left_out = f"first {len(rows)} of {len(keys)}" if len(keys) > len(rows) else ""
    canvas = style.canvas(1.9 + 0.32 * len(rows), 9.5)
    panels = canvas.subplots(1, 2, sharey=True)
    top = max(0.05, float(rates["high"].clip(0, 1).max()))
    for axes, (kind, label, colour) in zip(panels, KINDS, strict=True):
        style.bare(axes)
        part = rates[(rates["kind"] == kind) & rates["label"].isin(rows)]
        y = part["label"].map(rows)
        axes.hlines(y, part["low"], part["high"], color=colour, linewidth=2)
        axes.plot(part["rate"], y, "s", color=colour, markersize=6)
        for row, errors, n in zip(y, part["errors"], part["n"], strict=True):
            axes.text(1.01, row, f"{errors:g}/{n:g}", transform=axes.get_yaxis_transform(),
                      va="center", fontsize=8, color=style.MUTED)  # fmt: skip
        axes.set_xlim(-0.02 * top, top * 1.04)
        axes.set_title(label, loc="left", fontsize=10, color=style.INK)
        axes.set_xlabel("share of controls, with errors/controls at the right")
        style.percent_axis(axes)
        for row in range(1, len(rows)):
            if keys.iloc[row] != keys.iloc[row - 1]:
                axes.axhline(row - 0.5, color=style.MUTED, linewidth=0.6)
    style.labels(panels[0], list(rows), 40)
    style.title(canvas, TITLE, left_out)
    return canvas
