"""Which of the cases that were drawn for one candidate may count against it.

Such a case has no author who looked at it. It counts only where all of the card's right solutions
pass the checks on it, the reference among them: what they disagree on, the statement does not say.
They are asked only about what the candidate fails, and of that only about a few cases, the
smallest: these are enough to fail it, and what the others cost the candidate's constants decide.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.outcomes import Reason
from biomlbench.sandbox.codec import encode
from biomlbench.verify.cases import Unit
from biomlbench.verify.local import run
from biomlbench.verify.modes import get_mode

if TYPE_CHECKING:
    from biomlbench.verify.card import Card
    from biomlbench.verify.config import Check
    from biomlbench.verify.judging import Results
    from biomlbench.verify.oracle import Oracle
    from biomlbench.verify.plan import Plan, PlannedCase

__all__ = ["settled"]

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
    drawn = _Drawn(card, plan, oracle)
    failed = [case for case in plan.probes if not drawn.passes(case, *results.get(case.id))]
    own = (case for case in plan.cases if case.id not in drawn.checks)
    # one that fails without them may have used up its time: nothing is to be run for it
    most = MOST_ASKED if all(results.get(case.id)[0] == Reason.OK for case in own) else 0
    failed.sort(key=lambda case: (len(encode([list(case.args), case.kwargs])), case.id))
    disputed = {case.id for case in failed[most:]} | drawn.disputed(failed[:most])
    return replace(
        plan,
        cases=tuple(case for case in plan.cases if case.id not in disputed),
        units={
            key: tuple(unit for unit in units if unit.case_id not in disputed)
            for key, units in plan.units.items()
        },
        probes=(),
    )


class _Drawn:
    """The drawn cases of a plan, with the checks that look at each."""

    def __init__(self, card: Card, plan: Plan, oracle: Oracle) -> None:
        self.card, self.plan, self.oracle = card, plan, oracle
        self.checks: dict[str, list[Check]] = {case.id: [] for case in plan.probes}
        by_name = {check.name: check for check in card.checks}
        for (name, _), units in plan.units.items():
            for unit in units:
                if unit.case_id in self.checks and name in by_name:
                    self.checks[unit.case_id].append(by_name[name])

    def passes(self, case: PlannedCase, status: str, value: Any) -> bool:
        """Whether a result of a case passes all checks that look at it."""
        unit = Unit(self.plan.inputs[case.id], value, self.oracle.values[case.id])
        return status == Reason.OK and all(self._passes(one, unit) for one in self.checks[case.id])

    def _passes(self, check: Check, unit: Unit) -> bool:
        with np.errstate(all="ignore"):
            try:
                return bool(get_mode(check.mode).judge(check, unit, self.card.library).ok)
            except KeyboardInterrupt:
                raise
            except BaseException:
                # a check that cannot read a result says nothing for it
                return False

    def disputed(self, cases: list[PlannedCase]) -> set[str]:
        """Return the ids of the cases that a right solution fails, asked one after the other."""
        found: set[str] = set()
        for solution in self.card.solutions:
            asked = [case for case in cases if case.id not in found]
            if solution.right and asked:
                answers = run(solution.path, asked)
                given = [(case, answers[case.id]) for case in asked]
                found |= {c.id for c, r in given if not self.passes(c, r.status, r.value)}
        return found
