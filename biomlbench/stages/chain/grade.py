"""Stage 3: the score, at full precision, with its bootstrap interval."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from biomlbench.contracts import SCHEMAS
from biomlbench.errors import TaskError
from biomlbench.stages import specification as spec
from biomlbench.stages.kinds import get_kind, judged_by
from biomlbench.stages.upstream import upstream_failure

if TYPE_CHECKING:
    import pyarrow as pa

    from biomlbench.contracts.mappings import TypedRow
    from biomlbench.contracts.rows import GradeRow
    from biomlbench.scoring.effective_task import EffectiveTask
    from biomlbench.stages import Context, Pair

__all__ = ["STAGE", "compute"]


def compute(pair: Pair, context: Context, tables: dict[str, pa.Table]) -> list[TypedRow]:
    """Return the one row that holds the score.

    Parameters
    ----------
    pair : Pair
    context : Context
    tables : dict
        With the pair's ``validate`` and ``execute`` tables.

    Returns
    -------
    list of dict
        Rows of the schema ``grade``.
    """
    if failure := upstream_failure(tables):
        task = context.effective_task(pair.task_id)
        row: GradeRow = {
            "valid_submission": False,
            "metric": _told(task, "metric_name"),
            "direction": _told(task, "direction"),
            "reason": failure["reason"],
            "message": failure["message"],
        }
    else:
        row = get_kind(pair.kind).grade(pair, context, tables["execute"])
    return [{"task_id": pair.task_id, "run_id": pair.run_id, **row}]


def _told(task: EffectiveTask, name: str) -> str:
    """Return metric or direction, as far as the task's config tells it: what failed comes first."""
    with contextlib.suppress(TaskError):
        told: str = getattr(task, name)
        return told
    return ""


STAGE = spec.Stage(
    compute=compute,
    reads=("validate", "execute"),
    table=SCHEMAS["grade"],
    task=(
        *("kind", "dataset", "submission", "grader", "verifier", "*.py"),
        *spec.CARD_FILES,
        *spec.PROBED,
    ),
    input_files=True,
    settings={"bootstrap": "grading.bootstrap", "seed": "grading.seed"},
    overrides=("verifier",),
    unused=(*spec.FETCHING, *spec.RANKING, *spec.PREPARING, *spec.RUNNING, *spec.RERUNNING),
    sources=judged_by,
)
