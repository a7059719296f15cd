"""Which tables a results folder must have before anything is told of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.contracts import ContractError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["MADE_TOGETHER", "require"]

MADE_TOGETHER = ("pairs", "checks", "agents", "tasks")
"""What one job of the workflow writes, whatever became of the runs: where one of them is not
there, it was lost, and a page without it would say that there is nothing to tell."""


def require(results: str | Path, names: Iterable[str] = MADE_TOGETHER) -> None:
    """Refuse a results folder that has lost a table.

    Parameters
    ----------
    results : path
    names : iterable of str
        The tables that are needed.

    Raises
    ------
    biomlbench.contracts.ContractError
        Names each file that is not there, and the remedy.
    """
    paths = [Path(results) / f"{name}.parquet" for name in names]
    if missing := [str(path) for path in paths if not path.exists()]:
        raise ContractError(
            f"{', '.join(missing)}: no such table; run the workflow to make it, which repeats no "
            "run that is graded"
        )
