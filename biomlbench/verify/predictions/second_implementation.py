"""`second-implementation`: a second implementation of the metric gives the same score."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.outcomes import Outcome, Reason, Severity
from biomlbench.verify.predictions._found import Found, Predicted, agreement, not_applicable
from biomlbench.verify.second_scores import applies, second_score

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

CHECK = "second-implementation"
ORDER = 10
MODE = "numeric_tolerance"
SEVERITY = Severity.CRITICAL
REASON = Reason.SCORE_DISAGREEMENT
PATTERN = "wrong-score"


def look(predicted: Predicted) -> Iterable[Found]:
    """Score the predictions another way."""
    metric = predicted.task.metric
    options = dict(predicted.task.grader.options)
    if metric is None or not applies(metric.name, options):
        return [not_applicable("the metric with its options has no second implementation")]
    try:
        second = second_score(metric.name, *predicted.metric_inputs(), options)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        message = f"the second implementation raised {type(error).__name__}"
        return [Found(Outcome.ERROR, message, reason=Reason.GRADER_ERROR)]
    if second is None:
        return [not_applicable("too many rows or columns for the second implementation")]
    return [agreement(predicted, second, "the second implementation")]


def known_bad(predicted: Predicted) -> tuple[pa.Table, float] | None:
    """Believe another score than the metric gives."""
    return predicted.table, predicted.other_score
