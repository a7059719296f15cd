"""Graders that are code of others: run in a process of their own, with limits and no network."""

from __future__ import annotations

from .isolated import GraderSpec, grade_isolated, inspect_grader

__all__ = ["GraderSpec", "grade_isolated", "inspect_grader"]
