"""Audit: how a prediction task can be cheated, found before an agent finds it.

A task is tried with a battery of submissions that no honest model would write, and its public
files are searched for the answers. Each detector is a file in :mod:`biomlbench.audit.detectors`.
What the task's grader lets through by itself is told apart from what grading here lets through,
which matches rows by id and refuses columns, rows and values before a grader sees them.
"""

from .findings import SEVERITIES, Audit, Finding
from .run import audit_task

__all__ = ["SEVERITIES", "Audit", "Finding", "audit_task"]
