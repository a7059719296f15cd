"""The grading report of a results folder: its runs, and apart from them what named no run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from biomlbench.outcomes import Fault
from biomlbench.runtime.json_lines import Written, write_json
from biomlbench.runtime.progress_bars import track
from biomlbench.scoring.task_report import (
    PAIR_COLUMNS,
    TaskReport,
    Totals,
    columns_of_pairs,
    plain,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from biomlbench.contracts.mappings import JsonObject

__all__ = ["GRADING_REPORT", "grading_report", "reports_of", "write_grading_report"]

GRADING_REPORT = "grading_report.json"
"""The file, in the folder of the results."""
_ERROR = ("source", "run_id", "agent", "task_id", "submission", "reason", "fault", "message")
_ROWS_AT_A_TIME = 10_000  # as Python's objects, which take much more room than Arrow's columns


def reports_of(pairs: pa.Table) -> Iterator[TaskReport]:
    """Go through a report of each run of the `pairs` table, in its order, under a bar."""
    runs = _runs_of(pairs)
    batches = runs.to_batches(max_chunksize=_ROWS_AT_A_TIME)
    rows = (row for batch in batches for row in batch.to_pylist())
    return track(map(TaskReport.from_pair, rows), "writing the reports", runs.num_rows)


def grading_report(pairs: pa.Table) -> JsonObject:
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
    runs = _runs_of(pairs)
    batches = runs.to_batches(max_chunksize=_ROWS_AT_A_TIME)
    for batch in batches:
        totals.add_columns(columns_of_pairs(batch))
    entries = (Written(text) for batch in batches for text in _entries(batch).to_pylist())
    shown = track(entries, "writing the reports", runs.num_rows)
    content = {**totals.to_dict(), "task_reports": shown, **_errors(pairs)}
    write_json(path, content, allow_nan=False)


def _entries(pairs: pa.RecordBatch) -> pa.Array:
    """Return the reports of runs as JSON, as ``json.dumps`` gives it with sorted keys.

    By columns, each of whose distinct values is written once: all in all a tenth of the time.
    """
    reports = columns_of_pairs(pairs)
    parts = []
    for place, name in enumerate(sorted(reports)):
        before = f"{', ' if place else '{'}{json.dumps(name)}: "
        parts.append(_texts(reports[name], before))
    return pc.binary_join_element_wise(*parts, "}", "")


def _texts(column: pa.Array, before: str) -> pa.Array:
    """Return each value as JSON after a text."""
    is_float = pa.types.is_float64(column.type)
    # Floats are told apart by their bits: 0.0 equals -0.0, and is written otherwise.
    found = column.view(pa.int64()) if is_float else column
    found = found.dictionary_encode(null_encoding="encode")
    values = found.dictionary.view(pa.float64()) if is_float else found.dictionary
    texts = [before + json.dumps(plain(value), allow_nan=False) for value in values.to_pylist()]
    return pa.array(texts, pa.string()).take(found.indices)


def _errors(pairs: pa.Table) -> JsonObject:
    errors = pairs.filter(_unusable(pairs)).to_pylist()
    return {
        "total_errors": len(errors),
        "errors": [{name: row[name] for name in _ERROR} for row in errors],
    }


def _runs_of(pairs: pa.Table) -> pa.Table:
    """Return the pairs that are runs of an agent.

    Rows of run tables that could not be used are none, nor are controls, whose label is known.
    """
    runs = pairs.select([name for name in pairs.column_names if name in PAIR_COLUMNS])
    left_out = _unusable(runs)
    if "label" in pairs.column_names:
        left_out = pc.or_(left_out, pc.is_valid(pairs.column("label")))
    return runs.filter(pc.invert(left_out))


def _unusable(pairs: pa.Table) -> pa.Array:
    return pc.equal(pairs.column("fault"), str(Fault.RUN_TABLE))
