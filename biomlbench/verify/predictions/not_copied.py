"""`not-copied`: the predictions are no column of a public file, nor such a column rescaled."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from biomlbench.outcomes import Outcome, Reason, Severity
from biomlbench.runtime.once import once
from biomlbench.verify.predictions._found import Found, Predicted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    import pyarrow as pa

    from biomlbench.submission.ids import Keys

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
MAX_PUBLIC_BYTES = 64 << 20
"""Larger public files are not searched for copied columns."""
MAX_KEPT_BYTES = 4 << 20
"""Larger ones are read again for each submission, so that they do not fill the memory."""


def look(predicted: Predicted) -> Iterable[Found]:
    """Compare every numeric column with every one of the public tables."""
    numbers = predicted.numbers()
    copied = [
        f"{name} is a copy of {file}:{column}"
        for file, columns in _public_columns(predicted)
        for column, values in columns.items()
        for name, predictions in numbers.items()
        if len(predictions) > 1
        and np.ptp(predictions) > 0
        and np.allclose(values, predictions, rtol=COPY_RTOL, atol=0)
    ]
    if copied:
        return [Found(Outcome.FAILED, "; ".join(copied))]
    followed = [
        f"{name} follows {file}:{column} on a straight line"
        for file, columns in _public_columns(predicted)
        for column, values in columns.items()
        for name, predictions in numbers.items()
        if _on_a_line(values, predictions)
    ]
    # A model of one feature may be honest work, so it is only told.
    if followed:
        return [Found(Outcome.FAILED, "; ".join(followed), severity=Severity.ADVISORY)]
    return [Found()]


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


def _public_columns(predicted: Predicted) -> Iterator[tuple[str, dict[str, np.ndarray]]]:
    """Yield the numeric columns of public tables that have a row for each wanted id."""
    sample = predicted.sample
    for path, size in once(("public", predicted.public), lambda: _tables(predicted.public)):
        if path == predicted.task.sample_submission or size > MAX_PUBLIC_BYTES:
            continue
        if size > MAX_KEPT_BYTES:
            columns = _columns_of(path, sample.keys)
        else:
            columns = once((path, sample), partial(_kept_columns, path, predicted))
        if columns:
            yield path.name, columns


def _tables(folder: Path) -> list[tuple[Path, int]]:
    return [(path, path.stat().st_size) for path in sorted(folder.glob("*.csv"))]


def _kept_columns(path: Path, predicted: Predicted) -> dict[str, np.ndarray]:
    from biomlbench.submission.own_tables import cached

    sample = predicted.sample
    read = partial(_columns_of, path, sample.keys)
    columns: dict[str, np.ndarray] = cached(f"columns {id(sample)}", path, read, predicted.task)
    return columns


def _columns_of(path: Path, keys: Keys) -> dict[str, np.ndarray]:
    """Return a table's numeric columns in the order of the ids; none where ids are missing."""
    import pyarrow as pa
    from pyarrow import csv

    from biomlbench.submission import ids

    as_text = csv.ConvertOptions(column_types=dict.fromkeys(keys.columns, pa.string()))
    try:
        table = csv.read_csv(path, convert_options=as_text)
        found = ids.Keys.of(table, keys.columns, keys.kinds)
    except (pa.ArrowException, KeyError):
        return {}
    alignment = ids.Alignment.of(keys, found)
    if alignment.missing:
        return {}
    table = table if alignment.order is None else table.take(alignment.order)
    return {
        name: table.column(name).to_numpy().astype(float)
        for name in table.column_names
        if pa.types.is_integer(table.column(name).type)
        or pa.types.is_floating(table.column(name).type)
    }


def known_bad(predicted: Predicted) -> tuple[pa.Table, float] | None:
    """Submit a column of a public file."""
    ids = set(predicted.sample.keys.columns)
    for name in predicted.numbers():
        for _, columns in _public_columns(predicted):
            for column, values in columns.items():
                if column not in ids and np.ptp(values) > 0:
                    return predicted.with_column(name, values), predicted.score
    return None
