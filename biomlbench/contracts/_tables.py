"""Tables by their declared schemas: made of rows, checked, and what of them a rerun must equal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from biomlbench.contracts import _calibration, _results
from biomlbench.contracts._error import ContractError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = [
    *("DIGESTS", "JOB", "PROVENANCE", "QUERIED", "SCHEMAS", "SCHEMA_VERSION", "check"),
    *("array_of", "check_nulls", "check_schema", "compared", "declare", "from_rows"),
]

SCHEMAS: dict[str, pa.Schema] = {**_results.SCHEMAS, **_calibration.SCHEMAS}
"""The declared schema of every table, by name."""
SCHEMA_VERSION = "1"
PROVENANCE = b"biomlbench"
"""Key of a file's metadata that holds schema version and provenance, as JSON."""
DIGESTS = "submissions_sha256"
"""Key of the provenance of a table of several runs: hash of the submission by run id."""
JOB = "job"
"""Key, in the provenance of a stage's table, of the hash of the job that made it."""
QUERIED = ("pairs", "checks", "agents", "tasks", "telemetry")
"""Tables over all pairs, which people query; those of single pairs the workflow reads whole."""


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
            array = array_of([row.get(field.name) for row in rows], field.type)
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise ContractError(f"{name}.{field.name}: {error}") from error
        arrays.append(array)
    table = pa.Table.from_arrays(arrays, schema=schema)
    check(name, table)
    return table


def array_of(values: list[Any], kind: pa.DataType) -> pa.Array:
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
    check_schema(name, table.schema, place)
    check_nulls(name, table, place)


def check_nulls(name: str, table: pa.Table, place: str) -> None:
    """Raise :class:`ContractError` where a required column has a null."""
    for field in SCHEMAS[name]:
        if not field.nullable and table.column(field.name).null_count:
            raise ContractError(f"{place}`{name}.{field.name}` must not be null")


def check_schema(name: str, found: pa.Schema, place: str) -> None:
    """Raise :class:`ContractError` unless a schema is the one that `name` declares."""
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
