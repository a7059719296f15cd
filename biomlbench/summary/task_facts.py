"""What a task's page says beside its runs: its public files, and how well it separates agents."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

    from biomlbench.task.task import Task

__all__ = ["discrimination", "public_files"]

MOST_FILES = 20
LEAST_AGENTS = 4
"""Fewer agents tell no correlation from chance at all."""
_UNITS = ("bytes", "kB", "MB", "GB")


def public_files(task: Task) -> list[str]:
    """Return the files that who solves a task is given, with their sizes.

    Parameters
    ----------
    task : Task

    Returns
    -------
    list of str
        Path below the public folder, and size; of many files the first, and how many more.
        Empty where the data is not prepared.
    """
    if not task.public_dir.is_dir():
        return []
    found = []
    for folder, folders, names in os.walk(task.public_dir):
        folders.sort()
        found += [Path(folder) / name for name in sorted(names) if not name.startswith(".")]
    shown = [
        f"{path.relative_to(task.public_dir).as_posix()} ({_size(path.lstat().st_size)})"
        for path in found[:MOST_FILES]
    ]
    more = len(found) - len(shown)
    return [*shown, f"and {more:,} more"] if more else shown


def _size(count: int) -> str:
    """Write a number of bytes.

    >>> _size(900), _size(61_234), _size(5_000_000)
    ('900 bytes', '61 kB', '5 MB')
    """
    size, unit = float(count), 0
    while size >= 1000 and unit < len(_UNITS) - 1:
        size, unit = size / 1000, unit + 1
    return f"{size:.0f} {_UNITS[unit]}"


def discrimination(runs: pd.DataFrame) -> dict[str, float]:
    """Return how well each task separates agents that do well elsewhere from those that do not.

    Parameters
    ----------
    runs : pandas.DataFrame
        Graded runs, with `task_id`, `agent` and `verdict`.

    Returns
    -------
    dict
        Task to the correlation of the agents' pass rates on it with their mean pass rates on all
        other tasks, -1 to 1. A task is left out that fewer than four agents have tried who tried
        others, or on which, or elsewhere, all do equally well.

    References
    ----------
    Corrected item-total correlation: Henrysson, "Correction of item-total correlations in item
    analysis", Psychometrika 28 (1963), 211.
    """
    passed = runs.assign(passed=runs["verdict"] == "pass")
    rates = passed.groupby(["agent", "task_id"], observed=True)["passed"].mean().unstack()
    values = rates.to_numpy(float)
    tried = ~np.isnan(values)
    filled = np.where(tried, values, 0.0)
    others_tried = tried.sum(axis=1, keepdims=True) - tried
    found = {}
    for place, task in enumerate(rates.columns):
        both = tried[:, place] & (others_tried[:, place] > 0)
        if both.sum() < LEAST_AGENTS:
            continue
        # summed anew each time: a total less one task's rate is off by rounding, which looks like
        # a difference between agents that do equally well
        others = np.delete(filled, place, axis=1)[both].sum(axis=1)
        here, there = values[both, place], others / others_tried[both, place]
        if np.ptp(here) > 0 and np.ptp(there) > 0:
            found[str(task)] = float(np.corrcoef(here, there)[0, 1])
    return found
