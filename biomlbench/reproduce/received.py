"""A benchmark that somebody else packed: what its record may say, and what is left out.

An archive's config can name folders, a sandbox and code. Nothing outside the archive is read for
it, it cannot choose a weaker sandbox or raise its limits, and its own tasks, which are code that
would run outside the sandbox, are taken only where the user trusts them.
"""

from __future__ import annotations

import copy
import re
from dataclasses import fields
from typing import TYPE_CHECKING, cast

from biomlbench.reproduce.inputs import DATA, NotAgain, inside, leads_out
from biomlbench.reproduce.layout import ReproduceError
from biomlbench.sandbox.model import Limits
from biomlbench.task.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from biomlbench.contracts.mappings import JsonObject
    from biomlbench.workflow.config_keys import ExecutionSection, TaskSection, WorkflowConfig
    from biomlbench.workflow.record import Record

__all__ = ["check_record", "own_tasks", "restricted"]

# A block of YAML ends in a line feed, so that a title may.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_PATH = {"type": "string", "minLength": 1, "maxLength": 4096}
_PATHS = {"type": "array", "items": _PATH, "maxItems": 1000}
_HASH = {"type": ["string", "null"], "maxLength": 128}
_DEEPEST = 60
"""Levels of a record, which has six: what copies, checks or writes one goes down level by level."""
_TASK = r"^[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*\Z"
_WORDS = {"type": "string", "maxLength": 1000}
_LIMITS = {
    "type": "object",
    "propertyNames": {"enum": [one.name for one in fields(Limits)]},
    "additionalProperties": {"type": "number"},
}
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
                        "properties": {
                            "leaderboard": {"type": ["string", "null"]},
                            "limits": _LIMITS,
                        },
                    },
                },
                "calibration": {
                    "type": "object",
                    "properties": {"adjudications": {"type": ["string", "null"]}},
                },
                "sandbox": {"type": "object"},
                "execution": {"type": "object", "properties": {"limits": _LIMITS}},
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
        "lock_sha256": _HASH,
        "code": {"type": "object"},
        "environment": {
            "type": "object",
            "properties": {
                "kernels": {"type": "object", "additionalProperties": _WORDS},
                "packages": {"type": "object"},
            },
        },
    },
}
_OUTSIDE = "lies outside the archive, where nothing is read for it"


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

    if _levels(record) > _DEEPEST:
        raise ReproduceError(_not_as_it_must_be("the record", f"more than {_DEEPEST} levels"))
    for error in Draft202012Validator(_SCHEMA).iter_errors(record):
        place = "/".join(ascii(str(part))[1:-1][:100] for part in error.absolute_path)
        what = "a name" if error.validator in ("propertyNames", "pattern") else error.validator
        raise ReproduceError(_not_as_it_must_be(place or "the record", what))
    for place, text in _texts(record):
        if _UNPRINTABLE.search(text):
            raise ReproduceError(_not_as_it_must_be(place, "control characters"))
    for name, table in record["run_tables"].items():
        try:
            (table or "").encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            place = f"run_tables/{ascii(name)[1:-1][:100]}"
            raise ReproduceError(_not_as_it_must_be(place, "no text of a file")) from None


def _not_as_it_must_be(place: str, what: str) -> str:
    return (
        f"provenance.json: {place} is not as a record must be ({what}); it was changed by hand or "
        "not made by this project"
    )


def _levels(record: Record) -> int:
    """Return how deep a record is, at most one more than is allowed."""
    level: list[object] = [record]
    deep = 0
    while level and deep <= _DEEPEST:
        deep += 1
        above, level = level, []
        for value in above:
            if isinstance(value, dict):
                level += value.values()
            elif isinstance(value, list):
                level += value
    return deep


def _texts(record: Record) -> Iterator[tuple[str, str]]:
    """Yield all texts of a record, each with the section that it is in.

    Contents of run tables are those of files, and submissions may have any name: those that no
    file should have are never opened.
    """
    for section, value in record.items():
        shown = ascii(section)[1:-1][:100]
        contents: list[object] = [] if section == "submissions" else [value]
        waiting = [section, *(record["run_tables"] if section == "run_tables" else contents)]
        while waiting:
            match waiting.pop():
                case str() as text:
                    yield shown, text
                case dict() as mapping:
                    waiting += [*mapping, *mapping.values()]
                case list() as several:
                    waiting += several


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
        The folders of tasks, the submissions outside the archive, and the limits, that were left
        out.

    Raises
    ------
    ReproduceError
        If a run table, folder or file that it names lies outside the archive.
    """
    if trust_code:
        return record.copy(), []
    result = copy.deepcopy(record)
    config = result["config"]
    _refuse_outside("run table", result["run_tables"])
    _refuse_outside("run table", config["runs"])
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
    outside = sorted(filter(leads_out, result["submissions"]))
    for path in outside:
        del result["submissions"][path]
    left_out += [NotAgain(path, (), _OUTSIDE) for path in outside]
    return result, left_out + _without_raised_limits(config)


def own_tasks(record: Record) -> frozenset[str]:
    """Return the tasks of a benchmark that are not built in, by id."""
    return frozenset(record["tasks"]) - frozenset(Registry().list_task_ids())


def _without_raised_limits(config: WorkflowConfig) -> list[NotAgain]:
    """Take away the limits that ask for more of this machine than the usual ones."""
    usual, left_out = Limits(), []
    most = {one.name: getattr(usual, one.name) for one in fields(Limits)}
    most |= {"cpu_s": usual.wall_s, "total_cpu_s": usual.all_cpu_s}
    most["total_output_mb"] = usual.all_output_mb
    sections: list[tuple[str, ExecutionSection | TaskSection]] = list(config["tasks"].items())
    if "execution" in config:
        sections.append(("execution", config["execution"]))
    for place, section in sections:
        limits = cast("dict[str, float]", section.get("limits", {}))
        raised = [name for name, value in limits.items() if not 0 <= value <= most[name]]
        for name in raised:
            del limits[name]
        if raised:
            why = f"untrusted: limits above the usual ones ({', '.join(raised)}); or --trust-code"
            left_out.append(NotAgain(f"limits of {place}", (), why))
    return left_out


def _refuse_outside(what: str, paths: Iterable[str]) -> None:
    for path in paths:
        if inside(path) is None:
            raise ReproduceError(
                f"provenance.json: the {what} {path[:200]!a} lies outside the archive, where "
                "nothing is read for it; if you trust who packed it: --trust-code"
            )
