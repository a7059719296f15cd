"""Stage 1: is the submission what its kind and its task ask for? Never opens the answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.contracts import SCHEMAS
from biomlbench.errors import NotPreparedError, TaskError
from biomlbench.outcomes import Outcome
from biomlbench.stages import specification as spec
from biomlbench.stages.kinds import get_kind

if TYPE_CHECKING:
    import pyarrow as pa

    from biomlbench.contracts.rows import PairKey, StructureRow, ValidateRow
    from biomlbench.stages import Context, Pair

__all__ = ["STAGE", "compute"]


def compute(pair: Pair, context: Context, tables: dict[str, pa.Table]) -> list[ValidateRow]:
    """Return one row a structural check.

    Parameters
    ----------
    pair : Pair
    context : Context
    tables : dict
        Empty: nothing comes before.

    Returns
    -------
    list of dict
        Rows of the schema ``validate``; one of the check ``task`` where the task's own files let
        nothing be checked, of ``prepare`` where they let nothing be prepared.
    """
    rows: list[StructureRow]
    try:
        if context.unprepared is not None:
            rows = [_of_task("prepare", context.unprepared)]
        else:
            rows = get_kind(pair.kind).validate(pair.submission, context.task(pair.task_id))
    except NotPreparedError:
        raise
    except TaskError as error:
        rows = [_of_task("task", error)]
    key: PairKey = {"task_id": pair.task_id, "run_id": pair.run_id}
    return [{**key, **row} for row in rows]


def _of_task(check: str, error: TaskError) -> StructureRow:
    return {
        "check": check,
        "outcome": Outcome.FAILED,
        "reason": error.reason,
        "message": error.message,
    }


STAGE = spec.Stage(
    compute=compute,
    table=SCHEMAS["validate"],
    key=("check",),
    task=("kind", "dataset", "submission", "entry_points"),
    unused=(
        *(*spec.SCORING, *spec.ANSWERS, *spec.FETCHING, *spec.RANKING, *spec.PREPARING),
        *(*spec.RUNNING, *spec.RERUNNING, *spec.SCORING_A_PAIR),
        *("biomlbench.stages.cards", "biomlbench.stages.outputs"),
    ),
)
