"""Booleans in columns of text: one value, however a library writes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.submission.csv_table import BOOLEAN

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

__all__ = ["written_as"]


def written_as(column: pa.ChunkedArray, wanted: Iterable[str]) -> pa.ChunkedArray:
    """Write booleans as those that are wanted are written, where no other text is wanted.

    pandas and Python write ``True``, Polars ``true``, R and Excel ``TRUE``.

    Parameters
    ----------
    column : ChunkedArray of string
    wanted : iterable of str
        The values that count, of which empty ones are none.

    Returns
    -------
    pyarrow.ChunkedArray
        Cells that are no booleans as they are; all of them where the wanted values are others,
        or the same in several spellings.

    Examples
    --------
    >>> import pyarrow as pa
    >>> written_as(pa.chunked_array([["true", "FALSE", "x"]]), ["True", "False"]).to_pylist()
    ['True', 'False', 'x']
    >>> written_as(pa.chunked_array([["true"]]), ["True", "False", "unknown"]).to_pylist()
    ['true']
    """
    import pyarrow.compute as pc

    values = {value for value in wanted if value}
    for style in (str.capitalize, str.lower, str.upper):
        if values and values <= {style("true"), style("false")}:
            are = pc.match_substring_regex(column, BOOLEAN)
            if not pc.any(are, min_count=0).as_py():
                return column
            is_true = pc.match_substring(column, "true", ignore_case=True)
            return pc.if_else(are, pc.if_else(is_true, style("true"), style("false")), column)
    return column
