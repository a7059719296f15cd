"""`exact_match`: the output is the oracle's, value for value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from biomlbench.outcomes import Reason
from biomlbench.verify.cases import Finding
from biomlbench.verify.compare import Tolerance, difference
from biomlbench.verify.library import canonical

if TYPE_CHECKING:
    from biomlbench.contracts.mappings import JsonObject

MODE = "exact_match"
SEMANTIC = True
ORACLE = True
DEFAULT_SUITE = "hidden"
DEFAULT_WEIGHT = 1.0
REASON = Reason.WRONG_OUTPUT
REQUIRED: list[str] = []
TIGHT = 1e-12
"""Largest tolerance that still counts as exact; more than this is `numeric_tolerance`."""

OPTIONS: JsonObject = {
    "atol": {
        "type": "number",
        "minimum": 0,
        "maximum": TIGHT,
        "description": "absolute tolerance for numbers; 0 by default, tight by rule",
    },
    "rtol": {
        "type": "number",
        "minimum": 0,
        "maximum": TIGHT,
        "description": "relative tolerance for numbers; 0 by default, tight by rule",
    },
    "dtype": {"type": "boolean", "description": "arrays must agree in dtype"},
    "types": {"type": "boolean", "description": "containers must be of the same type"},
    "unordered": {"type": "boolean", "description": "the order of the outermost list is free"},
    "canonical": {
        "type": "string",
        "description": "function of properties.py that brings an output into its canonical form; "
        "with a parameter `inputs`, of (inputs, output)",
    },
}


def resolve(check: Any, library: Any) -> None:
    """Look up the canonical form."""
    canonical(check, library)


def claim(check: Any, library: Any) -> str:
    """Say what a failure means, without any value."""
    return "the result is not the oracle's"


def judge(check: Any, unit: Any, library: Any) -> Finding:
    """Compare the output with the oracle's."""
    form = canonical(check, library, unit)
    options = check.options
    found = difference(
        form(unit.output),
        form(unit.expected),
        Tolerance(atol=options.get("atol", 0.0), rtol=options.get("rtol", 0.0)),
        dtype=options.get("dtype", False),
        types=options.get("types", False),
        unordered=options.get("unordered", False),
    )
    if found.kind == "none":
        return Finding(True, "", found.margin)
    return Finding(False, f"differs at {found.place or 'the value itself'}", found.margin)
