"""From a submission to a score: rows matched by id, the metric called once, faults told apart."""

from __future__ import annotations

import logging
import traceback
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from biomlbench.errors import GraderError, InvalidSubmissionError, TaskError, faults_as, words_of
from biomlbench.frames import as_frame
from biomlbench.outcomes import Fault, Reason, fault_of
from biomlbench.runtime.author_traceback import author_traceback
from biomlbench.runtime.random_states import fresh_random_states
from biomlbench.scoring.compared_columns import compared_columns
from biomlbench.scoring.function_score import is_own_fault
from biomlbench.scoring.score_apart import score_apart
from biomlbench.scoring.task_report import NOT_THERE
from biomlbench.submission.answers import Answers, answers_of
from biomlbench.submission.class_columns import class_order
from biomlbench.submission.submitted_file import quote
from biomlbench.submission.validation import inspect_submission

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import pyarrow as pa

    from biomlbench.metrics import Metric, MetricError
    from biomlbench.scoring.grader import Grader
    from biomlbench.submission.validation import Inspection
    from biomlbench.task.task import Task

__all__ = [
    "Answers",
    "ScoreResult",
    "answers_of",
    "check_truth",
    "failed",
    "log_failure",
    "outcome_of",
    "score_submission",
    "tried",
]

logger = logging.getLogger(__name__)

# Reason codes of metrics that are not codes of the outcomes themselves.
_REASONS = {
    "not_numeric": Reason.WRONG_TYPE,
    "not_labels": Reason.WRONG_TYPE,
    "label_type_mismatch": Reason.WRONG_TYPE,
    "shape_mismatch": Reason.WRONG_TYPE,
    "non_binary_mask": Reason.WRONG_TYPE,
    "malformed_rle": Reason.WRONG_TYPE,
    "malformed_structure": Reason.WRONG_TYPE,
    "not_probabilities": Reason.OUT_OF_RANGE,
    "unknown_label": Reason.OUT_OF_RANGE,
    "incomplete_model": Reason.MISSING_IDS,
}

# What columns and their types cause, which every valid submission has from the sample submission.
_OF_FORM = ("shape_mismatch", "label_type_mismatch", "not_numeric")

# What a task's author can do about answers that have no score, by the metric's reason.
_ANSWERS_REMEDY = "correct the answers, or declare another `target` or metric in config.yaml"
_ANSWERS_REMEDIES = {
    "missing_truth": (
        "give every row a value, or leave the row out of the answers and of the sample submission"
    ),
    "unknown_label": (
        "list every class under `options: {labels: [...]}` in config.yaml, or correct the answers"
    ),
    "shape_mismatch": (
        "declare as many columns under `target` as the metric takes, or another metric"
    ),
}


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
        if failure := inspection.first_failure:
            reason, message = failure
            exists = reason not in NOT_THERE
            return failed(metric, direction, reason, message, exists=exists), None
        attempt = _Attempt(task, metric, direction, bootstrap, seed)
        result = attempt.result(_Submitted(submission, inspection, name, root))
        return replace(result, inspection=inspection), None
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

    def result(self, submitted: _Submitted) -> ScoreResult:
        """Score a submission; what the gold submission is refused for as well is raised."""
        try:
            result = self._scored(submitted)
        except InvalidSubmissionError as error:
            result = failed(self.metric, self.direction, error.reason, error.message)
        if is_own_fault(self.task, result.reason, self._reason):
            raise GraderError(
                f"{result.message}; the gold submission has no score either, so that the "
                "function of the task is at fault"
            )
        return result

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
        if error.fault == Fault.TASK or _is_of_form(error, grader):
            reason, told = Reason.BROKEN_ANSWERS, _of_answers(error, answers, grader)
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
    if error is not None and (error.fault == Fault.TASK or _is_of_form(error, grader)):
        raise TaskError(_of_answers(error, answers, grader), Reason.BROKEN_ANSWERS)
    if error is None and grader.required_metric.units(y_true) < LEAST_ROWS:
        what = f"`inputs_fn` {grader.inputs_name} returns" if grader.inputs_fn else "there is"
        logger.warning(
            "%s: %s a single item to score, of which no resamples can be drawn: scores have no "
            "interval, and medals no probabilities",
            *(task.id, what),
        )


def _is_of_form(error: MetricError, grader: Grader) -> bool:
    """Tell whether all submissions with the sample's columns and types have the same error."""
    return error.reason in _OF_FORM and grader.inputs_fn is None


def _of_answers(error: MetricError, answers: Answers, grader: Grader) -> str:
    """Say of answers that have no score which file and columns they are, and the remedy."""
    names = answers.targets
    columns = f"column{'' if len(names) == 1 else 's'} {', '.join(map(quote, names))}"
    if grader.inputs_fn is not None:
        columns = "as `inputs_fn` returns them"
    told = f"{answers.task.answers}: {columns}: {error.message}"
    if error.reason == "no_positives" or "`options: {" in error.message:  # its own remedy
        return told
    return f"{told}; {_ANSWERS_REMEDIES.get(error.reason, _ANSWERS_REMEDY)}"


def metric_inputs(
    grader: Grader, answers: Answers, table: pa.Table, order: np.ndarray | None
) -> tuple[Any, Any]:
    """Return what a grader's metric takes as truth and predictions.

    Parameters
    ----------
    grader : Grader
    answers : Answers
    table : pyarrow.Table
        The submission.
    order : ndarray of int or None
        Position in it of each row of the sample submission; None for the same order.
    """
    if grader.inputs_fn is None:
        truth, predictions = answers.truth, answers.predictions(table, order)
        if (
            grader.skips_missing_truth
            and truth.dtype.kind == "f"
            and (gone := truth != truth).any()
        ):
            truth, predictions = truth[~gone], predictions[~gone]
        return truth, predictions
    return _own_inputs(grader, answers.submission_frame(table, order), answers.frame.copy())


def _own_inputs(grader: Grader, submission: Any, answers: Any) -> tuple[Any, Any]:
    """Return what a task's `inputs_fn` makes of two tables; its failure is named as its own."""
    return grader.apart("inputs_fn", partial(_made_inputs, grader, submission, answers))


def _made_inputs(grader: Grader, submission: Any, answers: Any) -> tuple[Any, Any]:
    from biomlbench.metrics import MetricError

    function = grader.inputs_fn
    if function is None:
        raise GraderError(f"grader {grader.name!r} has no `inputs_fn`")
    columns = [list(table.columns) for table in (submission, answers)]
    try:
        with fresh_random_states():
            y_true, y_pred = function(submission, answers)
    except (InvalidSubmissionError, TaskError, GraderError, MetricError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise GraderError(
            f"`inputs_fn` {grader.inputs_name} raised {words_of(error)} "
            f"({_last_place(error)}); it got a submission with the columns {columns[0]} and "
            f"answers with {columns[1]}"
        ) from None
    return y_true, y_pred


def _last_place(error: BaseException) -> str:
    """Return where a function failed, the last of its lines that is no installed package's."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "site-packages" not in frame.filename] or frames
    return f"{Path(own[-1].filename).name}, line {own[-1].lineno}"


def metric_reason(error: MetricError) -> Reason:
    """Return the reason code of the outcomes for a metric's error.

    Parameters
    ----------
    error : MetricError

    Returns
    -------
    Reason
        ``broken_answers`` where the truth is at fault; otherwise a code that is the
        submission's fault.
    """
    if error.fault == Fault.TASK:
        return Reason.BROKEN_ANSWERS
    reason = _REASONS.get(error.reason)
    if reason is None and error.reason in set(Reason):
        reason = Reason(error.reason)
    if reason is None or fault_of(reason) is not Fault.SUBMISSION:
        return Reason.INVALID_SCORE
    return reason


def outcome_of(error: MetricError, of_task: str = "") -> InvalidSubmissionError | TaskError:
    """Return a metric's error as one that says whose fault it is.

    Parameters
    ----------
    error : MetricError
    of_task : str
        What its message begins with where the answers are at fault, as the file that they are in.
    """
    if error.fault == Fault.TASK:
        told = f"{of_task}{error.message}"
        return TaskError(f"{told}; {_ANSWERS_REMEDY}" if of_task else told, Reason.BROKEN_ANSWERS)
    return InvalidSubmissionError(error.message, metric_reason(error))


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
            y_true, y_pred = _own_inputs(grader, submission, answers)
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
