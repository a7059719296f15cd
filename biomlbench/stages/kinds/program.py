"""`program`: Python code that is run in the sandbox and writes the predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.outcomes import Reason
from biomlbench.stages.kinds.predictions import answers_hash, prepare

if TYPE_CHECKING:
    import pyarrow as pa

    from biomlbench.contracts.rows import CaseRow, GradeRow, StructureRow
    from biomlbench.stages import Context, Pair
    from biomlbench.stages.kinds import Verified
    from biomlbench.task.task import Task

__all__ = ["answers_hash", "prepare"]

NAME = "program"
TASK = "predictions"
ENDINGS = (".py",)
SUFFIX = ".py"
IS_CODE = True
HAS_CASES = False
SHARES_JOBS = False
VALID = (
    "Submission is valid. It is a program, as its name ends in `.py`: only a run shows its "
    "predictions. If it holds predictions, give it the name of a table, as `.csv`."
)


def validate(submission: str, task: Task) -> list[StructureRow]:
    """Parse the code."""
    from biomlbench.submission.code_checks import code_rows

    return code_rows(submission, task)


def execute(pair: Pair, context: Context) -> list[CaseRow]:
    """Run it, and again on the changed inputs that its checks ask for."""
    from biomlbench.stages.running import run_program

    return run_program(pair, context)


def grade(pair: Pair, context: Context, execute: pa.Table) -> GradeRow:
    """Score what it wrote."""
    from biomlbench.stages import scored

    return scored.grade(pair, context, *scored.written(execute))


def verify(pair: Pair, context: Context, execute: pa.Table, grade: GradeRow) -> Verified:
    """Look at what it wrote by the checks of predictions, and at its reruns by theirs."""
    from biomlbench.stages import scored
    from biomlbench.stages.reruns import judge_recorded

    source, name = scored.written(execute)
    found = scored.verify(pair, context, source, name, grade)
    if grade["reason"] != Reason.OK:
        return found
    task = context.task(pair.task_id)
    reruns = judge_recorded(task, source, name, execute.to_pylist())
    return found._replace(outcomes=[*found.outcomes, *reruns])
