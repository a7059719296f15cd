"""`my-name`: fewer than half of the predictions are one and the same number.

An example, to be replaced by your own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from biomlbench.outcomes import Outcome, Reason, Severity
from biomlbench.verify.predictions._found import Found, Predicted, rounded

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

CHECK = "my-name"
ORDER = 900
MODE = "property_based"
SEVERITY = Severity.ADVISORY
REASON = Reason.PROPERTY_VIOLATED
PATTERN = "mostly-constant"
LIMIT = 0.5
"""Share of the rows that the most frequent prediction must stay below."""


def look(predicted: Predicted) -> Iterable[Found]:
    """Count the most frequent value of each numeric column."""
    for name, values in predicted.numbers().items():
        if len(set(values.tolist())) > 2:  # else the answers themselves may be two numbers
            share = float(np.unique(values, return_counts=True)[1].max() / len(values))
            text = f"{share:.0%} of the rows have the same prediction" if share >= LIMIT else ""
            outcome = Outcome.FAILED if text else Outcome.PASSED
            yield Found(outcome, text, rounded(1 - share / LIMIT), about=name)


def known_bad(predicted: Predicted) -> tuple[pa.Table, float] | None:
    """Repeat one prediction in three of four rows."""
    for name, values in predicted.numbers().items():
        spoilt = values.copy()
        spoilt[: 3 * len(spoilt) // 4] = spoilt[0]
        return predicted.with_column(name, spoilt), predicted.score
    return None
