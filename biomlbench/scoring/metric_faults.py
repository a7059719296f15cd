"""A metric's error as an outcome: its reason code, whose fault it is, and the remedy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.errors import InvalidSubmissionError, TaskError
from biomlbench.outcomes import Fault, Reason, fault_of
from biomlbench.submission.submitted_file import quote

if TYPE_CHECKING:
    from biomlbench.metrics import MetricError
    from biomlbench.scoring.grader import Grader
    from biomlbench.submission.answers import Answers

__all__ = ["is_of_form", "metric_reason", "of_answers", "outcome_of"]

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


def is_of_form(error: MetricError, grader: Grader) -> bool:
    """Tell whether all submissions with the sample's columns and types have the same error."""
    return error.reason in _OF_FORM and grader.inputs_fn is None


def of_answers(error: MetricError, answers: Answers, grader: Grader) -> str:
    """Say of answers that have no score which file and columns they are, and the remedy."""
    names = answers.targets
    columns = f"column{'' if len(names) == 1 else 's'} {', '.join(map(quote, names))}"
    if grader.inputs_fn is not None:
        columns = "as `inputs_fn` returns them"
    told = f"{answers.task.answers}: {columns}: {error.message}"
    if error.reason == "no_positives" or "`options: {" in error.message:  # its own remedy
        return told
    return f"{told}; {_ANSWERS_REMEDIES.get(error.reason, _ANSWERS_REMEDY)}"
