"""`property_based`: an invariant of (inputs, output) holds, whatever the exact values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from biomlbench.outcomes import Reason
from biomlbench.verify.library import as_finding, summary

if TYPE_CHECKING:
    from biomlbench.contracts.mappings import JsonObject
    from biomlbench.verify.cases import Finding

MODE = "property_based"
SEMANTIC = True
ORACLE = False
DEFAULT_SUITE = "hidden"
DEFAULT_WEIGHT = 1.0
REASON = Reason.PROPERTY_VIOLATED
REQUIRED = ["property"]

OPTIONS: JsonObject = {
    "property": {
        "description": "a ready property or one of properties.py: its name, or `name` and options",
        "$ref": "#/$defs/named",
    },
}


def resolve(check: Any, library: Any) -> None:
    """Look up the property and its options."""
    library.property(check.options["property"])


def claim(check: Any, library: Any) -> str:
    """Say what a failure means, without any value."""
    return "not so: " + summary(library.property(check.options["property"]))


def judge(check: Any, unit: Any, library: Any) -> Finding:
    """Evaluate the property."""
    function = library.property(check.options["property"])
    return as_finding(function(unit.inputs, unit.output))
