"""What the later stages read out of the tables of the earlier ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import pyarrow as pa

    from biomlbench.contracts.rows import CaseRow
    from biomlbench.verify.candidate import Own

__all__ = [
    "PROGRAM_CASE",
    "PROGRAM_OUTPUT",
    "CaseOutput",
    "case_outputs",
    "case_row",
    "own_in",
]


PROGRAM_OUTPUT = "submission.csv"
"""The file that a program writes its predictions to."""
PROGRAM_CASE = "program"
"""Id of the one case of a submission that has no cases."""


@dataclass(frozen=True, slots=True)
class CaseOutput:
    """One execution of a case.

    Attributes
    ----------
    status : str
        ``ok`` or a reason code.
    payload : bytes or None
        Encoded result.
    message : str
    stdout : str
        What the candidate printed, where it is asked for.
    total : str
        Which limit on all cases together was used up, in the grader's own words; else empty.
    """

    status: str
    payload: bytes | None
    message: str
    stdout: str = ""
    total: str = ""

    def value(self) -> Any:
        """Return the decoded result.

        Raises
        ------
        CodecError
            If the payload is not a value that the result channel can carry.
        """
        from biomlbench.sandbox.codec import decode

        return decode(self.payload or b"")


def case_outputs(execute: pa.Table) -> dict[str, list[CaseOutput]]:
    """Return every case's executions, in the order of the repeats.

    Parameters
    ----------
    execute : pyarrow.Table
        An ``execute`` table of kind ``functions``.

    Returns
    -------
    dict of str to list of CaseOutput
    """
    outputs: dict[str, list[CaseOutput]] = {}
    columns = ["case_id", "repeat", "status", "output", "message", "total"]
    rows = execute.select(columns).to_pylist()
    for row in sorted(rows, key=lambda row: (row["case_id"], row["repeat"])):
        output = CaseOutput(row["status"], row["output"], row["message"], total=row["total"] or "")
        outputs.setdefault(row["case_id"], []).append(output)
    return outputs


def own_in(execute: pa.Table) -> Own:
    """Return what cases of a candidate alone were made of.

    Parameters
    ----------
    execute : pyarrow.Table
        An ``execute`` table of kind ``functions``.

    Returns
    -------
    Own
        Nothing in a table of a candidate that could not be loaded.
    """
    from biomlbench.verify.candidate import Own

    written = execute.column("own_cases")
    return Own.read(written[0].as_py() if len(written) else None)


def case_row(**values: Any) -> CaseRow:
    """Return a row of ``execute``, but for the pair's ids, with what is not said left empty."""
    empty = {
        "case_id": PROGRAM_CASE,
        "suite": "",
        "repeat": 0,
        "message": "",
        "provider": "",
        "level": "",
    }
    return cast("CaseRow", empty | values)
