"""`functions`: Python code whose functions are called on the cases of a problem card."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.errors import TaskError

if TYPE_CHECKING:
    import pyarrow as pa

    from biomlbench.contracts.rows import CaseRow, GradeRow, StructureRow
    from biomlbench.stages import Context, Pair
    from biomlbench.stages.kinds import Verified
    from biomlbench.stages.preparing import Prepared
    from biomlbench.task.task import Task

NAME = "functions"
TASK = "functions"
ENDINGS: tuple[str, ...] = ()
SUFFIX = ".py"
IS_CODE = True
HAS_CASES = True
SHARES_JOBS = False
VALID = "Submission is valid."


def validate(submission: str, task: Task) -> list[StructureRow]:
    """Parse the code, which must be able to define the card's functions."""
    from biomlbench.submission.code_checks import code_rows
    from biomlbench.task.task import entry_points_of

    return code_rows(submission, task, entry_points_of(task.folder, task.config))


def execute(pair: Pair, context: Context) -> list[CaseRow]:
    """Call its functions on every case, each call in a process of its own."""
    from biomlbench.stages.running import run_functions

    return run_functions(pair, context)


def grade(pair: Pair, context: Context, execute: pa.Table) -> GradeRow:
    """Judge the outputs; the score is the share of the checks that passed."""
    from biomlbench.stages import judged

    return judged.grade(context.effective_task(pair.task_id), execute)


def verify(pair: Pair, context: Context, execute: pa.Table, grade: GradeRow) -> Verified:
    """Take over what the outputs were judged to be, and compare the repeats."""
    from biomlbench.stages import judged

    return judged.verify(context.effective_task(pair.task_id), execute, grade)


def prepare(task: Task, *, force: bool = False) -> Prepared:
    """Compute what the reference gives."""
    from biomlbench.stages.preparing import prepare_card

    return prepare_card(task, force=force)


def answers_hash(task: Task) -> str:
    """Return the hash of what the oracle was computed from, since the oracle also holds times."""
    from biomlbench.stages.cards import load_card
    from biomlbench.stages.provenance import ABSENT

    try:
        return load_card(task).oracle.fingerprint
    except TaskError:
        return ABSENT
