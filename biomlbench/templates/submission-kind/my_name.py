"""`my_name`: an example of a kind of submission, a program by another ending."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.stages.kinds.program import answers_hash, grade, prepare, validate, verify

if TYPE_CHECKING:
    from biomlbench.contracts.rows import CaseRow
    from biomlbench.stages import Context, Pair

__all__ = ["answers_hash", "grade", "prepare", "validate", "verify"]

NAME = "my_name"
TASK = "predictions"
ENDINGS = (".my-name",)
SUFFIX = ".my-name"
IS_CODE = True
HAS_CASES = False
SHARES_JOBS = False
VALID = "Submission is valid. Only a run shows its predictions."


def execute(pair: Pair, context: Context) -> list[CaseRow]:
    """Run it in the sandbox; what it wrote is in the column `output` of the first row."""
    from biomlbench.stages.running import run_program

    return run_program(pair, context)
