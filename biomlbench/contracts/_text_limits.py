"""How long a text of a table may be that others may have made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from biomlbench.contracts._error import ContractError
from biomlbench.contracts._tables import SCHEMAS, array_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["MOST_ITEMS", "MOST_OF_A_NAME", "MOST_OF_A_TEXT", "refuse_long_texts", "unusable_values"]

MOST_OF_A_NAME = 4096
"""Bytes of an agent's, a run's or a task's name: more than a run table may give."""
MOST_OF_A_TEXT = 1_048_576
"""Bytes of any other text in a table over all pairs."""
MOST_ITEMS = 10_000
"""Items of a list in such a table."""
READ_AGAIN = "make the table anew with this program"
_NAMES = frozenset(("task_id", "run_id", "agent", "domain", "kind", "check", "metric"))


def refuse_long_texts(
    name: str, table: pa.Table, path: str | Path, remedy: str = READ_AGAIN
) -> None:
    """Refuse texts that none of our tables has: what others made is drawn, searched and shown.

    Parameters
    ----------
    name : str
        What the table is called in the message.
    table : pyarrow.Table
        Its texts may be coded.
    path : path
        Of its file, for the message.
    remedy : str
        The end of the message.

    Raises
    ------
    ContractError
        If a text or a list is too long.
    """
    for field in table.schema:
        column = table.column(field.name)
        if pa.types.is_list(field.type):
            most = pc.max(pc.list_value_length(column)).as_py() or 0
            if most > MOST_ITEMS:
                raise ContractError(
                    f"{path}: `{name}.{field.name}` has a list of {most} items; at most "
                    f"{MOST_ITEMS} are read; {remedy}"
                )
            column = pc.list_flatten(column)
        allowed = MOST_OF_A_NAME if field.name in _NAMES else MOST_OF_A_TEXT
        most, row = _longest(column)
        if most > allowed:
            raise ContractError(
                f"{path}: row {row + 1}: `{name}.{field.name}` has {most} bytes; at most {allowed} "
                f"are read; {remedy}"
            )


def unusable_values(name: str, row: Mapping[str, Any]) -> dict[str, str]:
    """Return which values of a row a table over all pairs cannot hold, and why.

    Parameters
    ----------
    name : str
        One of :data:`biomlbench.contracts.QUERIED`.
    row : mapping

    Returns
    -------
    dict of str to str
        By column.

    Examples
    --------
    >>> unusable_values("tasks", {"name": "a task", "leaderboard_note": {"a": "b"}})
    {'leaderboard_note': "Expected bytes, got a 'dict' object"}
    """
    found = {}
    for field in SCHEMAS[name]:
        try:
            array = array_of([row.get(field.name)], field.type)
            refuse_long_texts(name, pa.table({field.name: array}), "", "")
        except (pa.ArrowException, ContractError, TypeError, ValueError, OverflowError) as error:
            found[field.name] = str(error).strip(": ;")
    return found


def _longest(column: pa.ChunkedArray) -> tuple[int, int]:
    """Return how many bytes the longest text of a column has, and its row; of no texts, 0."""
    found = (0, 0)
    before = 0
    for chunk in column.chunks:
        coded = pa.types.is_dictionary(chunk.type)
        texts = chunk.dictionary if coded else chunk
        if pa.types.is_string(texts.type):
            lengths = pc.binary_length(texts)
            most = pc.max(lengths).as_py() or 0
            if most > found[0]:
                place = pc.index(lengths, most).as_py()
                if coded:  # a text that no row has is in none, -1
                    place = pc.index(chunk.indices, place).as_py()
                found = (most, before + place)
        before += len(chunk)
    return found
