"""What came of preparing a task: its own failures are rows, and each run tries it again.

Snakemake makes a table again when a parameter of its job has changed, and the number of failures
is one: it stays as it is from the first time on that the task is prepared.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.contracts import write_table
from biomlbench.errors import TaskError
from biomlbench.outcomes import Reason

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

__all__ = ["COLUMNS", "failure_of", "read_failures", "write_prepared"]

log = logging.getLogger(__name__)

COLUMNS = ["reason", "message", "files_sha256"]
"""What of the table :func:`failure_of` needs."""
_FILE = ".failures"


def failure_of(table: pa.Table) -> TaskError | None:
    """Return what in a task's own files kept it from being prepared, if anything did.

    Parameters
    ----------
    table : pyarrow.Table
        Of the schema ``prepare``.
    """
    (row,) = table.to_pylist()
    if row["reason"] == Reason.OK or row["files_sha256"]:
        return None
    return TaskError(row["message"], row["reason"])


def read_failures(folder: str | Path) -> int:
    """Return how often a task has kept itself from being prepared.

    Parameters
    ----------
    folder : path
        Of its ``prepare`` table.
    """
    try:
        return int(Path(folder, _FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return 0


def write_prepared(table: pa.Table, path: Path, provenance: Mapping[str, str]) -> None:
    """Write the table of a task that was to be prepared; say and count a failure.

    Parameters
    ----------
    table : pyarrow.Table
        Of the schema ``prepare``.
    path : path
    provenance : mapping of str to str
        Written into the table's metadata.
    """
    if (failure := failure_of(table)) is not None:
        log.warning("%s; its runs count as the task's fault, not as the agents'", failure.message)
        path.parent.mkdir(parents=True, exist_ok=True)
        count = read_failures(path.parent) + 1
        (path.parent / _FILE).write_text(f"{count}\n", encoding="utf-8")
    write_table("prepare", table, path, provenance)
