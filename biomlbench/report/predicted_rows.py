"""Rows of predictions that the local report shows of two agents: where the best runs differ most.

A published site has none of it: predictions belong to whoever submitted them.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from biomlbench.errors import UserError
from biomlbench.report.agent_order import in_order
from biomlbench.report.differing_rows import Predictions, apart
from biomlbench.report.shown import printable
from biomlbench.scoring.best_runs import best_runs
from biomlbench.stages.kinds import has_cases

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd
    import pyarrow as pa

    from biomlbench.contracts.mappings import AnyRow
    from biomlbench.report.inputs import Tables
    from biomlbench.submission.sample import Sample

__all__ = ["PredictedRows", "predicted_rows"]

MAX_AGENTS = 6
"""Agents whose best run of a task is read, the first of the ranking."""
MAX_ROWS = 40
"""Rows shown of a task."""
MAX_CELLS = 3_000_000
"""Predictions that are read in all, about ten seconds' worth; tasks beyond have no rows."""
_log = logging.getLogger(__name__)


class PredictedRows(TypedDict):
    """The rows of a task on which runs differ most; see :func:`predicted_rows`."""

    ids: list[str]
    columns: list[str]
    total: int
    runs: dict[str, list[list[str | float | None]]]


def predicted_rows(results: Path, tables: Tables) -> dict[str, PredictedRows]:
    """Read the rows on which the best runs of the first agents differ most, task by task.

    Parameters
    ----------
    results : path
    tables : Tables
        Of these results.

    Returns
    -------
    dict of str to dict
        By task: ``ids``, the rows' ids as texts; ``columns``; ``total``, the task's rows;
        ``runs``, by run the predictions of each row as a list over the columns. Tasks whose
        submissions are no tables, or are not there any more, are left out.
    """
    try:
        predictions = Predictions(results)
    except (UserError, KeyError, TypeError) as error:
        _log.info("no rows of predictions are shown: %s", error)
        return {}
    first = list(in_order(tables)["agent"][:MAX_AGENTS])
    runs = tables.runs
    runs = runs[runs["valid_submission"].astype(bool) & runs["agent"].isin(first)]
    found: dict[str, PredictedRows] = {}
    left = MAX_CELLS
    for task, own in runs.groupby("task_id", sort=True):
        read: dict[str, pa.Table] = {}
        sample: Sample | None = None
        for row in _best(own, first):
            try:
                read[row["run_id"]], sample = predictions.of(row)
            except UserError as error:
                _log.debug("%s", error)
        left -= sum(table.num_rows * table.num_columns for table in read.values())
        if sample is not None and len(read) > 1:
            found[printable(task)] = _spread(read, sample)
        if left < 0:
            _log.info("rows of predictions are shown of %d tasks", len(found))
            break
    return found


def _best(runs: pd.DataFrame, agents: list[str]) -> list[AnyRow]:
    """Return each agent's best run of a task, of several the first by its id."""
    runs = runs[[not has_cases(kind) for kind in runs["kind"]]].sort_values("run_id")
    best = runs[best_runs(runs, ["task_id", "agent"])].drop_duplicates("agent")
    best = best.set_index("agent", drop=False)
    there = [agent for agent in agents if agent in best.index]
    return [{str(name): value for name, value in best.loc[agent].items()} for agent in there]


def _spread(read: dict[str, pa.Table], sample: Sample) -> PredictedRows:
    columns = [spec.name for spec in sample.predictions]
    spread = np.zeros(len(sample.keys))
    for name in columns:
        spread += apart([table.column(name).to_pylist() for table in read.values()])
    order = np.argsort(-spread, kind="stable")[:MAX_ROWS]
    order = order[spread[order] > 0]
    ids = sample.ids
    return {
        "ids": [printable(ids[row].replace("\x1f", ", "), 100) for row in order.tolist()],
        "columns": [printable(name, 100) for name in columns],
        "total": len(ids),
        "runs": {
            printable(run): [
                [_value(row[name]) for name in columns] for row in table.take(order).to_pylist()
            ]
            for run, table in read.items()
        },
    }


def _value(value: Any) -> str | float | None:
    if isinstance(value, float):
        return float(f"{value:.6g}") if np.isfinite(value) else None
    return value if value is None or isinstance(value, int) else printable(value, 100)
