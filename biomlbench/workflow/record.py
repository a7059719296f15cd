"""The provenance of a whole benchmark: all that is needed to run it again, in one JSON file.

It holds the config, the run tables as they were read, what each submission was, the versions of
the tasks, and the hashes of code and environment. No clock, no host.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, cast

from biomlbench import __version__
from biomlbench.contracts import ContractError, provenance, read_table
from biomlbench.runtime.regular_file import TooLargeError, read_regular
from biomlbench.stages import STAGES
from biomlbench.stages.preparing import data_note
from biomlbench.stages.provenance import (
    COLUMNS,
    board_hashes,
    digest,
    environment,
    environment_hash,
    file_hash,
    task_version,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from biomlbench.contracts.mappings import JsonObject
    from biomlbench.task.registry import Task
    from biomlbench.workflow.config_keys import WorkflowConfig
    from biomlbench.workflow.plan import Benchmark

__all__ = [
    *("PLACES", "RECORD", "Record", "RecordError", "Submitted", "TaskRecord"),
    *(
        "benchmark_record",
        "read_record",
        "submission_hashes",
        "summary_again",
        "summary_of",
        "title_of",
        "what_is",
    ),
]

RECORD = "provenance.json"
"""The file, in the folder of the results."""
FORMAT = 1
PLACES = ("data_dir", "demo", "results_dir", "tasks_dirs")
"""Keys of the config that only say where something is; a rerun may have it elsewhere."""
_SECTIONS = ("config", "run_tables", "submissions", "tasks", "code", "environment")
_SUMMARIES = ("aggregate", "telemetry", "report")
_ROWS_AT_A_TIME = 10_000  # as Python's objects


class RecordError(ContractError):
    """A results folder does not say what it was made from."""


Submitted = TypedDict("Submitted", {"sha256": "str | None", "is": str})
"""A submission's hash, and what lies at its place; see :func:`what_is`."""


class _Boards(TypedDict):
    leaderboard_sha256: str
    humans_sha256: str


class TaskRecord(_Boards):
    """A task of a benchmark: its version, where it is from, and hashes of its files."""

    version: str
    suite: list[str] | None
    built_in: bool
    prepared_sha256: str | None
    data_note: str


class Record(TypedDict):
    """The provenance of a benchmark; see :func:`benchmark_record`."""

    format: int
    biomlbench: str
    config: WorkflowConfig
    run_tables: dict[str, str | None]
    submissions: dict[str, Submitted]
    tasks: dict[str, TaskRecord]
    code: dict[str, str]
    environment: JsonObject
    lock_sha256: str


def benchmark_record(benchmark: Benchmark, results: Path, pairs: pa.Table) -> Record:
    """Return the provenance of a benchmark.

    Parameters
    ----------
    benchmark : Benchmark
    results : Path
        With the tasks' ``prepare`` tables.
    pairs : pyarrow.Table
        Of the schema ``pairs``.

    Returns
    -------
    dict
        What JSON can hold.
    """
    hashes = submission_hashes(pairs)
    return {
        "format": FORMAT,
        "biomlbench": __version__,
        "config": benchmark.config,
        "run_tables": benchmark.table_texts,
        "submissions": {
            path: {"sha256": hashes.get(path), "is": what_is(path)}
            for path in sorted({run.submission for run in benchmark.runs.values()})
        },
        "tasks": {
            task_id: _task_record(benchmark, benchmark.registry.get_task(task_id), results)
            for task_id in benchmark.tasks_with_runs
        },
        "code": {stage: benchmark.code(stage) for stage in ("prepare", *STAGES, *_SUMMARIES)},
        "environment": environment(),
        "lock_sha256": file_hash(benchmark.root / "envs" / "requirements.lock"),
    }


def submission_hashes(pairs: pa.Table) -> dict[str, str]:
    """Return the hash of each submission that was read, by its path.

    Parameters
    ----------
    pairs : pyarrow.Table
        Of the schema ``pairs``.
    """
    columns = (pairs.column(name).to_pylist() for name in ("submission", "submission_sha256"))
    # A row that no job read has none, whatever other rows say of the same file.
    return {path: found for path, found in zip(*columns, strict=True) if found is not None}


def title_of(results: Path, otherwise: str) -> str:
    """Return the title that the config gave a benchmark, or another one where none is recorded."""
    try:
        title = read_record(results)["config"].get("title")
    except RecordError:
        return otherwise
    return title if isinstance(title, str) and title else otherwise


def what_is(path: str | Path) -> str:
    """Tell what lies at the place of a submission: file, link, folder, other or missing."""
    try:
        mode = os.lstat(path).st_mode
    except (OSError, ValueError):
        return "missing"
    kinds = {stat.S_IFREG: "file", stat.S_IFLNK: "link", stat.S_IFDIR: "folder"}
    return kinds.get(stat.S_IFMT(mode), "other")


def _task_record(benchmark: Benchmark, task: Task, results: Path) -> TaskRecord:
    try:
        table = read_table("prepare", results / "tasks" / task.id / "prepare.parquet")
        (row,) = table.to_pylist()
        prepared, note = row["files_sha256"] or None, data_note(row)
    except ContractError:
        prepared, note = None, ""
    return {
        "version": task_version(task),
        "suite": [task.published.suite, task.published.commit] if task.published else None,
        "built_in": task.folder.is_relative_to(benchmark.registry.get_tasks_dir()),
        "prepared_sha256": prepared,
        "data_note": note,
        **cast("_Boards", board_hashes(benchmark.effective_task(task.id))),
    }


def summary_of(record: Record, pairs: pa.Table, code: str) -> dict[str, str]:
    """Return what a table over all pairs was made from, for its metadata.

    Parameters
    ----------
    record : mapping
        As :func:`benchmark_record` returns it.
    pairs : pyarrow.Table
        Of the schema ``pairs``, whose provenance columns say it pair by pair.
    code : str
        Hash of the code that made the table.

    Returns
    -------
    dict of str to str
        Hashes.
    """
    config = {key: value for key, value in record["config"].items() if key not in PLACES}
    return {
        "biomlbench": record["biomlbench"],
        "code": code,
        "config": digest(config),
        "environment": environment_hash(),
        "pairs": _hash_of(pairs, ("task_id", "run_id", *COLUMNS)),
        "runs": digest(record["run_tables"]),
        "tasks": digest(record["tasks"]),
    }


def _hash_of(pairs: pa.Table, names: Sequence[str]) -> str:
    """Return the hash of columns as one list of lists in JSON, of which never all is there."""
    found = hashlib.sha256(b"[")
    for place, name in enumerate(names):
        found.update(b", [" if place else b"[")
        for start in range(0, len(pairs), _ROWS_AT_A_TIME):
            values = pairs.column(name).slice(start, _ROWS_AT_A_TIME).to_pylist()
            found.update(b", " if start else b"")
            found.update(json.dumps(values)[1:-1].encode())
        found.update(b"]")
    found.update(b"]")
    return found.hexdigest()[:16]


def read_record(results: str | Path) -> Record:
    """Return the provenance of a results folder.

    Parameters
    ----------
    results : path

    Returns
    -------
    dict
        As :func:`benchmark_record` made it.

    Raises
    ------
    RecordError
        If there is none, or it cannot be read.
    """
    path = Path(results) / RECORD
    try:
        record: Record = json.loads(read_regular(path))
    except FileNotFoundError as error:
        raise RecordError(
            f"{path}: there is no such file; run the workflow again, which writes it"
        ) from error
    except (OSError, ValueError, RecursionError, MemoryError, TooLargeError) as error:
        why = str(error) or type(error).__name__
        raise RecordError(f"{path}: cannot be read ({why}); run the workflow again") from error
    whole = isinstance(record, dict) and all(isinstance(record.get(k), dict) for k in _SECTIONS)
    if not whole or record.get("format") != FORMAT:
        raise RecordError(f"{path}: not a record of this version; run the workflow again")
    return record


def summary_again(results: Path, code: str) -> dict[str, str]:
    """Return :func:`summary_of` as the `pairs` table says it, for a table made from that."""
    made_from = provenance(results / "pairs.parquet")
    kept = ("biomlbench", "config", "environment", "pairs", "runs", "tasks")
    return {**{key: made_from[key] for key in kept if key in made_from}, "code": code}
