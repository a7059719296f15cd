"""`plausible-score`: the score is one that honest work can have."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from biomlbench.outcomes import Outcome, Reason, Severity
from biomlbench.verify.predictions._found import Found, Predicted

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

CHECK = "plausible-score"
ORDER = 70
MODE = "property_based"
SEVERITY = Severity.CRITICAL
REASON = Reason.SUSPICIOUS_SCORE
PATTERN = "leaked-answers"


def look(predicted: Predicted) -> Iterable[Found]:
    """Compare the score with the task's noise floor, or else with the metric's best value."""
    metric, floor = predicted.task.metric, predicted.task.config.get("noise_floor")
    severity = None
    if floor is not None:
        sign = 1 if predicted.task.direction == "maximize" else -1
        beyond = sign * (predicted.score - float(floor)) > 0
        text = "better than a perfect model of the noisy answers could be"
    elif metric is not None:
        # perfect on real data is a reason to look, not a proof
        severity = Severity.ADVISORY
        beyond = math.isclose(predicted.score, metric.best, rel_tol=0, abs_tol=1e-12)
        text = "perfect; see whether the answers leaked"
    else:
        return []
    if not beyond:
        return [Found(severity=severity)]
    return [Found(Outcome.FAILED, f"the score is {text}", severity=severity)]


def known_bad(predicted: Predicted) -> tuple[pa.Table, float] | None:
    """Believe the metric's best value, which leaked answers have."""
    metric = predicted.task.metric
    return None if metric is None else (predicted.table, metric.best)
