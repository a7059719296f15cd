"""Files of tables, read and checked: others may have made them."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from biomlbench.contracts._tables import (
    DIGESTS,
    PROVENANCE,
    QUERIED,
    ContractError,
    check,
    check_schema,
)

if TYPE_CHECKING:
    from biomlbench.contracts.mappings import JsonObject

__all__ = ["provenance", "read_table"]

SMALL = 1_000_000
"""Bytes up to which a file is read at once and decoded by one thread: a third less time each."""
MOST_ROWS = 20_000_000
"""Rows of a table: a hundred checks of 200,000 pairs."""
MOST_OF_A_NAME = 4096
"""Bytes of an agent's, a run's or a task's name: more than a run table may give."""
MOST_OF_A_TEXT = 1_048_576
"""Bytes of any other text in a table over all pairs."""
MOST_ITEMS = 10_000
"""Items of a list in such a table."""
_NAMES = frozenset(("task_id", "run_id", "agent", "domain", "kind", "check", "metric"))


def read_table(name: str, path: str | Path, columns: list[str] | None = None) -> pa.Table:
    """Read a table and check it against its declared schema.

    Parameters
    ----------
    name : str
        A key of :data:`SCHEMAS`.
    path : path
    columns : list of str, optional
        Read only these columns (the file's schema is checked whole all the same).

    Returns
    -------
    pyarrow.Table

    Raises
    ------
    ContractError
        If the file is missing, cannot be read, or has another schema.
    """
    try:
        small = _size(path) <= SMALL
        source = pa.BufferReader(Path(path).read_bytes()) if small else path
        with pq.ParquetFile(source, memory_map=False, pre_buffer=not small) as file:
            check_schema(name, file.schema_arrow, f"{path}: ")
            if (rows := file.metadata.num_rows) > MOST_ROWS:
                # A few kilobytes can hold any number of equal rows.
                raise ContractError(
                    f"{path}: {rows} rows; at most {MOST_ROWS} are read; make the table anew with "
                    "this program"
                )
            table = file.read(columns=columns, use_threads=not small)
    except FileNotFoundError as error:
        made_by = "`snakemake calibrate`" if "calibration" in Path(path).parts else "the workflow"
        raise ContractError(f"{path}: no such table; run {made_by} to make it") from error
    except (pa.ArrowException, OSError) as error:
        raise ContractError(
            f"{path}: cannot be read ({error}); delete it and run the workflow again"
        ) from error
    if columns is None:
        check(name, table, str(path))
    if name in QUERIED:
        _check_texts(name, table, path)
    return table


def _check_texts(name: str, table: pa.Table, path: str | Path) -> None:
    """Refuse texts that none of our tables has: what others made is drawn, searched and shown."""
    for field in table.schema:
        column = table.column(field.name)
        if pa.types.is_list(field.type):
            most = pc.max(pc.list_value_length(column)).as_py() or 0
            if most > MOST_ITEMS:
                raise ContractError(
                    f"{path}: `{name}.{field.name}` has a list of {most} items; at most "
                    f"{MOST_ITEMS} are read; make the table anew with this program"
                )
            column = pc.list_flatten(column)
        if not pa.types.is_string(column.type):
            continue
        allowed = MOST_OF_A_NAME if field.name in _NAMES else MOST_OF_A_TEXT
        lengths = pc.binary_length(column)
        if (most := pc.max(lengths).as_py() or 0) > allowed:
            row = pc.index(lengths, most).as_py() + 1
            raise ContractError(
                f"{path}: row {row}: `{name}.{field.name}` has {most} bytes; at most {allowed} are "
                "read; make the table anew with this program"
            )


def _size(path: str | Path) -> int:
    found = Path(path).stat()
    if not stat.S_ISREG(found.st_mode):
        raise ContractError(
            f"{path}: is no file, but a folder, a pipe or a device; remove it, and run the "
            "workflow again"
        )
    return found.st_size


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

    Raises
    ------
    ContractError
        If the file is no regular one, or its metadata hold no such record.
    """
    _size(path)
    metadata = pq.read_schema(path).metadata or {}
    try:
        record = json.loads(metadata.get(PROVENANCE, b"{}"))
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise ContractError(f"{path}: what it was made from cannot be read; make it again")
    if run is not None and run in record.get(DIGESTS, {}):
        record["submission_sha256"] = record.pop(DIGESTS)[run]
    result: JsonObject = record
    return result
