"""The work behind the server's answers: a file and a task in, plain data out.

It is done in worker processes, so that parsing a hostile upload holds up no other request.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from biomlbench.api.grading import validate_submission
from biomlbench.errors import NotPreparedError, TaskError
from biomlbench.outcomes import Reason, sentence
from biomlbench.serve.answers import Evaluation, Result
from biomlbench.serve.feedback import disagreement, visible_checks, visible_feedback
from biomlbench.serve.names import stored_name
from biomlbench.serve.refusal import Refusal
from biomlbench.stages import Pair, run_pair
from biomlbench.stages.cards import oracle_path
from biomlbench.stages.kinds import kind_of
from biomlbench.stages.upstream import upstream_failure
from biomlbench.task.registry import prepare_command

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from biomlbench.contracts.mappings import JsonObject
    from biomlbench.serve.settings import Settings
    from biomlbench.task.registry import Task

__all__ = ["evaluate", "validate"]

RUN_ID = "submission"

log = logging.getLogger(__name__)


def validate(settings: Settings, upload: Path, filename: str, task_id: str | None) -> Any:
    """Check the structure of a submission, as :func:`biomlbench.grade.validate_submission`.

    Parameters
    ----------
    settings : Settings
    upload : Path
        The file, in a folder of its own; it is renamed.
    filename : str
        As the client calls it. Only its ending counts.
    task_id : str or None
        By default the server's task.

    Returns
    -------
    dict
        ``result``: a sentence, for a valid and for an invalid submission.

    Raises
    ------
    Refusal
        If there is no such task.
    TaskError
        If the task is broken or its data is not prepared.
    """
    task = _task(settings, task_id)
    path = upload.rename(upload.with_name(stored_name(filename, task.kind)))
    return Result(result=validate_submission(path, task)[1]).model_dump()


def evaluate(settings: Settings, upload: Path, filename: str, task_id: str | None) -> Any:
    """Evaluate a candidate on a problem card, by the verifier that the card asks for.

    Parameters
    ----------
    settings, upload, filename, task_id
        As for :func:`validate`.

    Returns
    -------
    dict
        Verdict with reasons; checks and cases of the visible suite only.

    Raises
    ------
    Refusal
        If there is no such problem card.
    TaskError
        If the card is broken or not prepared.
    SandboxUnavailable, SandboxFault
        If the machine, not the code, is at fault.
    """
    task = _task(settings, task_id)
    if not task.is_card:
        raise Refusal(
            404,
            "Not a problem card.",
            f"{task.id} asks for predictions; send those to /validate.",
        )
    if not oracle_path(task).is_file():
        raise NotPreparedError(f"{task.id}: not prepared; run first: {prepare_command(task)}")
    path = upload.rename(upload.with_name(stored_name(filename, task.kind)))
    limits = {"total_wall_s": settings.timeout_s, **settings.context.limits}
    context = replace(settings.context, limits=limits, bootstrap=0)
    pair = Pair(task.id, RUN_ID, str(path), kind_of(str(path), task.kind), 0)
    return _answer(task, run_pair(pair, context, upload.with_name("stages")))


def _task(settings: Settings, task_id: str | None) -> Task:
    name = task_id or settings.task_id
    if not name:
        raise Refusal(
            400,
            "No task was named.",
            "Send the form field `task_id`, or start the server with TASK_ID set.",
        )
    try:
        return settings.context.task(name)
    except TaskError as error:
        if error.reason != Reason.UNKNOWN_TASK:
            raise
        raise Refusal(404, "Unknown task.", error.message) from error


def _answer(task: Task, tables: dict[str, pa.Table]) -> JsonObject:
    record = tables["medal"].to_pylist()[0]
    answer: JsonObject = {
        "task_id": task.id,
        "verifier": record["verifier"],
        "verdict": record["verdict"],
        "reasons": [
            {"reason": reason, "sentence": sentence(reason)} for reason in record["verdict_reasons"]
        ],
        "calibrated": record["calibrated"],
        "message": "",
        "checks": [],
        "feedback": [],
    }
    if failure := upstream_failure(tables):
        # The code was not run, or could not be imported: no case is to blame.
        answer["message"] = failure["message"]
    else:
        if found := disagreement(tables["verify"]):
            log.warning("%s: the verifiers disagree: %s", task.id, found)
        answer["checks"] = visible_checks(tables["verify"])
        answer["feedback"] = visible_feedback(task, tables["execute"], record["verifier"])
    return Evaluation.model_validate(answer).model_dump(mode="json")
