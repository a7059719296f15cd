"""Rows of the stages' tables as they pass between modules, but for the pair's ids.

What is required of a row is required by its table's schema; the rest may be left out, and is
null. A table that is read back gives the same keys, all of them there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from biomlbench.outcomes import Outcome, Reason

__all__ = ["CaseRow", "GradeRow", "StructureRow"]


class StructureRow(TypedDict):
    """A structural check, in ``validate``."""

    check: str
    outcome: Outcome
    reason: Reason
    message: str


class _RequiredOfCase(TypedDict):
    case_id: str
    suite: str
    repeat: int
    status: str
    message: str


class CaseRow(_RequiredOfCase, total=False):
    """An execution of a case, in ``execute``; `status` is ok, passthrough, or a reason."""

    output: bytes | None
    stdout: str | None
    stderr: str | None
    constants: str | None
    wall_s: float | None
    cpu_s: float | None
    peak_mb: float | None
    measured_by: str | None
    provider: str | None
    level: str | None


class _RequiredOfGrade(TypedDict):
    valid_submission: bool
    metric: str
    direction: str
    reason: Reason
    message: str


class GradeRow(_RequiredOfGrade, total=False):
    """The score of a pair, in ``grade``, or why there is none."""

    score: float | None
    score_low: float | None
    score_high: float | None
    n_rows: int | None
    score_quantiles: Sequence[float] | None
    fingerprint: str | None
    judged: list[dict[str, Any]] | None
