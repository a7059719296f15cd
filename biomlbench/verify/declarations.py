"""What ``inputs``, ``sizes`` and ``quantities`` of a card's config may declare, as a schema.

For each entry point and argument what may arrive::

    inputs:
      adjust:
        p: {array: [float64], shape: [n], min: 0, max: 1, nan: true}
        ranges: {tuples: int, shape: [k, 2]}
    sizes: {n: [0, 6000], k: [0, 20]}
"""

from __future__ import annotations

from typing import Any

from biomlbench.verify.alternates import LAYOUTS
from biomlbench.verify.edges import EDGES_SCHEMA

__all__ = ["INPUTS_SCHEMA", "KINDS", "may_be_float"]

KINDS = ("array", "number", "list", "tuple", "tuples", "text", "choice")
_NUMBER = {"type": "number"}
_SIZE = {"oneOf": [{"type": "integer"}, {"type": "string"}]}
_ARGUMENT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "array": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        "shape": {"type": "array", "items": _SIZE},
        "number": {"enum": ["int", "float"]},
        "list": {"enum": ["int", "float"]},
        "tuple": {"enum": ["int", "float"]},
        "tuples": {"enum": ["int", "float"], "description": "a list of tuples; see `shape`"},
        "text": {"type": "string", "description": "the alphabet; empty for any characters"},
        "length": _SIZE,
        "choice": {"type": "array", "minItems": 1},
        "min": _NUMBER,
        "max": _NUMBER,
        "above": {**_NUMBER, "description": "a bound that does not belong to the range itself"},
        "nan": {"type": "boolean"},
        "inf": {"type": "boolean"},
        "optional": {"type": "boolean", "description": "None may be given"},
        "any_magnitude": {
            "type": "boolean",
            "description": "the statement allows floats as small and as large as doubles are",
        },
    },
    "additionalProperties": False,
    "oneOf": [{"required": [kind]} for kind in KINDS],
}
INPUTS_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "inputs": {
            "type": "object",
            "additionalProperties": {"type": "object", "additionalProperties": _ARGUMENT},
        },
        "sizes": {
            "type": "object",
            "additionalProperties": {
                "type": "array",
                "items": {"type": "integer", "minimum": 0},
                "minItems": 2,
                "maxItems": 2,
            },
        },
        "product": {
            "type": "integer",
            "minimum": 1,
            "description": "what the sizes of one call, multiplied, are at most",
        },
        "quantities": {
            "type": "object",
            "description": "functions of properties.py: inputs to numbers, and their bounds",
            "additionalProperties": {
                "type": "object",
                "properties": {"min": _NUMBER, "max": _NUMBER, "function": {"type": "string"}},
                "additionalProperties": False,
            },
        },
        "layouts": {"type": "array", "items": {"enum": list(LAYOUTS)}},
        "edges": EDGES_SCHEMA,
        "stated": {
            "type": "array",
            "items": _NUMBER,
            "description": "numbers of the statement that bound no input",
        },
    },
}


def may_be_float(spec: dict[str, Any]) -> bool:
    """Whether the numbers of a declared argument may be floats."""
    dtypes = spec.get("array", ())
    return any(dtype.startswith("float") for dtype in dtypes) or "float" in (
        spec.get(kind) for kind in ("number", "list", "tuple", "tuples")
    )
