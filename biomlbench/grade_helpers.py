"""Graders and reports of the documented grading API."""

from biomlbench.scoring.grader import Grader, InvalidSubmissionError, TaskReport

__all__ = ["Grader", "InvalidSubmissionError", "TaskReport"]
