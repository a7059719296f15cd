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

__all__ = ["SCORE_RTOL", "Found", "Predicted", "agreement", "not_applicable", "rounded"]

SCORE_RTOL = 1e-9
"""Relative difference of two ways to one score that rounding explains."""


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

    def metric_inputs(self) -> tuple[Any, Any]:
        """Return what the metric takes as truth and as predictions."""
        from biomlbench.scoring.score import metric_inputs

        return metric_inputs(self.task.grader, self.answers, self.table, self.order)

    def with_column(self, name: str, values: Any) -> pa.Table:
        """Return the submission with a column replaced, given in the order of the sample."""
        import pyarrow as pa

        table = self.table if self.order is None else self.table.take(self.order)
        return table.set_column(table.column_names.index(name), name, pa.array(values))


def not_applicable(message: str) -> Found:
    """Return that a check has nothing to go by in a task; it changes no verdict."""
    return Found(Outcome.SKIPPED, message, reason=Reason.NOT_REACHED, severity=Severity.ADVISORY)


def agreement(other: float, score: float, what: str) -> Found:
    """Compare two scores. That they differ is the grader's fault, not the submission's."""
    limit = SCORE_RTOL * max(1.0, abs(score))
    off = abs(other - score)
    margin = rounded(max(1 - off / limit, MARGIN_FLOOR)) if math.isfinite(off) else MARGIN_FLOOR
    if off <= limit:
        return Found(Outcome.PASSED, f"{what} gives the same score", margin)
    return Found(
        Outcome.ERROR, f"{what} gives another score", margin, reason=Reason.SCORE_DISAGREEMENT
    )
