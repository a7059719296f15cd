"""Stage 4: evidence from independent channels, and the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.contracts import SCHEMAS
from biomlbench.contracts.rows import PairKey, VerdictColumns
from biomlbench.stages import specification as spec
from biomlbench.stages.kinds import get_kind, judged_by
from biomlbench.stages.upstream import grade_row, upstream_failure

if TYPE_CHECKING:
    import pyarrow as pa

    from biomlbench.contracts.rows import VerifyRow
    from biomlbench.stages import Context, Pair
    from biomlbench.verify import CheckOutcome

__all__ = ["STAGE", "compute"]


class _OfPair(PairKey, VerdictColumns):
    """What all checks of a pair say alike."""


def compute(pair: Pair, context: Context, tables: dict[str, pa.Table]) -> list[VerifyRow]:
    """Return one row a check; each carries the verdict on the pair.

    Parameters
    ----------
    pair : Pair
    context : Context
    tables : dict
        With the tables of the stages before.

    Returns
    -------
    list of dict
        Rows of the schema ``verify``.
    """
    from biomlbench.stages.missing_evidence import missing_evidence
    from biomlbench.verify import policy

    task = context.effective_task(pair.task_id)
    outcomes, hidden_score = _verified(pair, context, tables)
    verdict = policy.decide(outcomes)
    common: _OfPair = {
        "task_id": pair.task_id,
        "run_id": pair.run_id,
        "verdict": verdict.verdict,
        "verdict_reasons": list(verdict.reasons),
        "verifier": task.verifier,
        "hidden_score": hidden_score,
        "calibrated": not missing_evidence(task.task),
    }
    return [{**common, **outcome.row()} for outcome in outcomes]


def _verified(
    pair: Pair, context: Context, tables: dict[str, pa.Table]
) -> tuple[list[CheckOutcome], float | None]:
    from biomlbench.verify import policy

    if failure := upstream_failure(tables):
        return [policy.gate("runs", failure["reason"], failure["message"])], None
    grade = grade_row(tables["grade"])
    return get_kind(pair.kind).verify(pair, context, tables["execute"], grade)


STAGE = spec.Stage(
    compute=compute,
    reads=("validate", "execute", "grade"),
    table=SCHEMAS["verify"],
    key=("suite", "check"),
    task=(
        *("kind", "dataset", "submission", "grader", "verify", "verifier", "noise_floor"),
        *("*.py", *spec.CARD_FILES, "solutions/*/*.py"),
    ),
    input_files=True,
    overrides=("verifier",),
    unused=(*spec.FETCHING, *spec.RANKING, *spec.PREPARING, *spec.RUNNING),
    sources=judged_by,
    measured=True,
)
