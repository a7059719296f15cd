"""Predictions, submitted or written by a program: their score, and whether to believe it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.outcomes import Reason
from biomlbench.stages.kinds import Verified
from biomlbench.stages.outputs import PROGRAM_OUTPUT

if TYPE_CHECKING:
    import pyarrow as pa

    from biomlbench.contracts.rows import GradeRow
    from biomlbench.stages import Context, Pair

__all__ = ["grade", "verify", "written"]


def written(execute: pa.Table) -> tuple[bytes, str]:
    """Return what a program wrote, untrusted, and the name that tells its format."""
    return execute.column("output")[0].as_py() or b"", PROGRAM_OUTPUT


def grade(pair: Pair, context: Context, source: str | bytes, name: str) -> GradeRow:
    """Return the row of ``grade``, but for the pair's ids.

    Parameters
    ----------
    pair : Pair
    context : Context
    source : str or bytes
        Untrusted predictions: a path, or the content.
    name : str
        Tells their format.
    """
    from biomlbench.scoring.score import score_submission
    from biomlbench.verify.near_duplicates import fingerprint_of

    task = context.task(pair.task_id)
    result = score_submission(
        source, task, bootstrap=context.bootstrap, seed=context.seed, name=name
    )
    seen = result.inspection if result.valid else None
    return {
        "valid_submission": result.valid,
        "score": result.score,
        "metric": result.metric,
        "direction": result.direction,
        "score_low": result.score_low,
        "score_high": result.score_high,
        "score_quantiles": result.score_quantiles,
        "n_rows": result.n_rows,
        "reason": result.reason,
        "message": result.message,
        "fingerprint": None if seen is None else fingerprint_of(seen),
    }


def verify(
    pair: Pair, context: Context, source: str | bytes, name: str, grade: GradeRow
) -> Verified:
    """Return the checks of predictions that have a score, or that they have none.

    Parameters
    ----------
    pair, context, source, name
        As for :func:`grade`.
    grade : GradeRow
    """
    from biomlbench.verify import predictions
    from biomlbench.verify.policy import gate

    if grade["reason"] != Reason.OK:
        return Verified([gate("score", grade["reason"], grade["message"])], None)
    score = grade.get("score")
    assert score is not None, "a row without a reason has a score"
    task = context.task(pair.task_id)
    return Verified(predictions.judge(task, source, None, score, name=name), None)
