"""Files of tables, read and checked: others may have made them."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from biomlbench.contracts._error import ContractError
from biomlbench.contracts._kept import Kept, keep, kept
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
    from collections.abc import Mapping

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
        found = _kept_of(path)
        if found is not None and found.table is not None and found.name == name and not coded:
            return found.table if columns is None else found.table.select(columns)
        state, content = _opened(path)
        small = content is not None
        source = pa.BufferReader(content) if small else path
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
            metadata = file.schema_arrow.metadata
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
    elif columns is None and not coded and (record := _record_in(metadata)) is not None:
        keep(str(path), state, Kept(name, table, record))
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


def _kept_of(path: str | Path) -> Kept | None:
    return kept(str(path), _regular(Path(path).stat(), path))


def _opened(path: str | Path) -> tuple[os.stat_result, bytes | None]:
    """Return the state of a regular file, and what is in it where that is little."""
    with Path(path).open("rb") as file:
        state = os.fstat(file.fileno())
        return state, file.read() if state.st_size <= SMALL else None


def _regular(found: os.stat_result, path: str | Path) -> os.stat_result:
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
    """Return what a file says that it was made from; one of a batch is asked for each run."""
    if (found := _kept_of(path)) is not None:
        return found.record
    with Path(path).open("rb") as file:
        state = os.fstat(file.fileno())
        record = _record_in(pq.read_schema(file).metadata)
    if record is None:
        raise ContractError(f"{path}: what it was made from cannot be read; make it again")
    keep(str(path), state, Kept("", None, record))
    return record


def _record_in(metadata: Mapping[bytes, bytes] | None) -> JsonObject | None:
    try:
        record = json.loads((metadata or {}).get(PROVENANCE, b"{}"))
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None
