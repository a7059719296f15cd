"""The documented grading API: one submission, many, and their summary."""

from biomlbench.api.grading import (
    Grader,
    GraderError,
    InvalidSubmissionError,
    NotPreparedError,
    Registry,
    Task,
    TaskError,
    TaskReport,
    aggregate_reports,
    calculate_human_performance_metrics,
    grade_csv,
    grade_submission,
    registry,
    report_of,
    validate_submission,
)
from biomlbench.api.jsonl_batch import grade_jsonl

__all__ = [
    "Grader",
    "GraderError",
    "InvalidSubmissionError",
    "NotPreparedError",
    "Registry",
    "Task",
    "TaskError",
    "TaskReport",
    "aggregate_reports",
    "calculate_human_performance_metrics",
    "grade_csv",
    "grade_jsonl",
    "grade_submission",
    "registry",
    "report_of",
    "validate_submission",
]
