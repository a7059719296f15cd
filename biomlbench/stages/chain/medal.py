"""Stage 5: rank the score against the leaderboard and the human baselines; the final record."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from biomlbench.contracts import SCHEMAS, SCORE_COLUMNS, VERDICT_COLUMNS
from biomlbench.errors import TaskError
from biomlbench.outcomes import Fault, Gravity, Outcome, Reason, Severity, Verdict, fault_of
from biomlbench.stages import specification as spec
from biomlbench.stages.provenance import board_hashes, file_hash
from biomlbench.stages.upstream import first_failure, grade_row, upstream_failure

if TYPE_CHECKING:
    import pyarrow as pa

    from biomlbench.contracts.rows import (
        FaultColumns,
        GradeRow,
        MedalRow,
        Resources,
        ScoreColumns,
        VerdictColumns,
        VerifyRow,
    )
    from biomlbench.scoring.award import Award
    from biomlbench.scoring.effective_task import EffectiveTask
    from biomlbench.stages import Context, Pair
    from biomlbench.task.registry import Task

__all__ = ["STAGE", "WITHHELD", "compute"]

WITHHELD = "the verified medal is withheld: "
"""How the part of a medal's note begins that is of the one run."""


def compute(pair: Pair, context: Context, tables: dict[str, pa.Table]) -> list[MedalRow]:
    """Return the one row that is the pair's final record.

    Parameters
    ----------
    pair : Pair
    context : Context
    tables : dict
        With the tables of all stages before.

    Returns
    -------
    list of dict
        Rows of the schema ``medal``.
    """
    grade = grade_row(tables["grade"])
    verify: list[VerifyRow] = tables["verify"].to_pylist()
    task = context.effective_task(pair.task_id)
    earned = _award(task, grade)
    touched, uncovered = _touched(task, verify) if earned.any_medal else ("", "")
    why, reason = "", Reason.SUSPICIOUS_SCORE
    if earned.any_medal:
        why = earned.suspicion or _unlearnt(earned, verify)
    if uncovered and not why:
        why, reason = uncovered, Reason.OPEN_FINDING
    withheld = f"{WITHHELD}{why}" if why else ""
    fault = _first_fault(tables, grade, verify, earned)
    if withheld and fault["reason"] == Reason.OK:
        fault = _fault("medal", reason, withheld)
    is_pass = verify[0]["verdict"] == Verdict.PASS
    row: MedalRow = {
        "task_id": pair.task_id,
        "run_id": pair.run_id,
        **_score(grade),
        **_verdict(verify[0]),
        **fault,
        **earned.columns(),
        "medal_note": "; ".join(filter(None, (earned.medal_note, touched, withheld))) or None,
        **_resources(tables["execute"]),
        "verified_medal": earned.any_medal and is_pass and not withheld,
    }
    return [row]


def _score(grade: GradeRow) -> ScoreColumns:
    found = {name: value for name, value in grade.items() if name in SCORE_COLUMNS}
    return cast("ScoreColumns", found)


def _verdict(check: VerifyRow) -> VerdictColumns:
    found = {name: value for name, value in check.items() if name in VERDICT_COLUMNS}
    return cast("VerdictColumns", found)


def sources(task: Task, context: Context) -> dict[str, str]:
    """Return the hashes of what scores are ranked against.

    Parameters
    ----------
    task : Task
    context : Context

    Returns
    -------
    dict of str to str
    """
    found = context.effective_task(task.id)
    return {**board_hashes(found), "audit_sha256": file_hash(found.audit)}


def _first_fault(
    tables: dict[str, pa.Table],
    grade: GradeRow,
    verify: list[VerifyRow],
    earned: Award,
) -> FaultColumns:
    if failure := upstream_failure(tables):
        invalid = first_failure(tables["validate"])
        if invalid is None:
            return _fault("execute", **failure)
        unprepared = invalid["check"] == "prepare"
        return _fault("prepare" if unprepared else "validate", **failure)
    if grade["reason"] != Reason.OK:
        return _fault("grade", grade["reason"], grade["message"])
    # of what decided: where it fails whatever a broken check says, that check is not to blame
    decided = verify[0]["verdict_reasons"]
    for check in verify:
        counted = check["severity"] != Severity.ADVISORY and check["reason"] in decided
        if check["outcome"] in (Outcome.FAILED, Outcome.ERROR) and counted:
            return _fault("verify", check["reason"], f"{check['check']}: {check['message']}")
    if earned.error is not None:
        return _fault("medal", earned.error.reason, earned.error.message)
    return {"stage": "medal", "fault": Fault.NONE, "reason": Reason.OK, "message": ""}


def _fault(stage: str, reason: Reason, message: str) -> FaultColumns:
    return {"stage": stage, "fault": fault_of(reason), "reason": reason, "message": message}


def _unlearnt(earned: Award, verify: list[VerifyRow]) -> str:
    """Tell whether a program is at the top of the board without having used the labels."""
    if earned.leaderboard_position != 1:
        return ""
    rows = (row for row in verify if row["reason"] == Reason.LABEL_LEAKAGE)
    if any(row["outcome"] == Outcome.FAILED for row in rows):
        return "the score is at the top of the leaderboard, whatever the training labels are"
    return ""


def _touched(task: EffectiveTask, verify: list[VerifyRow]) -> tuple[str, str]:
    """Tell which findings of the task's audit touch a medal, and why it cannot be verified."""
    try:
        audit = task.read_audit()
    except TaskError as error:
        return "", error.message
    if audit is None:
        return "", ""
    if audit.changed:
        return audit.note, ""
    found = audit.touching(verify)
    severe = [one.name for one in found if one.severity == Gravity.SEVERE]
    uncovered = f"no check covers what the audit found: {', '.join(severe)}" if severe else ""
    return "; ".join(one.words for one in found), uncovered


def _award(task: EffectiveTask, grade: GradeRow) -> Award:
    from biomlbench.scoring.award import award

    return award(
        task,
        grade["score"] if grade["valid_submission"] else None,
        grade["direction"],
        grade["score_quantiles"],
        (grade["score_low"], grade["score_high"]),
    )


def _resources(execute: pa.Table) -> Resources:
    rows = execute.to_pylist()
    wall, cpu, peak = (
        [row[name] for row in rows if row[name] is not None]
        for name in ("wall_s", "cpu_s", "peak_mb")
    )
    first = rows[0]
    return {
        "wall_s": sum(wall) if wall else None,
        "cpu_s": sum(cpu) if cpu else None,
        "peak_mb": max(peak, default=None),
        "measured_by": first["measured_by"],
        "provider": first["provider"],
        "level": first["level"],
    }


STAGE = spec.Stage(
    compute=compute,
    reads=("validate", "execute", "grade", "verify"),
    table=SCHEMAS["medal"],
    task=("kind", "grader", "leaderboard", "leaderboard_of", "human_baselines", "*.csv"),
    overrides=("audit", "leaderboard"),
    files=("audit", "leaderboard"),
    unused=(
        *("biomlbench.scoring.score", "biomlbench.scoring.bootstrap"),
        *("biomlbench.grading.isolated", "biomlbench.grading.process"),
        *("biomlbench.suites.graders", *spec.FETCHING),
    ),
    sources=sources,
)
