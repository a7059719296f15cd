"""Which check catches which wrong solution."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from biomlbench.outcomes import Severity
from biomlbench.report.plots import _style as style
from biomlbench.report.plots.false_rates import UNCALIBRATED
from biomlbench.runtime.words import counted

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from biomlbench.report.inputs import Tables

NAME = "kill_matrix"
TITLE = "Which check catches which wrong solution"
CATEGORY = "Trust"
CAPTION = (
    "A panel a card, a column a wrong control, a row a check: dark means caught. Light columns, "
    "marked at the foot, are survivors that no check catches. The number at the right is how many "
    "the check catches, and in brackets how many only it catches. Right solutions that a check "
    "rejects are listed in red; an advisory check only remarks on them. The row gate is what could "
    "not be read or run at all. Mutants of held-out operators are in the error rates alone, as no "
    "check may be written after what they show. On a prediction task a survivor is no false pass "
    "where its score earns nothing."
)
MAX_PANELS, MAX_SOLUTIONS = 24, 150
HELD_OUT = "held_out_mutant"
"""The family of controls that are mutants of held-out operators."""


def _panel(axes: Axes, task: str, kills: pd.DataFrame, advisory: set[str], held_out: int) -> None:
    wrong = kills[kills["label"] != "right"]
    matrix = wrong.pivot_table(index="check", columns="solution", values="killed", aggfunc="max")
    checks = sorted(kills["check"].unique())
    grid = matrix.reindex(checks).fillna(0).to_numpy(float) > 0
    hits = grid.sum(axis=0)
    # easiest to catch at the left, survivors at the right, equal patterns together
    order = np.lexsort((*grid[::-1], -hits))
    grid, hits = grid[:, order], hits[order]
    shown = grid[:, -MAX_SOLUTIONS:]
    style.bare(axes, None)
    if shown.size:
        # unclipped: a mesh's clip path is named by its address, so the SVG would differ each time
        axes.pcolormesh(shown, cmap="Blues", vmin=-0.08, vmax=1.25, edgecolors="white",
                        linewidth=0.4, clip_on=False)  # fmt: skip
    alone = (grid & (hits == 1)).sum(axis=1)
    false_fails = kills[kills["label"] == "right"].groupby("check")["killed"].sum()
    for row, check in enumerate(checks):
        bad = int(false_fails.get(check, 0))
        verb = "remarks on" if check in advisory else "rejects"
        text = f"{grid[row].sum()} ({alone[row]})" + (f"  {verb} {bad} right" if bad else "")
        axes.text(1.008, row + 0.5, text, va="center", fontsize=8,
                  transform=axes.get_yaxis_transform(),
                  color="#C8502B" if bad and check not in advisory else style.MUTED)  # fmt: skip
    survivors = np.flatnonzero(hits[-MAX_SOLUTIONS:] == 0)
    axes.set_yticks(np.arange(len(checks)) + 0.5, style.clips(checks, 28),
                    color=style.INK)  # fmt: skip
    axes.set_xticks([])
    axes.set_ylim(len(checks), 0)
    axes.set_xlim(0, max(shown.shape[1], 1))
    left_out = grid.shape[1] - shown.shape[1]
    more = f", {left_out} easily caught ones not shown" if left_out else ""
    more += f"; {counted(held_out, 'held-out mutant')} not in here" if held_out else ""
    axes.set_title(
        f"{style.clip(style.task_label(task))}: {(hits > 0).sum()} of {len(hits)} caught{more}",
        loc="left", fontsize=10, color=style.INK,
    )  # fmt: skip
    if len(survivors):
        word = "survivor" if len(survivors) == 1 else "survivors"
        axes.set_xlabel(f"▲ {len(survivors)} {word}", loc="right", color="#C8502B", labelpad=9)
        axes.plot(survivors + 0.5, [len(checks) + 0.15] * len(survivors), "^", color="#C8502B",
                  markersize=4, clip_on=False)  # fmt: skip


def figure(tables: Tables) -> Figure:
    """Draw a matrix a card, the cards with most survivors first."""
    kills = tables.kills
    if kills.empty:
        return style.note(TITLE, UNCALIBRATED)
    wrong = kills[kills["label"] != "right"]
    caught = wrong.groupby(["task_id", "solution"])["killed"].max()
    survivors = (~caught.astype(bool)).groupby("task_id").sum()
    tasks = sorted(kills["task_id"].unique(), key=lambda task: (-survivors.get(task, 0), task))
    subtitle = f"first {MAX_PANELS} of {len(tasks)} cards" if len(tasks) > MAX_PANELS else ""
    tasks = tasks[:MAX_PANELS]
    mild = tables.checks[tables.checks["severity"] == Severity.ADVISORY]
    advisory = mild.groupby("task_id")["check"].agg(set).to_dict()
    groups = dict(tuple(kills.groupby("task_id")))
    held_out = _held_out(tables.rates)
    heights = [0.75 + 0.22 * groups[task]["check"].nunique() for task in tasks]
    canvas = style.canvas(0.7 + sum(heights), 9.5)
    grid = canvas.subplots(len(tasks), 1, squeeze=False, height_ratios=heights).ravel()
    for axes, task in zip(grid, tasks, strict=True):
        _panel(axes, task, groups[task], advisory.get(task, set()), held_out.get(task, 0))
    style.title(canvas, TITLE, subtitle)
    return canvas


def _held_out(rates: pd.DataFrame) -> dict[str, int]:
    """Return how many mutants of held-out operators each card's last error rates have."""
    if "week" in rates and len(rates):
        rates = rates[rates["week"] == rates["week"].max()]
    is_theirs = (rates["scope"] == "family") & (rates["name"] == HELD_OUT)
    found = rates[is_theirs & (rates["kind"] == "false_pass")].groupby("task_id")["n"].sum()
    return {str(task): int(number) for task, number in found.items()}
