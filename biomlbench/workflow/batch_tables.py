"""A stage for many pairs of one task: the same rows as theirs, in one table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.contracts import DIGESTS, from_rows, write_table
from biomlbench.contracts import provenance as provenance_of_table
from biomlbench.errors import UserError, explain
from biomlbench.runtime.once import one_look
from biomlbench.stages import (
    check_digest,
    lineage,
    read_stage,
    rows_of,
    submission_hash,
)
from biomlbench.stages.chain import get_stage
from biomlbench.stages.provenance import sources
from biomlbench.workflow.assignment import SUSPECT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from biomlbench.contracts.mappings import TypedRow
    from biomlbench.stages import Context, Pair

__all__ = ["BatchError", "run_batch", "split"]


class BatchError(RuntimeError):
    """A pair of a batch could not be done; the message names it."""


class _UserBatchError(UserError, BatchError):
    """The same, for what the user can do something about."""


def run_batch(
    stage: str,
    pairs: Sequence[Pair],
    context: Context,
    folder: str | Path,
    provenance: Mapping[str, str] | None = None,
) -> pa.Table:
    """Run one stage of several pairs of a task, one after another.

    Parameters
    ----------
    stage : str
        One of `biomlbench.stages.STAGES`.
    pairs : sequence of Pair
        Of one task, sorted by run.
    context : Context
    folder : path
        The batch's folder, with one ``<stage>.parquet`` a stage.
    provenance : mapping, optional
        Written into the table's metadata, with the submissions' hashes.

    Returns
    -------
    pyarrow.Table
        As written: every pair's rows, in the order of the pairs.

    Raises
    ------
    BatchError
        If a pair could not be done, naming it. Its name is also left in the folder, as it is
        when this process is killed, so that the pair comes into a job of its own next time.
    """
    reads = get_stage(stage).reads
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    before = {name: split(read_stage(name, folder)) for name in reads}
    validated = {}
    if reads:
        validated = provenance_of_table(folder / "validate.parquet").get(DIGESTS, {})
    suspect = folder / SUSPECT
    rows: list[TypedRow] = []
    digests = {}
    # Added to, not written anew: on some file systems each replaced content waits for the disk.
    with suspect.open("w", encoding="utf-8") as turns, one_look():
        for pair in pairs:
            turns.write(f"{pair.run_id}\n")
            turns.flush()
            try:
                digests[pair.run_id] = digest = submission_hash(pair.submission, pair.root)
                if reads:
                    check_digest(pair, validated.get(pair.run_id), digest, folder)
                tables = {name: by_run[pair.run_id] for name, by_run in before.items()}
                rows += rows_of(stage, pair, context, tables, digest)
            except Exception as error:
                kind = BatchError if (told := explain(error)) is None else _UserBatchError
                raise kind(f"{pair.task_id} {pair.run_id}: {told or error}") from error
    table = from_rows(stage, rows)
    made_from = sources(stage, pairs[0].task_id, context, _any_of(before))
    record = {DIGESTS: digests, **made_from, **lineage(stage, folder), **(provenance or {})}
    write_table(stage, table, folder / f"{stage}.parquet", record)
    suspect.unlink(missing_ok=True)
    return table


def _any_of(before: Mapping[str, Mapping[str, pa.Table]]) -> dict[str, pa.Table]:
    """Return one pair's tables of the stages before: all of a batch say the same of its task."""
    return {stage: next(iter(by_run.values())) for stage, by_run in before.items() if by_run}


def split(table: pa.Table) -> dict[str, pa.Table]:
    """Return the rows of every run of a table.

    Parameters
    ----------
    table : pyarrow.Table
        With a column ``run_id`` in which equal values follow one another.

    Returns
    -------
    dict of str to pyarrow.Table
    """
    starts: dict[str, int] = {}
    lengths: dict[str, int] = {}
    for number, run in enumerate(table.column("run_id").to_pylist()):
        starts.setdefault(run, number)
        lengths[run] = lengths.get(run, 0) + 1
    return {run: table.slice(start, lengths[run]) for run, start in starts.items()}
