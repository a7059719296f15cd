"""A candidate's outputs to a verdict, by the verifier that the card asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from biomlbench.outcomes import Outcome, Reason, Severity, Suite, Verifier
from biomlbench.verify import judging, v1
from biomlbench.verify.policy import CheckOutcome, Decision, decide

if TYPE_CHECKING:
    from collections.abc import Mapping

    from biomlbench.verify.card import Card
    from biomlbench.verify.oracle import Oracle
    from biomlbench.verify.plan import Plan

__all__ = ["SHADOW_CHECK", "Evaluation", "evaluate"]

SHADOW_CHECK = "shadow-agrees"
"""Row of the shadow verifier that fails where v2 would have decided otherwise."""


class Evaluation(NamedTuple):
    """Rows, what was decided, and which verifier decided."""

    outcomes: list[CheckOutcome]
    decision: Decision
    verifier: Verifier


def evaluate(
    card: Card,
    plan: Plan,
    oracle: Oracle,
    outputs: Mapping[str, Any],
    version: Verifier | None = None,
) -> Evaluation:
    """Judge and decide.

    Parameters
    ----------
    card, plan, oracle, outputs
        As for :func:`biomlbench.verify.judge`.
    version : Verifier, optional
        By default the card's own.

    Returns
    -------
    Evaluation
        Under ``shadow`` v1 decides; the rows of v2 stand beside it as advisory ones, and the
        row ``shadow-agrees`` fails where v2 decides otherwise. The hidden score is v2's
        wherever v2 ran; nothing is ranked by it unless v2 decides.
    """
    version = version or card.version
    results = judging.Results(outputs)
    if version is Verifier.V1 or card.verifier is None:
        rows = v1.judge(plan, oracle, results)
        return Evaluation(rows, decide(rows), Verifier.V1)
    new = judging.judge(card, plan, oracle, results)
    ruling = decide(new)
    if version is Verifier.V2:
        return Evaluation(new, ruling, Verifier.V2)
    old = v1.judge(plan, oracle, results)
    decided = decide(old)._replace(hidden_score=ruling.hidden_score)
    beside = [row._replace(severity=Severity.ADVISORY) for row in new]
    return Evaluation([*old, *beside, _agreement(decided, ruling)], decided, Verifier.SHADOW)


def _agreement(old: Decision, new: Decision) -> CheckOutcome:
    same = old.verdict == new.verdict
    return CheckOutcome(
        check=SHADOW_CHECK,
        suite=Suite.VISIBLE,
        mode="gate",
        severity=Severity.ADVISORY,
        outcome=Outcome.PASSED if same else Outcome.FAILED,
        reason=Reason.OK if same else new.reasons[0],
        message=f"v1: {old.verdict}; v2: {new.verdict} ({', '.join(new.reasons)})",
    )
