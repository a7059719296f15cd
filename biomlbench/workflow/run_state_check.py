"""Whether the file of a run's state holds what a run writes: it may be damaged, or foreign."""

from __future__ import annotations

import json
import math
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

    from biomlbench.contracts.mappings import JsonObject
    from biomlbench.workflow.run_state_keys import RunState

__all__ = ["parse_state"]

STATES = ("planning", "running", "finished", "incomplete", "killed")
MOST = 1e15
"""Above every number of a state; of larger ones not even the digits may be written."""
_COUNT = {"type": "integer", "minimum": 0, "maximum": MOST}
_SECONDS = {"type": "number", "minimum": 0, "maximum": MOST}
_MAYBE = {"type": ["number", "null"], "minimum": 0, "maximum": MOST}
_TEXT = {"type": "string"}


def _object(required: JsonObject, optional: JsonObject | None = None) -> JsonObject:
    known = {**required, **(optional or {})}
    return {"type": "object", "required": [*required], "properties": known}


def _list_of(items: JsonObject) -> JsonObject:
    return {"type": "array", "items": items}


_JOB: JsonObject = {"rule": _TEXT, "for_s": _SECONDS}
_OF_PAIRS: JsonObject = {"task_id": _TEXT, "run_id": _TEXT, "batch": _TEXT, "pairs": _COUNT}
_COUNTS: JsonObject = dict.fromkeys(("done", "running", "failed", "left"), _COUNT)
_FAULTS = {"type": "object", "additionalProperties": _COUNT}
_OF_ALL: JsonObject = dict.fromkeys(("expected", "done", "held_up"), _COUNT)
_SCHEMA = _object(
    {
        "state": {"enum": STATES},
        "host": {"type": ["string", "null"]},
        "pid": {"type": ["integer", "null"]},
        "started": _TEXT,
        "updated": _TEXT,
        "seconds": _SECONDS,
        "jobs": _object({"done": _COUNT, "total": _COUNT}),
        "pairs": _object({**_OF_ALL, "faults": _FAULTS}),
        "summary": _TEXT,
        "stages": _list_of(_object({"stage": _TEXT, **_COUNTS})),
        "pairs_per_s": _MAYBE,
        "left_s": _MAYBE,
        "running": _list_of(_object(_JOB, _OF_PAIRS)),
        "running_in_all": _COUNT,
        "failed_jobs": _list_of(_object({**_JOB, "log": {"type": ["string", "null"]}}, _OF_PAIRS)),
        "failed_jobs_in_all": _COUNT,
        "faulty_tables": _list_of(_TEXT),
    }
)


@lru_cache(maxsize=1)
def _validator() -> Draft202012Validator:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(_SCHEMA)


def parse_state(data: bytes, version: int) -> RunState | None:
    """Return the state that a file holds.

    Parameters
    ----------
    data : bytes
        Content of the file.
    version : int
        Version of the state.

    Returns
    -------
    dict or None
        None for a state of another version.

    Raises
    ------
    ValueError
        If it is not what a run writes; the message names the place.
    """
    state = json.loads(data, parse_float=_finite, parse_constant=_finite)
    if not isinstance(state, dict) or state.get("version") != version:
        return None
    for error in _validator().iter_errors(state):
        place = "/".join(ascii(str(part))[1:-1][:100] for part in error.absolute_path)
        raise ValueError(f"{place or 'the state'} is not as a run writes it ({error.validator})")
    for name in ("started", "updated"):
        _check_time(name, state[name])
    return cast("RunState", state)


def _finite(text: str) -> float:
    if not math.isfinite(value := float(text)):
        raise ValueError("a number is not finite")
    return value


def _check_time(name: str, text: Any) -> None:
    try:
        datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError, OSError):
        raise ValueError(f"{name} is no time") from None
