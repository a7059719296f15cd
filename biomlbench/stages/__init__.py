"""The five stages of a pair: validate, execute, grade, verify, medal.

Each stage is a file in `biomlbench.stages.chain` that says what it reads and depends on, and
computes its rows. The API, the command line and the workflow's rules all go through
:func:`run_stage`, so they give the same tables.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomlbench.runtime.once import once, one_look
from biomlbench.scoring.effective_task import EffectiveTask

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import pyarrow as pa

    from biomlbench.contracts.mappings import TypedRow
    from biomlbench.errors import TaskError
    from biomlbench.task.registry import Registry, Task

__all__ = [
    "STAGES",
    "Context",
    "Pair",
    "is_outdated",
    "lineage",
    "read_stage",
    "rows_and_digest",
    "run_pair",
    "run_stage",
    "submission_hash",
]

_OUTDATED_NS = 10**9
"""Time that marks a table as outdated: the first second of 1970, older than any submission."""

STAGES: tuple[str, ...]
"""The names of the stages in the order in which they run, looked up when asked for."""


def __getattr__(name: str) -> tuple[str, ...]:
    if name != "STAGES":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from biomlbench.stages.chain import all_stages

    return tuple(all_stages())


@dataclass(frozen=True, slots=True)
class Pair:
    """A task and a run of it: the unit of work.

    Attributes
    ----------
    task_id : str
        ``domain/name``.
    run_id : str
    submission : str
        Path of the submitted file; it need not exist.
    kind : str
        ``predictions``, ``program`` or ``functions``.
    seed : int or None
        Seed that a program is given.
    root : str or None
        Folder below which the submitted file has to lie whenever it is opened, as
        :func:`biomlbench.submission.submitted_file.confined` takes it.
    """

    task_id: str
    run_id: str
    submission: str
    kind: str = "predictions"
    seed: int | None = None
    root: str | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """What the stages need to know beside the pair.

    Attributes
    ----------
    data_dir : str
        Folder of prepared task data.
    tasks_dirs : tuple of str
        Folders with tasks beside the built-in ones.
    provider : str
        Sandbox provider, or ``auto``.
    bootstrap : int
        Resamples for a score's interval; 0 for none.
    seed : int
        Seed of the bootstrap.
    repeats : int
        Executions of each hidden case.
    reruns : bool
        Whether a program is run again on changed inputs.
    limits : mapping
        Default limits of the sandbox; a task's own come first.
    overrides : mapping
        Changes that the config makes to the pair's task.
    grant : mapping
        What a scheduler gave the job: ``cpus``, ``memory_mb``, ``runtime_min``, ``gpus``; what
        the task asks for where it says nothing.
    unprepared : TaskError or None
        What in the task's own files kept it from being prepared, if anything did.
    """

    data_dir: str | None = None
    tasks_dirs: tuple[str, ...] = ()
    provider: str = "auto"
    bootstrap: int = 2000
    seed: int = 0
    repeats: int = 1
    reruns: bool = True
    limits: Mapping[str, Any] = field(default_factory=dict)
    overrides: Mapping[str, Any] = field(default_factory=dict)
    grant: Mapping[str, int] = field(default_factory=dict)
    unprepared: TaskError | None = None

    @property
    def registry(self) -> Registry:
        """The tasks that there are, one registry for all equal contexts."""
        return _registry(self.data_dir, tuple(self.tasks_dirs))

    def task(self, task_id: str) -> Task:
        """Return the task of that id."""
        registry = self.registry
        return once((id(registry), task_id), lambda: registry.get_task(task_id))

    def full_id(self, task_id: str) -> str | None:
        """Return the full id of a task that may be named in short; None where no one task is."""
        return self.registry.full_id(task_id)

    def effective_task(self, task_id: str) -> EffectiveTask:
        """Return the task of that id as the config changes it."""
        return once(
            (self.changes, task_id), lambda: EffectiveTask(self.task(task_id), self.overrides)
        )

    @property
    def changes(self) -> str:
        """The overrides as a text, equal for equal ones, by which results can be kept."""
        return json.dumps(self.overrides, sort_keys=True, default=repr)


@cache
def _registry(data_dir: str | None, tasks_dirs: tuple[str, ...]) -> Registry:
    from biomlbench.task.registry import Registry

    return Registry(tasks_dirs=tasks_dirs, data_dir=data_dir)


def run_stage(
    stage: str,
    pair: Pair,
    context: Context,
    folder: str | Path,
    provenance: Mapping[str, str] | None = None,
) -> pa.Table:
    """Run one stage of a pair: read the tables before it, write its own.

    Parameters
    ----------
    stage : str
        One of :data:`STAGES`.
    pair : Pair
    context : Context
    folder : path
        The pair's folder, with one ``<stage>.parquet`` a stage.
    provenance : mapping, optional
        Written into the table's metadata, with the submission's hash.

    Returns
    -------
    pyarrow.Table
        As written.

    Raises
    ------
    ContractError
        If a table of an earlier stage is missing or damaged; a damaged one is quarantined, so
        that the next run makes it anew.
    """
    from biomlbench.contracts import from_rows, write_table
    from biomlbench.contracts import provenance as provenance_of_table
    from biomlbench.stages.chain import get_stage
    from biomlbench.stages.data_state import state_of_data
    from biomlbench.stages.provenance import sources

    reads = get_stage(stage).reads
    folder = Path(folder)
    tables = {name: read_stage(name, folder) for name in reads}
    validated = None
    if reads:
        record_of_first = provenance_of_table(folder / "validate.parquet")
        validated = record_of_first.get("submission_sha256", "")
    with one_look(state_of_data(pair, context)):
        rows, digest = rows_and_digest(stage, pair, context, tables, folder, validated)
        made_from = sources(stage, pair.task_id, context, tables, pair.seed)
    table = from_rows(stage, rows)
    record = {
        "submission_sha256": digest,
        **made_from,
        **lineage(stage, folder),
        **(provenance or {}),
    }
    write_table(stage, table, folder / f"{stage}.parquet", record)
    return table


def run_pair(
    pair: Pair,
    context: Context,
    folder: str | Path,
    track: Callable[[Iterable[str]], Iterable[str]] = iter,
) -> dict[str, pa.Table]:
    """Run all stages of a pair, one after another.

    Parameters
    ----------
    pair, context, folder
        As in :func:`run_stage`.
    track : callable, optional
        Goes through the stages' names, to show how far it is.

    Returns
    -------
    dict of str to pyarrow.Table
        The table of every stage.
    """
    from biomlbench.stages.chain import all_stages

    stages = track(all_stages())
    return {stage: run_stage(stage, pair, context, folder) for stage in stages}


def rows_and_digest(
    stage: str,
    pair: Pair,
    context: Context,
    tables: dict[str, pa.Table],
    folder: Path,
    validated: str | None = None,
) -> tuple[Sequence[TypedRow], str]:
    """Return a stage's rows of a pair, and the hash of the submission that they are of.

    A submission that is not the one that was validated, or becomes another while the stage reads
    it, even if the first one is put back, gives the rows of an invalid one.

    Parameters
    ----------
    stage : str
    pair : Pair
    context : Context
    tables : dict
        Of the stages that it reads.
    folder : Path
        Of the ``validate`` table, which is marked in that case (:func:`is_outdated`): the next run
        grades what is there then.
    validated : str, optional
        The hash of the submission that was validated; None for a stage that reads no other.

    Returns
    -------
    rows : sequence of dict
    digest : str
        As :func:`submission_hash` gives it; ``changed`` where there was no one content.
    """
    from biomlbench.stages.chain import get_stage
    from biomlbench.stages.changed import CHANGED, rows_of_changed
    from biomlbench.submission.submitted_file import OtherContentError, confined, expecting

    digest = submission_hash(pair.submission, pair.root)
    if validated in (None, digest):
        with (
            contextlib.suppress(OtherContentError),
            confined(pair.submission, pair.root),
            expecting(pair.submission, digest),
        ):
            return get_stage(stage).compute(pair, context, tables), digest
    if validated is not None:
        os.utime(folder / "validate.parquet", ns=(_OUTDATED_NS, _OUTDATED_NS))
    return rows_of_changed(stage, pair, context), validated or CHANGED


def submission_hash(path: str | Path, root: str | Path | None = None) -> str:
    """Return the SHA-256 of a submission, or ``absent`` for what is no regular file of its own.

    Parameters
    ----------
    path : path
    root : path, optional
        As in :class:`Pair`.
    """
    from biomlbench.submission.submitted_file import confined, file_sha256

    with confined(path, root):
        return file_sha256(path)


def lineage(stage: str, folder: Path) -> dict[str, str]:
    """Return a hash over all that the stages before a stage were made from, for its metadata.

    Snakemake takes an input of the same bytes as unchanged. With it a table whose rows are the
    same though something before it changed is another file, so that a run that was killed in
    between still remakes what follows.
    """
    from biomlbench.contracts import provenance as provenance_of_table
    from biomlbench.stages.chain import before

    if (earlier := before(stage)) is None:
        return {}
    text = json.dumps(provenance_of_table(folder / f"{earlier}.parquet"), sort_keys=True)
    return {"lineage": hashlib.sha256(text.encode()).hexdigest()[:16]}


def read_stage(name: str, folder: Path, columns: list[str] | None = None) -> pa.Table:
    """Return a stage's table from a folder; a damaged one is quarantined, to be made anew."""
    from biomlbench.contracts import ContractError, read_table

    path = folder / f"{name}.parquet"
    try:
        return read_table(name, path, columns)
    except ContractError:
        with contextlib.suppress(FileNotFoundError):  # or somebody else has quarantined it
            path.replace(path.with_suffix(".damaged"))
        raise


def is_outdated(table: Path) -> bool:
    """Tell whether a stage has found a ``validate`` table to be of another submission."""
    try:
        return Path(table).stat().st_mtime_ns == _OUTDATED_NS
    except OSError:
        return False
