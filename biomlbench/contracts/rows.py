"""Rows of the tables of the workflow as they pass between modules.

What is required of a row is required by its table's schema; the rest may be left out, and is
null. A table that is read back gives the same keys, all of them there; what is a member of an
enum here is its text then, which compares and hashes alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from biomlbench.outcomes import Fault, Outcome, Reason, Severity, Suite, Verdict, Verifier

__all__ = [
    *("AwardColumns", "CaseRow", "CheckRow", "FaultColumns", "GradeRow", "MedalRow"),
    *("NoMedalColumns", "PASSTHROUGH", "PairKey", "PairRow", "PrepareRow", "Resources"),
    *("RunColumns", "ScoreColumns", "StructureRow", "TaskRow", "TelemetryRow"),
    *("ValidateRow", "VerdictColumns", "VerifyRow"),
]


PASSTHROUGH = "passthrough"
"""Status of predictions in ``execute``, which run nothing."""


class PairKey(TypedDict):
    """What names a pair."""

    task_id: str
    run_id: str


class PrepareRow(TypedDict):
    """The one row of ``prepare``."""

    task_id: str
    kind: str
    reason: Reason
    message: str
    files_sha256: str


class StructureRow(TypedDict):
    """A structural check, in ``validate``, but for the pair's ids."""

    check: str
    outcome: Outcome
    reason: Reason
    message: str


class ValidateRow(PairKey, StructureRow):
    """A structural check of a pair, in ``validate``."""


class Resources(TypedDict):
    """What running code took, and where it ran."""

    wall_s: float | None
    cpu_s: float | None
    peak_mb: float | None
    measured_by: str | None
    provider: str | None
    level: str | None


class _RequiredOfCase(TypedDict):
    case_id: str
    suite: str
    repeat: int
    status: str
    message: str


class CaseRow(_RequiredOfCase, total=False):
    """An execution of a case, in ``execute``, but for the pair's ids.

    `status` is ok, passthrough, or a reason.
    """

    total: str | None
    output: bytes | None
    stdout: str | None
    stderr: str | None
    own_cases: str | None
    unexecuted_lines: list[int] | None
    wall_s: float | None
    cpu_s: float | None
    peak_mb: float | None
    measured_by: str | None
    provider: str | None
    level: str | None


class CheckRow(TypedDict):
    """What a check of a pair came to, in ``verify`` and, before it, in ``grade``."""

    check: str
    suite: Suite
    mode: str
    severity: Severity
    outcome: Outcome
    reason: Reason
    message: str
    margin: float | None
    weight: float
    pattern: str


class _RequiredOfScore(TypedDict):
    valid_submission: bool
    metric: str
    direction: str


class ScoreColumns(_RequiredOfScore, total=False):
    """A pair's score."""

    score: float | None
    score_low: float | None
    score_high: float | None
    n_rows: int | None


class _ReasonOfGrade(TypedDict):
    reason: Reason
    message: str


class GradeRow(ScoreColumns, _ReasonOfGrade, total=False):
    """The score of a pair, in ``grade``, or why there is none; but for the pair's ids."""

    score_quantiles: Sequence[float] | None
    fingerprint: str | None
    judged: list[CheckRow] | None
    hidden_score: float | None


class VerdictColumns(TypedDict):
    """The verdict on a pair."""

    verdict: Verdict
    verdict_reasons: list[Reason]
    verifier: Verifier
    hidden_score: float | None
    calibrated: bool


class VerifyRow(PairKey, CheckRow, VerdictColumns):
    """A check of a pair, in ``verify``; each has the verdict on the pair."""


class FaultColumns(TypedDict):
    """What went wrong first with a pair, in which stage, and whose fault it is."""

    stage: str
    fault: Fault
    reason: Reason
    message: str


class AwardColumns(TypedDict):
    """What a score is worth."""

    gold_medal: bool
    silver_medal: bool
    bronze_medal: bool
    any_medal: bool
    medal: str
    medal_note: str | None
    above_median: bool | None
    gold_threshold: float | None
    silver_threshold: float | None
    bronze_threshold: float | None
    median_threshold: float | None
    leaderboard_percentile: float | None
    leaderboard_size: int | None
    leaderboard_position: int | None
    p_gold: float | None
    p_silver: float | None
    p_bronze: float | None
    p_above_median: float | None
    on_boundary: bool | None
    beats_human: bool | None
    human_percentile: float | None


class RunColumns(PairKey):
    """What is known of the run itself, but for what its run table says under ``meta_``."""

    domain: str
    agent: str
    kind: str
    seed: int | None
    attempt: int | None
    hint_tier: int | None
    label: str | None
    time: str | None
    source: str
    submission: str


class MedalRow(PairKey, FaultColumns, ScoreColumns, VerdictColumns, AwardColumns, Resources):
    """The final record of a pair, in ``medal``."""

    verified_medal: bool


class PairRow(MedalRow, RunColumns):
    """A pair in ``pairs``, but for what its run table says under ``meta_``, and its provenance."""

    submission_sha256: str | None


class NoMedalColumns(FaultColumns, ScoreColumns):
    """What must be said in ``pairs`` of a run that has no row in ``medal``."""

    verdict: Verdict
    verdict_reasons: list[Reason]
    verifier: str
    calibrated: bool
    gold_medal: bool
    silver_medal: bool
    bronze_medal: bool
    any_medal: bool
    verified_medal: bool
    medal: str


class _RequiredOfTask(TypedDict):
    task_id: str
    name: str
    domain: str
    task_type: str
    difficulty: str
    kind: str
    metric: str
    direction: str
    verifier: str
    prepared: bool
    calibrated: bool


class TaskRow(_RequiredOfTask, total=False):
    """A task, in ``tasks``."""

    leaderboard: list[float] | None
    leaderboard_note: str | None
    humans: list[float] | None
    data_note: str | None
    evidence_missing: Sequence[str] | None
    description: str | None
    public_files: list[str] | None
    audit: str | None
    audit_findings: list[str] | None
    reference_s: float | None


class TelemetryRow(PairKey):
    """A run in ``telemetry``."""

    agent: str
    week: str
    time: str | None
    attempt: int | None
    hint_tier: int | None
    label: str | None
    verdict: Verdict
    fault: Fault
    reason: Reason
    checks_failed: list[str]
    hidden_wall_s: list[float] | None
    reference_s: float | None
