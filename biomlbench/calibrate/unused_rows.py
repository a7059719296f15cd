"""Rows of a user's that a calibration cannot use: each costs itself alone, and is kept with why."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from biomlbench.contracts import read_table

if TYPE_CHECKING:
    from biomlbench.contracts.calibration_rows import UnusedRow

__all__ = ["ADJUDICATIONS", "FLAKE_RUNS", "IN_CONFIG", "NOT_REPEATED", "TABLE", "Unused", "stored"]

TABLE = "unused_rows"
IN_CONFIG = "config: `calibration.flake_runs`"
NOT_REPEATED = "not_repeated"
"""Key of the provenance of a run's ``flakes`` table that says why it has no rows."""
ADJUDICATIONS, FLAKE_RUNS = "adjudications", "flake_runs"


class Unused(NamedTuple):
    """A row of ``calibration.adjudications`` or ``calibration.flake_runs`` that is not used."""

    setting: str
    source: str
    task_id: str
    run_id: str
    message: str

    def __str__(self) -> str:
        named = ", ".join(filter(None, (self.task_id, self.run_id)))
        return ": ".join(filter(None, (self.source, named, self.message)))


def stored(results: str | Path) -> list[UnusedRow]:
    """Return what the last calibration of a results folder could not use; nothing without one."""
    path = Path(results) / "calibration" / f"{TABLE}.parquet"
    rows: list[UnusedRow] = read_table(TABLE, path).to_pylist() if path.is_file() else []
    return rows
