"""What checks of predictions look at, and what they find."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from biomlbench.outcomes import Outcome, Reason, Severity
from biomlbench.verify.cases import MARGIN_FLOOR
from biomlbench.verify.policy import rounded

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from biomlbench.submission.answers import Answers
    from biomlbench.submission.sample import Sample
    from biomlbench.submission.validation import Inspection
    from biomlbench.task.submission_columns import ColumnSpec
    from biomlbench.task.task import Task

__all__ = ["Found", "Predicted", "agreement", "not_applicable", "rounded"]

_FAR = 0.01
"""Share of the scale of a task's scores that no rounding explains."""


class Found(NamedTuple):
    """What a check found, once or for each of several parts.

    Attributes
    ----------
    outcome : Outcome
    message : str
        Without any value of the answers; empty for the reason's own sentence.
    margin : float or None
        Distance to the threshold in units of it; None without one.
    reason : Reason or None
        By default the check's own where it failed, and ``ok`` otherwise.
    severity : Severity or None
        By default the check's own.
    about : str
        The part it is about, a column for instance; it becomes a part of the row's name.
    """

    outcome: Outcome = Outcome.PASSED
    message: str = ""
    margin: float | None = None
    reason: Reason | None = None
    severity: Severity | None = None
    about: str = ""


@dataclass(frozen=True)
class Predicted:
    """One submission, read and aligned, with its score.

    Attributes
    ----------
    task : Task
    inspection : Inspection
    known : Answers or None
        The answers, where they were read already.
    score : float
        The score that is to be believed.
    public : Path
        Folder of the public files.
    """

    task: Task
    inspection: Inspection
    known: Answers | None
    score: float
    public: Path

    @property
    def answers(self) -> Answers:
        """The answers, which a published grader's task need not have as a table."""
        from biomlbench.submission.answers import answers_of

        return self.known or answers_of(self.task)

    @property
    def sample(self) -> Sample:
        """What the sample submission asks for."""
        if self.inspection.sample is None:
            raise ValueError("only the task's grader can read this submission")
        return self.inspection.sample

    @property
    def table(self) -> pa.Table:
        """The submission, its rows in the order of the file."""
        return self.inspection.table

    @property
    def order(self) -> np.ndarray | None:
        """Position in it of each row of the sample submission; None for the same order."""
        return self.inspection.rows[1]

    @property
    def specs(self) -> tuple[ColumnSpec, ...]:
        """The prediction columns."""
        return tuple(self.sample.predictions)

    def column(self, spec: ColumnSpec) -> np.ndarray:
        """Return a prediction column in the order of the sample submission."""
        values = self.table.column(spec.name)
        values = values if self.order is None else values.take(self.order)
        result: np.ndarray = values.to_numpy()
        return result

    def numbers(self) -> dict[str, np.ndarray]:
        """Return the numeric prediction columns."""
        return {
            spec.name: np.asarray(self.column(spec), float) for spec in self.specs if spec.numeric
        }

    @property
    def other_score(self) -> float:
        """A score that the predictions do not have, off by more than rounding."""
        from biomlbench.scoring.gold import own_order

        scale = own_order(self.task).scale or 1.0
        return self.score + _FAR * max(scale, abs(self.score))

    def metric_inputs(self) -> tuple[Any, Any]:
        """Return what the metric takes as truth and as predictions."""
        from biomlbench.scoring.metric_inputs import metric_inputs

        return metric_inputs(self.task.grader, self.answers, self.table, self.order)

    def with_column(self, name: str, values: Any) -> pa.Table:
        """Return the submission with a column replaced, given in the order of the sample."""
        import pyarrow as pa

        table = self.table if self.order is None else self.table.take(self.order)
        return table.set_column(table.column_names.index(name), name, pa.array(values))


def not_applicable(message: str) -> Found:
    """Return that a check has nothing to go by in a task; it changes no verdict."""
    return Found(Outcome.SKIPPED, message, reason=Reason.NOT_REACHED, severity=Severity.ADVISORY)


def agreement(predicted: Predicted, other: float, what: str) -> Found:
    """Compare two ways to one score. That they differ is the grader's fault, no submission's."""
    from biomlbench.scoring.gold import own_order
    from biomlbench.scoring.score_order import ScoreOrder

    task, score = predicted.task, predicted.score
    off, order = abs(other - score), ScoreOrder(task.direction)
    # most scores agree to the last digits, and need no scale, for which others may be computed
    if not off <= order.tolerance(other, score):
        order = own_order(task)
    limit = order.tolerance(other, score)
    margin = _margin(off, limit)
    if off <= limit:
        return Found(Outcome.PASSED, f"{what} gives the same score", margin)
    return Found(
        Outcome.ERROR, f"{what} gives another score", margin, reason=Reason.SCORE_DISAGREEMENT
    )


def _margin(off: float, limit: float) -> float:
    if not math.isfinite(off):
        return MARGIN_FLOOR
    return rounded(max(1 - off / limit, MARGIN_FLOOR)) if off else 1.0
