"""The server's own description, as OpenAPI 3.1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic.json_schema import models_json_schema

from biomlbench import __version__
from biomlbench.errors import TaskError
from biomlbench.serve.answers import Error, Evaluation, Health, Result
from biomlbench.serve.forms import MAX_TASK_ID
from biomlbench.submission.reading import FORMATS
from biomlbench.submission.submitted_file import MAX_CODE_BYTES

if TYPE_CHECKING:
    from pydantic import BaseModel

    from biomlbench.contracts.mappings import JsonObject
    from biomlbench.serve.settings import Settings

__all__ = ["description"]

_MIB = 1 << 20

_ERRORS = {
    "400": "The form is broken, lacks a field, or has one that is not known.",
    "403": "A page of another origin had a browser send it.",
    "404": "There is no such task.",
    "408": "The request did not arrive in time.",
    "413": "The request is too large.",
    "415": "The request is no multipart form.",
    "500": "The server, the task or the machine is at fault, not the submission.",
    "503": "Too many requests at once (see `Retry-After`), or a task is not prepared.",
}


def description(settings: Settings) -> JsonObject:
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
            "/health": {"get": _get("health", "Tell that the server runs.", Health)},
            "/validate": {
                "post": _post(
                    "validate",
                    "Check the structure of a submission.",
                    "Answers 200 for a valid and for an invalid submission; `result` says which, "
                    "and what is wrong. The answers of the task are not opened.",
                    f"Predictions ({', '.join(FORMATS)}), or the code for a problem card. The "
                    f"file's name tells its format. {largest}",
                    Result,
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
                    Evaluation,
                    card,
                    must_name=card != own,
                )
            },
        },
        "components": {"schemas": _schemas()},
    }


def _schemas() -> JsonObject:
    _, found = models_json_schema(
        [(model, "serialization") for model in (Health, Result, Error, Evaluation)],
        ref_template="#/components/schemas/{model}",
    )
    schemas: JsonObject = found["$defs"]
    return schemas


def _card(settings: Settings, own: str) -> str:
    """Return a card to name as an example: the server's own task, or else a prepared one."""
    from biomlbench.stages.cards import oracle_path

    context = settings.context
    ids = context.registry.list_task_ids()
    for name in sorted(ids, key=own.__ne__):
        try:
            task = context.task(name)
        except TaskError:
            continue  # a broken task is an error for those who ask for it
        if task.is_card and (name == own or oracle_path(task).is_file()):
            return name
    return ""


def _get(name: str, summary: str, schema: type[BaseModel]) -> JsonObject:
    return {"operationId": name, "summary": summary, "responses": {"200": _json("Done.", schema)}}


def _post(
    name: str,
    summary: str,
    text: str,
    file: str,
    schema: type[BaseModel],
    example: str,
    *,
    must_name: bool,
) -> JsonObject:
    task: JsonObject = {
        "type": "string",
        "maxLength": MAX_TASK_ID,
        "description": "Another task than the server's own, in full or by its bare name.",
    }
    if example:
        task["examples"] = [example]
    form = {
        "type": "object",
        "properties": {
            "file": {"type": "string", "format": "binary", "description": file},
            "task_id": task,
        },
        "required": ["file", "task_id"] if must_name else ["file"],
        "additionalProperties": False,
    }
    responses = {"200": _json("Done.", schema)}
    responses |= {code: _json(text, Error) for code, text in _ERRORS.items()}
    return {
        "operationId": name,
        "summary": summary,
        "description": text,
        "requestBody": {"required": True, "content": {"multipart/form-data": {"schema": form}}},
        "responses": responses,
    }


def _json(text: str, schema: type[BaseModel]) -> JsonObject:
    reference = {"$ref": f"#/components/schemas/{schema.__name__}"}
    return {"description": text, "content": {"application/json": {"schema": reference}}}
