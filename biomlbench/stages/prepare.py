"""Stage 0, once a task: fetch and split its data, run its reference, and record what is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.contracts import from_rows
from biomlbench.errors import TaskError
from biomlbench.outcomes import Fault, Reason
from biomlbench.stages import specification as spec
from biomlbench.stages.kinds import get_kind
from biomlbench.stages.preparing import Prepared

if TYPE_CHECKING:
    import pyarrow as pa

    from biomlbench.contracts.rows import PrepareRow
    from biomlbench.stages import Context

__all__ = ["DEPENDENCIES", "compute"]

DEPENDENCIES = spec.Dependencies(
    task=("kind", "dataset", "source", "preparer", "submission", "*.py", *spec.CARD_FILES),
    input_files=True,
    unused=(
        *(*spec.SCORING, *spec.RANKING),
        *("biomlbench.submission.validation", "biomlbench.submission.code_checks"),
        *(*spec.RUNNING, *spec.RERUNNING, *spec.SCORING_A_PAIR),
    ),
)


def compute(task_id: str, context: Context, *, force: bool = False) -> pa.Table:
    """Prepare a task and return the one row that describes what was prepared.

    Parameters
    ----------
    task_id : str
        ``domain/name``.
    context : Context
    force : bool
        Make the data anew even if they are in order, or somebody else's.

    Returns
    -------
    pyarrow.Table
        Of the schema ``prepare``. Where the task's own files let nothing be prepared (a preparer
        that fails), or no submission can be held against the data that were prepared (a broken
        sample submission), its reason and message say so; in the first case there is no hash.

    Raises
    ------
    NotPreparedError
        If the data cannot be had, which is no fault of the task's; its pairs are then not graded,
        all others are.
    """
    task = context.task(task_id)
    try:
        prepared = get_kind(task.kind).prepare(task, force=force)
    except TaskError as error:
        if error.fault != Fault.TASK:
            raise
        prepared = Prepared("", fault=error)
    fault = prepared.fault
    row: PrepareRow = {
        "task_id": task.id,
        "kind": task.kind,
        "reason": Reason.OK if fault is None else fault.reason,
        "message": fault.message if fault else prepared.message,
        "files_sha256": prepared.digest,
    }
    return from_rows("prepare", [row])
