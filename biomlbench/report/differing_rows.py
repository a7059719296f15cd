"""The rows on which the predictions of two runs differ: public ids and both predictions.

Answers are not read, and nothing is said of which of the two is right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.errors import UserError
from biomlbench.stages.kinds import get_kind
from biomlbench.stages.outputs import PROGRAM_OUTPUT
from biomlbench.submission.submitted_file import file_sha256
from biomlbench.submission.validation import inspect_submission
from biomlbench.workflow.pair_tables import PairTables
from biomlbench.workflow.record import read_record
from biomlbench.workflow.recorded_places import base_of, registry_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pandas as pd
    import pyarrow as pa

    from biomlbench.contracts.mappings import AnyRow
    from biomlbench.submission.sample import Sample

__all__ = ["Differing", "NotComparableError", "Predictions", "apart", "differing_rows"]


class NotComparableError(UserError, ValueError):
    """Two runs have no predictions that could be compared row by row; the message says why."""


@dataclass(frozen=True)
class Differing:
    """The rows on which two runs differ.

    Attributes
    ----------
    ids : tuple of str
        Columns of the ids.
    columns : tuple of str
        Columns of the predictions.
    rows : list of dict
        Those that differ most, first: the ids, and for each column both predictions as
        ``[one, other]``.
    differing : int
        Rows that differ in any column.
    total : int
        Rows of the task.
    """

    ids: tuple[str, ...]
    columns: tuple[str, ...]
    rows: list[AnyRow]
    differing: int
    total: int

    def table(self) -> pd.DataFrame:
        """Return the rows as a table.

        Returns
        -------
        DataFrame
            Columns of the ids; for each column of the predictions ``<column>`` with the one
            run's and ``<column>_other`` with the other's.
        """
        import pandas as pd

        names = [*self.ids, *(f"{name}{end}" for name in self.columns for end in ("", "_other"))]
        rows = [
            [*(row[name] for name in self.ids), *(v for name in self.columns for v in row[name])]
            for row in self.rows
        ]
        return pd.DataFrame(rows, columns=names)


class Predictions:
    """Reads what the runs of a results folder predicted.

    Parameters
    ----------
    results : path
        With its provenance, which says where tasks and submissions are.

    Raises
    ------
    biomlbench.workflow.record.RecordError
        If the results do not say what they were made from.
    """

    def __init__(self, results: str | Path) -> None:
        config = read_record(results)["config"]
        self._base = base_of(results, config)
        self._registry = registry_of(results, config)
        self._tables = PairTables(results)

    def of(self, pair: Mapping[str, Any]) -> tuple[pa.Table, Sample]:
        """Return a run's predictions in the order of its task's sample submission, and that.

        Parameters
        ----------
        pair : mapping
            A row of `pairs`.

        Raises
        ------
        NotComparableError
            If it has none, or they are not what was graded.
        """
        name = f"{pair['task_id']} {pair['run_id']}"
        kind = get_kind(pair["kind"]) if pair["kind"] else None
        if kind is None or kind.HAS_CASES:
            raise NotComparableError(
                f"{name}: has no table of predictions, and outputs on hidden cases are shown to "
                "nobody; compare its checks"
            )
        source = self._source(name, pair, is_code=kind.IS_CODE)
        task = self._registry.get_task(pair["task_id"])
        found = inspect_submission(source, task, name=PROGRAM_OUTPUT if kind.IS_CODE else None)
        if found.sample is None:
            raise NotComparableError(
                f"{name}: only the task's own grader can read its submissions; compare its checks"
            )
        if (failure := found.first_failure) is not None:
            raise NotComparableError(
                f"{name}: is no valid submission ({failure[1]}); name a run that has a score"
            )
        table, order = found.rows
        return (table if order is None else table.take(order)), found.sample

    def _source(self, name: str, pair: Mapping[str, Any], *, is_code: bool) -> bytes | str:
        if is_code:
            table = self._tables.read("execute", pair["task_id"], pair["run_id"], pair["kind"])
            return table.column("output")[0].as_py() or b""
        path = self._base / pair["submission"]
        if not pair["submission"] or file_sha256(path) != pair["submission_sha256"]:
            raise NotComparableError(
                f"{name}: {path} is gone, or is not what was graded; put it there again, or run "
                "the workflow"
            )
        return str(path)


def differing_rows(
    predictions: Predictions, pair: Mapping[str, Any], other: Mapping[str, Any], most: int = 50
) -> Differing:
    """Return the rows on which two runs of a task differ.

    Parameters
    ----------
    predictions : Predictions
    pair, other : mapping
        Rows of `pairs`, of one task.
    most : int
        Rows to return.

    Returns
    -------
    Differing
        Numbers differ by how far they are apart, in standard deviations of the column over both
        runs; texts by being another one. Over several columns these are summed.

    Raises
    ------
    NotComparableError
        If one has no predictions, or the two are of different tasks.
    """
    if pair["task_id"] != other["task_id"]:
        raise NotComparableError(
            f"{pair['task_id']} and {other['task_id']} are two tasks; name two runs of one"
        )
    (one, sample), (two, _) = (predictions.of(row) for row in (pair, other))
    columns = tuple(spec.name for spec in sample.predictions)
    total = np.zeros(one.num_rows)
    for name in columns:
        total += apart([table.column(name).to_pylist() for table in (one, two)])
    order = np.argsort(-total, kind="stable")[: max(most, 0)]
    order = order[total[order] > 0]
    ids = sample.keys.columns
    chosen = [table.take(order).to_pylist() for table in (one, two)]
    rows = [
        {name: left[name] for name in ids} | {name: [left[name], right[name]] for name in columns}
        for left, right in zip(*chosen, strict=True)
    ]
    return Differing(ids, columns, rows, int((total > 0).sum()), one.num_rows)


def apart(runs: Sequence[list[Any]]) -> np.ndarray:
    """Return how far apart the runs' values of a column are, row by row.

    Parameters
    ----------
    runs : sequence of list
        The values of each run.

    Returns
    -------
    ndarray, shape (n,)
        Of numbers the range, in standard deviations over all runs; of texts how many others than
        the first there are.
    """
    try:
        numbers = np.asarray(runs, dtype=float)
    except (TypeError, ValueError):
        return np.array([len(set(row)) - 1.0 for row in zip(*runs, strict=True)])
    distance: np.ndarray = np.ptp(numbers, axis=0) / (float(np.std(numbers)) or 1.0)
    return distance
