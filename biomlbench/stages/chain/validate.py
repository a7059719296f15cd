"""Stage 1: is the submission what its kind and its task ask for? Never opens the answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.contracts import SCHEMAS
from biomlbench.stages import specification as spec
from biomlbench.stages.kinds import get_kind

if TYPE_CHECKING:
    import pyarrow as pa

    from biomlbench.contracts.rows import PairKey, ValidateRow
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
        Rows of the schema ``validate``.
    """
    task = context.task(pair.task_id)
    rows = get_kind(pair.kind).validate(pair.submission, task)
    key: PairKey = {"task_id": pair.task_id, "run_id": pair.run_id}
    return [{**key, **row} for row in rows]


STAGE = spec.Stage(
    compute=compute,
    table=SCHEMAS["validate"],
    key=("check",),
    task=("kind", "dataset", "submission"),
    unused=(
        *(*spec.SCORING, *spec.FETCHING, *spec.RANKING, *spec.PREPARING, *spec.RUNNING),
        *(*spec.RERUNNING, *spec.SCORING_A_PAIR),
        *("biomlbench.stages.cards", "biomlbench.stages.outputs"),
    ),
)
