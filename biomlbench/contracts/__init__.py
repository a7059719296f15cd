"""The Arrow schema of every Parquet table, in one place, checked on writing and on reading.

A column that may differ between two runs of the same thing (a time, a memory peak, which
sandbox was found) is marked *volatile*; everything else must be equal in a rerun, which
:func:`compared` makes easy to check.
"""

from __future__ import annotations

from biomlbench.contracts._fields import PAIR, field, volatile
from biomlbench.contracts._io import (
    DIGESTS,
    RUN_METADATA,
    SCHEMA_VERSION,
    SCHEMAS,
    ContractError,
    check,
    compared,
    declare,
    from_rows,
    provenance,
    read_table,
    write_parts,
    write_table,
)
from biomlbench.contracts._results import RUN_COLUMNS, SCORE_COLUMNS, VERDICT_COLUMNS

__all__ = [
    "DIGESTS",
    "PAIR",
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
    "provenance",
    "read_table",
    "volatile",
    "write_parts",
    "write_table",
]
