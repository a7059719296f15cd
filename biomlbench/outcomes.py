"""The one failure taxonomy: who is at fault, and why, in codes that every table shares.

A reason code is a stable lower-case word. It belongs to exactly one :class:`Fault`, and
:data:`SENTENCES` explains it to a reader of the report. Only ``Fault.SUBMISSION`` counts
against an agent; runs lost to other faults are shown at both denominators, but for
``Fault.RUN_TABLE``: a row of a run table that names no run is no run of anybody's.
"""

from __future__ import annotations

from enum import StrEnum

__all__ = [
    "FAULT_OF",
    "SENTENCES",
    "Fault",
    "Gravity",
    "Outcome",
    "Reason",
    "Severity",
    "Suite",
    "Verdict",
    "Verifier",
    "fault_of",
    "sentence",
]


class Fault(StrEnum):
    """Whose fault an outcome is."""

    NONE = "none"
    SUBMISSION = "submission"
    TASK = "task"
    GRADER = "grader"
    INFRASTRUCTURE = "infrastructure"
    RUN_TABLE = "run_table"


class Outcome(StrEnum):
    """What became of one check."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    ERROR = "error"


class Verdict(StrEnum):
    """The verdict on a pair."""

    PASS = "pass"
    PARTIAL = "partial"
    FAIL = "fail"


class Severity(StrEnum):
    """How much a failed check weighs; see :mod:`biomlbench.verify.policy`."""

    BLOCKER = "blocker"
    CRITICAL = "critical"
    ADVISORY = "advisory"


class Gravity(StrEnum):
    """How much a finding of an audit weighs, the worst first; see :mod:`biomlbench.audit`."""

    SEVERE = "severe"
    MODERATE = "moderate"
    MINOR = "minor"
    NOTE = "note"


class Suite(StrEnum):
    """A set of a card's cases: shown to candidates, kept from them, or made to trip them up."""

    VISIBLE = "visible"
    HIDDEN = "hidden"
    ADVERSARIAL = "adversarial"


class Verifier(StrEnum):
    """Which checks decide: the old ones, the old ones with the new ones beside them, the new."""

    V1 = "v1"
    SHADOW = "shadow"
    V2 = "v2"


class Reason(StrEnum):
    """Why something came out as it did."""

    OK = "ok"
    # the submission cannot be read
    MISSING_FILE = "missing_file"
    UNSAFE_PATH = "unsafe_path"
    PRIVATE_FILE = "private_file"
    TOO_LARGE = "too_large"
    UNREADABLE = "unreadable"
    SUBMISSION_CHANGED = "submission_changed"
    WRONG_FORMAT = "wrong_format"
    EMPTY = "empty"
    # the submission's structure is wrong
    MISSING_COLUMNS = "missing_columns"
    EXTRA_COLUMNS = "extra_columns"
    MISSING_IDS = "missing_ids"
    EXTRA_IDS = "extra_ids"
    DUPLICATE_IDS = "duplicate_ids"
    WRONG_TYPE = "wrong_type"
    OUT_OF_RANGE = "out_of_range"
    NAN_PREDICTIONS = "nan_predictions"
    CONSTANT_PREDICTIONS = "constant_predictions"
    INVALID_SCORE = "invalid_score"
    # the candidate's code misbehaved
    SYNTAX_ERROR = "syntax_error"
    IMPORT_ERROR = "import_error"
    MISSING_FUNCTION = "missing_function"
    EXCEPTION = "exception"
    TIME_LIMIT = "time_limit"
    MEMORY_LIMIT = "memory_limit"
    OUTPUT_LIMIT = "output_limit"
    PROCESS_LIMIT = "process_limit"
    SANDBOX_VIOLATION = "sandbox_violation"
    CRASHED = "crashed"
    MALFORMED_OUTPUT = "malformed_output"
    JUDGING_LIMIT = "judging_limit"
    MISSING_OUTPUT = "missing_output"
    NONDETERMINISTIC = "nondeterministic"
    # the work is wrong
    WRONG_OUTPUT = "wrong_output"
    OUTSIDE_TOLERANCE = "outside_tolerance"
    PROPERTY_VIOLATED = "property_violated"
    RELATION_VIOLATED = "relation_violated"
    WRONG_SHAPE = "wrong_shape"
    INPUT_MODIFIED = "input_modified"
    LAYOUT_DEPENDENT = "layout_dependent"
    STATE_BETWEEN_CALLS = "state_between_calls"
    COPIED_COLUMN = "copied_column"
    NEAR_DUPLICATE = "near_duplicate"
    SUSPICIOUS_SCORE = "suspicious_score"
    ROW_ORDER_DEPENDENCE = "row_order_dependence"
    TEST_SET_DEPENDENCE = "test_set_dependence"
    LABEL_LEAKAGE = "label_leakage"
    # not the submission's doing
    NOT_REACHED = "not_reached"
    UNKNOWN_TASK = "unknown_task"
    BAD_RUN_ROW = "bad_run_row"
    BROKEN_TASK = "broken_task"
    BROKEN_ANSWERS = "broken_answers"
    BROKEN_LEADERBOARD = "broken_leaderboard"
    REFERENCE_REFUSED = "reference_refused"
    OPEN_FINDING = "open_finding"
    NOT_PREPARED = "not_prepared"
    SCORE_DISAGREEMENT = "score_disagreement"
    GRADER_ERROR = "grader_error"
    STAGE_FAILED = "stage_failed"


_S, _T, _G, _I = Fault.SUBMISSION, Fault.TASK, Fault.GRADER, Fault.INFRASTRUCTURE
_R = Fault.RUN_TABLE

_TABLE: dict[Reason, tuple[Fault, str]] = {
    Reason.OK: (Fault.NONE, "Nothing is wrong."),
    Reason.MISSING_FILE: (_S, "The submission file does not exist."),
    Reason.UNSAFE_PATH: (
        _S,
        "The submission is no regular file, or its path goes through a link or out of its folder.",
    ),
    Reason.PRIVATE_FILE: (
        _S,
        "The submission is a private file of the task: its answers, gold submission or raw data.",
    ),
    Reason.TOO_LARGE: (_S, "The submission is larger than the task allows."),
    Reason.UNREADABLE: (_S, "The submission cannot be read as the format its name claims."),
    Reason.SUBMISSION_CHANGED: (
        _S,
        "The submission was changed, replaced or removed while it was graded.",
    ),
    Reason.WRONG_FORMAT: (_S, "The submission's file type is not one that the task accepts."),
    Reason.EMPTY: (_S, "The submission holds no rows."),
    Reason.MISSING_COLUMNS: (_S, "Columns that the sample submission has are missing."),
    Reason.EXTRA_COLUMNS: (_S, "There are columns that the sample submission does not have."),
    Reason.MISSING_IDS: (_S, "Some ids of the sample submission have no prediction."),
    Reason.EXTRA_IDS: (_S, "There are ids that the sample submission does not have."),
    Reason.DUPLICATE_IDS: (_S, "Some ids are predicted more than once."),
    Reason.WRONG_TYPE: (_S, "A prediction is not of the declared type."),
    Reason.OUT_OF_RANGE: (_S, "A prediction lies outside the declared range."),
    Reason.NAN_PREDICTIONS: (_S, "A prediction is missing, NaN or infinite."),
    Reason.CONSTANT_PREDICTIONS: (
        _S,
        "All predictions are equal, so they tell no row from another.",
    ),
    Reason.INVALID_SCORE: (_S, "The predictions give no finite score."),
    Reason.SYNTAX_ERROR: (_S, "The code does not parse."),
    Reason.IMPORT_ERROR: (_S, "The code raised an exception or stopped while it was imported."),
    Reason.MISSING_FUNCTION: (_S, "The code does not define the function that the task asks for."),
    Reason.EXCEPTION: (_S, "The code raised an exception."),
    Reason.TIME_LIMIT: (_S, "The code ran longer than its time limit."),
    Reason.MEMORY_LIMIT: (_S, "The code needed more memory than its limit."),
    Reason.OUTPUT_LIMIT: (_S, "The code's output was larger than its limit."),
    Reason.PROCESS_LIMIT: (_S, "The code started more processes than its limit."),
    Reason.SANDBOX_VIOLATION: (_S, "The code tried something that the sandbox forbids."),
    Reason.CRASHED: (_S, "The code ended its process before it gave a result."),
    Reason.MALFORMED_OUTPUT: (_S, "The code's result is not plain data that can be transported."),
    Reason.JUDGING_LIMIT: (
        _S,
        "Judging the result took more time or memory than any right result does, or crashed.",
    ),
    Reason.MISSING_OUTPUT: (_S, "The program left no file of predictions that can be read."),
    Reason.NONDETERMINISTIC: (_S, "The same input gave different results in repeated runs."),
    Reason.WRONG_OUTPUT: (_S, "A result differs from the oracle's."),
    Reason.OUTSIDE_TOLERANCE: (_S, "A result differs from the oracle's by more than allowed."),
    Reason.PROPERTY_VIOLATED: (_S, "A result breaks an invariant that every right result has."),
    Reason.RELATION_VIOLATED: (
        _S,
        "Results for related inputs are not related as they must be.",
    ),
    Reason.WRONG_SHAPE: (_S, "A result has the wrong type, shape or dtype."),
    Reason.INPUT_MODIFIED: (_S, "The code changed its input in place, or returned a part of it."),
    Reason.LAYOUT_DEPENDENT: (
        _S,
        "The result changes with how an argument lies in memory, though its values do not.",
    ),
    Reason.STATE_BETWEEN_CALLS: (
        _S,
        "A result depends on earlier calls, or changes after it was returned.",
    ),
    Reason.COPIED_COLUMN: (_S, "The predictions are a copy of a public column."),
    Reason.NEAR_DUPLICATE: (_S, "The predictions nearly equal those of another run."),
    Reason.SUSPICIOUS_SCORE: (_S, "The score is better than the noise of the answers allows."),
    Reason.ROW_ORDER_DEPENDENCE: (
        _S,
        "The prediction for a row changes when the test rows are put in another order.",
    ),
    Reason.TEST_SET_DEPENDENCE: (
        _S,
        "The prediction for a row changes when other test rows are added.",
    ),
    Reason.LABEL_LEAKAGE: (
        _S,
        "Trained on shuffled labels the score stays above chance, so the labels leak.",
    ),
    Reason.NOT_REACHED: (Fault.NONE, "An earlier stage or check ended the evaluation."),
    Reason.UNKNOWN_TASK: (_R, "The run names a task that does not exist."),
    Reason.BAD_RUN_ROW: (_R, "The row of the run table cannot be used."),
    Reason.BROKEN_TASK: (_T, "The task's own files are broken."),
    Reason.BROKEN_ANSWERS: (_T, "The task's answers cannot be used."),
    Reason.BROKEN_LEADERBOARD: (_T, "The task's leaderboard is empty, broken or contradictory."),
    Reason.REFERENCE_REFUSED: (
        _T,
        "A check of the card refuses the reference's own result, so it says nothing of others.",
    ),
    Reason.OPEN_FINDING: (
        _T,
        "The task's audit found a severe hole that no check covers, so no medal can be verified.",
    ),
    Reason.NOT_PREPARED: (_I, "The task's data could not be prepared."),
    Reason.SCORE_DISAGREEMENT: (_G, "Two implementations of the metric disagree on the score."),
    Reason.GRADER_ERROR: (_G, "The grader itself raised an exception."),
    Reason.STAGE_FAILED: (_I, "A stage failed for a reason outside the submission."),
}

FAULT_OF: dict[Reason, Fault] = {reason: fault for reason, (fault, _) in _TABLE.items()}
SENTENCES: dict[Reason, str] = {reason: text for reason, (_, text) in _TABLE.items()}


def fault_of(reason: str) -> Fault:
    """Return whose fault a reason code is.

    Parameters
    ----------
    reason : str
        A value of :class:`Reason`.

    Returns
    -------
    Fault

    Raises
    ------
    ValueError
        If `reason` is not a code of :class:`Reason`.

    Examples
    --------
    >>> fault_of("time_limit")
    <Fault.SUBMISSION: 'submission'>
    """
    return FAULT_OF[Reason(reason)]


def sentence(reason: str) -> str:
    """Return the sentence that explains a reason code.

    Parameters
    ----------
    reason : str
        A value of :class:`Reason`.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If `reason` is not a code of :class:`Reason`.

    Examples
    --------
    >>> sentence("syntax_error")
    'The code does not parse.'
    """
    return SENTENCES[Reason(reason)]
