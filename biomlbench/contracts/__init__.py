"""The Arrow schema of every Parquet table, in one place, checked on writing and on reading.

A column that may differ between two runs of the same thing (a time, a memory peak, which
sandbox was found, the line of a run table) is marked *volatile*; everything else must be equal in
a rerun, which :func:`compared` makes easy to check.
"""

from __future__ import annotations

from biomlbench.contracts._error import ContractError
from biomlbench.contracts._fields import PAIR, field, volatile
from biomlbench.contracts._reading import job_digest, provenance, read_table
from biomlbench.contracts._results import (
    RUN_COLUMNS,
    RUN_METADATA,
    SCORE_COLUMNS,
    VERDICT_COLUMNS,
)
from biomlbench.contracts._tables import (
    DIGESTS,
    JOB,
    QUERIED,
    SCHEMA_VERSION,
    SCHEMAS,
    check,
    compared,
    declare,
    from_rows,
)
from biomlbench.contracts._text_limits import MOST_ITEMS, unusable_values
from biomlbench.contracts._writing import write_parts, write_table

__all__ = [
    "DIGESTS",
    "JOB",
    "MOST_ITEMS",
    "PAIR",
    "QUERIED",
    "RUN_COLUMNS",
    "RUN_METADATA",
    "SCHEMAS",
    "SCHEMA_VERSION",
    "SCORE_COLUMNS",
    "VERDICT_COLUMNS",
    "ContractError",
    "check",
    "compared",
    "declare",
    "field",
    "from_rows",
    "job_digest",
    "provenance",
    "read_table",
    "unusable_values",
    "volatile",
    "write_parts",
    "write_table",
]
