"""Which of the cases that were drawn for one candidate may count against it.

Such a case has no author who looked at it. It counts only where all of the card's right solutions
pass the checks on it, the reference among them: what they disagree on, the statement does not say.
They are asked only about what the candidate fails, and of that only about a few cases, the
smallest: these are enough to fail it, and what the others cost the candidate's constants decide.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from biomlbench.outcomes import Reason
from biomlbench.verify.edges import key_of
from biomlbench.verify.local import run
from biomlbench.verify.on_cases import OnCases

if TYPE_CHECKING:
    from collections.abc import Callable

    from biomlbench.verify.card import Card
    from biomlbench.verify.judging import Results
    from biomlbench.verify.oracle import Oracle
    from biomlbench.verify.plan import Plan, PlannedCase

__all__ = ["disputed", "settled"]

MOST_ASKED = 12
"""Cases that a candidate fails and right solutions are run on; its other failures do not count."""


def settled(card: Card, plan: Plan, oracle: Oracle, results: Results) -> Plan:
    """Return the plan without the drawn cases that the card's right solutions disagree on.

    Parameters
    ----------
    card : Card
    plan : Plan
        Of one candidate.
    oracle : Oracle
    results : Results
        Of the candidate.

    Returns
    -------
    Plan
        With no case left that would have to be asked about.
    """
    if not plan.probes:
        return plan
    judge = OnCases(card)

    def passes(case: PlannedCase, status: str, value: Any) -> bool:
        return judge.passes(case, oracle.values[case.id], status, value)

    ids = {case.id for case in plan.probes}
    failed = [case for case in plan.probes if not passes(case, *results.get(case.id))]
    own = (case for case in plan.cases if case.id not in ids)
    # one that fails without them may have used up its time: nothing is to be run for it
    most = MOST_ASKED if all(results.get(case.id)[0] == Reason.OK for case in own) else 0
    failed.sort(key=lambda case: (len(key_of(case)), case.id))
    left_out = {case.id for case in failed[most:]} | disputed(card, failed[:most], passes)
    return replace(
        plan,
        cases=tuple(case for case in plan.cases if case.id not in left_out),
        units={
            key: tuple(unit for unit in units if unit.case_id not in left_out)
            for key, units in plan.units.items()
        },
        probes=(),
    )


def disputed(
    card: Card, cases: list[PlannedCase], passes: Callable[[PlannedCase, str, Any], bool]
) -> set[str]:
    """Return the ids of the cases that a right solution fails, asked one after the other.

    Parameters
    ----------
    card : Card
    cases : list of PlannedCase
    passes : callable
        Whether a case is passed with a status and a value.
    """
    found: set[str] = set()
    for solution in card.solutions:
        asked = [case for case in cases if case.id not in found]
        if solution.right and asked:
            answers = run(solution.path, asked)
            given = [(case, answers[case.id]) for case in asked]
            found |= {c.id for c, r in given if not passes(c, r.status, r.value)}
    return found
