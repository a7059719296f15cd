"""`probabilities-sum-to-one`: the probabilities of each row sum to one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from biomlbench.outcomes import Outcome, Reason
from biomlbench.verify.predictions._found import Found, Predicted, rounded

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

CHECK = "probabilities-sum-to-one"
ORDER = 40
MODE = "property_based"
SEVERITY = "critical"
REASON = Reason.PROPERTY_VIOLATED
PATTERN = "no-distribution"
TOLERANCE = 1e-3
"""Distance of a row's probabilities from the sum 1 that rounding to three decimals explains."""


def look(predicted: Predicted) -> Iterable[Found]:
    """Add up the columns, where the metric takes several of probabilities."""
    metric, numbers = predicted.task.metric, predicted.numbers()
    if metric is None or metric.kind != "probabilities" or len(numbers) < 2:
        return []
    off = np.abs(np.column_stack(list(numbers.values())).sum(axis=1) - 1)
    bad = int(np.count_nonzero(~(off <= TOLERANCE)))
    text = f"the probabilities of {bad} of {len(off)} rows do not sum to 1" if bad else ""
    margin = rounded(1 - float(off.max()) / TOLERANCE)
    return [Found(Outcome.FAILED if bad else Outcome.PASSED, text, margin)]


def known_bad(predicted: Predicted) -> tuple[pa.Table, float] | None:
    """Halve one column."""
    if not list(look(predicted)):
        return None
    name, values = next(iter(predicted.numbers().items()))
    return predicted.with_column(name, values / 2), predicted.score
