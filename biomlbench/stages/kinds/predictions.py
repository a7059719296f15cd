"""`predictions`: a table of predictions, as CSV or Parquet."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

    from biomlbench.contracts.rows import CaseRow, GradeRow, StructureRow
    from biomlbench.stages import Context, Pair
    from biomlbench.stages.kinds import Verified
    from biomlbench.stages.preparing import Prepared
    from biomlbench.task.task import Task

NAME = "predictions"
TASK = "predictions"
ENDINGS: tuple[str, ...] = ()
SUFFIX = ".csv"
IS_CODE = False
HAS_CASES = False
SHARES_JOBS = True
VALID = "Submission is valid."


def validate(submission: str, task: Task) -> list[StructureRow]:
    """Look at columns, ids and values."""
    from biomlbench.submission.validation import validate_rows

    return validate_rows(submission, task)


def execute(pair: Pair, context: Context) -> list[CaseRow]:
    """Pass them through: there is nothing to run."""
    from biomlbench.contracts.rows import PASSTHROUGH
    from biomlbench.stages.outputs import case_row

    return [case_row(status=PASSTHROUGH)]


def grade(pair: Pair, context: Context, execute: pa.Table) -> GradeRow:
    """Score them."""
    from biomlbench.stages import scored

    return scored.grade(pair, context, pair.submission, pair.submission)


def verify(pair: Pair, context: Context, execute: pa.Table, grade: GradeRow) -> Verified:
    """Look at them by the checks of predictions."""
    from biomlbench.stages import scored

    return scored.verify(pair, context, pair.submission, pair.submission, grade)


def prepare(task: Task, *, force: bool = False) -> Prepared:
    """Fetch and split the task's data."""
    from biomlbench.stages.preparing import prepare_data

    return prepare_data(task, force=force)


def answers_hash(task: Task) -> str:
    """Return the SHA-256 of the file of answers; ``absent`` where the task is not prepared."""
    from biomlbench.stages.provenance import file_hash

    return file_hash(task.answers)
