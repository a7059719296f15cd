"""The JSON schema of `verifier.yaml`, built from the modes that are there.

The copy in ``workflow/schemas/verifier.schema.json`` gives editors completion; a test keeps
the two equal.
"""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

from biomlbench.outcomes import Severity
from biomlbench.verify.cases import SUITES
from biomlbench.verify.modes import all_modes
from biomlbench.verify.space import SPACE_SCHEMA

if TYPE_CHECKING:
    from pathlib import Path

    from biomlbench.contracts.mappings import JsonObject

__all__ = ["build", "write"]

_NAME = "^[A-Za-z0-9][A-Za-z0-9_.-]*$"

_COMMON: JsonObject = {
    "name": {"type": "string", "pattern": _NAME, "description": "unique name of the check"},
    "suite": {
        "description": "suite or suites that the check runs on; each gives a row of its own",
        "oneOf": [
            {"enum": list(SUITES)},
            {"type": "array", "items": {"enum": list(SUITES)}, "minItems": 1, "uniqueItems": True},
        ],
    },
    "severity": {
        "enum": [str(severity) for severity in Severity],
        "description": "blocker: failing is `fail`; critical: failing rules out `pass`; "
        "advisory: recorded only",
    },
    "weight": {"type": "number", "minimum": 0, "description": "weight in the hidden score"},
    "catches": {
        "type": "array",
        "items": {"type": "string"},
        "uniqueItems": True,
        "description": "failure patterns that the check catches",
    },
    "cases": {
        "description": "names of cases (with wildcards) that the check looks at; all by default",
        "oneOf": [
            {"type": "string"},
            {"type": "array", "items": {"type": "string"}, "minItems": 1},
        ],
    },
    "function": {"type": "string", "description": "only cases of this entry point"},
}


def _check(mode: str, module: Any) -> JsonObject:
    return {
        "type": "object",
        "title": mode,
        "properties": {"mode": {"const": mode}, **_COMMON, **module.OPTIONS},
        "required": ["name", "mode", "severity", *module.REQUIRED],
        "additionalProperties": False,
    }


@cache
def build() -> JsonObject:
    """Return the JSON schema of `verifier.yaml`."""
    modes = all_modes()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "verifier.yaml: the check matrix of a problem card",
        "type": "object",
        "properties": {
            "complex": {
                "type": "boolean",
                "description": "the task needs oracle, property and metamorphic evidence",
            },
            "draft": {
                "type": "boolean",
                "description": "the evidence is still being written; the card is uncalibrated",
            },
            "float_drift": {
                "type": "string",
                "minLength": 10,
                "description": "why results differ in the last digits between right solutions; "
                "allows numeric_tolerance instead of exact_match on hidden cases",
            },
            "patterns": {
                "type": "object",
                "propertyNames": {"pattern": _NAME},
                "additionalProperties": {"type": "string", "minLength": 8},
                "description": "failure patterns: name, and a sentence that says what goes wrong",
            },
            "generate": {
                "type": "array",
                "items": SPACE_SCHEMA,
                "description": "declared input spaces, from which further cases are drawn",
            },
            "checks": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "properties": {
                        "mode": {"enum": list(modes), "description": "verification mode"}
                    },
                    "required": ["mode"],
                    "allOf": [
                        {
                            "if": {"properties": {"mode": {"const": mode}}, "required": ["mode"]},
                            "then": {"$ref": f"#/$defs/{mode}"},
                        }
                        for mode in modes
                    ],
                },
            },
        },
        "required": ["checks"],
        "additionalProperties": False,
        "$defs": {
            "named": {
                "oneOf": [
                    {"type": "string"},
                    {
                        "type": "object",
                        "properties": {"name": {"type": "string"}},
                        "required": ["name"],
                    },
                ]
            },
            **{mode: _check(mode, module) for mode, module in modes.items()},
        },
    }


def write(path: Path) -> None:
    """Write the schema as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(build(), indent=2, sort_keys=True) + "\n", encoding="utf-8")
