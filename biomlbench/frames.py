"""Tables of other libraries as pandas tables, by the interface that they have in common."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeGuard

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    import pandas as pd
    import pyarrow as pa

    Submission: TypeAlias = "str | os.PathLike[str] | pd.DataFrame | ArrowStream"

__all__ = [
    "FORMS",
    "ArrowStream",
    "as_frame",
    "in_form",
    "index_as_columns",
    "is_path",
    "parquet_of",
]

FORMS = ("pandas", "polars", "arrow")
"""Libraries in whose form tables are given."""

_MOST_NESTED = 50
"""Lists in lists that Arrow is given."""
_PLAIN = {str, float, int, bool, bytes, type(None)}
"""Types of cells that hold nothing."""
_TAKEN = "the path of a file, or a table: a DataFrame of pandas or Polars, or a table of Arrow"


class ArrowStream(Protocol):
    """A table that hands itself on by the Arrow PyCapsule interface, as Polars' and Arrow's do."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the table as a capsule."""


def is_path(submission: Any) -> TypeGuard[str | os.PathLike[str]]:
    """Tell whether a submission is the path of a file, rather than a table in memory."""
    return isinstance(submission, (str, os.PathLike))


def parquet_of(table: Any) -> bytes:
    """Return a table of another library as a Parquet file, so that it is read like any file.

    Parameters
    ----------
    table : object
        A DataFrame of pandas or Polars, a table or record batch of Arrow, or any other table that
        offers the Arrow PyCapsule interface. A named index of pandas becomes columns.

    Returns
    -------
    bytes

    Raises
    ------
    TypeError
        If it is something else; the message says what is taken.
    """
    import io

    import pyarrow as pa
    import pyarrow.parquet as pq

    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(table, pandas.DataFrame):
        table = index_as_columns(table)
        names = [str(name) for name in table.columns]
        columns = [_array(table.iloc[:, number], pa) for number in range(len(names))]
        arrow = pa.Table.from_arrays(columns, names=names)
    else:
        arrow = _arrow_of(table, pa)

    def written(part: pa.Table) -> bytes:
        sink = io.BytesIO()
        pq.write_table(part, sink)
        return sink.getvalue()

    return written(_fit_for(written, arrow, pa))


def index_as_columns(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a pandas table whose named index, of whatever levels, has become its first columns.

    Parameters
    ----------
    frame : DataFrame

    Returns
    -------
    DataFrame
        The table itself where a level has no name. A level that a column repeats, name and values
        (``set_index("id", drop=False)``), becomes no second column.
    """
    names = list(frame.index.names)
    if any(name is None for name in names):
        return frame
    is_there = [
        name in frame.columns
        and frame.columns.is_unique
        and frame[name]
        .reset_index(drop=True)
        .equals(frame.index.get_level_values(level).to_series().reset_index(drop=True))
        for level, name in enumerate(names)
    ]
    if all(is_there):
        return frame.reset_index(drop=True)
    if any(is_there):
        gone: list[Hashable] = [level for level, known in enumerate(is_there) if known]
        frame = frame.droplevel(gone)
    return frame.reset_index(allow_duplicates=True)


def _arrow_of(table: Any, pa: Any) -> pa.Table:
    if hasattr(table, "collect_schema") and hasattr(table, "collect"):
        raise TypeError(f"a {type(table).__name__} is not computed yet; call .collect() first")
    is_table = any(hasattr(table, name) for name in ("columns", "column_names", "schema"))
    if not is_table or not any(
        hasattr(table, f"__arrow_c_{kind}__") for kind in ("stream", "array")
    ):
        raise TypeError(f"a submission is {_TAKEN}; not a {type(table).__name__}")
    arrow = _table(table, pa)
    columns = [_array(column, pa) for column in arrow.columns]
    return pa.Table.from_arrays(columns, names=arrow.column_names)


def _table(table: Any, pa: Any) -> pa.Table:
    """Return another library's table as Arrow; columns of types that Arrow lacks by their values.

    Raises
    ------
    TypeError
        If it cannot be taken over.
    """
    try:
        return pa.table(table)
    except pa.ArrowException as error:
        if not hasattr(table, "get_columns"):
            raise TypeError(f"the table cannot be read as Arrow: {error}") from error
    columns = table.get_columns()
    arrays = [_array(column, pa) for column in columns]
    return pa.Table.from_arrays(arrays, names=[column.name for column in columns])


def _fit_for(use: Callable[[pa.Table], Any], table: pa.Table, pa: Any) -> pa.Table:
    """Return a table that `use` takes: columns of types that it cannot have become text."""
    try:
        use(table)
    except pa.ArrowException:
        if table.num_columns > 1:
            parts = [_fit_for(use, table.select([i]), pa) for i in range(table.num_columns)]
            columns = [part.column(0) for part in parts]
        else:
            columns = [_as_text(table.column(0).to_pylist(), pa)]
        return pa.Table.from_arrays(columns, names=table.column_names)
    return table


def _as_text(values: Iterable[Any], pa: Any) -> pa.ChunkedArray:
    texts = [None if value is None else str(value) for value in values]
    return pa.chunked_array([texts], pa.string())


def _is_deep(column: Any) -> bool:
    """Say whether a cell of a column of objects is nested beyond all use, or holds itself."""
    if str(getattr(column, "dtype", "")).lower() != "object":
        return False
    inside = _holders(column)
    for _ in range(_MOST_NESTED):
        inside = _holders(chain.from_iterable(map(_within, inside)))
        if not inside:
            return False
    return True


def _holders(values: Iterable[Any]) -> Collection[Any]:
    """Return each value once, but those that hold nothing."""
    return {id(value): value for value in values if type(value) not in _PLAIN}.values()


def _within(value: Any) -> Iterable[Any]:
    """Return what a cell of a table holds, if it is a collection."""
    if hasattr(value, "dtype"):
        import numpy as np

        return np.asarray(value).flat if str(value.dtype) == "object" else ()
    if isinstance(value, Mapping):
        return value.values()
    is_collection = isinstance(value, Collection) and not isinstance(value, (str, bytes, bytearray))
    return value if is_collection else ()


def _array(column: Any, pa: Any) -> Any:
    """Return a column as Arrow that Parquet can hold; values of several types become text."""
    known = pa.types
    if _is_deep(column):  # which Arrow, and even `str`, would end the process at
        return _as_text((type(value).__name__ for value in column), pa)
    try:
        if not isinstance(column, pa.ChunkedArray):
            column = _chunked(column, pa)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return _as_text(column, pa)
    if known.is_dictionary(column.type) and known.is_string_view(column.type.value_type):
        chunks = [
            chunk.dictionary.cast(pa.large_string()).take(chunk.indices) for chunk in column.chunks
        ]
        return pa.chunked_array(chunks, pa.large_string())
    if known.is_string_view(column.type):
        return column.cast(pa.large_string())
    if known.is_float16(column.type):
        return column.cast(pa.float32())
    return column


def _chunked(column: Any, pa: Any) -> pa.ChunkedArray:
    """Return a column of pandas or Polars as Arrow; where Arrow lacks its type, by its values."""
    if not hasattr(column, "to_list") or not hasattr(column, "__arrow_c_stream__"):
        return pa.chunked_array([pa.Array.from_pandas(column)])
    try:
        return pa.chunked_array(column)
    except pa.ArrowException:
        return pa.chunked_array([pa.array(column.to_list())])


def as_frame(table: Any) -> Any:
    """Return a table as a pandas DataFrame; what is no table comes back as it is.

    Parameters
    ----------
    table : object
        A DataFrame of pandas or Polars, an Arrow table, or any other object with columns that
        offers the Arrow PyCapsule interface (``__arrow_c_stream__``).

    Returns
    -------
    object
        A pandas DataFrame without copying where it is one already; lists, arrays, columns and
        None unchanged.

    Raises
    ------
    TypeError
        If it is a table that nobody has computed yet (Polars' LazyFrame).

    Examples
    --------
    >>> import pyarrow as pa
    >>> as_frame(pa.table({"score": [0.5, 0.7]}))["score"].tolist()
    [0.5, 0.7]
    >>> as_frame([0.5, 0.7])
    [0.5, 0.7]
    """
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(table, pandas.DataFrame):
        return table
    if hasattr(table, "collect_schema") and hasattr(table, "collect"):
        raise TypeError(f"a {type(table).__name__} is not computed yet; call .collect() first")
    is_table = hasattr(table, "columns") or hasattr(table, "column_names")
    if not is_table or not hasattr(table, "__arrow_c_stream__"):
        return table
    import pyarrow as pa

    arrow = _table(table, pa)
    return _fit_for(lambda part: part.to_pandas(), arrow, pa).to_pandas()


def in_form(table: pa.Table | None, form: str) -> Any:
    """Return an Arrow table as one of another library.

    Parameters
    ----------
    table : pyarrow.Table or None
    form : str
        One of :data:`FORMS`.

    Returns
    -------
    object
        None for None.

    Raises
    ------
    ValueError
        If there is no such form, or Polars is not installed.

    Examples
    --------
    >>> import pyarrow as pa
    >>> in_form(pa.table({"score": [0.5, 0.7]}), "pandas")["score"].tolist()
    [0.5, 0.7]
    """
    if form not in FORMS:
        raise ValueError(f"no form {form!r} of tables; there are: {', '.join(FORMS)}")
    if table is None or form == "arrow":
        return table
    if form == "pandas":
        return table.to_pandas()
    try:
        import polars
    except ImportError:
        raise ValueError(
            "Polars is not installed; `pip install polars`, or ask for another form"
        ) from None
    return polars.from_arrow(table)
