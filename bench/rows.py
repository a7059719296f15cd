"""Rows of the table of figures."""

from __future__ import annotations

from typing import Any

__all__ = ["against_target"]


def against_target(figure: str, ours: float, target: float) -> dict[str, Any]:
    """Return the row of a figure that is to stay below a target of its own."""
    return {
        "figure": figure,
        "ours": ours,
        "peer": target,
        "ratio": ours / target,
        "target": 1.0,
        "ok": ours <= target,
    }
