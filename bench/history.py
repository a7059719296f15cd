"""Plot of all measurements over the commits that were measured: ``results/bench.svg``."""

from __future__ import annotations

import csv
import math
import statistics
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["draw", "read"]

COLUMNS = 3


def read(table: Path) -> dict[str, dict[str, float]]:
    """Return the ratio of every figure at every commit, in the order of measuring.

    Parameters
    ----------
    table : Path
        What ``python -m bench`` keeps.

    Returns
    -------
    dict of dict
        Figure to commit to the median of its ratios. Measurements of smaller sizes are left out.
    """
    found: dict[str, dict[str, list[float]]] = {}
    with table.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["sizes"] == "full" and not math.isnan(float(row["ratio"])):
                by_commit = found.setdefault(row["figure"], {})
                by_commit.setdefault(row["commit"], []).append(float(row["ratio"]))
    return {
        figure: {commit: statistics.median(ratios) for commit, ratios in by_commit.items()}
        for figure, by_commit in found.items()
    }


def draw(table: Path, to: Path) -> bool:
    """Draw a panel a figure; False where nothing was measured in full."""
    measured = read(table)
    if not measured:
        return False
    from matplotlib.figure import Figure

    rows = -(-len(measured) // COLUMNS)
    page = Figure(figsize=(5 * COLUMNS, 2.2 * rows), layout="constrained")
    for place, (figure, by_commit) in enumerate(measured.items(), start=1):
        axes = page.add_subplot(rows, COLUMNS, place)
        axes.plot(range(len(by_commit)), list(by_commit.values()), marker="o", markersize=3)
        axes.set_xticks(range(len(by_commit)), [commit[:8] for commit in by_commit], rotation=45)
        axes.set_title(figure, fontsize=7, wrap=True)
        axes.set_ylabel("ratio", fontsize=7)
        axes.tick_params(labelsize=6)
        axes.set_ylim(bottom=0)
    page.savefig(to)
    return True
