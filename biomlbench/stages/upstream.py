"""What kept a submission from being scored, as the tables of earlier stages tell it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["first_failure", "upstream_failure"]


def first_failure(validate: pa.Table) -> dict[str, Any] | None:
    """Return the first failed check of a `validate` table, or None."""
    outcomes = validate.column("outcome").to_pylist()
    if "failed" not in outcomes:
        return None
    failure: dict[str, Any] = validate.slice(outcomes.index("failed"), 1).to_pylist()[0]
    return failure


def upstream_failure(tables: dict[str, pa.Table]) -> dict[str, str] | None:
    """Return reason and message of what kept a submission from being scored, or None.

    Parameters
    ----------
    tables : dict
        With ``validate`` and ``execute`` tables.

    Returns
    -------
    dict or None
        Keys `reason` and `message`.
    """
    if failure := first_failure(tables["validate"]):
        return {"reason": failure["reason"], "message": failure["message"]}
    execute = tables["execute"]
    states = zip(*(execute.column(name).to_pylist() for name in ("suite", "status")), strict=True)
    for number, (suite, status) in enumerate(states):
        # A failed case of a card is a failed check; a failed program or import is the end.
        if suite == "" and status not in ("ok", "passthrough"):
            return {"reason": status, "message": execute.column("message")[number].as_py()}
    return None
