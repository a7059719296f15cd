"""`numeric_tolerance`: the output is the oracle's within declared limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from biomlbench.outcomes import Reason
from biomlbench.verify.cases import Finding
from biomlbench.verify.compare import Tolerance, difference
from biomlbench.verify.library import LibraryError, canonical

if TYPE_CHECKING:
    from biomlbench.contracts.mappings import JsonObject

MODE = "numeric_tolerance"
SEMANTIC = True
ORACLE = True
DEFAULT_SUITE = "hidden"
DEFAULT_WEIGHT = 1.0
REASON = Reason.OUTSIDE_TOLERANCE
REQUIRED: list[str] = []

_LIMITS = ("atol", "rtol", "scale_rtol", "ulp")
OPTIONS: JsonObject = {
    "atol": {"type": "number", "minimum": 0, "description": "absolute tolerance"},
    "rtol": {
        "type": "number",
        "minimum": 0,
        "description": "tolerance relative to the expected element",
    },
    "scale_rtol": {
        "type": "number",
        "minimum": 0,
        "description": "tolerance relative to the largest expected element of the array",
    },
    "ulp": {
        "type": "number",
        "minimum": 0,
        "description": "tolerance in units in the last place of the expected element",
    },
    "unordered": {"type": "boolean", "description": "the order of the outermost list is free"},
    "canonical": {
        "type": "string",
        "description": "function of properties.py that brings an output into its canonical form; "
        "with a parameter `inputs`, of (inputs, output)",
    },
}


def resolve(check: Any, library: Any) -> None:
    """Look up the canonical form, and see that there is a limit at all."""
    canonical(check, library)
    if not any(check.options.get(name, 0) > 0 for name in _LIMITS):
        raise LibraryError(
            f"declare a limit above 0 ({', '.join(_LIMITS)}), or use the mode exact_match"
        )


def claim(check: Any, library: Any) -> str:
    """Say what a failure means, without any value."""
    return "the result is not the oracle's within the declared tolerance"


def judge(check: Any, unit: Any, library: Any) -> Finding:
    """Compare the output with the oracle's; the margin is that of the worst element."""
    form = canonical(check, library, unit)
    tolerance = Tolerance(**{name: check.options.get(name, 0.0) for name in _LIMITS})
    found = difference(
        form(unit.output),
        form(unit.expected),
        tolerance,
        unordered=check.options.get("unordered", False),
    )
    if found.kind == "none":
        return Finding(True, "", found.margin)
    if found.kind == "structure":
        return Finding(False, "differs in type or shape", found.margin)
    place = found.place or "the value itself"
    return Finding(False, f"worst deviation at {place}", found.margin)
