"""Writes a first `verifier.yaml` for a card that only has visible cases and a reference."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.errors import TaskError
from biomlbench.verify import card as cards
from biomlbench.verify.compare import kind_of
from biomlbench.verify.every_number import every_number
from biomlbench.verify.oracle import compute

if TYPE_CHECKING:
    from pathlib import Path

    from biomlbench.contracts.mappings import Config

__all__ = ["migrate"]

SCHEMA_PATH = "../../../../workflow/schemas/verifier.schema.json"


def migrate(folder: str | Path) -> str:
    """Write a first `verifier.yaml` from a v1 card.

    Parameters
    ----------
    folder : path
        Folder of the card.

    Returns
    -------
    str
        Text of the file: a shape guard, an oracle check on every suite that has cases, a
        check for NaN where outputs are numbers, and an advisory check that a second call
        gives the same. It says ``draft: true``, for the evidence is still to be written; with
        it the card loads, is ``uncalibrated``, and can run as ``shadow``.

    Raises
    ------
    TaskError
        If the card cannot be loaded, or has a `verifier.yaml` already.
    """
    card = cards.load(folder)
    if card.verifier is not None:
        raise TaskError(f"{card.folder / 'verifier.yaml'}: the card has one already")
    plan = card.plan()
    oracle = compute(card, plan)
    values = [oracle.values[case.id] for case in plan.calls]
    floating = any(map(_is_floating, values))
    suites = [suite for suite, cases in card.cases.items() if cases]
    if "hidden" not in suites:
        raise TaskError(
            f"{card.folder / 'cases.py'}: there are no hidden cases; define hidden() with at "
            "least 12 of them first"
        )
    return _text(suites, floating, _finite(values))


def _is_floating(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_is_floating(item) for item in value.values())
    if isinstance(value, (list, tuple)):
        return any(_is_floating(item) for item in value)
    return kind_of(value) == "number" and np.asarray(value).dtype.kind in "fc"


def _finite(values: list[Any]) -> Any:
    """Return the property `finite` with what the reference's own results must be allowed."""
    numbers = [every_number(value, others=True) for value in values]
    allowed = {
        "allow_nan": any(np.isnan(found).any() for found in numbers),
        "allow_infinity": any(np.isinf(found).any() for found in numbers),
        "others": not all(map(_is_numbers, values)),
    }
    options = {name: True for name, needed in allowed.items() if needed}
    return {"name": "finite", **options} if options else "finite"


def _is_numbers(value: Any) -> bool:
    try:
        every_number(value)
    except TypeError:
        return False
    return True


def _text(suites: list[str], floating: bool, finite: Any) -> str:
    patterns = {
        "wrong-form": "the result has the wrong type, shape or length",
        "wrong-values": "the result differs from the reference's",
    }
    checks: list[Config] = [
        {
            "name": "form",
            "mode": "shape_guard",
            "suite": suites,
            "severity": "blocker",
            "catches": ["wrong-form"],
        }
    ]
    for suite in suites:
        check: Config = {
            "name": "oracle" if suite == "hidden" else f"oracle-{suite}",
            "mode": "numeric_tolerance" if floating else "exact_match",
            "suite": suite,
            "severity": "critical" if suite == "adversarial" else "blocker",
            "catches": ["wrong-values"],
        }
        if floating:
            check |= {"atol": 1e-8, "rtol": 1e-6}
        checks.append(check)
    if floating:
        patterns["not-a-number"] = "a result is NaN or infinite, or is no number at all"
        checks.append(
            {
                "name": "finite",
                "mode": "property_based",
                "suite": "hidden",
                "severity": "critical",
                "property": finite,
                "catches": ["not-a-number"],
            }
        )
    patterns["keeps-state"] = "a second call with the same inputs gives another result"
    checks.append(
        {
            "name": "same-again",
            "mode": "metamorphic",
            "suite": "adversarial",
            "severity": "critical",
            "transform": "same_again",
            "relation": "unchanged",
            "catches": ["keeps-state"],
        }
    )
    lines = [
        f"# yaml-language-server: $schema={SCHEMA_PATH}",
        "# A first draft. Name the patterns in which solutions really fail, add a known-bad",
        "# solution for each under solutions/bad, properties and transforms that catch them,",
        "# and remove `draft`.",
        "draft: true",
    ]
    if floating:
        lines.append("float_drift: results are floating-point numbers")
    lines += ["", "patterns:", *(f"  {name}: {text}" for name, text in patterns.items())]
    lines += ["", "checks:"]
    for check in checks:
        for number, (key, value) in enumerate(check.items()):
            lines.append(f"  {'-' if number == 0 else ' '} {key}: {_flow(value)}")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _flow(value: Any) -> str:
    """Write a value in one line of YAML."""
    if isinstance(value, list):
        return "[" + ", ".join(_flow(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, bool):
        return json.dumps(value)
    return f"{value:.1e}" if isinstance(value, float) else str(value)
