"""Rows of a pair whose submission was changed, replaced or removed while it was graded.

They are those of a submission that was found invalid: nothing of it is read or run again. Whoever
handed it in had it in their hands, so it is their failed run and no job's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.contracts import from_rows
from biomlbench.outcomes import Outcome, Reason
from biomlbench.stages.chain import all_stages, before

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from biomlbench.contracts.mappings import TypedRow
    from biomlbench.contracts.rows import ValidateRow
    from biomlbench.stages import Context, Pair

__all__ = ["CHANGED", "rows_of_changed"]

CHANGED = "changed"
"""In place of a submission's hash, where it changed while it was first read: no file has it."""
_MESSAGE = (
    "the submission was changed, replaced or removed while it was graded; leave it as it is, and "
    "run the workflow again to grade what is there"
)


def rows_of_changed(stage: str, pair: Pair, context: Context) -> Sequence[TypedRow]:
    """Return a stage's rows of a pair whose submission did not stay what it was.

    Parameters
    ----------
    stage : str
    pair : Pair
    context : Context

    Returns
    -------
    sequence of dict
        Of the stage's schema, by way of those of all stages that it builds on.
    """
    tables: dict[str, pa.Table] = {}
    for name, declared in all_stages().items():
        rows: Sequence[TypedRow]
        if before(name) is None:
            rows = [_invalid(pair)]
        else:
            rows = declared.compute(pair, context, {read: tables[read] for read in declared.reads})
        if name == stage:
            return rows
        tables[name] = from_rows(name, rows)
    raise ValueError(f"there is no stage {stage!r}")


def _invalid(pair: Pair) -> ValidateRow:
    return {
        "task_id": pair.task_id,
        "run_id": pair.run_id,
        "check": "file",
        "outcome": Outcome.FAILED,
        "reason": Reason.SUBMISSION_CHANGED,
        "message": _MESSAGE,
    }
