"""Which cells of two tables of one schema differ."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from biomlbench.contracts.mappings import AnyRow

__all__ = ["Cell", "differing_cells"]

ROW = "(row)"
_LONGEST = 200


class Cell(NamedTuple):
    """A value that two tables do not share.

    Attributes
    ----------
    key : dict
        Columns that name the row.
    column : str
        ``(row)`` where only one table has the row.
    old, new : str or None
        As text; None for null.
    """

    key: AnyRow
    column: str
    old: str | None
    new: str | None


def differing_cells(old: pa.Table, new: pa.Table, keys: Sequence[str]) -> Iterator[Cell]:
    """Yield the cells in which two tables differ.

    Parameters
    ----------
    old, new : pyarrow.Table
        Of one schema.
    keys : sequence of str
        Columns that name a row. Of rows that share them, the first is compared with the first,
        the second with the second; the order of the rows counts for nothing else.

    Yields
    ------
    Cell
        In the order of the old table; rows that only the new one has come last.
    """
    left, right = _by_key(old, keys), _by_key(new, keys)
    for name, row in left.items():
        key = dict(zip(keys, name, strict=False))
        if name not in right:
            yield Cell(key, ROW, "there", None)
            continue
        for column, value in row.items():
            other = right[name][column]
            if not _same(value, other) and not (
                column == "message" and _same_but_for_place(value, other, str(key.get("task_id")))
            ):
                yield Cell(key, column, _text(value), _text(other))
    for name in right:
        if name not in left:
            yield Cell(dict(zip(keys, name, strict=False)), ROW, None, "there")


def _by_key(table: pa.Table, keys: Sequence[str]) -> dict[tuple[Any, ...], AnyRow]:
    seen: Counter[tuple[Any, ...]] = Counter()
    rows = {}
    for row in table.to_pylist():
        key = tuple(row[name] for name in keys)
        rows[*key, seen[key]] = row
        seen[key] += 1
    return rows


def _same(one: Any, other: Any) -> bool:
    """Tell whether two values are the same; not a number is the same as itself."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other or (one != one and other != other))


def _same_but_for_place(one: Any, other: Any, task_id: str) -> bool:
    """Tell whether messages name a task's prepared files in other folders, and are the same."""
    data = re.compile(rf"[^\s:'\"`]*(?=\b{re.escape(task_id)}/(?:prepared|raw)/)")
    return data.sub("", str(one)) == data.sub("", str(other)) != ""


def _text(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, bytes):
        return f"{len(value)} bytes, SHA-256 {hashlib.sha256(value).hexdigest()[:16]}"
    text = repr(value) if isinstance(value, float) else str(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
