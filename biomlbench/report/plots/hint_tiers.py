"""How much help a pass takes: hint tiers used, and how many attempts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from biomlbench.calibrate.intervals import Z95
from biomlbench.report.plots import _style as style
from biomlbench.scoring.lost_runs import lost_runs

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from biomlbench.report.inputs import Tables

NAME = "hint_tiers"
TITLE = "Help needed before the first pass"
CATEGORY = "Telemetry"
CAPTION = (
    "Left: for each task, the highest tier of hints that had been given when an agent first "
    "passed, as far as the run table tells it, and the share that never passed. Right: the share "
    "that has not passed yet after so many attempts (Kaplan-Meier; series that ended without a "
    "pass are censored, marked by ticks), with its 95 % interval. Runs without an attempt number "
    "are left out, and so are those lost to a fault that is not the agent's; the line below the "
    "title counts them."
)
TIER_COLOURS = ("#c6dbef", "#9ecae1", "#6baed6", "#3182bd", "#08519c", "#06305f")
_NEVER, _UNTOLD = -1, -2
_OTHER_STATES = {_NEVER: ("never passed", "#cbd2d9"), _UNTOLD: ("hints not told", "#e8dcc0")}
"""Name and colour of what is no tier: a pass may have taken hints of which nothing is known."""


def first_passes(pairs: pd.DataFrame) -> pd.DataFrame:
    """Reduce the attempts of an agent (and seed) at a task to one row.

    Parameters
    ----------
    pairs : pandas.DataFrame
        Real runs; those without an attempt number are left out, as are attempts that a fault
        of task, grader or infrastructure took away.

    Returns
    -------
    pandas.DataFrame
        `task_id`, `passed`, `attempts` up to the first pass or the last attempt, and `tier`,
        the highest hint tier up to then; NaN where an attempt up to then does not tell its own,
        which may have been higher.
    """
    import pandas as pd

    kept = pairs[pairs["attempt"].notna() & ~lost_runs(pairs)]
    rows = []
    for (task, *_), series in kept.groupby(["task_id", "agent", "seed"], dropna=False):
        ordered = series.sort_values("attempt", kind="stable")
        hits = np.flatnonzero((ordered["verdict"] == "pass").to_numpy())
        until = ordered.iloc[: hits[0] + 1] if len(hits) else ordered
        tier = until["hint_tier"].astype(float).max(skipna=False)
        rows.append((task, bool(len(hits)), int(until["attempt"].max()), tier))
    return pd.DataFrame(rows, columns=["task_id", "passed", "attempts", "tier"])


def survival(attempts: np.ndarray, passed: np.ndarray) -> tuple[np.ndarray, ...]:
    """Kaplan-Meier estimate of not having passed, with Greenwood's interval.

    Parameters
    ----------
    attempts : ndarray of int, shape (n,)
        Attempts until the first pass or, without one, the last attempt.
    passed : ndarray of bool, shape (n,)
        Whether the series ended with a pass.

    Returns
    -------
    times, estimate, low, high, censored : ndarray, shape (m,)
        `times` starts at 0; `censored` counts the series that end there without a pass. The
        interval is on the log-log scale, so it stays within 0 and 1.

    References
    ----------
    Kalbfleisch and Prentice, The Statistical Analysis of Failure Time Data (2002), section 1.4.

    Examples
    --------
    >>> survival(np.array([1, 2, 2, 3]), np.array([True, True, False, True]))[1].round(3).tolist()
    [1.0, 0.75, 0.5, 0.0]
    """
    times = np.concatenate([[0], np.unique(attempts)])
    estimate, variance = [1.0], [0.0]
    censored = [0]
    for time in times[1:]:
        at_risk = int((attempts >= time).sum())
        events = int(((attempts == time) & passed).sum())
        censored.append(int(((attempts == time) & ~passed).sum()))
        estimate.append(estimate[-1] * (1 - events / at_risk))
        step = events / (at_risk * (at_risk - events)) if at_risk > events else 0.0
        variance.append(variance[-1] + step)
    s, v = np.asarray(estimate), np.asarray(variance)
    inner = (s > 0) & (s < 1)
    log = np.log(np.where(inner, s, 0.5))
    half = Z95 * np.sqrt(v) / np.abs(log)
    low = np.where(inner, np.exp(log * np.exp(half)), s)
    high = np.where(inner, np.exp(log * np.exp(-half)), s)
    return times, s, low, high, np.asarray(censored)


def lacks(tables: Tables) -> str:
    """Return why there is nothing to show."""
    return "No run tells its attempt number." if first_passes(tables.runs).empty else ""


def figure(tables: Tables) -> Figure:
    """Draw the tiers by task beside the survival curve."""
    if reason := lacks(tables):
        return style.note(TITLE, reason)
    runs = tables.runs
    series = first_passes(runs)
    tier = series["tier"].clip(0, len(TIER_COLOURS) - 1).fillna(_UNTOLD).astype(int)
    state = tier.where(series["passed"], _NEVER)
    table = series.groupby(["task_id", state]).size().unstack(fill_value=0)
    total = table.sum(axis=1)
    never = table[_NEVER] if _NEVER in table else 0 * total
    order, left_out = style.largest(1 - never / total, 30)
    canvas = style.canvas(max(3.6, 1.6 + 0.3 * len(order)), 10.5)
    left, right = canvas.subplots(1, 2, width_ratios=(3, 2))
    style.bare(left, None)
    start = np.zeros(len(order))
    for value in [*range(len(TIER_COLOURS)), _UNTOLD, _NEVER]:
        if value not in table:
            continue
        share = (table[value] / total)[order.index].to_numpy()
        name, colour = _named(value)
        left.barh(range(len(order)), share, left=start, color=colour, label=name, height=0.74,
                  edgecolor="white", linewidth=0.6)  # fmt: skip
        start = start + share
    style.labels(left, style.task_labels(order.index))
    left.set_xlim(0, 1)
    style.percent_axis(left)
    left.set_xlabel("share of agents and seeds")
    style.legend_above(left, columns=7)
    style.bare(right, "y")
    times, estimate, low, high, censored = survival(
        series["attempts"].to_numpy(), series["passed"].to_numpy()
    )
    right.fill_between(times, low, high, step="post", color=TIER_COLOURS[0], linewidth=0)
    right.step(times, estimate, where="post", color=TIER_COLOURS[4], linewidth=2)
    ends = censored > 0
    right.plot(times[ends], estimate[ends], "|", color=TIER_COLOURS[4], markersize=11)
    right.set_ylim(0, 1.02)
    right.set_xlim(0, max(times[-1], 1))
    right.xaxis.get_major_locator().set_params(integer=True)
    style.percent_axis(right, "y")
    right.set_xlabel("attempts")
    right.set_title(f"not yet passed, of {len(series):,}", loc="left", fontsize=10,
                    color=style.INK)  # fmt: skip
    unnumbered = runs["attempt"].isna()
    lost = ~unnumbered & lost_runs(runs)
    told = (
        style.without(int(unnumbered.sum()), len(runs), "without an attempt number"),
        style.without(int(lost.sum()), len(runs), "lost to a fault that is not the agent’s"),
    )
    style.title(canvas, TITLE, style.joined(left_out, *told))
    return canvas


def _named(state: int) -> tuple[str, str]:
    """Return name and colour of a part of a bar."""
    if state in _OTHER_STATES:
        return _OTHER_STATES[state]
    last = "+" if state == len(TIER_COLOURS) - 1 else ""
    return f"tier {state}{last}" if state else "no hint", TIER_COLOURS[state]
