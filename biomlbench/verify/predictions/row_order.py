"""`row-order`: the score is the same whatever the order of the rows."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from biomlbench.outcomes import Reason, Severity
from biomlbench.runtime.once import once
from biomlbench.verify.predictions._found import Found, Predicted, agreement

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

CHECK = "row-order"
ORDER = 20
MODE = "metamorphic"
SEVERITY = Severity.CRITICAL
REASON = Reason.SCORE_DISAGREEMENT
PATTERN = "order-dependent-score"
_SEED = 20_240_601


def look(predicted: Predicted) -> Iterable[Found]:
    """Score the rows in another order."""
    from biomlbench.scoring.score import score_submission

    table = predicted.table
    order = once(("another order", table.num_rows), partial(_other_order, table.num_rows))
    result = score_submission(table.take(order), predicted.task)
    other = result.score if result.valid and result.score is not None else math.nan
    return [agreement(predicted, other, "the same predictions in another row order")]


def _other_order(n: int) -> np.ndarray:
    return np.random.default_rng(_SEED).permutation(n)


def known_bad(predicted: Predicted) -> tuple[pa.Table, float] | None:
    """Believe another score than these rows have in another order."""
    return predicted.table, predicted.other_score
