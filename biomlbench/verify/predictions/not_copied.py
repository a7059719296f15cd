"""`not-copied`: the predictions are no column of a public file, nor such a column rescaled."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from biomlbench.outcomes import Outcome, Reason, Severity
from biomlbench.runtime.once import once
from biomlbench.submission.public_tables import may_be_no_table, public_table, table_files
from biomlbench.verify.predictions._found import Found, Predicted, not_applicable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    import pyarrow as pa

    from biomlbench.submission.ids import Keys
    from biomlbench.submission.public_tables import PublicFiles

CHECK = "not-copied"
ORDER = 60
MODE = "property_based"
SEVERITY = Severity.CRITICAL
REASON = Reason.COPIED_COLUMN
PATTERN = "copied-column"
COPY_RTOL = 1e-9
"""Relative difference from a column that writing it as text explains."""
LINE_RTOL = 1e-5
"""Share of the predictions' range by which rounding may take them off a straight line."""
LEAST_VALUES = 5
"""Fewer different predictions lie on a line with some column by chance."""
MAX_KEPT_BYTES = 4 << 20
"""Larger public files are read again for each submission, so that they do not fill the memory."""
PACKED = 8
"""How many times larger than its file a compressed table may be."""
MAX_NAMED = 3
"""So many tables that were not searched are named."""


def look(predicted: Predicted) -> Iterable[Found]:
    """Compare every numeric column with every one of the public tables."""
    numbers = predicted.numbers()
    copied, followed = [], []
    searched, left_out = 0, _left_out(predicted)
    for file, columns in _public_columns(predicted):
        if columns is None:
            left_out.append(file)
            continue
        searched += 1
        for column, values in columns.items():
            for name, predictions in numbers.items():
                if _is_copy(values, predictions):
                    copied.append(f"{name} is a copy of {file}:{column}")
                elif _on_a_line(values, predictions):
                    followed.append(f"{name} follows {file}:{column} on a straight line")
    if copied:
        return [Found(Outcome.FAILED, "; ".join(copied))]
    # A model of one feature may be honest work, so it is only told.
    if followed:
        return [Found(Outcome.FAILED, "; ".join(followed), severity=Severity.ADVISORY)]
    if left_out and not searched:
        return [not_applicable(f"no public table could be searched: {_some(left_out)}")]
    return [Found(message=f"not searched: {_some(left_out)}" if left_out else "")]


def _some(names: list[str]) -> str:
    more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
    return ", ".join(names[:MAX_NAMED]) + more


def _is_copy(values: np.ndarray, predictions: np.ndarray) -> bool:
    return (
        len(predictions) > 1
        and np.ptp(predictions) > 0
        and np.allclose(values, predictions, rtol=COPY_RTOL, atol=0)
    )


def _on_a_line(values: np.ndarray, predictions: np.ndarray) -> bool:
    """Tell whether predictions are a column rescaled, shifted or negated."""
    if len(np.unique(predictions)) < LEAST_VALUES or not np.isfinite(values).all():
        return False
    spread = np.ptp(values)
    if not spread > 0:
        return False
    unit = (values - values.min()) / spread
    # The difference of the largest numbers that there are is infinite, and any line within it.
    predictions = predictions / np.abs(predictions).max()
    line = np.polynomial.polynomial.polyfit(unit, predictions, 1)
    off = np.abs(np.polynomial.polynomial.polyval(unit, line) - predictions).max()
    return bool(off <= LINE_RTOL * np.ptp(predictions))


def _files(predicted: Predicted) -> PublicFiles:
    sample = predicted.task.sample_submission
    return once(("public", predicted.public, sample), lambda: table_files(predicted.public, sample))


def _left_out(predicted: Predicted) -> list[str]:
    """Return the tables that are too large, or too many, to be searched."""
    return [_name(path, predicted) for path in _files(predicted).beyond]


def _name(path: Path, predicted: Predicted) -> str:
    return path.relative_to(predicted.public).as_posix()


def _public_columns(predicted: Predicted) -> Iterator[tuple[str, dict[str, np.ndarray] | None]]:
    """Yield the numeric columns of each public table; None where it cannot be read."""
    sample = predicted.sample
    for path in _files(predicted).searched:
        if _is_small(path):
            columns = once((path, sample), partial(_kept_columns, path, predicted))
        else:
            columns = _columns_of(path, sample.keys)
        if columns is not None or not may_be_no_table(path):
            yield _name(path, predicted), columns


def _is_small(path: Path) -> bool:
    packed = path.name.lower().endswith((".gz", ".parquet"))
    return path.stat().st_size <= (MAX_KEPT_BYTES // PACKED if packed else MAX_KEPT_BYTES)


def _kept_columns(path: Path, predicted: Predicted) -> dict[str, np.ndarray] | None:
    from biomlbench.submission.own_tables import cached

    sample = predicted.sample
    read = partial(_columns_of, path, sample.keys)
    columns: dict[str, np.ndarray] | None = cached(
        f"columns {id(sample)}", path, read, predicted.task
    )
    return columns


def _columns_of(path: Path, keys: Keys) -> dict[str, np.ndarray] | None:
    """Return a table's numeric columns in the order of the ids.

    Returns
    -------
    dict or None
        Empty where ids are missing; None where the table cannot be read.
    """
    import pyarrow as pa

    from biomlbench.submission.own_tables import number_or_text

    table = public_table(path)
    if table is None:
        return None
    rows = _rows_of(table, keys)
    if rows is None:
        return {}
    columns = {
        name: number_or_text(table.column(name).take(rows))
        for name in table.column_names
        if name not in keys.columns
    }
    return {
        name: column.to_numpy()
        for name, column in columns.items()
        if pa.types.is_floating(column.type)
    }


def _rows_of(table: pa.Table, keys: Keys) -> pa.Array | None:
    """Return the row of each wanted id; None where one has none."""
    import pyarrow.compute as pc

    from biomlbench.submission import ids

    if not set(keys.columns) <= set(table.column_names):
        return None
    found = ids.Keys.of(table, keys.columns, keys.kinds)
    rows = pc.index_in(keys.values, value_set=found.values, skip_nulls=True)
    return None if rows.null_count else rows


def known_bad(predicted: Predicted) -> tuple[pa.Table, float] | None:
    """Submit a column of a public file."""
    for name in predicted.numbers():
        for _, columns in _public_columns(predicted):
            for values in (columns or {}).values():
                if np.ptp(values) > 0:
                    return predicted.with_column(name, values), predicted.score
    return None
