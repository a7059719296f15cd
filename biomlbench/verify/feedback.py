"""What a learner is told about the visible cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from biomlbench.outcomes import Outcome, Reason, Suite, sentence
from biomlbench.verify.judging import OK, GraderError, Judge, Results
from biomlbench.verify.modes import get_mode
from biomlbench.verify.written import show, transportable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from biomlbench.verify.card import Card
    from biomlbench.verify.oracle import Oracle
    from biomlbench.verify.plan import Plan

__all__ = ["Feedback", "feedback"]


@dataclass(frozen=True)
class Feedback:
    """What a learner is told about one visible case.

    Parameters
    ----------
    case, function : str
    outcome : Outcome
    reason : Reason
    message : str
    inputs, expected, got : str
        Written out and cut to a readable length.
    stdout : str
        What the candidate printed, as far as it is known.
    """

    case: str
    function: str
    outcome: Outcome
    reason: Reason
    message: str
    inputs: str
    expected: str
    got: str
    stdout: str = ""


def feedback(
    card: Card, plan: Plan, oracle: Oracle, outputs: Mapping[str, Any] | Results
) -> list[Feedback]:
    """Tell a learner what became of each visible case, expected and got included.

    Parameters
    ----------
    card, plan, oracle, outputs
        As for :func:`judge`.

    Returns
    -------
    list of Feedback
        One for each visible case, in the author's order.
    """
    results = outputs if isinstance(outputs, Results) else Results(outputs)
    judged = Judge(card, plan, oracle, results)
    order = {case.name: i for i, case in enumerate(card.cases[Suite.VISIBLE])}
    visible = sorted(plan.suite(Suite.VISIBLE), key=lambda case: order.get(case.name, len(order)))
    found = []
    for case in visible:
        status, value = results.get(case.id)
        said, stdout = results.said(case.id)
        inputs = ", ".join(f"{k}={show(v, 120)}" for k, v in plan.inputs[case.id].items())
        outcome, reason, message = Outcome.PASSED, Reason.OK, ""
        if status != OK:
            outcome, reason = Outcome.FAILED, Reason(status)
            message = said or sentence(status)
        else:
            for check in card.checks:
                specs = plan.units.get((check.name, Suite.VISIBLE), ())
                mine = [s for s in specs if s.case_id == case.id and not s.variant_ids]
                for spec in mine:
                    if outcome != Outcome.PASSED:
                        continue
                    try:
                        finding = judged.look(check, spec)
                    except GraderError as error:
                        outcome, reason, message = Outcome.ERROR, error.reason, str(error)
                        continue
                    if not finding.ok:
                        outcome, reason = Outcome.FAILED, get_mode(check.mode).REASON
                        message = transportable(f"{check.name}: {finding.message}")
        found.append(
            Feedback(
                case.name,
                case.function,
                outcome,
                reason,
                message,
                inputs,
                show(oracle.values[case.id]),
                show(value) if status == OK else "",
                stdout,
            )
        )
    return found
