"""Structural checks of a submission, from the sample submission and the config alone.

The answers are never opened, and messages hold nothing but columns, counts and row numbers,
so they can be shown to a competitor.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomlbench.arrow import numpy_of
from biomlbench.errors import InvalidSubmissionError
from biomlbench.outcomes import Outcome, Reason
from biomlbench.submission.booleans import written_as
from biomlbench.submission.id_hints import empty_rows_hint, missing_label_hint
from biomlbench.submission.private_files import PrivateFiles
from biomlbench.submission.reading import read_table
from biomlbench.submission.sample import Sample, has_rows, sample_of
from biomlbench.submission.submitted_file import quote, read_bytes

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from biomlbench.contracts.rows import StructureRow
    from biomlbench.submission.ids import Alignment
    from biomlbench.task.submission_columns import ColumnSpec
    from biomlbench.task.task import Task

__all__ = [
    "CHECKS",
    "Inspection",
    "inspect_submission",
    "structure_rows",
    "text_failure",
    "validate_rows",
]

#: The checks of a file of predictions, in order.
CHECKS = ("file", "format", "columns", "types", "rows", "duplicate_ids", "missing_ids",
          "extra_ids", "missing_values", "values")  # fmt: skip

_CHECK_OF = {
    Reason.MISSING_FILE: "file",
    Reason.UNSAFE_PATH: "file",
    Reason.PRIVATE_FILE: "file",
    Reason.TOO_LARGE: "file",
    Reason.WRONG_FORMAT: "format",
    Reason.UNREADABLE: "format",
    Reason.EMPTY: "format",
    Reason.MISSING_COLUMNS: "columns",
    Reason.EXTRA_COLUMNS: "columns",
    Reason.WRONG_TYPE: "types",
}


@dataclass
class Inspection:
    """What the structural checks found.

    Attributes
    ----------
    sample : Sample or None
        None where the sample submission is no table by whose ids rows are matched: then only
        the task's grader can read the submission.
    table : pyarrow.Table or None
        The submission, as far as it could be read.
    data : bytes
        Content of a submission that is no such table.
    alignment : Alignment or None
        How its rows lie to the sample's.
    found : dict of str to (Reason, str)
        Reason and message of each check that failed.
    reached : str
        The last check that could be made.
    """

    sample: Sample | None
    table: pa.Table | None = None
    data: bytes = b""
    alignment: Alignment | None = None
    found: dict[str, tuple[Reason, str]] = field(default_factory=dict)
    reached: str = CHECKS[-1]

    @property
    def rows(self) -> tuple[pa.Table, np.ndarray | None]:
        """The table and its :attr:`Alignment.order`, of a submission in which nothing failed."""
        if self.alignment is None:
            raise ValueError(f"nothing was aligned: {self.first_failure}")
        return self.table, self.alignment.order

    @property
    def first_failure(self) -> tuple[Reason, str] | None:
        """Reason and message of the first check that failed, or None."""
        return next((self.found[check] for check in CHECKS if check in self.found), None)


def inspect_submission(
    submission: str | Path | bytes | pa.Table,
    task: Task,
    *,
    name: str | Path | None = None,
    root: str | Path | None = None,
) -> Inspection:
    """Make the structural checks of predictions.

    Parameters
    ----------
    submission : path, bytes or pyarrow.Table
        The file, its content, or a table as :func:`biomlbench.submission.reading.read_table` gives.
    task : Task
    name : path, optional
        Name that tells the format, where `submission` is bytes (default: CSV).
    root : path, optional
        Folder that a relative path starts from; below it no link is followed.

    Returns
    -------
    Inspection

    Raises
    ------
    TaskError
        If the task's sample submission is missing or broken.
    """
    sample = sample_of(task) if has_rows(task) else None
    result = Inspection(sample)
    if sample is None:
        _inspect_file(result, submission, task, name, root)
        return result
    if isinstance(submission, (str, Path, bytes)):
        try:
            table = read_table(
                submission,
                sample.columns,
                name=name,
                root=root,
                private=PrivateFiles.of(task),
                most_rows=sample.most_rows,
                most_bytes=sample.most_bytes,
            )
        except InvalidSubmissionError as error:
            check = _CHECK_OF.get(error.reason, "format")
            result.found[check], result.reached = (error.reason, error.message), check
            return result
    else:
        table = submission
    table = result.table = _with_booleans_as_declared(table, sample)
    if not table.num_rows:
        result.found["rows"] = (Reason.EMPTY, "the submission has no rows")
        result.reached = "rows"
        return result
    result.alignment = sample.align(table)
    _check_ids(result, sample, table, result.alignment)
    for spec in sample.predictions:
        _check_values(result, spec, table.column(spec.name), task)
    return result


def text_failure(table: pa.Table, sample: Sample, task: Task) -> tuple[Reason, str] | None:
    """Return reason and message of what no submission may have in its columns of words and text.

    Parameters
    ----------
    table : pyarrow.Table
        With all columns of the sample.
    sample : Sample
    task : Task
    """
    result = Inspection(sample)
    table = _with_booleans_as_declared(table, sample)
    for spec in sample.predictions:
        if spec.type in ("string", "text"):
            _check_values(result, spec, table.column(spec.name), task)
    return result.first_failure


def _with_booleans_as_declared(table: pa.Table, sample: Sample) -> pa.Table:
    for spec in sample.predictions:
        if spec.type == "string" and spec.allowed:
            place = table.column_names.index(spec.name)
            column = written_as(table.column(place), map(str, spec.allowed))
            table = table.set_column(place, spec.name, column)
    return table


def _inspect_file(
    result: Inspection,
    submission: str | Path | bytes | pa.Table,
    task: Task,
    name: str | Path | None,
    root: str | Path | None,
) -> None:
    """Check what can be checked of a submission that only the task's grader can read."""
    result.reached = "format"
    wanted = task.sample_submission.suffix.lower()
    try:
        if not isinstance(submission, (str, Path, bytes)):
            raise InvalidSubmissionError(f"must be a {wanted} file", Reason.WRONG_FORMAT)
        shown = name
        if isinstance(submission, bytes):
            result.data = submission
        else:
            result.data = read_bytes(submission, root=root, private=PrivateFiles.of(task))
            shown = shown or submission
        if shown is not None and Path(str(shown)).suffix.lower() != wanted:
            raise InvalidSubmissionError(
                f"the file's name must end in {wanted}, as the sample submission's does",
                Reason.WRONG_FORMAT,
            )
        if not result.data:
            raise InvalidSubmissionError("the file is empty", Reason.EMPTY)
    except InvalidSubmissionError as error:
        check = _CHECK_OF.get(error.reason, "format")
        result.found[check], result.reached = (error.reason, error.message), check


def _check_ids(result: Inspection, sample: Sample, table: pa.Table, found: Alignment) -> None:
    if found.duplicate:
        result.found["duplicate_ids"] = (
            Reason.DUPLICATE_IDS,
            (
                f"{found.duplicate} row(s) repeat an id, first in data row "
                f"{found.first_duplicate}{empty_rows_hint(table)}"
            ),
        )
    if found.missing:
        result.found["missing_ids"] = (
            Reason.MISSING_IDS,
            (
                f"{found.missing} of the {len(sample.keys)} ids of the sample submission have no "
                f"row (the submission has {table.num_rows} rows){sample.id_hint(table)}"
            ),
        )
    if found.extra:
        result.found["extra_ids"] = (
            Reason.EXTRA_IDS,
            (
                f"{found.extra} row(s) have an id that the sample submission does not have, first "
                f"in data row {found.first_extra}{empty_rows_hint(table)}"
            ),
        )


def _check_values(
    result: Inspection, spec: ColumnSpec, column: pa.ChunkedArray, task: Task
) -> None:
    import numpy as np

    label = f"column {quote(spec.name)}"
    if spec.numeric:
        values = numpy_of(column)
        bad = ~np.isfinite(values)
        if bad.any():
            _note(result, "missing_values", Reason.NAN_PREDICTIONS, bad,
                  f"{label}: {{}} value(s) are missing, NaN or infinite")  # fmt: skip
            return
        if spec.type == "integer" and (bad := values != np.rint(values)).any():
            _note(
                result, "types", Reason.WRONG_TYPE, bad, f"{label}: {{}} value(s) are no integers"
            )
        below = values < spec.minimum if spec.minimum is not None else np.zeros(len(values), bool)
        above = values > spec.maximum if spec.maximum is not None else np.zeros(len(values), bool)
        if (bad := below | above).any():
            low = "-inf" if spec.minimum is None else f"{spec.minimum:g}"
            high = "inf" if spec.maximum is None else f"{spec.maximum:g}"
            _note(result, "values", Reason.OUT_OF_RANGE, bad,
                  f"{label}: {{}} value(s) lie outside {low} to {high}")  # fmt: skip
        if spec.allowed and (bad := ~np.isin(values, np.asarray(spec.allowed, float))).any():
            _note(result, "values", Reason.OUT_OF_RANGE, bad, f"{label}: {{}} value(s) not allowed")
    elif spec.type == "rle":
        kind = "mask" if task.metric is None else task.metric.kind
        _check_codes(result, spec, column, label, kind)
    elif spec.type == "free":
        return
    else:
        import pyarrow.compute as pc

        allowed = {str(value) for value in spec.allowed}
        bad = numpy_of(pc.match_substring_regex(column, r"^\s*$"))
        if "" not in allowed and bad.any():
            _note(result, "missing_values", Reason.NAN_PREDICTIONS, bad,
                  f"{label}: {{}} value(s) are missing",
                  missing_label_hint(spec.allowed))  # fmt: skip
        elif allowed:
            bad = np.array([value not in allowed for value in column.to_pylist()])
            if bad.any():
                _note(result, "values", Reason.OUT_OF_RANGE, bad,
                      f"{label}: {{}} value(s) not allowed")  # fmt: skip


def _note(
    result: Inspection, check: str, reason: Reason, bad: Any, message: str, hint: str = ""
) -> None:
    """Record a failed check, unless another column already failed it."""
    first = int(bad.argmax()) + 1
    text = f"{message.format(int(bad.sum()))}, first in data row {first}{hint}"
    result.found.setdefault(check, (reason, text))


def _check_codes(
    result: Inspection, spec: ColumnSpec, column: pa.ChunkedArray, label: str, kind: str
) -> None:
    if spec.height is None or spec.width is None:
        return
    from biomlbench.metrics import MetricError
    from biomlbench.metrics.rle import rle_image

    for row, code in enumerate(column.to_pylist(), 1):
        try:
            rle_image(code, (spec.height, spec.width), kind)
        except MetricError as error:
            result.found.setdefault(
                "values",
                (Reason.WRONG_TYPE, f"{label}: data row {row}: {error.message}"),
            )
            return


def validate_rows(
    submission: str | Path | bytes | pa.Table,
    task: Task,
    *,
    name: str | Path | None = None,
) -> list[StructureRow]:
    """Return one row a structural check of predictions, without opening the answers.

    Parameters
    ----------
    submission, task, name
        As for :func:`inspect_submission`.

    Returns
    -------
    list of StructureRow
        In the order of :data:`CHECKS`.
        Checks that could not be made because an earlier one failed are ``skipped``.

    Raises
    ------
    TaskError
        If the task's sample submission is missing or broken.
    """
    result = inspect_submission(submission, task, name=name)
    return structure_rows(CHECKS, result.found, result.reached)


def structure_rows(
    checks: tuple[str, ...], found: dict[str, tuple[Reason, str]], reached: str
) -> list[StructureRow]:
    """Return a row a check: failed as found, passed as far as was looked, skipped beyond."""
    rows: list[StructureRow] = []
    for check in checks:
        if check in found:
            outcome, (reason, message) = Outcome.FAILED, found[check]
        elif checks.index(check) > checks.index(reached):
            outcome, reason, message = Outcome.SKIPPED, Reason.NOT_REACHED, ""
        else:
            outcome, reason, message = Outcome.PASSED, Reason.OK, ""
        rows.append({"check": check, "outcome": outcome, "reason": reason, "message": message})
    return rows
