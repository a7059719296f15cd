"""How much the hidden cases' run time varies, by card."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from biomlbench.report.plots import _style as style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from biomlbench.report.inputs import Tables

NAME = "runtime_variance"
TITLE = "Run time on hidden cases"
CATEGORY = "Telemetry"
CAPTION = (
    "Left: coefficient of variation of the wall time over each run's hidden cases, a box a card "
    "(median, quartiles, whiskers at 5 and 95 %). Right: the run's total time over the "
    "reference's own time on the same cases, so that a slow machine is not read as a slow "
    "solution; the line marks the reference's own speed. Where the reference takes microseconds, "
    "the ratio is mostly the sandbox's cost of a call."
)


def _measured(tables: Tables) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Return by task each run's variation, and its slowdown where the reference was timed."""
    telemetry = tables.telemetry
    telemetry = telemetry[telemetry["label"].isna()]
    variation: dict[str, list[float]] = {}
    slowdown: dict[str, list[float]] = {}
    columns = (telemetry["task_id"], telemetry["hidden_wall_s"], telemetry["reference_s"])
    for task, walls, reference in zip(*columns, strict=True):
        walls = np.asarray([] if walls is None else walls, float)
        walls = walls[np.isfinite(walls)]
        if len(walls) < 2 or walls.mean() <= 0:
            continue
        variation.setdefault(task, []).append(float(walls.std(ddof=1) / walls.mean()))
        if reference is not None and reference > 0:
            slowdown.setdefault(task, []).append(float(walls.sum() / reference))
    return variation, slowdown


def lacks(tables: Tables) -> str:
    """Return why there is nothing to show."""
    return "" if _measured(tables)[0] else "No run has timed hidden cases yet."


def figure(tables: Tables) -> Figure:
    """Draw a box a card for variation and for slowdown."""
    if told := lacks(tables):
        return style.note(TITLE, told)
    variation, slowdown = _measured(tables)
    tasks = sorted(variation, key=lambda task: (-np.median(variation[task]), task))
    left_out = f"first {style.MAX_BARS} of {len(tasks)}" if len(tasks) > style.MAX_BARS else ""
    tasks = tasks[: style.MAX_BARS]
    canvas = style.canvas(1.8 + 0.36 * len(tasks))
    left, right = canvas.subplots(1, 2, sharey=True)
    for axes, values in ((left, variation), (right, slowdown)):
        style.bare(axes)
        drawn = [(row, values[task]) for row, task in enumerate(tasks) if task in values]
        if not drawn:
            axes.text(0.5, 0.5, "the reference was not timed", transform=axes.transAxes,
                      ha="center", color=style.MUTED)  # fmt: skip
            continue
        axes.boxplot(
            [data for _, data in drawn],
            positions=[row for row, _ in drawn],
            orientation="horizontal",
            widths=0.55,
            whis=(5, 95),
            patch_artist=True,
            flierprops={"marker": ".", "markersize": 3, "markeredgecolor": style.MUTED},
            boxprops={"facecolor": "#9ecae1", "edgecolor": "#3182bd"},
            whiskerprops={"color": "#3182bd"},
            capprops={"color": "#3182bd"},
            medianprops={"color": style.INK, "linewidth": 1.6},
            manage_ticks=False,
        )
    left.set_xlim(left=0)
    left.set_title("variation between cases", loc="left", fontsize=10, color=style.INK)
    left.set_xlabel("standard deviation over mean")
    if slowdown:
        right.axvline(1, color=style.INK, linewidth=1, linestyle=(0, (3, 3)))
        style.log_axis(right)
        right.xaxis.set_major_formatter(lambda x, _: f"{x:g}×")
    right.set_title("time over the reference’s", loc="left", fontsize=10, color=style.INK)
    counts = [
        f"{label} ({len(variation[task]):,})"
        for task, label in zip(tasks, style.task_labels(tasks), strict=True)
    ]
    style.labels(left, counts, 40)
    style.title(canvas, TITLE, left_out)
    return canvas
