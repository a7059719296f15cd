"""`metamorphic`: when the inputs are transformed, the outputs are related as they must be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from biomlbench.outcomes import Reason
from biomlbench.verify.cases import Finding, Observed
from biomlbench.verify.library import as_finding, summary

if TYPE_CHECKING:
    from biomlbench.contracts.mappings import JsonObject

MODE = "metamorphic"
SEMANTIC = True
ORACLE = False
DEFAULT_SUITE = "adversarial"
DEFAULT_WEIGHT = 1.0
REASON = Reason.RELATION_VIOLATED
REQUIRED = ["transform", "relation"]
DEFAULT_MAX_BASES = 4

OPTIONS: JsonObject = {
    "transform": {
        "description": "a ready transform or one of properties.py: its name, or `name` and options",
        "$ref": "#/$defs/named",
    },
    "relation": {
        "description": "a ready relation or one of properties.py: its name, or `name` and options",
        "$ref": "#/$defs/named",
    },
    "base": {
        "enum": ["visible", "hidden", "adversarial"],
        "description": "suite whose cases are transformed; hidden by default",
    },
    "max_bases": {
        "type": "integer",
        "minimum": 1,
        "maximum": 50,
        "description": f"how many of them at most, the first ones; {DEFAULT_MAX_BASES} by default",
    },
}


def resolve(check: Any, library: Any) -> None:
    """Look up the transform, the relation and their options."""
    library.transform(check.options["transform"])
    library.relation(check.options["relation"])


def claim(check: Any, library: Any) -> str:
    """Say what a failure means, without any value."""
    transform = library.transform(check.options["transform"])
    relation = library.relation(check.options["relation"])
    return f"not so after the transform ({summary(transform)}): {summary(relation)}"


def judge(check: Any, unit: Any, library: Any) -> Finding:
    """Evaluate the relation between the base output and the variants' outputs."""
    relation = library.relation(check.options["relation"])
    base = Observed(unit.inputs, unit.output)
    return as_finding(relation(base, list(unit.variants), unit.info))
