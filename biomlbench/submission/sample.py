"""What a task's sample submission asks of a submission."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from biomlbench.errors import TaskError
from biomlbench.outcomes import Reason
from biomlbench.runtime.once import once
from biomlbench.submission.csv_table import are_booleans, is_missing
from biomlbench.submission.id_hints import id_hint
from biomlbench.submission.ids import Alignment, Keys, first_repeat, kinds_of
from biomlbench.submission.own_tables import cached, number_or_text, own_format, own_table
from biomlbench.submission.submitted_file import MAX_BYTES
from biomlbench.task.submission_columns import ColumnSpec

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pyarrow as pa

    from biomlbench.task.task import Task

__all__ = ["Sample", "has_rows", "sample_of"]

logger = logging.getLogger(__name__)

# A submission is read that has so many rows, or so many times those of the sample submission: far
# more than a mistake makes, and little enough for anything that is done with ids.
_LEAST_MOST = 1_000_000
_EXCESS = 10
# Likewise for bytes. What is made of them takes up to seven times as much memory.
_LEAST_MOST_BYTES = 128 * 2**20
_BYTES_A_CELL = 64


@dataclass(frozen=True, eq=False)
class Sample:
    """What a task's sample submission and its config ask of a submission.

    Attributes
    ----------
    columns : dict of str to str
        Every column's type, as :func:`biomlbench.submission.reading.read_table` takes it.
    keys : Keys
    predictions : tuple of ColumnSpec
    """

    columns: Mapping[str, str]
    keys: Keys
    predictions: tuple[ColumnSpec, ...]

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """The wanted ids as text."""
        return tuple(map(str, self.keys.values.to_pylist()))

    @property
    def most_rows(self) -> int:
        """Rows of the longest submission that is read."""
        return max(_LEAST_MOST, _EXCESS * len(self.keys))

    @property
    def most_bytes(self) -> int:
        """Bytes of the largest submission that is read, unpacked."""
        cells = len(self.keys) * len(self.columns)
        wanted = _BYTES_A_CELL * cells + _EXCESS * int(self.keys.values.nbytes)
        return min(MAX_BYTES, max(_LEAST_MOST_BYTES, wanted))

    def align(self, table: pa.Table) -> Alignment:
        """Match the rows of a submission with those of the sample."""
        return Alignment.of(self._keys_of(table), self.keys)

    def id_hint(self, table: pa.Table) -> str:
        """Return what would help where ids of the sample have no row in a submission."""
        columns = self.keys.columns
        written = Keys.of(table, columns, ("text",) * len(columns))
        return id_hint(self._keys_of(table), self.keys, written)

    def _keys_of(self, table: pa.Table) -> Keys:
        return Keys.of(table, self.keys.columns, self.keys.kinds)


def sample_of(task: Task) -> Sample:
    """Return what a task asks of a submission.

    Parameters
    ----------
    task : Task

    Raises
    ------
    NotPreparedError
        If the sample submission is not there.
    TaskError
        If it cannot be read, or contradicts the config.
    """

    def look() -> Sample:
        kind = f"sample {task.submission!r}"
        result: Sample = cached(kind, task.sample_submission, lambda: _sample(task), task)
        return result

    return once(("sample", task), look)


def has_rows(task: Task) -> bool:
    """Whether a task's submissions are tables whose rows are matched by id.

    Of a published grader a submission may be anything: what its sample submission is. For all
    other tasks it is a table.

    Raises
    ------
    NotPreparedError
        If the sample submission is not there.
    """
    if not task.may_grade_apart or task.grader.spec is None:
        return True
    path = task.sample_submission
    result: bool = cached(f"rows {task.submission!r}", path, lambda: _has_rows(task), task)
    return result


def _has_rows(task: Task) -> bool:
    if task.sample_submission.suffix.lower() not in (".csv", ".parquet"):
        return False
    try:
        _sample(task)
    except TaskError as error:
        logger.info("%s; its submissions go to the grader unread", error)
        return False
    return True


def _sample(task: Task) -> Sample:
    path, schema = task.sample_submission, task.submission
    apart = task.may_grade_apart and task.grader.spec is not None
    if not apart:  # by their name alone: they are not opened here
        own_format(task.answers, Reason.BROKEN_ANSWERS)
    table = own_table(path)
    names = table.column_names
    if not table.num_rows:
        raise TaskError(f"{path}: has no rows")
    declared = (*schema.ids, *schema.predictions)
    if schema.ids and schema.predictions and set(declared) != set(names):
        raise TaskError(f"{path}: has the columns {names}, the config declares {list(declared)}")
    if lost := [name for name in declared if name not in names]:
        raise TaskError(f"{path}: lacks the column(s) {lost} that the config declares")
    ids = schema.ids or _shortest_key(table, path)
    kinds = kinds_of(table, ids)
    keys = Keys.of(table, ids, kinds)
    if (repeat := first_repeat(keys.values)) is not None:
        raise TaskError(f"{path}: the id of row {repeat} occurs more than once")
    spec_of = _published_spec if apart else _spec_of
    predictions = tuple(
        schema.columns.get(name) or spec_of(name, table.column(name))
        for name in (schema.predictions or [name for name in names if name not in ids])
    )
    if not predictions:
        raise TaskError(f"{path}: has no column beside the id {list(ids)}")
    columns = dict(zip(ids, kinds, strict=True))
    for spec in predictions:
        columns[spec.name] = "number" if spec.numeric else "text"
    return Sample({name: columns[name] for name in names if name in columns}, keys, predictions)


def _shortest_key(table: pa.Table, path: Path) -> tuple[str, ...]:
    """Return the fewest first columns whose values tell the rows apart."""
    for count in range(1, len(table.column_names)):
        names = tuple(table.column_names[:count])
        if table.select(names).group_by(list(names)).aggregate([]).num_rows == table.num_rows:
            return names
    raise TaskError(
        f"{path}: no first columns tell the rows apart; declare `id` under `submission`"
    )


def _published_spec(name: str, column: pa.ChunkedArray) -> ColumnSpec:
    """Return what a published task's column may hold: anything but in a column of numbers."""
    import pyarrow as pa
    import pyarrow.compute as pc

    text = pa.types.is_string(number_or_text(column).type)
    if text or are_booleans(column) or pc.any(is_missing(column), min_count=0).as_py():
        return ColumnSpec(name, "free")
    return ColumnSpec(name, "number")


def _spec_of(name: str, column: pa.ChunkedArray) -> ColumnSpec:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pc.all(is_missing(column)).as_py():
        return ColumnSpec(name, "number")
    numeric = not pa.types.is_string(number_or_text(column).type)
    return ColumnSpec(name, "number" if numeric else "string")
