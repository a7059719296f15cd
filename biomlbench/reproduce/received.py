"""A benchmark that somebody else packed: what its record may say, and what is left out.

An archive's config can name folders, a sandbox and code. Nothing outside the archive is read for
it, it cannot choose a weaker sandbox, and its own tasks, which are code that would run outside the
sandbox, are taken only where the user trusts them.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from biomlbench.reproduce.inputs import DATA, NotAgain, inside
from biomlbench.reproduce.layout import ReproduceError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from biomlbench.contracts.mappings import JsonObject
    from biomlbench.workflow.record import Record

__all__ = ["check_record", "restricted"]

_PATH = {"type": "string", "minLength": 1, "maxLength": 4096}
_PATHS = {"type": "array", "items": _PATH, "maxItems": 1000}
_HASH = {"type": ["string", "null"], "maxLength": 128}
_TASK = r"^[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*\Z"
_WORDS = {"type": "string", "maxLength": 1000}
_SCHEMA: JsonObject = {
    "type": "object",
    "required": ["format", "config", "run_tables", "submissions", "tasks", "code", "environment"],
    "properties": {
        "biomlbench": _WORDS,
        "config": {
            "type": "object",
            "required": ["title", "runs", "tasks_dirs", "tasks"],
            "properties": {
                "title": _WORDS,
                "runs": _PATHS,
                "tasks_dirs": _PATHS,
                "data_dir": _PATH,
                "results_dir": _PATH,
                "tasks": {
                    "type": "object",
                    "additionalProperties": {
                        "type": "object",
                        "properties": {"leaderboard": {"type": ["string", "null"]}},
                    },
                },
                "calibration": {
                    "type": "object",
                    "properties": {"adjudications": {"type": ["string", "null"]}},
                },
                "sandbox": {"type": "object"},
            },
        },
        "run_tables": {"type": "object", "additionalProperties": {"type": ["string", "null"]}},
        "submissions": {
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "required": ["sha256", "is"],
                "properties": {
                    "sha256": _HASH,
                    "is": {"enum": ["file", "link", "folder", "other", "missing"]},
                },
            },
        },
        "tasks": {
            "type": "object",
            "propertyNames": {"pattern": _TASK, "maxLength": 200},
            "additionalProperties": {"type": "object"},
        },
        "code": {"type": "object"},
        "environment": {
            "type": "object",
            "properties": {"kernels": {"type": "object", "additionalProperties": _WORDS}},
        },
    },
}


def check_record(record: Record) -> None:
    """Check a record against its schema.

    Parameters
    ----------
    record : mapping
        As read from a benchmark's provenance.

    Raises
    ------
    ReproduceError
        Naming the place in the record that is not as it must be.
    """
    from jsonschema import Draft202012Validator

    for error in Draft202012Validator(_SCHEMA).iter_errors(record):
        place = "/".join(ascii(str(part))[1:-1][:100] for part in error.absolute_path)
        what = "a name" if error.validator in ("propertyNames", "pattern") else error.validator
        raise ReproduceError(
            f"provenance.json: {place or 'the record'} is not as a record must be ({what}); it was "
            "changed by hand or not made by this project"
        )


def restricted(record: Record, *, trust_code: bool = False) -> tuple[Record, list[NotAgain]]:
    """Return the record of an archive without what reaches out of it.

    Parameters
    ----------
    record : mapping
        Checked by :func:`check_record`.
    trust_code : bool
        Take it as one's own: its tasks, which are code that is not run in the sandbox, and the
        paths that it names.

    Returns
    -------
    dict
        A copy.
    list of NotAgain
        The folders of tasks that were left out.

    Raises
    ------
    ReproduceError
        If a run table, submission, folder or file that it names lies outside the archive.
    """
    if trust_code:
        return record.copy(), []
    result = copy.deepcopy(record)
    config = result["config"]
    _refuse_outside("run table", result["run_tables"])
    _refuse_outside("run table", config["runs"])
    # a run that has left nothing names no file
    _refuse_outside("submission", filter(None, result["submissions"]))
    _refuse_outside("folder of tasks", config["tasks_dirs"])
    named = [changes.get("leaderboard") for changes in config["tasks"].values()]
    named.append(config.get("calibration", {}).get("adjudications"))
    _refuse_outside("file", filter(None, named))
    config["data_dir"] = inside(config.get("data_dir") or DATA) or DATA
    config.pop("results_dir", None)
    if "provider" in config.get("sandbox", {}):
        config["sandbox"]["provider"] = "auto"
    why = "untrusted: its tasks are code outside the sandbox; read them, then say --trust-code"
    left_out = [NotAgain(folder, (), why) for folder in config["tasks_dirs"]]
    config["tasks_dirs"] = []
    return result, left_out


def _refuse_outside(what: str, paths: Iterable[str]) -> None:
    for path in paths:
        if inside(path) is None:
            raise ReproduceError(
                f"provenance.json: the {what} {path[:200]!a} lies outside the archive, where "
                "nothing is read for it; if you trust who packed it: --trust-code"
            )
