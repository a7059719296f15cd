"""From a submission to a score: rows matched by id, the metric called once, faults told apart."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from biomlbench.errors import (
    FunctionError,
    GraderError,
    InvalidSubmissionError,
    TaskError,
    faults_as,
)
from biomlbench.frames import as_frame
from biomlbench.outcomes import Fault, Reason, fault_of
from biomlbench.runtime.author_traceback import author_traceback
from biomlbench.scoring.compared_columns import compared_columns
from biomlbench.scoring.function_score import gold_is_refused, grades_others, is_own_fault
from biomlbench.scoring.metric_faults import is_of_form, metric_reason, of_answers, outcome_of
from biomlbench.scoring.metric_inputs import metric_inputs, own_inputs
from biomlbench.scoring.score_apart import score_apart
from biomlbench.scoring.task_report import NOT_THERE
from biomlbench.submission.answers import Answers, answers_of
from biomlbench.submission.class_columns import class_order
from biomlbench.submission.validation import inspect_submission

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    import pandas as pd
    import pyarrow as pa

    from biomlbench.metrics import Metric
    from biomlbench.scoring.grader import Grader
    from biomlbench.submission.validation import Inspection
    from biomlbench.task.task import Task

__all__ = [
    "ScoreResult",
    "check_truth",
    "failed",
    "log_failure",
    "score_submission",
    "tried",
]

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class ScoreResult:
    """A score, or why there is none.

    Attributes
    ----------
    valid : bool
        There is a finite score.
    score : float or None
        At full precision.
    metric, direction : str
    score_low, score_high : float or None
        95 % bootstrap interval, where one was asked for and the metric is a registered one.
    score_quantiles : tuple of float or None
        The bootstrap distribution at evenly spaced quantiles from 0 to 1.
    n_rows : int or None
        Rows (images, structures) that were scored.
    reason : Reason
    fault : Fault
    message : str
        Reason code, whose fault, and a sentence; ``ok``, ``none`` and empty with a score.
    exists : bool
        There is a regular file, whatever is in it.
    undefined_resamples : int
        Bootstrap resamples without a score.
    inspection : Inspection or None
        What the structural checks found in predictions that were scored.
    """

    valid: bool
    score: float | None
    metric: str
    direction: str
    score_low: float | None = None
    score_high: float | None = None
    score_quantiles: tuple[float, ...] | None = None
    n_rows: int | None = None
    reason: Reason = Reason.OK
    fault: Fault = Fault.NONE
    message: str = ""
    exists: bool = True
    undefined_resamples: int = 0
    inspection: Inspection | None = field(default=None, repr=False, compare=False)


def score_submission(
    submission: str | Path | bytes | pa.Table,
    task: Task,
    bootstrap: int = 0,
    seed: int = 0,
    *,
    name: str | Path | None = None,
    root: str | Path | None = None,
) -> ScoreResult:
    """Score predictions.

    Parameters
    ----------
    submission : path, bytes or pyarrow.Table
        The file, its content, or a table as :func:`biomlbench.submission.reading.read_table` gives.
    task : Task
    bootstrap : int
        Resamples for the score's interval, at least 1,000; 0: no interval.
    seed : int
        Seed of the resamples.
    name, root
        As for :func:`biomlbench.submission.validation.inspect_submission`.

    Returns
    -------
    ScoreResult
        Nothing is raised for a bad submission, a broken task or a failing grader: `reason` and
        `fault` say which it was.
    """
    result, error = tried(submission, task, bootstrap, seed, name, root)
    if error is not None:
        log_failure(task, error)
    return result


def tried(
    submission: str | Path | bytes | pa.Table,
    task: Task,
    bootstrap: int = 0,
    seed: int = 0,
    name: str | Path | None = None,
    root: str | Path | None = None,
) -> tuple[ScoreResult, GraderError | None]:
    """Score predictions as :func:`score_submission`, and return how the grader failed if it did.

    For predictions of the task's own, scored beside a submission, by whose score a failure is
    logged.
    """
    metric, direction = "", ""
    try:
        if task.is_card:
            raise TaskError(f"{task.id} takes code, not predictions; grade it as a pair")
        metric = task.metric.name if task.metric else task.grader.name
        direction = task.direction
        inspection = inspect_submission(submission, task, name=name, root=root)
        if refused := inspection.first_failure:
            reason, message = refused
            if reason is Reason.OUT_OF_RANGE and gold_is_refused(task, reason):
                raise TaskError(
                    f"{message}; the gold submission has such values, too: correct what "
                    "config.yaml declares of the column"
                )
            exists = reason not in NOT_THERE
            return failed(metric, direction, reason, message, exists=exists), None
        attempt = _Attempt(task, metric, direction, bootstrap, seed)
        result, failure = attempt.result(_Submitted(submission, inspection, name, root))
        return replace(result, inspection=inspection), failure
    except (InvalidSubmissionError, TaskError) as error:
        return failed(metric, direction, error.reason, error.message), None
    except GraderError as error:
        return failed(metric, direction, error.reason, error.message), error


def log_failure(task: Task, error: GraderError) -> None:
    """Log where a grader failed: its author's own frames, where there are some."""
    cause = error.__cause__
    told = [*getattr(error, "__notes__", ()), author_traceback(cause) if cause else ""]
    if found := "\n".join(filter(None, told)):
        logger.error("%s: the grader failed\n%s", task.id, found)
    else:  # an error without a cause says itself where it comes from
        logger.error("%s: the grader failed: %s", task.id, error, exc_info=cause is not None)


class _Submitted(NamedTuple):
    """A submission whose form is right, and where it is from."""

    submission: str | Path | bytes | pa.Table
    inspection: Inspection
    name: str | Path | None = None
    root: str | Path | None = None


class _Attempt(NamedTuple):
    """How submissions whose form is right are scored."""

    task: Task
    metric: str
    direction: str
    bootstrap: int
    seed: int

    def result(self, submitted: _Submitted) -> tuple[ScoreResult, FunctionError | None]:
        """Score a submission, and return how the task's own function failed with it alone.

        What the gold submission is refused for as well is raised.
        """
        try:
            result = self._scored(submitted)
        except InvalidSubmissionError as error:
            result = failed(self.metric, self.direction, error.reason, error.message)
        except FunctionError as error:
            if not grades_others(self.task, self._reason):
                raise
            told = f"{error.message}; with the task's own submission it did not"
            return failed(self.metric, self.direction, Reason.INVALID_SCORE, told), error
        if is_own_fault(self.task, result.reason, self._reason):
            raise GraderError(
                f"{result.message}; the gold submission has no score either, so that the "
                "function of the task is at fault"
            )
        return result, None

    def _reason(self, table: pa.Table, inspection: Inspection) -> Reason:
        return self._replace(bootstrap=0)._scored(_Submitted(table, inspection)).reason

    def _scored(self, submitted: _Submitted) -> ScoreResult:
        task, grader, inspection = self.task, self.task.grader, submitted.inspection
        if grader.spec is not None:
            score = score_apart(task, *submitted)
            n_rows = None if inspection.table is None else inspection.table.num_rows
            return ScoreResult(True, score, grader.name, self.direction, n_rows=n_rows)
        answers = answers_of(task)
        table, order = inspection.rows
        if task.metric is None:
            score = grader.run(answers.submission_frame(table, order), answers.frame.copy())
            return ScoreResult(True, score, self.metric, self.direction, n_rows=table.num_rows)
        bootstrap = (self.bootstrap, self.seed)
        return _score_by_metric(task.metric, grader, answers, table, order, *bootstrap)


def _score_by_metric(
    metric: Metric,
    grader: Grader,
    answers: Answers,
    table: pa.Table,
    order: np.ndarray | None,
    bootstrap: int,
    seed: int,
) -> ScoreResult:
    from biomlbench.metrics import MetricError
    from biomlbench.scoring.grading_functions import finite_score

    options = grader.options
    try:
        y_true, y_pred = metric_inputs(grader, answers, table, order)
        score = finite_score(metric(y_true, y_pred, **options), metric.name)
    except MetricError as error:
        reason, told = metric_reason(error), error.message
        if error.fault == Fault.TASK or is_of_form(error, grader):
            reason, told = Reason.BROKEN_ANSWERS, of_answers(error, answers, grader)
        return failed(metric.name, metric.direction, reason, told)
    except (InvalidSubmissionError, TaskError, GraderError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise GraderError(f"metric {metric.name} raised {type(error).__name__}: {error}") from error
    n_rows = metric.units(y_true)
    if not bootstrap:
        return ScoreResult(True, score, metric.name, metric.direction, n_rows=n_rows)
    from biomlbench.scoring.bootstrap import score_interval

    with faults_as(f"the bootstrap of {metric.name} raised ", GraderError):
        interval = score_interval(metric, y_true, y_pred, options, bootstrap, seed)
    return ScoreResult(
        True,
        score,
        metric.name,
        metric.direction,
        interval.low,
        interval.high,
        interval.quantiles or None,
        n_rows,
        undefined_resamples=interval.undefined,
    )


def check_truth(task: Task, inspection: Inspection) -> None:
    """Refuse answers that the task's metric cannot score predictions against.

    Parameters
    ----------
    task : Task
        With a metric.
    inspection : Inspection
        Of predictions whose form is right; their values do not matter, unless an `inputs_fn` makes
        something of them.

    Raises
    ------
    TaskError
        With the remedy.

    Notes
    -----
    That there is a single item to score, which leaves scores without an interval, is logged.
    """
    from biomlbench.metrics import MetricError
    from biomlbench.scoring.bootstrap import LEAST_ROWS

    grader, answers = task.grader, answers_of(task)
    try:
        y_true, like = metric_inputs(grader, answers, *inspection.rows)
    except (InvalidSubmissionError, MetricError):  # of the predictions
        return
    error = grader.required_metric.fault_of_truth(y_true, like, **grader.options)
    if error is not None and (error.fault == Fault.TASK or is_of_form(error, grader)):
        raise TaskError(of_answers(error, answers, grader), Reason.BROKEN_ANSWERS)
    if error is None and grader.required_metric.units(y_true) < LEAST_ROWS:
        what = f"`inputs_fn` {grader.inputs_name} returns" if grader.inputs_fn else "there is"
        logger.warning(
            "%s: %s a single item to score, of which no resamples can be drawn: scores have no "
            "interval, and medals no probabilities",
            *(task.id, what),
        )


def failed(
    metric: str, direction: str, reason: Reason, message: str, *, exists: bool = True
) -> ScoreResult:
    """Return the result of a submission without a score, for a reason that says whose fault it is.

    Parameters
    ----------
    metric, direction : str
        Empty where the task does not tell them.
    reason : Reason
    message : str
    exists : bool
        Whether anything was handed in.
    """
    return ScoreResult(
        False,
        None,
        metric,
        direction,
        reason=reason,
        fault=fault_of(reason),
        message=message,
        exists=exists,
    )


def score_frames(grader: Grader, submission: pd.DataFrame, answers: pd.DataFrame) -> float:
    """Score two tables with a grader's metric; rows are matched already.

    Parameters
    ----------
    grader : Grader
        With a metric.
    submission, answers : DataFrame
        Which of their columns are compared, :func:`compared_columns` says.

    Raises
    ------
    InvalidSubmissionError
        If the submission has no score.
    TaskError
        If the answers have none.
    """
    from biomlbench.metrics import MetricError

    submission, answers = as_frame(submission), as_frame(answers)
    try:
        if grader.inputs_fn is not None:
            y_true, y_pred = own_inputs(grader, submission, answers)
        else:
            targets, predictions = compared_columns(submission, answers, grader.schema)
            y_true = answers[targets[0] if len(targets) == 1 else targets].to_numpy()
            metric, options = grader.required_metric, grader.options
            if (order := class_order(metric, options, predictions, y_true)) is not None:
                predictions = [predictions[place] for place in order]
            names = predictions[0] if len(predictions) == 1 else predictions
            y_pred = submission[names].to_numpy()
        return grader.required_metric(y_true, y_pred, **grader.options)
    except MetricError as error:
        raise outcome_of(error) from error
