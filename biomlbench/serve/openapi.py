"""The server's own description, as OpenAPI 3.1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from biomlbench import __version__
from biomlbench.errors import TaskError
from biomlbench.outcomes import Outcome, Reason, Verdict
from biomlbench.scoring.effective_task import VERSIONS
from biomlbench.serve.uploads import MAX_TASK_ID
from biomlbench.submission.reading import FORMATS, MAX_CODE_BYTES

if TYPE_CHECKING:
    from biomlbench.serve.settings import Settings

__all__ = ["description"]

_MIB = 1 << 20
_TEXT: dict[str, Any] = {"type": "string"}
_REASON = {"enum": [str(reason) for reason in Reason]}
_OUTCOME = {"enum": [str(outcome) for outcome in Outcome]}

_ERRORS = {
    "400": "The form is broken, lacks a field, or has one that is not known.",
    "404": "There is no such task.",
    "408": "The request did not arrive in time.",
    "413": "The request is too large.",
    "415": "The request is no multipart form.",
    "500": "The server, the task or the machine is at fault, not the submission.",
    "503": "Too many requests at once; try again after `Retry-After` seconds.",
}


def _object(properties: dict[str, Any], optional: tuple[str, ...] = ()) -> dict[str, Any]:
    required = [name for name in properties if name not in optional]
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


_SCHEMAS = {
    "Health": _object({"status": {"const": "running"}}),
    "Result": _object({"result": _TEXT}),
    "Error": _object({"error": _TEXT, "details": _TEXT}),
    "Reason": _object({"reason": _REASON, "sentence": _TEXT}),
    "Check": _object(
        {
            "check": _TEXT,
            "mode": _TEXT,
            "severity": {"enum": ["blocker", "critical", "advisory"]},
            "outcome": _OUTCOME,
            "reason": _REASON,
            "message": _TEXT,
            "margin": {
                "type": ["number", "null"],
                "description": "Distance to the threshold in units of it; negative: failed.",
            },
        }
    ),
    "Case": _object(
        {
            "case": _TEXT,
            "function": _TEXT,
            "outcome": _OUTCOME,
            "reason": _REASON,
            "message": _TEXT,
            "inputs": _TEXT,
            "expected": _TEXT,
            "got": _TEXT,
            "stdout": _TEXT,
        }
    ),
    "Evaluation": _object(
        {
            "task_id": _TEXT,
            "verifier": {"enum": list(VERSIONS), "description": "Which verifier decided."},
            "verdict": {"enum": [str(verdict) for verdict in Verdict]},
            "reasons": _list({"$ref": "#/components/schemas/Reason"}),
            "calibrated": {
                "type": "boolean",
                "description": "Whether the card has all the evidence that a card needs.",
            },
            "message": {
                "type": "string",
                "description": "Why the code was not run or could not be imported; else empty.",
            },
            "checks": {
                **_list({"$ref": "#/components/schemas/Check"}),
                "description": "Checks of the visible suite.",
            },
            "feedback": {
                **_list({"$ref": "#/components/schemas/Case"}),
                "description": "Cases of the visible suite.",
            },
        }
    ),
}


def description(settings: Settings) -> dict[str, Any]:
    """Return the OpenAPI document.

    Parameters
    ----------
    settings : Settings

    Returns
    -------
    dict
    """
    own = settings.context.task(settings.task_id).id if settings.task_id else ""
    card = _card(settings, own)
    largest = f"At most {settings.max_upload_mb} MiB."
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "biomlbench",
            "version": __version__,
            "description": "Checks submissions to biomedical machine-learning tasks.",
        },
        "paths": {
            "/health": {"get": _get("health", "Tell that the server runs.", "Health")},
            "/validate": {
                "post": _post(
                    "validate",
                    "Check the structure of a submission.",
                    "Answers 200 for a valid and for an invalid submission; `result` says which, "
                    "and what is wrong. The answers of the task are not opened.",
                    f"Predictions ({', '.join(FORMATS)}), or the code for a problem card. The "
                    f"file's name tells its format. {largest}",
                    "Result",
                    own,
                    must_name=not own,
                )
            },
            "/evaluate": {
                "post": _post(
                    "evaluate",
                    "Evaluate code on a problem card.",
                    "Runs the code in a sandbox on all suites of the card and answers with the "
                    "verdict. Cases and checks are shown of the visible suite only.",
                    f"Python code, at most {MAX_CODE_BYTES // _MIB} MiB.",
                    "Evaluation",
                    card,
                    must_name=card != own,
                )
            },
        },
        "components": {"schemas": _SCHEMAS},
    }


def _card(settings: Settings, own: str) -> str:
    """Return a card to name as an example: the server's own task, or else a prepared one."""
    from biomlbench.stages.cards import oracle_path
    from biomlbench.task.registry import Registry

    context = settings.context
    ids = Registry(context.tasks_dirs, context.data_dir).list_task_ids()
    for name in sorted(ids, key=own.__ne__):
        try:
            task = context.task(name)
        except TaskError:
            continue  # a broken task is an error for those who ask for it
        if task.is_card and (name == own or oracle_path(task).is_file()):
            return name
    return ""


def _get(name: str, summary: str, schema: str) -> dict[str, Any]:
    return {"operationId": name, "summary": summary, "responses": {"200": _json("Done.", schema)}}


def _post(
    name: str, summary: str, text: str, file: str, schema: str, example: str, *, must_name: bool
) -> dict[str, Any]:
    task: dict[str, Any] = {
        "type": "string",
        "maxLength": MAX_TASK_ID,
        "description": "Another task than the server's own, in full or by its bare name.",
    }
    if example:
        task["examples"] = [example]
    properties = {
        "file": {"type": "string", "format": "binary", "description": file},
        "task_id": task,
    }
    form = _object(properties, () if must_name else ("task_id",))
    responses = {"200": _json("Done.", schema)}
    responses |= {code: _json(text, "Error") for code, text in _ERRORS.items()}
    return {
        "operationId": name,
        "summary": summary,
        "description": text,
        "requestBody": {"required": True, "content": {"multipart/form-data": {"schema": form}}},
        "responses": responses,
    }


def _json(text: str, schema: str) -> dict[str, Any]:
    reference = {"$ref": f"#/components/schemas/{schema}"}
    return {"description": text, "content": {"application/json": {"schema": reference}}}
