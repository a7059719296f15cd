"""The grading report of a results folder: its runs, and apart from them what named no run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from biomlbench.outcomes import Fault
from biomlbench.runtime.json_lines import write_json
from biomlbench.runtime.progress_bars import track
from biomlbench.scoring.task_report import PAIR_COLUMNS, TaskReport, Totals

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["grading_report", "reports_of", "write_grading_report"]

_ERROR = ("source", "run_id", "agent", "task_id", "submission", "reason", "fault", "message")
_ROWS_AT_A_TIME = 10_000  # as Python's objects, which take much more room than Arrow's columns


def reports_of(pairs: pa.Table) -> Iterator[TaskReport]:
    """Go through a report of each run of the `pairs` table, in its order, under a bar."""
    runs = _runs_of(pairs)
    runs = runs.select([name for name in runs.column_names if name in PAIR_COLUMNS])
    batches = runs.to_batches(max_chunksize=_ROWS_AT_A_TIME)
    rows = (row for batch in batches for row in batch.to_pylist())
    return track(map(TaskReport.from_pair, rows), "writing the reports", runs.num_rows)


def grading_report(pairs: pa.Table) -> dict[str, Any]:
    """Return the report of all runs, and the rows of run tables that could not be used.

    Parameters
    ----------
    pairs : pyarrow.Table

    Returns
    -------
    dict
        As :func:`biomlbench.grade.aggregate_reports` makes it, with `total_errors` and `errors`.
    """
    from biomlbench.api.grading import aggregate_reports

    return {**aggregate_reports(reports_of(pairs)), **_errors(pairs)}


def write_grading_report(pairs: pa.Table, path: Path) -> None:
    """Write :func:`grading_report` to a file, never with all its reports in memory.

    Parameters
    ----------
    pairs : pyarrow.Table
    path : Path
    """
    totals = Totals()
    for report in reports_of(pairs):
        totals.add(report)
    entries = (report.to_dict() for report in reports_of(pairs))
    content = {**totals.to_dict(), "task_reports": entries, **_errors(pairs)}
    write_json(path, content, allow_nan=False)


def _errors(pairs: pa.Table) -> dict[str, Any]:
    errors = pairs.filter(_unusable(pairs)).to_pylist()
    return {
        "total_errors": len(errors),
        "errors": [{name: row[name] for name in _ERROR} for row in errors],
    }


def _runs_of(pairs: pa.Table) -> pa.Table:
    """Return the pairs that are runs: rows of run tables that could not be used are none."""
    return pairs.filter(pc.invert(_unusable(pairs)))


def _unusable(pairs: pa.Table) -> pa.Array:
    return pc.equal(pairs.column("fault"), str(Fault.RUN_TABLE))
