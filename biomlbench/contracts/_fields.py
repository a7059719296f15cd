"""What columns are declared with, and the columns that several tables have."""

from __future__ import annotations

import pyarrow as pa

__all__ = [
    *("BOOL", "F64", "I32", "I64", "STR"),
    *("OUTCOME", "PAIR", "VOLATILE", "field", "volatile"),
]

VOLATILE = {b"volatile": b"1"}
"""Metadata of a column that may differ between two runs of the same thing."""
STR, F64, I64, I32, BOOL = pa.string(), pa.float64(), pa.int64(), pa.int32(), pa.bool_()


def field(name: str, kind: pa.DataType, doc: str, *, required: bool = False) -> pa.Field:
    """Return a column that is equal in a rerun."""
    return pa.field(name, kind, nullable=not required, metadata={b"doc": doc.encode()})


def volatile(name: str, kind: pa.DataType, doc: str, *, required: bool = False) -> pa.Field:
    """Return a column that may differ in a rerun."""
    told = {b"doc": doc.encode(), **VOLATILE}
    return pa.field(name, kind, nullable=not required, metadata=told)


PAIR = [
    field("task_id", STR, "task, as domain/name", required=True),
    field("run_id", STR, "run, unique within its task", required=True),
]
OUTCOME = [
    field("outcome", STR, "passed, failed, skipped or error", required=True),
    field("reason", STR, "reason code", required=True),
    field("message", STR, "what was found, for a person", required=True),
]
