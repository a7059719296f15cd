"""Stage 1: is the submission what its kind and its task ask for? Never opens the answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from biomlbench.stages.kinds import get_kind

if TYPE_CHECKING:
    import pyarrow as pa

    from biomlbench.stages import Context, Pair

READS: tuple[str, ...] = ()


def compute(pair: Pair, context: Context, tables: dict[str, pa.Table]) -> list[dict[str, Any]]:
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
    key = {"task_id": pair.task_id, "run_id": pair.run_id}
    return [{**key, **row} for row in rows]
