"""`plausible-score`: the score is one that honest work can have."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from biomlbench.outcomes import Outcome, Reason, Severity
from biomlbench.scoring.gold import gold_score, own_order
from biomlbench.verify.predictions._found import Found, Predicted

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

    from biomlbench.task.task import Task

CHECK = "plausible-score"
ORDER = 70
MODE = "property_based"
SEVERITY = Severity.CRITICAL
REASON = Reason.SUSPICIOUS_SCORE
PATTERN = "leaked-answers"


def look(predicted: Predicted) -> Iterable[Found]:
    """Compare the score with the noise floor, or else with what the right answers have.

    That is the score of the gold submission, whatever grades it, and the metric's best value.
    """
    task, score, order = predicted.task, predicted.score, own_order(predicted.task)
    floor = task.config.get("noise_floor")
    if floor is not None:
        beyond = order.better(score, float(floor))
        text = "better than a perfect model of the noisy answers could be"
        return [Found(Outcome.FAILED, f"the score is {text}") if beyond else Found()]
    perfect = _perfect(task)
    if not perfect:
        return []
    # perfect on real data is a reason to look, not a proof
    if all(order.better(one, score) for one in perfect):
        return [Found(severity=Severity.ADVISORY)]
    text = "as good as that of the right answers; see whether they leaked"
    return [Found(Outcome.FAILED, f"the score is {text}", severity=Severity.ADVISORY)]


def _perfect(task: Task) -> list[float]:
    """Return the scores that right answers have."""
    metric, gold = task.metric, gold_score(task)
    return [
        *([metric.best] if metric is not None and math.isfinite(metric.best) else []),
        *([gold] if gold is not None else []),
    ]


def known_bad(predicted: Predicted) -> tuple[pa.Table, float] | None:
    """Believe a score that right answers have, as leaked ones do."""
    perfect = _perfect(predicted.task)
    return (predicted.table, perfect[0]) if perfect else None
