"""The plan and the oracle for one candidate: the card's, and cases next to its code's constants.

A case that was drawn for a candidate has no author who looked at it. It counts only where all of
the card's right solutions pass the checks on it, the reference among them: what they disagree on,
the statement does not say.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from biomlbench.verify.judging import Unit
from biomlbench.verify.local import run
from biomlbench.verify.modes import get_mode
from biomlbench.verify.oracle import answers
from biomlbench.verify.plan import UnitSpec, looked_at, planned_case
from biomlbench.verify.probes import probes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from biomlbench.verify.card import Card
    from biomlbench.verify.config import Check
    from biomlbench.verify.constants import Constants
    from biomlbench.verify.oracle import Oracle
    from biomlbench.verify.plan import Plan, PlannedCase

__all__ = ["Prepared", "for_candidate"]

_KEPT = 16
_OK = "ok"


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

    drawn = probes(card, constants, own)
    values, _ = answers(card, drawn)
    kept = tuple(_undisputed(card, drawn, values))
    if not kept:
        return Prepared(plan, oracle)
    units = {
        (check.name, suite): (
            *plan.units[check.name, suite],
            *(UnitSpec(case.id) for case in looked_at(check, [*kept], suite)),
        )
        for check in card.checks
        for suite in check.suites
        if _looks_at_one(check)
    }
    extended = replace(
        plan,
        cases=tuple(sorted([*plan.cases, *kept], key=_by_id)),
        units=plan.units | units,
        inputs=plan.inputs | {case.id: _inputs(card, case) for case in kept},
        probes=kept,
    )
    return Prepared(extended, replace(oracle, values=oracle.values | values))


def _undisputed(
    card: Card, drawn: list[PlannedCase], values: dict[str, Any]
) -> Iterator[PlannedCase]:
    others = [run(s.path, drawn) for s in card.solutions if s.right and s.name != "reference"]
    for case in drawn:
        inputs, checks = _inputs(card, case), _checks(card, case)
        given = [found[case.id] for found in others]
        outputs = [values[case.id], *(result.value for result in given)]
        if all(result.status == _OK for result in given) and all(
            _passes(card, check, Unit(inputs, output, values[case.id]))
            for output in outputs
            for check in checks
        ):
            yield case


def _passes(card: Card, check: Check, unit: Unit) -> bool:
    with np.errstate(all="ignore"):
        try:
            return bool(get_mode(check.mode).judge(check, unit, card.library).ok)
        except Exception:
            # a check that cannot read it says nothing
            return False


def _checks(card: Card, case: PlannedCase) -> list[Check]:
    mine = [check for check in card.checks if _looks_at_one(check) and case.suite in check.suites]
    return [check for check in mine if looked_at(check, [case], case.suite)]


def _looks_at_one(check: Check) -> bool:
    return check.mode != "metamorphic"


def _inputs(card: Card, case: PlannedCase) -> dict[str, Any]:
    return card.with_defaults(case.function, card.bind(case.function, case.args, case.kwargs))


def _by_id(case: PlannedCase) -> str:
    return case.id
