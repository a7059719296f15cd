"""Rows of the tables of the calibration as they pass between modules.

What is a member of an enum here is its text where a table was read back; they compare and hash
alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from biomlbench.outcomes import Outcome, Reason, Severity, Suite, Verdict

__all__ = [
    *("AllowedRatesRow", "ControlRow", "FlakeRow", "KillRow", "MarginRow", "RateRow"),
    "UnusedRow",
]


class ControlRow(TypedDict):
    """A check of a control, in ``controls``."""

    task_id: str
    control: str
    family: str
    label: str
    patterns: list[str]
    claims: list[str]
    verdict: Verdict
    credited: bool
    score: float | None
    check: str
    suite: Suite
    mode: str
    severity: Severity
    outcome: Outcome
    reason: Reason
    margin: float | None
    deviation: float | None


class RateRow(TypedDict):
    """An error rate, in ``rates``."""

    task_id: str | None
    scope: str
    name: str
    kind: str
    errors: int
    n: int
    rate: float | None
    low: float
    high: float
    week: str


class KillRow(TypedDict):
    """Whether a check catches a control, in ``kills``."""

    task_id: str
    solution: str
    label: str
    check: str
    killed: bool
    family: str


class MarginRow(TypedDict):
    """How far a control is from a check's threshold, in ``margins``."""

    task_id: str
    check: str
    label: str
    margin: float
    solution: str
    deviation: float | None


class FlakeRow(TypedDict):
    """How often a check disagreed with itself, in ``flakes``."""

    task_id: str
    check: str
    runs: int
    disagreements: int
    rate: float | None
    low: float
    high: float
    causes: list[str]
    solutions: list[str]


class AllowedRatesRow(TypedDict):
    """A task, in ``allowed_rates``."""

    task_id: str
    within_allowed: bool
    reasons: list[str]
    right: int
    wrong: int
    false_pass: float | None
    false_pass_high: float
    false_fail: float | None
    false_fail_high: float


class UnusedRow(TypedDict):
    """A row of a user's that calibration could not use, in ``unused_rows``."""

    setting: str
    source: str
    task_id: str
    run_id: str
    message: str
