"""What a table was made from: hashes of files, code, settings and environment.

A stage's table says what the stage depends on, no more: a changed leaderboard changes the
provenance of ``medal``, not that of ``validate``. The final record also carries what the stages
that it reads said, so that it describes the pair as a whole. No clock, no host, no path.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from biomlbench.errors import TaskError
from biomlbench.runtime.environment import PACKAGES, digest, environment, environment_hash
from biomlbench.runtime.regular_file import MAX_LIST_MB
from biomlbench.stages.chain import FINAL, dependencies, get_stage
from biomlbench.stages.specification import Stage
from biomlbench.task.version import ABSENT, file_hash, task_files, task_version

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from biomlbench.contracts.mappings import Config, JsonObject
    from biomlbench.scoring.effective_task import EffectiveTask
    from biomlbench.stages import Context
    from biomlbench.task.task import Task

__all__ = [
    "ABSENT",
    "COLUMNS",
    "PACKAGES",
    "board_hashes",
    "digest",
    "environment",
    "environment_hash",
    "file_hash",
    "inherited",
    "pair_columns",
    "record_of",
    "sources",
    "stage_record",
    "task_files",
    "task_version",
]

COLUMNS = (
    *("submission_sha256", "task_version", "answers_sha256", "leaderboard_sha256"),
    *("humans_sha256", "audit_sha256", "code", "settings", "environment"),
)
"""Columns of `pairs` that hold the provenance of a pair."""


def board_hashes(task: EffectiveTask) -> dict[str, str]:
    """Return the hashes of leaderboard and human baselines; one that is not there is `absent`."""
    hashes = {}
    for name, attribute in (("leaderboard", "leaderboard"), ("humans", "human_baselines")):
        try:
            path = getattr(task, attribute)
        except TaskError:
            path = None
        hashes[f"{name}_sha256"] = file_hash(path, MAX_LIST_MB)
    return hashes


def stage_record(
    stage: str, task: Task, context: Context, sources: Mapping[str, str], seed: int | None = None
) -> dict[str, str]:
    """Return what a stage's table was made from, beside submission and code.

    Parameters
    ----------
    stage : str
    task : Task
    context : Context
    sources : mapping of str to str
        Hashes of hidden files that the stage reads, as it declares them.
    seed : int, optional
        Seed of the run, where the stage uses it.

    Returns
    -------
    dict of str to str
    """
    declared = dependencies(stage)
    settings: Config = {name: getattr(context, name) for name in declared.settings}
    if "limits" in settings:
        settings["limits"] = dict(settings["limits"])
    if known := set(declared.overrides).difference(declared.files):
        settings["overrides"] = {k: v for k, v in context.overrides.items() if k in known}
    if seed is not None and isinstance(declared, Stage) and declared.seeded:
        settings["run_seed"] = seed
    record = {"task_version": task_version(task), "environment": environment_hash(), **sources}
    if settings:
        record["settings"] = json.dumps(settings, sort_keys=True, default=str)
    return record


def sources(
    stage: str,
    task_id: str,
    context: Context,
    tables: Mapping[str, pa.Table],
    seed: int | None = None,
) -> dict[str, str]:
    """Return what a stage's table was made from, beside submission and code.

    Parameters
    ----------
    stage, task_id : str
    context : Context
    tables : mapping of str to pyarrow.Table
        Of the stages before, as read from their files.
    seed : int, optional
        The run's seed.

    Returns
    -------
    dict of str to str
    """
    task = context.task(task_id)
    declared = dependencies(stage)
    hidden = declared.sources(task, context) if isinstance(declared, Stage) else {}
    record = stage_record(stage, task, context, hidden, seed)
    return {**record, **(inherited(tables) if stage == FINAL else {})}


def record_of(table: pa.Table) -> JsonObject:
    """Return the provenance in the metadata of a table that was read from its file."""
    return _parsed((table.schema.metadata or {}).get(b"biomlbench", b"{}"))


@lru_cache(maxsize=64)
def _parsed(text: bytes) -> JsonObject:
    record: JsonObject = json.loads(text)
    return record


def inherited(tables: Mapping[str, pa.Table]) -> dict[str, str]:
    """Return what the final record takes over from the tables that it reads.

    Parameters
    ----------
    tables : mapping of str to pyarrow.Table
        As read from their files.

    Returns
    -------
    dict of str to str
        Answers, and code and settings by stage: ``grade_code``, ``grade_settings``, ...
    """
    found: dict[str, str] = {}
    for stage, table in tables.items():
        record = record_of(table)
        found |= {f"{stage}_{key}": record[key] for key in ("code", "settings") if key in record}
        if "answers_sha256" in record:
            found["answers_sha256"] = record["answers_sha256"]
    return found


def pair_columns(record: Mapping[str, Any]) -> dict[str, str | None]:
    """Return the provenance columns of a pair.

    Parameters
    ----------
    record : mapping
        Provenance of the pair's ``medal`` table.

    Returns
    -------
    dict of str to str or None
        By :data:`COLUMNS`; ``code`` and ``settings`` are hashes over all stages'.
    """
    found: dict[str, str | None] = {name: record.get(name) for name in COLUMNS}
    for name in ("code", "settings"):
        by_stage = [record.get(f"{stage}_{name}") for stage in get_stage(FINAL).reads]
        found[name] = digest([*by_stage, record.get(name)])
    return found
