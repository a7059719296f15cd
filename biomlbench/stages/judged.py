"""Functions of a problem card: their outputs are judged once, by the stage that grades."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.outcomes import Outcome, Reason, Severity, Suite
from biomlbench.stages.kinds import Verified
from biomlbench.stages.outputs import case_outputs, own_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from biomlbench.contracts.rows import GradeRow
    from biomlbench.scoring.effective_task import EffectiveTask
    from biomlbench.verify import CheckOutcome

__all__ = ["grade", "verify"]

VISIBLE, HIDDEN = Suite.VISIBLE, Suite.HIDDEN


def grade(task: EffectiveTask, execute: pa.Table) -> GradeRow:
    """Judge the outputs of a candidate; return the row of ``grade``, but for the pair's ids.

    Parameters
    ----------
    task : EffectiveTask
    execute : pyarrow.Table
        Its ``execute`` table.

    Returns
    -------
    GradeRow
        With all outcomes under ``judged``, for the stage that decides on them.
    """
    from biomlbench.stages.bounded_judging import evaluate_bounded

    first = {case_id: repeats[0] for case_id, repeats in case_outputs(execute).items()}
    found = evaluate_bounded(task.task, first, task.verifier, own_in(execute))
    hidden_score = found.decision.hidden_score
    suite = HIDDEN if task.ranks_by_hidden else VISIBLE
    checks = [
        row for row in found.outcomes if row.suite == suite and row.severity != Severity.ADVISORY
    ]
    score = hidden_score if task.ranks_by_hidden else _share(checks)
    return {
        "metric": task.metric_name,
        "direction": task.direction,
        "valid_submission": score is not None,
        "score": score,
        "reason": Reason.OK if score is not None else Reason.NOT_REACHED,
        "message": "" if score is not None else f"no {suite} check could be evaluated",
        "n_rows": len(checks),
        "hidden_score": hidden_score,
        "judged": [outcome.row() for outcome in found.outcomes],
    }


def _share(checks: Sequence[CheckOutcome]) -> float | None:
    weight = sum(check.weight for check in checks)
    passed = sum(check.weight for check in checks if check.outcome == Outcome.PASSED)
    return passed / weight if weight else None


def verify(task: EffectiveTask, execute: pa.Table, grade: GradeRow) -> Verified:
    """Return the checks as they were judged, and whether the repeats agree.

    Parameters
    ----------
    task, execute
        As for :func:`grade`.
    grade : GradeRow
    """
    from biomlbench.verify import CheckOutcome

    outcomes = [CheckOutcome.of(row) for row in grade.get("judged") or ()]
    return Verified([*outcomes, *_repeats(execute)], grade.get("hidden_score"))


def _repeats(execute: pa.Table) -> list[CheckOutcome]:
    from biomlbench.verify.policy import gate

    outputs = case_outputs(execute)
    if all(len(repeats) == 1 for repeats in outputs.values()):
        return []
    differing = [
        case_id
        for case_id, repeats in outputs.items()
        if len({(output.status, output.payload) for output in repeats}) > 1
    ]
    found = Reason.NONDETERMINISTIC if differing else Reason.OK
    row = gate("repeats-agree", found, f"{len(differing)} of {len(outputs)} cases differ")
    return [
        row._replace(
            severity=Severity.CRITICAL,
            outcome=Outcome.FAILED if differing else Outcome.PASSED,
            pattern="result changes from run to run",
        )
    ]
