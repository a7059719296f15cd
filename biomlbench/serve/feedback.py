"""What a learner may see of an evaluation: the visible suite, and nothing of the others."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from biomlbench.outcomes import Outcome, Reason, Suite, Verifier, sentence
from biomlbench.stages.bounded_judging import judge_bounded
from biomlbench.stages.outputs import CaseOutput
from biomlbench.verify import feedback, v1
from biomlbench.verify.evaluation import SHADOW_CHECK

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from biomlbench.contracts.mappings import JsonObject
    from biomlbench.stages.cards import LoadedCard
    from biomlbench.task.registry import Task
    from biomlbench.verify import PlannedCase

__all__ = ["disagreement", "visible_checks", "visible_feedback"]

VISIBLE = Suite.VISIBLE
_CHECK = ("check", "mode", "severity", "outcome", "reason", "message", "margin")


@dataclass(frozen=True)
class _One:
    """A plan of a single visible case, for the v1 verifier."""

    case: PlannedCase

    def suite(self, name: str) -> tuple[PlannedCase, ...]:
        return (self.case,) if name == VISIBLE else ()


def visible_checks(verify: pa.Table) -> list[JsonObject]:
    """Return the checks of the visible suite.

    Parameters
    ----------
    verify : pyarrow.Table
        The pair's ``verify`` table.

    Returns
    -------
    list of dict
        Without the row that compares the two verifiers: it tells what the hidden suite says.
    """
    return [
        {name: row[name] for name in _CHECK} | {"margin": _finite(row["margin"])}
        for row in verify.to_pylist()
        if row["suite"] == VISIBLE and row["check"] != SHADOW_CHECK
    ]


def _finite(margin: float | None) -> float | None:
    # JSON has no literal for the others.
    return margin if margin is not None and math.isfinite(margin) else None


def disagreement(verify: pa.Table) -> str:
    """Return what each verifier decided where they differ; empty where they do not.

    Parameters
    ----------
    verify : pyarrow.Table
        The pair's ``verify`` table.
    """
    for row in verify.to_pylist():
        if row["check"] == SHADOW_CHECK and row["outcome"] == Outcome.FAILED:
            result: str = row["message"]
            return result
    return ""


def visible_feedback(task: Task, execute: pa.Table, verifier: str) -> list[JsonObject]:
    """Return what became of every visible case, expected and got included.

    Parameters
    ----------
    task : Task
        A problem card.
    execute : pyarrow.Table
        The pair's ``execute`` table. Only its visible rows are read.
    verifier : str
        v1, shadow or v2: which one decided. A case's outcome is that verifier's.

    Returns
    -------
    list of dict
        With the fields of :class:`biomlbench.verify.Feedback`.
    """
    outputs = {
        row["case_id"]: CaseOutput(
            row["status"], row["output"], row["message"], row["stdout"] or ""
        )
        for row in execute.to_pylist()
        if row["suite"] == VISIBLE
    }
    found: list[JsonObject] = judge_bounded(task, f"{__name__}:told", outputs, verifier)
    return found


def told(loaded: LoadedCard, outputs: Mapping[str, Any], verifier: str) -> list[JsonObject]:
    """Judge every visible case; see :func:`visible_feedback`."""
    found = [asdict(item) for item in feedback(*loaded, outputs)]
    if verifier != Verifier.V2:
        decided = _by_v1(loaded, outputs)
        found = [item | decided[item["case"]] for item in found]
    return found


def _by_v1(loaded: LoadedCard, outputs: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Return what v1 decides on each visible case, by the case's name."""
    decided = {}
    for case in loaded.plan.suite(VISIBLE):
        rows = v1.judge(_One(case), loaded.oracle, outputs)
        bad = next((row for row in rows if row.outcome != Outcome.PASSED), None)
        if bad is None:
            found = {"outcome": str(Outcome.PASSED), "reason": str(Reason.OK), "message": ""}
        else:
            said = outputs[case.id].message if case.id in outputs else ""
            message = said or sentence(bad.reason)
            found = {"outcome": str(Outcome.FAILED), "reason": bad.reason, "message": message}
        decided[case.name] = found
    return decided
