"""Rows of the table of figures."""

from __future__ import annotations

from typing import Any

__all__ = ["against_target", "at_speed"]


def against_target(
    figure: str, ours: float, target: float, *, timed: bool = False, also: bool = True
) -> dict[str, Any]:
    """Return the row of a figure that is to stay below a target of its own.

    Parameters
    ----------
    figure : str
    ours, target : float
    timed : bool
        Both are times, so that the target is for a machine of speed 1, see :mod:`bench.speed`.
    also : bool
        Whatever else has to hold.
    """
    return {
        "figure": figure,
        "ours": ours,
        "peer": target,
        "ratio": ours / target,
        "target": 1.0,
        "ok": also and ours <= target,
        "timed": timed,
        "also": also,
    }


def at_speed(row: dict[str, Any], speed: float) -> dict[str, Any]:
    """Return a row as the machine of the targets would have it; all but times are the same."""
    kept = {name: value for name, value in row.items() if name not in ("timed", "also")}
    if row.get("timed"):
        kept["ratio"] *= speed
        kept["ok"] = row["also"] and kept["ratio"] <= row["target"]
    return kept
