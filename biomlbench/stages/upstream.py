"""What the tables of earlier stages say of a pair: its score, or what kept it from having one."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict, cast

from biomlbench.contracts.rows import PASSTHROUGH
from biomlbench.outcomes import Outcome, Reason

if TYPE_CHECKING:
    import pyarrow as pa

    from biomlbench.contracts.rows import GradeRow, StructureRow

__all__ = ["Failure", "first_failure", "grade_row", "upstream_failure"]


class Failure(TypedDict):
    """What kept a submission from being scored."""

    reason: Reason
    message: str


def first_failure(validate: pa.Table) -> StructureRow | None:
    """Return the first failed check of a `validate` table, or None."""
    outcomes = validate.column("outcome").to_pylist()
    if Outcome.FAILED not in outcomes:
        return None
    failure: StructureRow = validate.slice(outcomes.index(Outcome.FAILED), 1).to_pylist()[0]
    return failure


def upstream_failure(tables: dict[str, pa.Table]) -> Failure | None:
    """Return what kept a submission from being scored, or None.

    Parameters
    ----------
    tables : dict
        With ``validate`` and ``execute`` tables.

    Returns
    -------
    Failure or None
    """
    if failure := first_failure(tables["validate"]):
        return {"reason": Reason(failure["reason"]), "message": failure["message"]}
    execute = tables["execute"]
    states = zip(*(execute.column(name).to_pylist() for name in ("suite", "status")), strict=True)
    for number, (suite, status) in enumerate(states):
        # A failed case of a card is a failed check; a failed program or import is the end.
        if suite == "" and status not in (Reason.OK, PASSTHROUGH):
            message = execute.column("message")[number].as_py()
            return {"reason": Reason(status), "message": message}
    return None


def grade_row(grade: pa.Table) -> GradeRow:
    """Return the one row of a pair's ``grade`` table."""
    (row,) = grade.to_pylist()
    return cast("GradeRow", {**row, "reason": Reason(row["reason"])})
