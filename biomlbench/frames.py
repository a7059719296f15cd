"""Tables of other libraries as pandas tables, by the interface that they have in common."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeGuard

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    Submission: TypeAlias = "str | os.PathLike[str] | pd.DataFrame | ArrowStream"

__all__ = ["FORMS", "ArrowStream", "as_frame", "in_form", "is_path", "parquet_of"]

FORMS = ("pandas", "polars", "arrow")
"""Libraries in whose form tables are given."""

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
        if all(name is not None for name in table.index.names):
            table = table.reset_index(allow_duplicates=True)
        names = [str(name) for name in table.columns]
        columns = [_array(table.iloc[:, number], pa) for number in range(len(names))]
        arrow = pa.Table.from_arrays(columns, names=names)
    else:
        arrow = _arrow_of(table, pa)
    sink = io.BytesIO()
    pq.write_table(arrow, sink)
    return sink.getvalue()


def _arrow_of(table: Any, pa: Any) -> pa.Table:
    if hasattr(table, "collect_schema") and hasattr(table, "collect"):
        raise TypeError(f"a {type(table).__name__} is not computed yet; call .collect() first")
    is_table = any(hasattr(table, name) for name in ("columns", "column_names", "schema"))
    if not is_table or not any(
        hasattr(table, f"__arrow_c_{kind}__") for kind in ("stream", "array")
    ):
        raise TypeError(f"a submission is {_TAKEN}; not a {type(table).__name__}")
    arrow = pa.table(table)
    columns = [_array(column, pa) for column in arrow.columns]
    return pa.Table.from_arrays(columns, names=arrow.column_names)


def _array(column: Any, pa: Any) -> Any:
    """Return a column as Arrow that Parquet can hold; values of several types become text."""
    known = pa.types
    try:
        if not isinstance(column, pa.ChunkedArray):
            column = pa.chunked_array([pa.Array.from_pandas(column)])
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return pa.chunked_array([[None if value is None else str(value) for value in column]])
    if known.is_string_view(column.type):
        return column.cast(pa.large_string())
    if known.is_float16(column.type):
        return column.cast(pa.float32())
    return column


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

    return pa.table(table).to_pandas()


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
