"""Files of tables, read and checked: others may have made them."""

from __future__ import annotations

import json
import stat
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from biomlbench.contracts._error import ContractError
from biomlbench.contracts._tables import (
    DIGESTS,
    JOB,
    PROVENANCE,
    QUERIED,
    SCHEMAS,
    check_nulls,
    check_schema,
)
from biomlbench.contracts._text_limits import refuse_long_texts
from biomlbench.run_command import run_command

if TYPE_CHECKING:
    import os

    from biomlbench.contracts.mappings import JsonObject

__all__ = ["job_digest", "provenance", "read_table"]

SMALL = 1_000_000
"""Bytes up to which a file is read at once and decoded by one thread: a third less time each."""
_KEY = ("task_id", "run_id")
"""Columns that tell the rows of ``pairs`` apart."""
MOST_ROWS = 20_000_000
"""Rows of a table: a hundred checks of 200,000 pairs."""


def read_table(
    name: str, path: str | Path, columns: list[str] | None = None, *, coded: bool = False
) -> pa.Table:
    """Read a table and check it against its declared schema.

    Parameters
    ----------
    name : str
        A key of :data:`SCHEMAS`.
    path : path
    columns : list of str, optional
        Read only these columns (the file's schema is checked whole all the same).
    coded : bool
        Read texts as codes and what these stand for (Arrow's dictionaries), as they lie in the
        file: of a table that repeats few of them, a tenth of the memory.

    Returns
    -------
    pyarrow.Table

    Raises
    ------
    ContractError
        If the file is missing, cannot be read, or has another schema; or if it has two rows of
        one pair.
    """
    try:
        small = _state(path).st_size <= SMALL
        source = pa.BufferReader(Path(path).read_bytes()) if small else path
        texts = [f.name for f in SCHEMAS[name] if coded and pa.types.is_string(f.type)]
        with pq.ParquetFile(
            source, memory_map=False, pre_buffer=not small, read_dictionary=texts
        ) as file:
            check_schema(name, _decoded(file.schema_arrow), f"{path}: ")
            if (rows := file.metadata.num_rows) > MOST_ROWS:
                # A few kilobytes can hold any number of equal rows.
                raise ContractError(
                    f"{path}: {rows} rows; at most {MOST_ROWS} are read; make the table anew with "
                    "this program"
                )
            table = file.read(columns=columns, use_threads=not small)
            keys = table if name == "pairs" else None
            if keys is not None and not {*_KEY} <= {*keys.column_names}:
                keys = file.read(columns=list(_KEY), use_threads=not small)
    except FileNotFoundError as error:
        of_calibration = ("calibrate",) if "calibration" in Path(path).parts else ()
        made_by = run_command(*of_calibration)
        raise ContractError(f"{path}: no such table; run `{made_by}` to make it") from error
    except (pa.ArrowException, OSError) as error:
        raise ContractError(
            f"{path}: cannot be read ({error}); delete it and run the workflow again"
        ) from error
    if columns is None:
        check_nulls(name, table, f"{path}: ")
    if name in QUERIED:
        refuse_long_texts(name, table, path)
    if keys is not None:
        _refuse_repeated(keys, path)
    return table


def _refuse_repeated(pairs: pa.Table, path: str | Path) -> None:
    """Refuse two rows of one run of one task: readers count, and look up, each pair once."""
    counts = pairs.group_by(list(_KEY)).aggregate([([], "count_all")])
    repeated = counts.filter(pc.greater(counts.column("count_all"), 1))
    if len(repeated):
        task, run = min(zip(*(repeated.column(name).to_pylist() for name in _KEY), strict=True))
        raise ContractError(
            f"{path}: {len(repeated)} pair(s) in more than one row, such as the run "
            f"{run!r:.200} of {task!r:.200}; delete it and run the workflow again"
        )


def _decoded(schema: pa.Schema) -> pa.Schema:
    """Return a schema with the types that coded columns stand for."""
    kinds = [f.type.value_type if pa.types.is_dictionary(f.type) else f.type for f in schema]
    return pa.schema([f.with_type(kind) for f, kind in zip(schema, kinds, strict=True)])


def _state(path: str | Path) -> os.stat_result:
    found = Path(path).stat()
    if not stat.S_ISREG(found.st_mode):
        raise ContractError(
            f"{path}: is no file, but a folder, a pipe or a device; remove it, and run the "
            "workflow again"
        )
    return found


def provenance(path: str | Path, run: str | None = None) -> JsonObject:
    """Return the provenance that :func:`write_table` put into a file.

    Parameters
    ----------
    path : path
    run : str, optional
        In a table of several runs, return what a table of this one alone would say.

    Returns
    -------
    dict
        Without what :func:`job_digest` returns, which depends on how pairs share jobs.

    Raises
    ------
    ContractError
        If the file is no regular one, or its metadata hold no such record.
    """
    record = dict(_current_record(path))
    record.pop(JOB, None)
    if run is not None and run in record.get(DIGESTS, {}):
        record["submission_sha256"] = record.pop(DIGESTS)[run]
        record = dict(sorted(record.items()))  # as in a table of this run alone
    return record


def job_digest(path: str | Path) -> str | None:
    """Return the hash of the job that made a stage's table; None where the table does not say.

    Parameters
    ----------
    path : path

    Raises
    ------
    ContractError, OSError, pyarrow.ArrowException
        If the file cannot be read.
    """
    found = _current_record(path).get(JOB)
    return found if isinstance(found, str) else None


def _current_record(path: str | Path) -> JsonObject:
    found = _state(path)
    return _record(str(path), (found.st_ino, found.st_size, found.st_mtime_ns))


# One table of a batch is asked for each of its runs.
@lru_cache(maxsize=4)
def _record(path: str, state: tuple[int, ...]) -> JsonObject:
    metadata = pq.read_schema(path).metadata or {}
    try:
        record = json.loads(metadata.get(PROVENANCE, b"{}"))
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise ContractError(f"{path}: what it was made from cannot be read; make it again")
    return record
