"""`range`: every value lies in the range that its column declares."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from biomlbench.outcomes import Outcome, Reason, Severity
from biomlbench.verify.predictions._found import Found, Predicted

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

    from biomlbench.task.submission_columns import ColumnSpec

CHECK = "range"
ORDER = 30
MODE = "property_based"
SEVERITY = Severity.CRITICAL
REASON = Reason.OUT_OF_RANGE
PATTERN = "out-of-range"


def look(predicted: Predicted) -> Iterable[Found]:
    """Look at each column that declares a range."""
    for spec in predicted.specs:
        if not _declares(spec):
            continue
        values = np.asarray(predicted.column(spec), float)
        low = -math.inf if spec.minimum is None else spec.minimum
        high = math.inf if spec.maximum is None else spec.maximum
        bad = int(np.count_nonzero(~((values >= low) & (values <= high))))
        text = f"{bad} of {len(values)} values outside [{low:g}, {high:g}]" if bad else ""
        yield Found(Outcome.FAILED if bad else Outcome.PASSED, text, about=spec.name)


def _declares(spec: ColumnSpec) -> bool:
    return spec.numeric and (spec.minimum is not None or spec.maximum is not None)


def _beyond(spec: ColumnSpec) -> tuple[float, float]:
    if spec.maximum is not None:
        return spec.maximum, math.inf
    assert spec.minimum is not None
    return spec.minimum, -math.inf


def known_bad(predicted: Predicted) -> tuple[pa.Table, float] | None:
    """Put a value just beyond the declared end."""
    for spec in predicted.specs:
        if _declares(spec):
            values = np.array(predicted.column(spec), float)
            values[0] = math.nextafter(*_beyond(spec))
            return predicted.with_column(spec.name, values), predicted.score
    return None
