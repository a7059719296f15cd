"""The plan and the oracle for one candidate: the card's, and cases next to its code's constants."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from biomlbench.verify.oracle import answers
from biomlbench.verify.plan import UnitSpec, looked_at, planned_case
from biomlbench.verify.probes import probes

if TYPE_CHECKING:
    from biomlbench.contracts.mappings import Arguments
    from biomlbench.verify.card import Card
    from biomlbench.verify.constants import Constants
    from biomlbench.verify.oracle import Oracle
    from biomlbench.verify.plan import Plan, PlannedCase

__all__ = ["Prepared", "for_candidate"]

_KEPT = 16


class Prepared(NamedTuple):
    """What a candidate is executed on, and what is right."""

    plan: Plan
    oracle: Oracle


def for_candidate(card: Card, plan: Plan, oracle: Oracle, constants: Constants) -> Prepared:
    """Add the cases that are drawn for a candidate; the same ones for the same constants.

    Parameters
    ----------
    card : Card
    plan : Plan
        The card's own.
    oracle : Oracle
        Of that plan.
    constants : Constants
        Of the candidate's code.

    Returns
    -------
    Prepared
        The oracle's seconds, which limits follow from, stay those of the card's own cases.
    """
    return _for_constants(card, plan, oracle, constants) if constants else Prepared(plan, oracle)


@lru_cache(maxsize=_KEPT)
def _for_constants(card: Card, plan: Plan, oracle: Oracle, constants: Constants) -> Prepared:
    def own(suite: str, *call: Any) -> PlannedCase:
        return planned_case(card, suite, *call)

    # a candidate chooses what goes into the names, and so into the ids, of its cases
    taken = {case.id for case in plan.cases}
    drawn = [case for case in probes(card, constants, own) if case.id not in taken]
    if not drawn:
        return Prepared(plan, oracle)
    values, _ = answers(card, drawn)
    units = {
        (check.name, suite): (
            *plan.units[check.name, suite],
            *(UnitSpec(case.id) for case in looked_at(check, drawn, suite)),
        )
        for check in card.checks
        for suite in check.suites
        if check.mode != "metamorphic"
    }
    extended = replace(
        plan,
        cases=tuple(sorted([*plan.cases, *drawn], key=attrgetter("id"))),
        units=plan.units | units,
        inputs=plan.inputs | {case.id: _inputs(card, case) for case in drawn},
        probes=tuple(drawn),
    )
    return Prepared(extended, replace(oracle, values=oracle.values | values))


def _inputs(card: Card, case: PlannedCase) -> Arguments:
    return card.with_defaults(case.function, card.bind(case.function, case.args, case.kwargs))
