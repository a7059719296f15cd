"""A task's answers, read once, and submissions arranged to match them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from biomlbench.arrow import numpy_of, positions
from biomlbench.errors import TaskError
from biomlbench.outcomes import Reason
from biomlbench.runtime.once import once
from biomlbench.submission.booleans import written_as
from biomlbench.submission.class_columns import class_order
from biomlbench.submission.ids import Alignment, Keys, as_kind, first_repeat
from biomlbench.submission.own_tables import (
    cached,
    columns_hint,
    numbers_or_text,
    own_format,
    own_table,
    typed,
)
from biomlbench.submission.sample import Sample, sample_of

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import pyarrow as pa

    from biomlbench.task.submission_columns import ColumnSpec
    from biomlbench.task.task import Task

__all__ = ["Answers", "answers_of"]

MOST_WHOLE = 2**53
"""Largest whole number up to which every other one is a float, too."""
_MANY_DIGITS = r"^-?[1-9][0-9]{15,400}$"


@dataclass(frozen=True, eq=False)
class Answers:
    """A task's answers, read once.

    Attributes
    ----------
    task : Task
    sample : Sample
    table : pyarrow.Table
        In the order of the file.
    order : ndarray of int or None
        Position of each answer among the rows of the sample submission; None where the orders
        are the same.
    """

    task: Task
    sample: Sample
    table: pa.Table
    order: np.ndarray | None

    @property
    def targets(self) -> tuple[str, ...]:
        """Columns that hold the truth."""
        declared = self.task.submission.targets
        return tuple(declared) or tuple(spec.name for spec in self.sample.predictions)

    @cached_property
    def paired(self) -> dict[str, ColumnSpec]:
        """Columns that a submission has as well, and how they look there."""
        return _paired(self.task, self.sample)

    @cached_property
    def truth(self) -> Any:
        """What the metric takes as the truth."""
        targets = self.targets
        if lost := [name for name in targets if name not in self.table.column_names]:
            raise TaskError(
                f"{self.task.answers}: lacks the target column(s) {lost}; declare `target` under "
                f"`submission`{columns_hint(self.task.answers, self.table.column_names, targets)}",
                Reason.BROKEN_ANSWERS,
            )
        specs = self.sample.predictions
        if len(targets) != len(specs):
            specs = (specs[0],) * len(targets)
        from biomlbench.metrics import MetricError

        try:
            return _inputs(self.table, targets, specs, self._kind)
        except MetricError as error:
            raise TaskError(
                f"{self.task.answers}: {error.message}", Reason.BROKEN_ANSWERS
            ) from error

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The answers as a grading function gets them; copy before handing it out.

        Ids and what is paired with a column of the submission have the type that they have
        there; of other columns, those of Parquet have their own, and for those of text see
        :func:`biomlbench.submission.own_tables.typed`.
        """
        import pandas as pd
        import pyarrow as pa

        path, keys = self.task.answers, self.sample.keys
        columns = {
            name: as_kind(self.table.column(name), kind)
            for name, kind in zip(keys.columns, keys.kinds, strict=True)
        }
        paired = self.paired
        columns |= {
            name: self.table.column(name)
            for name, spec in paired.items()
            if not spec.numeric and name in self.table.column_names
        }
        if own_format(path) == ".parquet":
            frame = pd.read_parquet(path)
            for name, column in columns.items():
                frame[name] = column.to_pandas().to_numpy()
            return frame
        written = own_table(path, reason=Reason.BROKEN_ANSWERS)
        for name in written.column_names:
            if name not in columns:
                columns[name] = typed(written.column(name), numeric=name in paired)
        table = pa.table({name: columns[name] for name in written.column_names})
        return cast("pd.DataFrame", table.to_pandas())

    @property
    def _kind(self) -> str:
        return self.task.grader.required_metric.kind

    def predictions(self, table: pa.Table, order: np.ndarray | None) -> Any:
        """Return what the metric takes as the predictions, in the order of the answers."""
        specs = self._metric_columns
        names = tuple(spec.name for spec in specs)
        table = self._with_own_booleans(table)
        return _inputs(table, names, specs, self._kind, self._arranged(order))

    @cached_property
    def _metric_columns(self) -> tuple[ColumnSpec, ...]:
        """The columns of predictions in the order in which the metric takes them."""
        specs, grader = self.sample.predictions, self.task.grader
        if len(specs) < 2 or self.task.published is not None:
            return specs
        names = [spec.name for spec in specs]
        try:
            order = class_order(grader.required_metric, grader.options, names, self.truth)
        except TaskError as error:
            raise TaskError(f"{self.task.answers}: {error.message}", error.reason) from error
        return specs if order is None else tuple(specs[place] for place in order)

    def _arranged(self, order: np.ndarray | None) -> np.ndarray | None:
        """Return the position in a submission of each answer.

        Parameters
        ----------
        order : ndarray of int or None
            Position in the submission of each row of the sample; None for the same order.
        """
        if self.order is None:
            return order
        return self.order if order is None else order[self.order]

    def _with_own_booleans(self, table: pa.Table) -> pa.Table:
        """Write booleans that are text in a submission as the answers do."""
        for name, values in self._texts.items():
            place = table.column_names.index(name)
            table = table.set_column(place, name, written_as(table.column(place), values))
        return table

    @cached_property
    def _texts(self) -> dict[str, list[str]]:
        """The different true values of each prediction column of words."""
        import pyarrow.compute as pc

        paired = self.paired
        return {
            spec.name: pc.unique(self.table.column(name)).to_pylist()
            for name, spec in paired.items()
            if spec.type == "string" and name in self.table.column_names
        }

    def submission_frame(self, table: pa.Table, order: np.ndarray | None) -> pd.DataFrame:
        """Return a submission as a grading function gets it: as pandas would read the file."""
        table, order = self._with_own_booleans(table), self._arranged(order)
        return whole_numbers((table if order is None else table.take(positions(order))).to_pandas())


def whole_numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """Make columns of whole floats columns of integers, in place, as pandas would read them."""
    import numpy as np

    for name in frame.columns:
        if frame[name].dtype.kind == "f":
            values = frame[name].to_numpy()
            if (values == np.rint(values)).all() and (np.abs(values) < 2**53).all():
                frame[name] = values.astype("int64")
    return frame


def _inputs(
    table: pa.Table,
    names: tuple[str, ...],
    specs: tuple[ColumnSpec, ...],
    kind: str,
    order: np.ndarray | None = None,
) -> Any:
    """Return columns as a metric of a kind takes them, their rows in an order."""
    import numpy as np

    if kind in ("mask", "instance_mask", "structure"):
        values = table.column(names[0]).to_pylist()
        rows = range(len(values)) if order is None else order.tolist()
        return [_decoded(values[row], specs[0], kind) for row in rows]
    columns = [numpy_of(table.column(name)) for name in names]
    if order is not None:
        columns = [column[order] for column in columns]
    return columns[0] if len(columns) == 1 else np.column_stack(columns)


def _decoded(value: str, spec: ColumnSpec, kind: str) -> Any:
    if kind == "structure":
        return value  # the metrics take the text of a file
    if spec.height is None or spec.width is None:
        raise TaskError(
            f"column {spec.name!r}: declare `height` and `width` of its masks under "
            "`submission.columns`"
        )
    from biomlbench.metrics.rle import rle_image

    return rle_image(value, (spec.height, spec.width), kind)


def answers_of(task: Task) -> Answers:
    """Return a task's answers, read once for each state of the file.

    Parameters
    ----------
    task : Task

    Raises
    ------
    NotPreparedError
        If they are not there.
    TaskError
        If they cannot be read, or their ids are not those of the sample submission.
    """

    def look() -> Answers:
        sample = sample_of(task)
        config = f"{task.config.get('submission')!r} {task.config.get('grader')!r}"
        kind = f"answers {config} {id(sample)}"
        result: Answers = cached(kind, task.answers, lambda: _read_answers(task, sample), task)
        return result

    return once(("answers", task), look)


def _paired(task: Task, sample: Sample) -> dict[str, ColumnSpec]:
    """Return the columns of the answers that a submission has as well, and how they look there.

    They are those of the same name, and the targets where there are as many as predictions.
    """
    targets = task.submission.targets
    paired = {spec.name: spec for spec in sample.predictions}
    if len(targets) == len(sample.predictions):
        paired |= zip(targets, sample.predictions, strict=True)
    return paired


def _refuse_rounded(task: Task, name: str, column: pa.ChunkedArray) -> None:
    """Refuse whole numbers of more digits than the floats of predictions hold."""
    import pyarrow.compute as pc

    for text in column.filter(pc.match_substring_regex(column, _MANY_DIGITS)).to_pylist():
        if abs(int(text)) > MOST_WHOLE:
            raise TaskError(
                f"{task.answers}: column `{name}`: {text} is beyond 2**53, from where on numbers "
                "of predictions are rounded, so that wrong ones would count as right; declare "
                f"`submission: {{columns: {{{name}: {{type: string}}}}}}` in config.yaml if they "
                "name something, or write measurements as floats (9.1e15)",
                Reason.BROKEN_ANSWERS,
            )


def _read_answers(task: Task, sample: Sample) -> Answers:
    keys = sample.keys
    paired = _paired(task, sample)
    texts = own_table(task.answers, Reason.BROKEN_ANSWERS)
    numeric = [name for name, spec in paired.items() if spec.numeric]
    for name in filter(texts.column_names.__contains__, numeric):
        _refuse_rounded(task, name, texts.column(name))
    as_they_are = {*keys.columns, *paired} - {*numeric}
    table = numbers_or_text(texts, as_they_are)
    if lost := [name for name in keys.columns if name not in table.column_names]:
        hint = columns_hint(task.answers, table.column_names, keys.columns)
        raise TaskError(
            f"{task.answers}: lacks the id column(s) {lost}{hint}", Reason.BROKEN_ANSWERS
        )
    # The submission's rows are brought into the order of the answers.
    there = Keys.of(table, keys.columns, keys.kinds)
    # First of all: repeated ids may be as many as are missing, and are not what can be aligned.
    same = there.values.equals(keys.values)
    if not same and (repeat := first_repeat(there.values)) is not None:
        count = len(there) - there.values.null_count - len(there.values.drop_null().unique())
        raise TaskError(
            f"{task.answers}: {count} row(s) repeat an id, first in data row {repeat}; give every "
            "id one row",
            Reason.BROKEN_ANSWERS,
        )
    found = Alignment.of(keys, there)
    if not found.ok:
        raise TaskError(
            f"{task.answers}: its ids are not those of {task.sample_submission}: "
            f"{found.missing} only in the answers, {found.extra} only in the sample; give both the "
            "same ids",
            Reason.BROKEN_ANSWERS,
        )
    return Answers(task, sample, table, found.order)
