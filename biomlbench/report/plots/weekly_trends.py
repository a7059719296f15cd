"""Every rate, week by week."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from biomlbench.calibrate.intervals import wilson_bounds
from biomlbench.report.inputs import is_run
from biomlbench.report.plots import _style as style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from biomlbench.report.inputs import Tables

NAME = "weekly_trends"
TITLE = "Rates by week"
CATEGORY = "Telemetry"
CAPTION = (
    "Week by week, by the run's own time: verdict shares of the runs with 95 % Wilson intervals; "
    "whose fault the runs were that did not pass; the checks that failed most; and, once there "
    "are calibrations of several weeks, the grader's false-pass and false-fail rates. Runs whose "
    "run table does not say when they were made are left out; the line below the title counts them."
)
TOP_CHECKS = 5
GATES = {"runs": "did not run", "readable": "not readable"}  # as a failed check they mean this


def _line(axes: Axes, hits: pd.Series, total: pd.Series, label: str, colour: str) -> None:
    hits = hits.reindex(total.index).fillna(0)
    x = np.arange(len(total))
    low, high = wilson_bounds(hits.to_numpy(float), total.to_numpy(float))
    axes.fill_between(x, low, high, color=colour, alpha=0.15, linewidth=0)
    axes.plot(x, hits / total, "o-", color=colour, markersize=4, linewidth=1.8, label=label)


def _finish(axes: Axes, weeks: list[str], heading: str) -> None:
    style.bare(axes, "y")
    lines = len(axes.get_legend_handles_labels()[1])
    step = max(1, -(-len(weeks) // 8))
    axes.set_xticks(range(0, len(weeks), step), [str(week)[2:] for week in weeks[::step]])
    axes.set_xlim(-0.4, max(len(weeks) - 0.6, 0.4))
    axes.set_ylim(bottom=0)
    axes.set_title(heading, loc="left", fontsize=10, color=style.INK,
                   pad=10 + 14 * -(-lines // 3))  # fmt: skip
    style.percent_axis(axes, "y")
    if lines:
        style.legend_above(axes, columns=3)


def _dated(tables: Tables) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return all runs, and those that tell when they were made."""
    runs = tables.telemetry[is_run(tables.telemetry)]
    return runs, runs[runs["week"] != "undated"]


def lacks(tables: Tables) -> str:
    """Return why there is nothing to show."""
    if _dated(tables)[1].empty:
        return "No run tells when it was made, so there are no weeks."
    return ""


def figure(tables: Tables) -> Figure:
    """Draw four panels of lines over the weeks."""
    if told := lacks(tables):
        return style.note(TITLE, told)
    runs, telemetry = _dated(tables)
    undated = len(runs) - len(telemetry)
    every, no_check = "every run passed", "no check failed"
    if undated:
        every, no_check = "every run with a date passed", "no check failed in a run with a date"
    week = telemetry["week"]
    total = telemetry.groupby("week").size()
    weeks = list(total.index)
    canvas = style.canvas(6.6, 10.5)
    (verdicts, faults), (checks, rates) = canvas.subplots(2, 2)
    for verdict, colour in style.VERDICT_COLOURS.items():
        shade = "#b8860b" if verdict == "partial" else colour
        _line(
            verdicts, (telemetry["verdict"] == verdict).groupby(week).sum(), total, verdict, shade
        )
    _finish(verdicts, weeks, "verdicts")
    lost = telemetry[telemetry["verdict"] != "pass"]
    for fault, colour in style.FAULT_COLOURS.items():
        part = lost[lost["fault"] == fault].groupby("week").size()
        if fault != "none" and len(part):
            _line(faults, part, total, fault, colour)
    if lost.empty:
        faults.text(0.5, 0.5, every, transform=faults.transAxes, ha="center",
                    color=style.MUTED)  # fmt: skip
    _finish(faults, weeks, "not passed, by whose fault")
    failed = telemetry[["week", "checks_failed"]].reset_index(drop=True).explode("checks_failed")
    # a check that fails in two suites of a run is there twice
    failed = failed.dropna().reset_index().drop_duplicates(["index", "checks_failed"])
    top = style.largest(failed.groupby("checks_failed").size(), TOP_CHECKS)[0].index
    labels = style.clips([GATES.get(name, name) for name in top], 22)
    for name, label, colour in zip(top, labels, style.AGENT_COLOURS, strict=False):
        part = failed[failed["checks_failed"] == name].groupby("week").size()
        _line(checks, part, total, label, colour)
    if not len(top):
        checks.text(0.5, 0.5, no_check, transform=checks.transAxes, ha="center",
                    color=style.MUTED)  # fmt: skip
    _finish(checks, weeks, "runs in which a check failed")
    _calibration(rates, tables.rates)
    style.title(canvas, TITLE, style.without(undated, len(runs), "without a date"))
    return canvas


def _calibration(axes: Axes, rates: pd.DataFrame) -> None:
    overall = rates[rates["scope"] == "overall"] if "week" in rates else rates.iloc[:0]
    if overall.empty:
        style.bare(axes, None).set_axis_off()
        axes.text(0.5, 0.5, "no weekly calibration yet", transform=axes.transAxes, ha="center",
                  color=style.MUTED)  # fmt: skip
        return
    weeks = sorted(overall["week"].unique())
    for kind, label, colour in (
        ("false_pass", "false pass", "#C8502B"),
        ("false_fail", "false fail", "#0072B2"),
    ):
        part = overall[overall["kind"] == kind].groupby("week")[["errors", "n"]].sum()
        if len(part):
            _line(axes, part["errors"].reindex(weeks), part["n"].reindex(weeks), label, colour)
    _finish(axes, weeks, "the grader’s own errors")
