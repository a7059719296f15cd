"""pandas tables to codec nodes and back: one array or list a column, plus the index.

What a table may not carry across (attributes, flags, subclasses, extension types of other
libraries) is dropped or refused, so that the trusted side meets plain columns only.
"""

from __future__ import annotations

from .arrays import CodecError

# Spelt out because nothing here may import what a case does not need; checkers know the name.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

__all__ = ["from_node", "to_node"]

MAX_COLUMNS = 10_000


def to_node(
    value: Any,
    kind: type,
    blobs: Any,
    depth: int,
    encode_value: Callable[[Any, Any, int], Any],
) -> Any:
    """Return the codec node of a DataFrame, Series, Index or pandas scalar.

    Parameters
    ----------
    value : object
        Something whose type is defined in pandas.
    kind : type
    blobs : list of bytes
        Grows by the arrays of the table.
    depth : int
    encode_value : callable
        The codec's encoder for one value.

    Raises
    ------
    CodecError
        If the value is none of these.
    """
    import pandas as pd

    def column(series: Any) -> Any:
        return encode_value(_plain(series, pd), blobs, depth + 1)

    def index(labels: Any) -> Any:
        if isinstance(labels, pd.MultiIndex):
            raise CodecError("a table with several index levels; call reset_index() first")
        if type(labels) is pd.RangeIndex and labels.start == 0 and labels.step == 1:
            return None
        return column(labels.to_series())

    if kind is pd.DataFrame:
        if isinstance(value.columns, pd.MultiIndex) or value.shape[1] > MAX_COLUMNS:
            raise CodecError("a table's columns have several levels or are too many")
        names = [encode_value(_label(name), blobs, depth + 1) for name in value.columns]
        columns = [column(value.iloc[:, i]) for i in range(value.shape[1])]
        return {"p": ["frame", len(value), names, columns, index(value.index)]}
    if kind is pd.Series:
        name = encode_value(_label(value.name), blobs, depth + 1)
        return {"p": ["series", len(value), [name], [column(value)], index(value.index)]}
    if isinstance(value, pd.Index) and kind.__module__.startswith("pandas."):
        return column(value.to_series())
    if value is pd.NA or value is pd.NaT:
        return None
    if kind is pd.Timestamp and value.tzinfo is None:
        return encode_value(value.to_datetime64(), blobs, depth + 1)
    if kind is pd.Timedelta:
        return encode_value(value.to_timedelta64(), blobs, depth + 1)
    raise CodecError(f"a pandas {kind.__qualname__} is not plain data")


def _label(name: Any) -> Any:
    return name.item() if hasattr(name, "item") and type(name).__module__ == "numpy" else name


def _plain(series: Any, pd: ModuleType) -> Any:
    """Return a column as a base-class array, or as a list where it holds objects."""
    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        series = series.astype(dtype.categories.dtype)
        dtype = series.dtype
    if isinstance(dtype, pd.DatetimeTZDtype):
        raise CodecError("a column has a time zone; convert it to UTC without zone")
    plain = getattr(dtype, "kind", "O") in "biufcmM" and hasattr(dtype, "itemsize")
    if plain and not (hasattr(dtype, "na_value") and series.isna().any()):
        return series.to_numpy(dtype=getattr(dtype, "numpy_dtype", dtype))
    missing = series.isna().tolist()
    return [
        None if gap and not isinstance(item, float) else item
        for item, gap in zip(series.tolist(), missing, strict=True)
    ]


def from_node(body: Any, decode_value: Callable[[Any], Any]) -> Any:
    """Return the table of a codec node.

    Parameters
    ----------
    body : object
        Untrusted.
    decode_value : callable
        The codec's decoder for one node.

    Raises
    ------
    CodecError
        If the node is not a table.
    """
    if type(body) is not list or len(body) != 5:
        raise CodecError("a table needs five fields")
    shape, rows, names, columns, index = body
    if shape not in ("frame", "series") or type(rows) is not int or not 0 <= rows < 1 << 31:
        raise CodecError("a table of unknown kind or impossible length")
    if type(names) is not list or type(columns) is not list or len(names) != len(columns):
        raise CodecError("a table's names do not match its columns")
    if len(names) > MAX_COLUMNS or (shape == "series" and len(names) != 1):
        raise CodecError("a table has an impossible number of columns")
    names = [_checked_label(decode_value(name)) for name in names]
    columns = [_checked_column(decode_value(column), rows) for column in columns]
    if index is not None:
        index = _checked_column(decode_value(index), rows)
    elif not columns and rows > 1_000_000:
        raise CodecError("a table without columns has too many rows")
    import pandas as pd

    index = pd.RangeIndex(rows) if index is None else pd.Index(index)
    if shape == "series":
        return pd.Series(columns[0], index=index, name=names[0])
    frame = pd.DataFrame(dict(enumerate(columns)), index=index)
    frame.columns = pd.Index(names)
    return frame


def _checked_label(name: Any) -> Any:
    if name is not None and type(name) not in (str, int, float, bool):
        raise CodecError("a column's name must be a string or a number")
    return name


def _checked_column(column: Any, rows: int) -> Any:
    if type(column) is list:
        allowed = (type(None), bool, int, float, str)
        if len(column) != rows or any(type(item) not in allowed for item in column):
            raise CodecError("a column must hold one plain value a row")
        return column
    if not hasattr(column, "dtype") or column.shape != (rows,) or column.dtype.kind == "O":
        raise CodecError("a column must hold one plain value a row")
    return column
