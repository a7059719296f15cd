"""Tables and their files: made, checked, written, read."""

from __future__ import annotations

import json
import os
import stat
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from biomlbench.contracts import _calibration, _results
from biomlbench.contracts._error import ContractError
from biomlbench.contracts._text_limits import refuse_long_texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = [
    "DIGESTS",
    "RUN_METADATA",
    "SCHEMAS",
    "SCHEMA_VERSION",
    "ContractError",
    "check",
    "compared",
    "declare",
    "from_rows",
    "provenance",
    "read_table",
    "write_table",
]

SCHEMAS: dict[str, pa.Schema] = {**_results.SCHEMAS, **_calibration.SCHEMAS}
"""The declared schema of every table, by name."""
RUN_METADATA = _results.RUN_METADATA
"""Columns of `pairs` for what a run table says of a run beside what is graded."""
SCHEMA_VERSION = "1"
PROVENANCE = b"biomlbench"
"""Key of a file's metadata that holds schema version and provenance, as JSON."""
QUERIED = ("pairs", "checks", "agents", "tasks", "telemetry")
"""Tables over all pairs, which people query; those of single pairs the workflow reads whole."""
ROWS_A_GROUP = 1000
"""Rows of a row group at least: fewer, and reading a group costs more than what it skips."""
MOST_GROUPS = 128
"""Row groups of a file at most: each costs about 100 bytes a column in the file's footer."""
_GROWTH = 32
"""A row group has at most this part of the rows before it, where the length is not known: some 170
groups in ten million rows."""
SMALL = 1_000_000
"""Bytes up to which a file is read at once and decoded by one thread: a third less time each."""
MOST_ROWS = 20_000_000
"""Rows of a table: a hundred checks of 200,000 pairs."""
_SHORT = 16  # rows up to which a dictionary and statistics take more room than they save

DIGESTS = "submissions_sha256"
"""Key of the provenance of a table of several runs: hash of the submission by run id."""


def from_rows(name: str, rows: Iterable[Mapping[str, Any]]) -> pa.Table:
    """Build a table of a declared schema from mappings.

    Parameters
    ----------
    name : str
        A key of :data:`SCHEMAS`.
    rows : iterable of mapping
        One mapping a row. A key that the schema does not declare is refused, a nullable
        column that is left out is null.

    Returns
    -------
    pyarrow.Table

    Raises
    ------
    ContractError
        If a row has an unknown key, lacks a required one, or holds a value of another type.
    """
    schema = SCHEMAS[name]
    known = set(schema.names)
    rows = list(rows)
    for number, row in enumerate(rows):
        if unknown := row.keys() - known:
            raise ContractError(f"{name} row {number}: unknown column(s) {sorted(unknown)}")
    arrays = []
    for field in schema:
        try:
            array = _array([row.get(field.name) for row in rows], field.type)
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise ContractError(f"{name}.{field.name}: {error}") from error
        arrays.append(array)
    table = pa.Table.from_arrays(arrays, schema=schema)
    check(name, table)
    return table


def _array(values: list[Any], kind: pa.DataType) -> pa.Array:
    """Make a column; what is not a character in a text, such as in a file's name, is replaced."""
    try:
        return pa.array(values, type=kind)
    except UnicodeEncodeError:
        return pa.array([_characters(value) for value in values], type=kind)


def _characters(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_characters(item) for item in value]
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def declare(name: str, schema: pa.Schema) -> None:
    """Add the schema of a table that is declared elsewhere, as a stage's is.

    Parameters
    ----------
    name : str
    schema : pyarrow.Schema

    Raises
    ------
    ContractError
        If there is another of that name.
    """
    if not SCHEMAS.setdefault(name, schema).equals(schema, check_metadata=True):
        raise ContractError(f"there is another table {name!r}; give this one another name")


def check(name: str, table: pa.Table, where: str = "") -> None:
    """Raise :class:`ContractError` unless `table` has the schema that `name` declares."""
    place = f"{where}: " if where else ""
    _check_schema(name, table.schema, place)
    _check_nulls(name, table, place)


def _check_nulls(name: str, table: pa.Table, place: str) -> None:
    for field in SCHEMAS[name]:
        if not field.nullable and table.column(field.name).null_count:
            raise ContractError(f"{place}`{name}.{field.name}` must not be null")


def _check_schema(name: str, found: pa.Schema, place: str) -> None:
    schema = SCHEMAS[name]
    if found.equals(schema, check_metadata=False):
        return
    problems = [
        f"{field.name}: {field.type}"
        for field in schema
        if field.name not in found.names or found.field(field.name).type != field.type
    ]
    extra = [column for column in found.names if column not in schema.names]
    raise ContractError(
        f"{place}not a `{name}` table; missing or of another type: {problems or 'nothing'}, "
        f"not declared: {extra or 'nothing'}; delete the file and run the workflow again"
    )


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
    """
    check(name, table, str(path))
    with _whole(path) as temporary:
        if name in QUERIED:
            size = max(ROWS_A_GROUP, -(-len(table) // MOST_GROUPS))
            with _writer_for_queries(name, temporary, provenance) as writer:
                writer.write_table(table.cast(writer.schema), row_group_size=size)
        else:
            _write_small(table, temporary, _metadata(name, provenance))


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
    with _whole(path) as temporary, _writer_for_queries(name, temporary, provenance) as writer:
        kept = SCHEMAS[name].empty_table().cast(writer.schema)
        written = 0
        for part in parts:
            check(name, part, str(path))
            kept = pa.concat_tables([kept, part.cast(writer.schema)])
            # Larger groups the longer it gets: nobody knows how long it will be.
            while len(kept) >= (size := max(ROWS_A_GROUP, written // _GROWTH)):
                writer.write_table(kept.slice(0, size), row_group_size=size)
                written += size
                kept = kept.slice(size)
        if len(kept) or not written:
            writer.write_table(kept)


@contextmanager
def _whole(path: str | Path) -> Iterator[Path]:
    """Give the place of a file that gets its name once it is complete; else it goes."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.tmp")
    try:
        yield temporary
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _metadata(name: str, provenance: Mapping[str, Any] | None) -> dict[bytes, bytes]:
    record = {"table": name, "schema_version": SCHEMA_VERSION, **(provenance or {})}
    return {PROVENANCE: json.dumps(record, sort_keys=True).encode()}


def _writer_for_queries(
    name: str, path: Path, provenance: Mapping[str, Any] | None
) -> pq.ParquetWriter:
    schema = SCHEMAS[name].with_metadata(_metadata(name, provenance))
    return pq.ParquetWriter(path, schema, compression="zstd", write_page_index=True)


def _write_small(table: pa.Table, path: Path, metadata: Mapping[bytes, bytes]) -> None:
    """Leave out the columns' descriptions, and the Arrow schema where Parquet's says it all."""
    plain = pa.schema([pa.field(f.name, f.type, f.nullable) for f in table.schema], metadata)
    table = table.cast(plain)
    says_it_all = not any(pa.types.is_large_binary(f.type) for f in plain)
    with pq.ParquetWriter(
        path,
        plain,
        compression="zstd",
        use_dictionary=len(table) > _SHORT,
        write_statistics=len(table) > _SHORT,
        store_schema=not says_it_all,
    ) as writer:
        writer.write_table(table)
        if says_it_all:
            writer.add_key_value_metadata(metadata)


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
        If the file is missing, cannot be read, or has another schema.
    """
    try:
        small = _size(path) <= SMALL
        source = pa.BufferReader(Path(path).read_bytes()) if small else path
        texts = [f.name for f in SCHEMAS[name] if coded and pa.types.is_string(f.type)]
        with pq.ParquetFile(
            source, memory_map=False, pre_buffer=not small, read_dictionary=texts
        ) as file:
            _check_schema(name, _decoded(file.schema_arrow), f"{path}: ")
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
        _check_nulls(name, table, f"{path}: ")
    if name in QUERIED:
        refuse_long_texts(name, table, path)
    return table


def _decoded(schema: pa.Schema) -> pa.Schema:
    """Return a schema with the types that coded columns stand for."""
    kinds = [f.type.value_type if pa.types.is_dictionary(f.type) else f.type for f in schema]
    return pa.schema([f.with_type(kind) for f, kind in zip(schema, kinds, strict=True)])


def _size(path: str | Path) -> int:
    found = Path(path).stat()
    if not stat.S_ISREG(found.st_mode):
        raise ContractError(
            f"{path}: is no file, but a folder, a pipe or a device; remove it, and run the "
            "workflow again"
        )
    return found.st_size


def provenance(path: str | Path, run: str | None = None) -> dict[str, Any]:
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
    result: dict[str, Any] = record
    return result


def compared(name: str, table: pa.Table) -> pa.Table:
    """Return the columns of a table that must be equal in a rerun.

    Parameters
    ----------
    name : str
        A key of :data:`SCHEMAS`.
    table : pyarrow.Table

    Returns
    -------
    pyarrow.Table
        Without the volatile columns and without metadata.
    """
    keep = [f.name for f in SCHEMAS[name] if b"volatile" not in (f.metadata or {})]
    return table.select(keep).replace_schema_metadata(None)
