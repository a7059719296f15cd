"""Reads what other benchmarks leave behind: run groups, grading reports, leaderboards."""

from __future__ import annotations

from biomlbench.errors import UserError

__all__ = ["ImportRefusedError"]


class ImportRefusedError(UserError, ValueError):
    """A file cannot be imported; the message says where and why."""
