"""Files of tables, written whole or not at all: small ones for the workflow, others for queries."""

from __future__ import annotations

import errno
import json
import os
import shutil
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from biomlbench.contracts._kept import Kept, keep
from biomlbench.contracts._tables import PROVENANCE, QUERIED, SCHEMA_VERSION, SCHEMAS, check
from biomlbench.contracts._text_limits import refuse_long_texts
from biomlbench.whole_files import whole_file, write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["MOST_GROUPS", "ROWS_A_GROUP", "write_parts", "write_table"]

ROWS_A_GROUP = 1000
"""Rows of a row group at least: fewer, and reading a group costs more than what it skips."""
MOST_GROUPS = 128
"""Row groups of a file at most: each costs about 100 bytes a column in the file's footer."""
_GROWTH = 32
"""A row group has at most this part of the rows before it, where the length is not known: some 170
groups in ten million rows."""
LARGE_BYTES = 1 << 20
"""A table of more is written only where the disk keeps a reserve."""
RESERVE_BYTES = 512 << 20
"""Room that large tables leave to the small ones of others: a submission may choose how much it
returns, but not whether others are graded."""
_NOT_COMPRESSED = 1 << 12
"""Bytes up to which pages are as small, and are written and read in two thirds of the time, as they
are."""
_SHORT = 16  # rows up to which a dictionary and statistics take more room than they save


def write_table(
    name: str, table: pa.Table, path: str | Path, provenance: Mapping[str, Any] | None = None
) -> None:
    """Write a table with its schema version and provenance, all or nothing.

    A table of :data:`QUERIED` is written for queries: with the columns' descriptions, in row
    groups that readers skip by their statistics. The others are many and small, and hold only
    what they must.

    Parameters
    ----------
    name : str
        A key of :data:`SCHEMAS`; the table is checked against it.
    table : pyarrow.Table
    path : path
        Parent folders are created. The file appears under its name only when complete.
    provenance : mapping of str to str, optional
        Hashes of what the table was made from.

    Raises
    ------
    ContractError
        If the table does not have the declared schema.
    OSError
        Where the disk is full, or a table of more than :data:`LARGE_BYTES` would leave less than
        :data:`RESERVE_BYTES`.
    """
    _check(name, table, path)
    if name not in QUERIED:
        _write_small(name, table, Path(path), _metadata(name, provenance))
        return
    size = max(ROWS_A_GROUP, -(-len(table) // MOST_GROUPS))
    with (
        whole_file(path) as temporary,
        _writer_for_queries(name, temporary, provenance) as writer,
    ):
        writer.write_table(table.cast(writer.schema), row_group_size=size)


def write_parts(
    name: str,
    parts: Iterable[pa.Table],
    path: str | Path,
    provenance: Mapping[str, Any] | None = None,
) -> None:
    """Write a table of :data:`QUERIED` part by part, so that it is never whole in memory.

    Parameters
    ----------
    name, path, provenance
        As for :func:`write_table`.
    parts : iterable of pyarrow.Table
        Its rows, in order.

    Raises
    ------
    ContractError
        If a part does not have the declared schema; there is no file then.
    """
    with whole_file(path) as temporary, _writer_for_queries(name, temporary, provenance) as writer:
        kept = SCHEMAS[name].empty_table().cast(writer.schema)
        written = 0
        for part in parts:
            _check(name, part, path)
            kept = pa.concat_tables([kept, part.cast(writer.schema)])
            # Larger groups the longer it gets: nobody knows how long it will be.
            while len(kept) >= (size := max(ROWS_A_GROUP, written // _GROWTH)):
                writer.write_table(kept.slice(0, size), row_group_size=size)
                written += size
                kept = kept.slice(size)
        if len(kept) or not written:
            writer.write_table(kept)


def _check(name: str, table: pa.Table, path: str | Path) -> None:
    """Refuse what is no such table, or would be refused when it is read."""
    check(name, table, str(path))
    if name in QUERIED:
        refuse_long_texts(name, table, path, "it is not written")


def _metadata(name: str, provenance: Mapping[str, Any] | None) -> dict[bytes, bytes]:
    record = {"table": name, "schema_version": SCHEMA_VERSION, **(provenance or {})}
    return {PROVENANCE: json.dumps(record, sort_keys=True).encode()}


def _writer_for_queries(
    name: str, path: Path, provenance: Mapping[str, Any] | None
) -> pq.ParquetWriter:
    schema = SCHEMAS[name].with_metadata(_metadata(name, provenance))
    return pq.ParquetWriter(path, schema, compression="zstd", write_page_index=True)


def _leave_reserve(size: int, path: Path) -> None:
    if shutil.disk_usage(path.parent).free - size < RESERVE_BYTES:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))


def _write_small(name: str, table: pa.Table, path: Path, metadata: Mapping[bytes, bytes]) -> None:
    """Leave out the columns' descriptions, and the Arrow schema where Parquet's says it all."""
    plain, says_it_all = _plain(table.schema)
    table = pa.Table.from_arrays(table.columns, schema=plain.with_metadata(metadata))
    size = table.nbytes
    many = len(table) > _SHORT

    def write(sink: Path | pa.NativeFile) -> None:
        with pq.ParquetWriter(
            sink,
            table.schema,
            compression="zstd" if size > _NOT_COMPRESSED else "none",
            use_dictionary=many,
            write_statistics=many,
            store_schema=not says_it_all,
        ) as writer:
            writer.write_table(table)
            if says_it_all:
                writer.add_key_value_metadata(metadata)

    if size > LARGE_BYTES:
        with whole_file(path) as temporary:
            _leave_reserve(size, temporary)
            write(temporary)
        return
    content = pa.BufferOutputStream()
    write(content)
    path.parent.mkdir(parents=True, exist_ok=True)
    state = write_whole(str(path.parent), path.name, content.getvalue())
    keep(str(path), state, Kept(name, table, json.loads(metadata[PROVENANCE])))


@cache
def _plain(schema: pa.Schema) -> tuple[pa.Schema, bool]:
    plain = pa.schema([pa.field(f.name, f.type, f.nullable) for f in schema])
    return plain, not any(pa.types.is_large_binary(f.type) for f in plain)
