"""The plan and the oracle for one candidate: the card's, and cases that are made for it alone.

They are next to the constants of its code, and calls that it failed beside many others.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from biomlbench.sandbox.codec import encode
from biomlbench.verify.constants import Constants
from biomlbench.verify.many_draws import in_one_process
from biomlbench.verify.oracle import answers
from biomlbench.verify.plan import UnitSpec, looked_at, planned_case
from biomlbench.verify.probes import probes

if TYPE_CHECKING:
    from biomlbench.verify.card import Card
    from biomlbench.verify.oracle import Oracle
    from biomlbench.verify.plan import Plan, PlannedCase

__all__ = ["Own", "Prepared", "for_candidate"]

_KEPT = 16
TOGETHER = "draws-together"


class Own(NamedTuple):
    """What the cases of one candidate alone are made of.

    Parameters
    ----------
    constants : Constants
        Of its code.
    draws : tuple of int
        Numbers of the card's draws that are cases of their own.
    together : tuple of int
        Numbers of those that are also called in one process, in this order; empty for none.
    """

    constants: Constants = Constants()
    draws: tuple[int, ...] = ()
    together: tuple[int, ...] = ()

    @classmethod
    def read(cls, text: str | None) -> Own:
        """Return what :attr:`written` has written; nothing of None."""
        if not text:
            return cls()
        constants, draws, together = json.loads(text)
        return cls(Constants.read(constants), tuple(draws), tuple(together))

    @property
    def written(self) -> str | None:
        """As JSON, or None where there is nothing."""
        return json.dumps([self.constants.written, self.draws, self.together]) if self else None

    def __bool__(self) -> bool:
        return bool(self.constants or self.draws or self.together)


class Prepared(NamedTuple):
    """What a candidate is executed on, and what is right."""

    plan: Plan
    oracle: Oracle


def for_candidate(card: Card, plan: Plan, oracle: Oracle, own: Own) -> Prepared:
    """Add the cases that are made for a candidate; the same ones of the same things.

    Parameters
    ----------
    card : Card
    plan : Plan
        The card's own.
    oracle : Oracle
        Of that plan.
    own : Own

    Returns
    -------
    Prepared
        The oracle's seconds, which limits follow from, stay those of the card's own cases.
    """
    return _for_own(card, plan, oracle, own) if own else Prepared(plan, oracle)


@lru_cache(maxsize=_KEPT)
def _for_own(card: Card, plan: Plan, oracle: Oracle, own: Own) -> Prepared:
    def planned(suite: str, *call: Any) -> PlannedCase:
        return planned_case(card, suite, *call)

    # a candidate chooses what goes into the names, and so into the ids, of its cases
    taken = {case.id for case in plan.cases}
    made = [case for case in probes(card, own.constants, planned) if case.id not in taken]
    values, _ = answers(card, made)
    # where less time was taken to draw, there are fewer of the same
    right = dict(zip(*oracle.draws, strict=True))
    drawn = dict(enumerate(right))
    steps = [drawn[number] for number in own.together if number in drawn]
    for case in dict.fromkeys([drawn[n] for n in own.draws if n in drawn] + steps):
        made.append(case)
        values[case.id] = right[case]
    if not made:
        return Prepared(plan, oracle)
    units = {
        (check.name, suite): (
            *plan.units[check.name, suite],
            *(UnitSpec(case.id) for case in looked_at(check, made, suite)),
        )
        for check in card.checks
        for suite in check.suites
        if check.mode != "metamorphic"
    }
    sequences = {}
    if steps:
        case = in_one_process(TOGETHER, steps)
        sequences[case] = tuple(step.id for step in steps)
        values[case.id] = [[encode(values[step.id]) for step in steps], [None] * len(steps)]
    extended = replace(
        plan,
        cases=tuple(sorted([*plan.cases, *made, *sequences], key=attrgetter("id"))),
        units=plan.units | units,
        inputs=plan.inputs | {case.id: card.inputs_of(case) for case in made},
        sequences=plan.sequences | {case.id: steps for case, steps in sequences.items()},
        probes=tuple(made),
    )
    return Prepared(extended, replace(oracle, values=oracle.values | values))
