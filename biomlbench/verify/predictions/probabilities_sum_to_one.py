"""`probabilities-sum-to-one`: the probabilities of each row sum to one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from biomlbench.metrics.probability import sum_tolerance
from biomlbench.outcomes import Outcome, Reason, Severity
from biomlbench.verify.predictions._found import Found, Predicted, rounded

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

CHECK = "probabilities-sum-to-one"
ORDER = 40
MODE = "property_based"
SEVERITY = Severity.CRITICAL
REASON = Reason.PROPERTY_VIOLATED
PATTERN = "no-distribution"


def look(predicted: Predicted) -> Iterable[Found]:
    """Add up the columns, where the metric takes several of probabilities.

    Of a grader that is no metric only the sample submission tells that it does. It may normalise
    them itself, so there it is only told; a medal depends on it where an audit has shown that the
    grader does not.
    """
    metric, numbers = predicted.task.metric, predicted.numbers()
    if len(numbers) < 2 or (metric is not None and metric.kind != "probabilities"):
        return []
    if metric is None and not _asks_for_distributions(predicted):
        return []
    off = np.abs(np.column_stack(list(numbers.values())).sum(axis=1) - 1)
    tolerance = sum_tolerance(len(numbers))
    bad = int(np.count_nonzero(~(off <= tolerance)))
    text = f"the probabilities of {bad} of {len(off)} rows do not sum to 1" if bad else ""
    margin = rounded(1 - float(off.max()) / tolerance)
    severity = Severity.ADVISORY if metric is None else None
    return [Found(Outcome.FAILED if bad else Outcome.PASSED, text, margin, severity=severity)]


def _asks_for_distributions(predicted: Predicted) -> bool:
    """Tell whether each row of the sample submission is one."""
    from biomlbench.submission.own_tables import cached, own_table

    task, names = predicted.task, list(predicted.numbers())

    def sums() -> bool:
        rows = own_table(task.sample_submission).select(names).to_pandas().to_numpy(float)
        off = abs(rows.sum(axis=1) - 1)
        return bool((rows >= 0).all() and (off <= sum_tolerance(len(names))).all())

    return bool(cached("distributions", task.sample_submission, sums, task))


def known_bad(predicted: Predicted) -> tuple[pa.Table, float] | None:
    """Halve one column."""
    if not list(look(predicted)):
        return None
    name, values = next(iter(predicted.numbers().items()))
    return predicted.with_column(name, values / 2), predicted.score
