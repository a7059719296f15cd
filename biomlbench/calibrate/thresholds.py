"""The thresholds of a card's checks: finding them, and a card with others."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from biomlbench.stages.cards import LoadedCard
    from biomlbench.verify import Card
    from biomlbench.verify.config import Check

__all__ = ["deviations", "of_check", "scaled", "with_checks"]

KEYS = ("atol", "rtol", "scale_rtol", "ulp", "tolerance")
"""Options that are thresholds: a margin is the distance to them in units of them."""
_FUNCTIONS = {"relation": "relation", "property": "property"}
FINE, COARSE = 1e-6, 1e6
"""Scales at which deviations are read that the margin at scale 1 rounds off or cuts off."""
ROUGH, CUT_OFF = 0.1, 1e6
"""Deviations below and from which on the margin at scale 1 tells too little."""


def of_check(card: Card, check: Check) -> dict[str, float]:
    """Return the thresholds of a check.

    Parameters
    ----------
    card : Card
    check : Check

    Returns
    -------
    dict
        Key below the check in `verifier.yaml`, such as ``rtol`` or ``relation.atol``, to its
        value; defaults of a relation or property included. Empty where there is none above 0.
    """
    found = {key: check.options[key] for key in KEYS if key in check.options}
    for option, kind in _FUNCTIONS.items():
        if option in check.options:
            function = getattr(card.library, kind)(check.options[option])
            for key, parameter in inspect.signature(function).parameters.items():
                if key in KEYS and isinstance(parameter.default, (int, float)):
                    found[f"{option}.{key}"] = parameter.default
    return {key: float(value) for key, value in found.items() if value > 0}


def with_checks(card: Card, change: Mapping[str, Mapping[str, Any]]) -> Card:
    """Return a card whose checks have other thresholds or severities.

    Parameters
    ----------
    card : Card
    change : mapping
        Check to key to value; `severity` is a key as well.

    Returns
    -------
    Card
    """
    checks = tuple(
        _changed(check, change[check.name]) if check.name in change else check
        for check in card.checks
    )
    return replace(card, verifier=replace(card.rules, checks=checks))


def _changed(check: Check, change: Mapping[str, Any]) -> Check:
    options = dict(check.options)
    for key, value in change.items():
        option, _, inner = key.partition(".")
        if inner:
            now = options[option]
            options[option] = {**({"name": now} if isinstance(now, str) else now), inner: value}
        elif key != "severity":
            options[key] = value
    return replace(check, options=options, severity=change.get("severity", check.severity))


def scaled(card: Card, factor: float) -> Card:
    """Return a card with all thresholds multiplied by a factor."""
    change = {
        check.name: {key: value * factor for key, value in of_check(card, check).items()}
        for check in card.checks
    }
    return with_checks(card, change)


def deviations(
    loaded: LoadedCard,
    outputs: Mapping[str, Any],
    margins: Mapping[tuple[str, str], float | None] | None = None,
) -> dict[tuple[str, str], float]:
    """Return the deviations of a candidate in units of the thresholds, over eighteen decades.

    A margin is rounded to three digits and cut off at minus a million, so that it tells neither
    tiny deviations nor huge ones apart. Judged by finer and by coarser thresholds they show;
    only the checks whose margin is at such an end are judged so.

    Parameters
    ----------
    loaded : LoadedCard
    outputs : mapping
        Case id to result.
    margins : mapping, optional
        (check, suite) to margin, as judged by the card's own thresholds; else it is judged.

    Returns
    -------
    dict
        (check, suite) to deviation over threshold, for checks that have one.
    """
    from biomlbench.verify import Results
    from biomlbench.verify.disputes import settled

    card = loaded.card
    # by the card's own thresholds: by finer ones, right solutions would disagree on anything
    loaded = loaded._replace(plan=settled(*loaded, Results(outputs)))
    with_threshold = {check.name for check in card.checks if of_check(card, check)}
    if margins is None:
        margins = _margins(loaded, outputs, 1.0, with_threshold)
    found = {
        key: 1 - margin
        for key, margin in margins.items()
        if margin is not None and key[0] in with_threshold
    }
    for factor, unclear in (
        (FINE, {key for key, value in found.items() if value < ROUGH}),
        (COARSE, {key for key, value in found.items() if value >= CUT_OFF}),
    ):
        again = _margins(loaded, outputs, factor, {check for check, _ in unclear})
        found |= {key: (1 - again[key]) * factor for key in unclear if again.get(key) is not None}
    return found


def _margins(
    loaded: LoadedCard, outputs: Mapping[str, Any], factor: float, names: Container[str]
) -> dict[tuple[str, str], float]:
    """Judge some checks by thresholds that are multiplied by a factor."""
    from biomlbench.verify import judge

    card, plan, oracle = loaded
    checks = tuple(check for check in card.checks if check.name in names)
    if not checks:
        return {}
    card = scaled(replace(card, verifier=replace(card.rules, checks=checks)), factor)
    return {
        (row.check, row.suite): row.margin
        for row in judge(card, plan, oracle, outputs)
        if row.margin is not None
    }
