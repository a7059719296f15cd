"""Scores of the runs against each task's leaderboard, with medal bands and intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.report.agent_order import by_place
from biomlbench.report.plots import _style as style
from biomlbench.scoring.best_runs import standing

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    from biomlbench.report.inputs import Tables

NAME = "leaderboards"
TITLE = "Scores against the leaderboards"
CATEGORY = "Tasks"
PRIORITY = 1
CAPTION = (
    "A panel a task, better scores to the right. Bands are the medals' score ranges, the grey "
    "histogram is the leaderboard with its median dashed, diamonds are human baselines. A dot "
    "is a run, coloured by verdict; the line is the 95 % bootstrap interval of each agent's best "
    "run: of those that pass, else of all. Scores beyond a panel's ends are drawn there as "
    "triangles, and so many more entries of the leaderboard are counted above it: no few of either "
    "set an axis."
)
MAX_PANELS, COLUMNS, MAX_AGENTS = 48, 2, 12
_FAR = 10
_KEYS_IN_A_LINE = (4, 7)
_WIDTHS = (6.6, 10.4)
_BESIDE_LABELS = 0.5
"""Width of a panel that neither labels nor axes take, in inches."""
DRAWN = (
    *("task_id", "agent", "score", "score_low", "score_high", "verdict", "metric", "direction"),
    *("fault", "stage", "valid_submission"),
    *(f"{medal}_threshold" for medal in style.MEDAL_COLOURS),
)
"""The columns of `pairs` that are drawn: a table of all of them is cut for each agent and task."""


def _limits(
    runs: pd.DataFrame,
    best: pd.DataFrame,
    board: np.ndarray,
    humans: np.ndarray,
    cuts: list[float],
    sign: int,
) -> tuple[float, float]:
    import pandas as pd

    # in units where larger is better; the far left tail is not worth the room
    told = runs.assign(signed=sign * runs["score"].to_numpy(float))
    scores = told["signed"].to_numpy(float)
    highest = told.sort_values("signed").drop_duplicates("agent", keep="last")
    fixed = [*(sign * np.asarray(cuts, float))]
    if len(known := board if len(board) else humans):
        fixed += [np.quantile(sign * known, 0.1), (sign * np.array([*board, *humans])).max()]
    fixed = [value for value in fixed if np.isfinite(value)]
    nearest, farthest = _reach(highest["signed"].to_numpy(float), fixed)
    left = np.quantile(scores, 0.1)
    if left < nearest:
        left = scores[scores >= nearest].min()
    drawn = pd.concat([highest, told.loc[best.index]])
    drawn = drawn[drawn["signed"] >= left]
    values = np.array([left, *(sign * drawn[["score_low", "score_high"]].to_numpy(float)).ravel(),
                       *drawn["signed"]])  # fmt: skip
    values = values[np.isfinite(values) & (values >= nearest) & (values <= farthest)]
    finite = np.array([*values, *fixed])
    low, high = finite.min(), finite.max()
    pad = 0.06 * (high - low) or 0.05 * abs(high) or 0.05
    return low - pad, high + pad


def _best(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the best run of each agent at each task, with its `standing`, the best ones first.

    The standing of a lost run is the worst.
    """
    ordered = runs.assign(standing=standing(runs).fillna(-1.0))
    ordered = ordered.sort_values("standing", ascending=False, kind="stable")
    return ordered.drop_duplicates(["task_id", "agent"])


def _reach(best: np.ndarray, fixed: list[float]) -> tuple[float, float]:
    """Return between which scores an axis ends: no third of the agents can move it far.

    Parameters
    ----------
    best : array
        Best score of each agent.
    fixed : list of float
        What is shown whatever the agents have.

    Examples
    --------
    >>> _reach(np.array([0.5, 0.75, -1e150]), [])
    (-2.0, 3.0)
    """
    middle = float(np.sort(best)[len(best) // 2])
    # That far from the middle, or farther, are more than a third of the agents.
    spread = float(np.sort(np.abs(best - middle))[::-1][len(best) // 3])
    width = max(fixed) - min(fixed) if fixed else 0.0
    reach = max(_FAR * spread, abs(middle), width) or 1.0
    return middle - reach, middle + reach


def _bands(axes: Axes, cuts: list[float], sign: int, right: float) -> None:
    edges = [*(sign * np.asarray(cuts, float))]
    for (medal, colour), left in zip(style.MEDAL_COLOURS.items(), edges, strict=True):
        if np.isfinite(left) and left < right:
            axes.axvspan(left, right, color=colour, alpha=0.28, linewidth=0)
            axes.text((left + right) / 2, 1.0, medal[0].upper(), fontsize=8, color=style.INK,
                      ha="center", va="bottom", transform=axes.get_xaxis_transform())  # fmt: skip
            right = left


def _panel(axes: Axes, tables: Tables, task: str, runs: pd.DataFrame, best: pd.DataFrame) -> None:
    style.bare(axes, None)
    humans = tables.scores("humans", task)
    first = runs.iloc[0]
    sign = 1 if first["direction"] == "maximize" else -1
    board = tables.scores("leaderboard", task)
    cuts = [runs[f"{medal}_threshold"].max() for medal in style.MEDAL_COLOURS]
    low, high = _limits(runs, best, board, humans, cuts, sign)
    _bands(axes, cuts, sign, high)
    best = best.head(MAX_AGENTS)
    above = bool(len(board) or len(humans))
    if len(board):
        heights, edges = np.histogram(sign * board, 40, (low, high))
        scaled = 0.85 * heights / max(heights.max(), 1)
        axes.stairs(0.4 - scaled, edges, baseline=0.4, fill=True, color="#9aa5b1")
        # the axis has the best entry; the worst may lie beyond its left end
        if beyond := int((sign * board < low).sum()):
            axes.text(low, 1.0, f"◂ {beyond} more", fontsize=8, color=style.MUTED, ha="left",
                      va="bottom", transform=axes.get_xaxis_transform())  # fmt: skip
        middle = sign * float(np.median(board))
        axes.axvline(middle, color=style.MUTED, linewidth=0.9, linestyle=(0, (3, 3)))
    axes.set_xlim(low, high)
    _marks(axes, 0.4 if len(board) else 0.0, sign * humans, "D", color="white",
           markeredgecolor=style.INK, zorder=5)  # fmt: skip
    agents = runs["agent"].to_numpy(object)
    judged = {verdict: (runs["verdict"] == verdict).to_numpy() for verdict in style.VERDICT_COLOURS}
    scores = sign * runs["score"].to_numpy(float)
    intervals = np.clip(sign * best[["score_low", "score_high"]].to_numpy(float), low, high)
    for row, (agent, ends) in enumerate(zip(best["agent"], intervals, strict=True), int(above)):
        own = agents == agent
        if np.isfinite(ends).all():
            axes.hlines(row, ends.min(), ends.max(), color=style.INK, linewidth=1.4, zorder=3)
        alpha = float(np.clip(12 / max(int(own.sum()), 1), 0.25, 0.9))
        for verdict, colour in style.VERDICT_COLOURS.items():
            part = scores[own & judged[verdict]]
            _marks(axes, row, part, "o", color=colour, alpha=alpha, markeredgecolor="white",
                   markeredgewidth=0.4, zorder=4)  # fmt: skip
    heading = "leaderboard" if len(board) else "humans"
    style.labels(axes, [*([heading] if above else []), *best["agent"]], 22)
    axes.tick_params(axis="y", pad=8)  # room for the triangles at the left end
    axes.set_ylim(len(best) + above - 0.4, -0.75)
    axes.xaxis.set_major_locator(_ticks())
    digits = _digits([tick for tick in axes.get_xticks() if low <= tick <= high])
    axes.xaxis.set_major_formatter(lambda x, _: f"{sign * x + 0.0:.{digits}g}")  # no minus zero
    arrow = "higher is better" if sign > 0 else "lower is better"
    axes.set_xlabel(f"{first['metric'].replace('_', ' ')} ({arrow})", fontsize=8.5)
    widest = max(style.width_of(label.get_text(), 9) for label in axes.get_yticklabels())
    room = style.letters(style.panel_width(axes) - widest - _BESIDE_LABELS, 10)
    axes.set_title(style.clip(tables.task_name(task), min(40, room)), loc="left", fontsize=10,
                   color=style.INK, pad=14)  # fmt: skip


def _marks(axes: Axes, row: float, scores: np.ndarray, mark: str, **look: Any) -> None:
    """Mark scores in a row, those beyond an end of the axis by a triangle at that end.

    What is drawn outside of an axis is not seen, and the layout makes room for it all the same.
    """
    low, high = axes.get_xlim()
    inside = scores[(scores >= low) & (scores <= high)]
    # lines without a point take as long as others
    if len(inside):
        axes.plot(inside, [row] * len(inside), mark, markersize=5, **look)
    for end, triangle, is_beyond in ((low, "<", scores < low), (high, ">", scores > high)):
        if is_beyond.any():
            solid = look | {"alpha": None}
            axes.plot(end, row, triangle, markersize=6, clip_on=False, **solid)


def _digits(ticks: Sequence[float]) -> int:
    """Return how many digits tell the ticks of an axis apart.

    >>> _digits([0.5, 1.0]), _digits([0.70651, 0.70652])
    (4, 5)
    """
    for digits in range(4, 17):
        if len({f"{tick:.{digits}g}" for tick in ticks}) == len(ticks):
            return digits
    return 17


def _ticks() -> MaxNLocator:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(5)


def figure(tables: Tables) -> Figure:
    """Draw a panel a task."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    scored = tables.runs[list(DRAWN)]
    scored = scored[np.isfinite(scored["score"].to_numpy(float))]
    if scored.empty:
        return style.note(TITLE, "No run has a score yet.")
    # tasks with a leaderboard first: the others have no bands to fall into
    ranked = scored.groupby("task_id")["gold_threshold"].count().gt(0)
    tasks = [*sorted(ranked[ranked].index), *sorted(ranked[~ranked].index)]
    subtitle = ""
    if len(tasks) > MAX_PANELS:
        subtitle = f"the first {MAX_PANELS} tasks of {len(tasks)}"
        tasks = tasks[:MAX_PANELS]
    columns = min(COLUMNS, len(tasks))
    lines = -(-len(tasks) // columns)
    agents = min(scored["agent"].nunique(), MAX_AGENTS)
    canvas = style.canvas(1.3 + lines * (1.45 + 0.24 * agents), _WIDTHS[columns - 1])
    grid = canvas.subplots(lines, columns, squeeze=False).ravel()
    groups = dict(tuple(scored.groupby("task_id")))
    # the ranking decides among those that are level
    turn = {agent: number for number, agent in enumerate(by_place(tables, set(scored["agent"])))}
    in_turn = scored.sort_values("agent", key=lambda agents: agents.map(turn), kind="stable")
    best = dict(tuple(_best(in_turn).groupby("task_id")))
    for axes, task in zip(grid, tasks, strict=False):
        _panel(axes, tables, task, groups[task], best[task])
    for axes in grid[len(tasks) :]:
        axes.set_axis_off()
    keys = [
        *(
            Line2D([], [], color=c, label=v, marker="o", linestyle="", markersize=6)
            for v, c in style.VERDICT_COLOURS.items()
        ),
        *(Patch(color=c, alpha=0.4, label=m) for m, c in style.MEDAL_COLOURS.items()),
        Line2D([], [], color=style.INK, linewidth=1.4, label="interval of the best"),
    ]
    canvas.legend(handles=keys, loc="outside lower left",
                  ncols=_KEYS_IN_A_LINE[columns - 1], frameon=False, fontsize=9)  # fmt: skip
    style.title(canvas, TITLE, subtitle)
    return canvas
