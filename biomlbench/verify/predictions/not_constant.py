"""`not-constant`: there are at least two different predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.outcomes import Outcome, Reason, Severity
from biomlbench.verify.predictions._found import Found, Predicted

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

CHECK = "not-constant"
ORDER = 50
MODE = "property_based"
SEVERITY = Severity.CRITICAL
REASON = Reason.CONSTANT_PREDICTIONS
PATTERN = "constant-predictions"


def look(predicted: Predicted) -> Iterable[Found]:
    """Count the values of each column."""
    columns = map(predicted.column, predicted.specs)
    if predicted.table.num_rows < 2 or not all((c == c[0]).all() for c in columns):
        return [Found()]
    return [Found(Outcome.FAILED, "every row has the same prediction")]


def known_bad(predicted: Predicted) -> tuple[pa.Table, float] | None:
    """Repeat the first row's predictions in every row."""
    table = predicted.table
    for spec in predicted.specs:
        column = predicted.column(spec)
        place = table.column_names.index(spec.name)
        values = table.column(spec.name).take([0] * len(column))
        table = table.set_column(place, spec.name, values)
    return table, predicted.score
