"""Scores by published graders, each in a process of its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.errors import GraderError
from biomlbench.submission.answers import whole_numbers
from biomlbench.submission.csv_table import read_header
from biomlbench.submission.reading import submission_format
from biomlbench.submission.submitted_file import read_bytes
from biomlbench.submission.unpacked_text import csv_text

if TYPE_CHECKING:
    import pyarrow as pa

    from biomlbench.submission.validation import Inspection
    from biomlbench.task.task import Task

__all__ = ["score_apart"]


def score_apart(
    task: Task,
    submission: str | Path | bytes | pa.Table,
    inspection: Inspection,
    name: str | Path | None,
    root: str | Path | None,
) -> float:
    """Score by a published grader, which reads submission and answers itself.

    Parameters
    ----------
    task : Task
    submission : path, bytes or pyarrow.Table
    inspection : Inspection
        Of the same submission, in which nothing failed.
    name, root
        As for :func:`biomlbench.scoring.score.score_submission`.

    Returns
    -------
    float

    Raises
    ------
    InvalidSubmissionError
        If the grader gives it no score.
    GraderError
        If the grader failed.
    NotPreparedError
        If the answers are not there.
    """
    from biomlbench.grading.isolated import Rows, grade_isolated
    from biomlbench.suites.graders import hub_answers

    grader = task.grader
    if grader.spec is None:
        raise GraderError(f"grader {grader.name!r} has no process of its own")
    if not task.answers.is_file():
        from biomlbench.task.registry import not_prepared

        raise not_prepared(task, task.answers)
    data, suffix, rows = inspection.data, task.sample_submission.suffix.lower(), None
    if inspection.sample is not None:
        table, order = inspection.rows
        data, columns = _as_csv(submission, table, name, root)
        sample = inspection.sample
        rows = Rows(columns, table.num_rows, list(sample.keys.columns), order, list(sample.columns))
        suffix = ".csv"
    return grade_isolated(grader.spec, data, suffix, rows, hub_answers(task))


def _as_csv(
    submission: str | Path | bytes | pa.Table,
    table: pa.Table,
    name: str | Path | None,
    root: str | Path | None,
) -> tuple[bytes, list[str]]:
    """Return a table as CSV, for a grader to read as its own benchmark would, and its columns."""
    if isinstance(submission, (str, Path, bytes)):
        shown = name if name is not None or isinstance(submission, bytes) else submission
        if submission_format(shown if shown is not None else "submission.csv") == ".csv":
            data = (
                submission if isinstance(submission, bytes) else read_bytes(submission, root=root)
            )
            data = csv_text(data)
            return data, read_header(data, ",")
    frame = whole_numbers(table.to_pandas())
    return frame.to_csv(index=False).encode(), list(frame.columns)
