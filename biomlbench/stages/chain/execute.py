"""Stage 2: run submitted code in the sandbox. Answers and oracles stay outside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from biomlbench.contracts import SCHEMAS
from biomlbench.errors import TaskError
from biomlbench.outcomes import Fault, Reason
from biomlbench.stages import specification as spec
from biomlbench.stages.kinds import get_kind
from biomlbench.stages.upstream import first_failure

if TYPE_CHECKING:
    import pyarrow as pa

    from biomlbench.stages import Context, Pair

__all__ = ["STAGE", "compute"]


def compute(pair: Pair, context: Context, tables: dict[str, pa.Table]) -> list[dict[str, Any]]:
    """Return one row a case and repeat.

    Parameters
    ----------
    pair : Pair
    context : Context
    tables : dict
        With the pair's ``validate`` table.

    Returns
    -------
    list of dict
        Rows of the schema ``execute``. Predictions pass through as one row; code that was found
        invalid is not run.

    Raises
    ------
    SandboxUnavailable, SandboxFault
        Where the machine, not the code, is at fault.
    """
    from biomlbench.stages.outputs import case_row

    if failure := first_failure(tables["validate"]):
        # Of one that changed while it was graded: it may be back, and found valid, by then.
        is_changed = failure["reason"] == Reason.SUBMISSION_CHANGED
        status = Reason.SUBMISSION_CHANGED if is_changed else Reason.NOT_REACHED
        rows = [case_row(status=status, message=failure["message"])]
    else:
        try:
            rows = get_kind(pair.kind).execute(pair, context)
        except TaskError as error:
            if error.fault != Fault.TASK:  # what this machine lacks may be there the next time
                raise
            rows = [case_row(status=error.reason, message=error.message)]
    key = {"task_id": pair.task_id, "run_id": pair.run_id}
    return [{**key, **row} for row in rows]


STAGE = spec.Stage(
    compute=compute,
    reads=("validate",),
    table=SCHEMAS["execute"],
    key=("case_id", "repeat"),
    task=(
        *("kind", "limits", "compute_requirements", "environment", "installed_data", "source"),
        *spec.CARD_FILES,
        *spec.PROBED,
    ),
    settings={
        "provider": "sandbox.provider",
        "repeats": "execution.repeats",
        "reruns": "execution.reruns",
        "limits": "execution.limits",
    },
    overrides=("limits", "repeats"),
    unused=(
        *(*spec.SCORING, *spec.ANSWERS, *spec.FETCHING, *spec.RANKING, *spec.PREPARING),
        *spec.SCORING_A_PAIR,
    ),
    seeded=True,
    runs_code=True,
    measured=True,
)
