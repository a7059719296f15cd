"""Which rows of a submission belong to which wanted rows.

Rule of ids: if every wanted id is written as a plain whole number (no sign but a minus, no
leading zero) of at most 18 digits, ids are whole numbers, and ``7``, ``7.0`` and ``007`` are the
same, exactly. Otherwise ids are text, compared exactly: ``007`` is not ``7``. What is a
floating-point number already is an id below 2**53 only: from there on it may have been another.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from biomlbench.arrow import numpy_of, one_array

if TYPE_CHECKING:
    from collections.abc import Hashable
    from typing import Any

    import numpy as np
    import pandas as pd
    import pyarrow as pa

__all__ = [
    "JOINT",
    "PLAIN_INTEGER",
    "Alignment",
    "Keys",
    "as_kind",
    "as_written",
    "first_repeat",
    "integers_or_as_is",
    "kinds_of",
]

PLAIN_INTEGER = r"^(0|-?[1-9]\d{0,17})$"
# A whole number in text: its sign if that is a minus, and its digits.
_WHOLE = r"^\+?(-?)0*(\d{1,18})(?:\.0*)?$"
# One with an exponent. Of so few digits a float is whole only where the number is.
_POWER = r"^[+-]?(\d{1,15}|\d\.\d{0,14})[eE][+-]?\d{1,2}$"
# Joins the parts of an id of several columns; text files cannot hold it unnoticed.
JOINT = "\x1f"
# Ids that are Python's at one time.
_PIECE = 10_000


@dataclass(frozen=True, eq=False)
class Keys:
    """Ids of rows, one value a row.

    Attributes
    ----------
    columns : tuple of str
    kinds : tuple of str
        ``integer`` or ``text``, for each column.
    values : pyarrow.Array
    """

    columns: tuple[str, ...]
    kinds: tuple[str, ...]
    values: pa.Array

    @classmethod
    def of(cls, table: pa.Table, columns: tuple[str, ...], kinds: tuple[str, ...]) -> Keys:
        """Take the ids out of a table; an id of the wrong kind is null."""
        import pyarrow as pa
        import pyarrow.compute as pc

        parts = [
            one_array(as_kind(table.column(name), kind))
            for name, kind in zip(columns, kinds, strict=True)
        ]
        if len(parts) == 1:
            return cls(columns, kinds, parts[0])
        texts = [pc.cast(part, pa.string()) for part in parts]
        return cls(columns, kinds, one_array(pc.binary_join_element_wise(*texts, JOINT)))

    def __len__(self) -> int:
        return len(self.values)


def as_kind(column: pa.ChunkedArray, kind: str) -> pa.ChunkedArray:
    """Return a column of ids as its kind has them; an id of the wrong kind is null."""
    return _as_integers(column) if kind == "integer" else column


def integers_or_as_is(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column of whole numbers as int64; where a value is none, the column as it is.

    Parameters
    ----------
    column : ChunkedArray of string, float64 or int64
    """
    found = _as_integers(column)
    return column if found.null_count else found


def _as_integers(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return int64, null where a value is no whole number."""
    import pyarrow as pa

    if pa.types.is_int64(column.type):
        return column
    return _of_text(column) if pa.types.is_string(column.type) else _of_floats(column)


def _of_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return whole numbers in text, never by way of a rounded one; booleans are 1 and 0."""
    import pyarrow as pa
    import pyarrow.compute as pc

    def where(pattern: str) -> pa.ChunkedArray:
        found = pc.match_substring_regex(column, pattern)
        return pc.if_else(found, column, pa.scalar(None, pa.string()))

    column = pc.utf8_trim_whitespace(column)
    column = pc.replace_substring_regex(column, r"^(True|TRUE|true)$", "1")
    column = pc.replace_substring_regex(column, r"^(False|FALSE|false)$", "0")
    whole = pc.cast(pc.replace_substring_regex(where(_WHOLE), _WHOLE, r"\1\2"), pa.int64())
    if whole.null_count == column.null_count:
        return whole
    powers = pc.replace_substring_regex(where(_POWER), r"^\+", "")
    return pc.coalesce(whole, _of_floats(pc.cast(powers, pa.float64())))


def _of_floats(column: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa
    import pyarrow.compute as pc

    whole = pc.and_(pc.is_finite(column), pc.equal(column, pc.round(column)))
    small = pc.less(pc.abs(column), 2.0**53)
    return pc.cast(
        pc.if_else(pc.and_(whole, small), column, pa.scalar(None, pa.float64())), pa.int64()
    )


@dataclass(frozen=True, eq=False)
class Alignment:
    """How the rows of a submission lie to those that are wanted.

    Attributes
    ----------
    order : ndarray of int or None
        Position in the submission of each wanted row; None where the orders are the same.
    missing, extra, duplicate : int
        Wanted ids without a row; rows whose id is not wanted; rows whose id came before.
    first_extra, first_duplicate : int or None
        The first such row of the submission, counted from 1.
    """

    order: np.ndarray | None
    missing: int = 0
    extra: int = 0
    duplicate: int = 0
    first_extra: int | None = None
    first_duplicate: int | None = None

    @classmethod
    def of(cls, submitted: Keys, wanted: Keys) -> Alignment:
        """Match the rows of a submission with the wanted ones, by id."""
        import pyarrow.compute as pc

        if submitted.values.equals(wanted.values):
            return cls(None)
        position = pc.index_in(wanted.values, value_set=submitted.values, skip_nulls=True)
        # Wanted ids are not repeated, so that each has found another row: all of them.
        if len(submitted) == len(wanted) and not position.null_count:
            return cls(numpy_of(position))
        known = pc.is_in(submitted.values, value_set=wanted.values, skip_nulls=True)
        extra = pc.indices_nonzero(pc.invert(known))
        missing = position.null_count
        repeats = len(submitted) - len(extra) - (len(wanted) - missing)
        repeat = first_repeat(submitted.values) if repeats else None
        if missing or len(extra) or repeats:
            first_extra = extra[0].as_py() + 1 if len(extra) else None
            return cls(None, missing, len(extra), repeats, first_extra, repeat)
        return cls(numpy_of(position))

    @property
    def ok(self) -> bool:
        """Whether every wanted row is there once, and no other."""
        return not (self.missing or self.extra or self.duplicate)


def first_repeat(values: pa.Array) -> int | None:
    """Return the first row, from 1, whose value came before; None if there is none."""
    import pyarrow.compute as pc

    # Sorting is several times faster than Arrow's own count of distinct values.
    ordered = values.take(pc.array_sort_indices(values))
    same = pc.any(pc.equal(ordered[:-1], ordered[1:]), min_count=0)
    if not same.as_py() and values.null_count < 2:
        return None
    seen = set()
    for start in range(0, len(values), _PIECE):
        for row, value in enumerate(values.slice(start, _PIECE).to_pylist(), start + 1):
            if value is not None and value in seen:
                return row
            seen.add(value)
    return None


def as_written(frame: pd.DataFrame, columns: tuple[Hashable, ...]) -> pa.Table:
    """Return columns of a pandas table as text, as :func:`kinds_of` takes them.

    Parameters
    ----------
    frame : DataFrame
    columns : tuple
        Their names, which are text in the result.

    Returns
    -------
    pyarrow.Table
        Whole numbers are written without a point, whatever type pandas gave them; missing ids
        are null, which matches nothing.
    """
    import pyarrow as pa

    def text(value: Any) -> str | None:
        if value is None or value != value:  # NaN is the one value unequal to itself
            return None
        whole = isinstance(value, float) and value.is_integer()
        return str(int(value)) if whole else str(value)

    values = [pa.array([text(v) for v in frame[name].tolist()], pa.string()) for name in columns]
    return pa.table(values, names=[str(name) for name in columns])


def kinds_of(table: pa.Table, columns: tuple[str, ...]) -> tuple[str, ...]:
    """Return whether the wanted ids are ``integer`` or ``text``, for each of their columns.

    Parameters
    ----------
    table : pyarrow.Table
        With the wanted ids as text, as they were written.
    columns : tuple of str
    """
    return tuple("integer" if _are_integers(table.column(name)) else "text" for name in columns)


def _are_integers(column: pa.ChunkedArray) -> bool:
    import pyarrow.compute as pc

    if len(column) and not re.match(PLAIN_INTEGER, column[0].as_py()):
        return False
    return bool(pc.all(pc.match_substring_regex(column, PLAIN_INTEGER), min_count=0).as_py())
