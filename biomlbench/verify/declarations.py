"""What ``inputs``, ``sizes`` and ``quantities`` of a card's config may declare, as a schema.

For each entry point and argument what may arrive::

    inputs:
      adjust:
        p: {array: [float64], shape: [n], min: 0, max: 1, nan: true}
        ranges: {tuples: int, shape: [k, 2]}
    sizes: {n: [0, 6000], k: [0, 20]}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

from biomlbench.verify.alternates import LAYOUTS

if TYPE_CHECKING:
    from biomlbench.contracts.mappings import JsonObject

__all__ = [
    *("INPUTS_SCHEMA", "KINDS", "ArgumentSpec", "EdgesSpec", "QuantitySpec", "Shape", "Size"),
    "may_be_float",
]

_Number: TypeAlias = Literal["int", "float"]
Size: TypeAlias = int | str
"""A number, or the name of one of ``sizes``."""
Shape: TypeAlias = list[Size]
"""Sizes of the axes; "..." before them stands for any further ones."""
# Within a class that has a key of that name, `list` would mean the key.
_Texts: TypeAlias = list[str]
_Values: TypeAlias = list[Any]


class ArgumentSpec(TypedDict, total=False):
    """What one argument may be: one of :data:`KINDS`, and its bounds."""

    array: _Texts
    """Dtypes."""
    shape: Shape
    """Of an array, or of a list of tuples."""
    number: _Number
    list: _Number
    tuple: _Number
    tuples: _Number
    text: str
    """The alphabet; empty for any characters."""
    length: Size
    """Of a list, a tuple or a text."""
    choice: _Values
    min: float
    max: float
    above: float
    """A bound that does not belong to the range itself."""
    nan: bool
    inf: bool
    optional: bool
    """None may be given."""
    any_magnitude: bool
    """The statement allows floats as small and as large as doubles are."""
    decimals: int
    """To how many decimals edge cases are rounded; only of ``edges`` and of input spaces."""


class QuantitySpec(TypedDict, total=False):
    """Bounds of what a function of `properties.py` computes from the inputs."""

    min: float
    max: float
    function: str
    """The entry point that it is of; of all, if left out."""


class EdgesSpec(TypedDict, total=False):
    """How edge cases of one entry point are made."""

    arguments: dict[str, ArgumentSpec]
    """In place of the declared ones."""
    sizes: dict[str, list[int]]
    build: str
    """Function of `properties.py`: values to inputs, or None where they are not promised."""
    count: int
    large: bool
    """False: the one large call keeps to `sizes`, because of its cost."""


KINDS = ("array", "number", "list", "tuple", "tuples", "text", "choice")
_NUMBER = {"type": "number"}
_SIZE = {"oneOf": [{"type": "integer"}, {"type": "string"}]}
_ARGUMENT: JsonObject = {
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
_OF_EDGES: JsonObject = {
    **_ARGUMENT,
    "properties": {
        **_ARGUMENT["properties"],
        "decimals": {"type": "integer", "description": "to how many decimals numbers are rounded"},
    },
}
_SIZES: JsonObject = {
    "type": "object",
    "additionalProperties": {
        "type": "array",
        "items": {"type": "integer", "minimum": 0},
        "minItems": 2,
        "maxItems": 2,
    },
}
_QUANTITY: JsonObject = {
    "type": "object",
    "properties": {"min": _NUMBER, "max": _NUMBER, "function": {"type": "string"}},
    "additionalProperties": False,
}
_EDGES: JsonObject = {
    "type": "object",
    "properties": {
        "arguments": {"type": "object", "additionalProperties": _OF_EDGES},
        "sizes": _SIZES,
        "build": {"type": "string"},
        "count": {"type": "integer", "minimum": 0},
        "large": {
            "type": "boolean",
            "description": "false: the one large call keeps to `sizes`, because of its cost",
        },
    },
    "additionalProperties": False,
}
INPUTS_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "inputs": {
            "type": "object",
            "additionalProperties": {"type": "object", "additionalProperties": _ARGUMENT},
        },
        "sizes": _SIZES,
        "product": {
            "type": "integer",
            "minimum": 1,
            "description": "what the sizes of one call, multiplied, are at most",
        },
        "quantities": {
            "type": "object",
            "description": "functions of properties.py: inputs to numbers, and their bounds",
            "additionalProperties": _QUANTITY,
        },
        "layouts": {"type": "array", "items": {"enum": list(LAYOUTS)}},
        "edges": {"type": "object", "additionalProperties": _EDGES},
        "draws": {
            "type": "integer",
            "minimum": 0,
            "description": "calls that a candidate is tried on beside its cases",
        },
        "stated": {
            "type": "array",
            "items": _NUMBER,
            "description": "numbers of the statement that bound no input",
        },
    },
}


def may_be_float(spec: ArgumentSpec) -> bool:
    """Whether the numbers of a declared argument may be floats."""
    dtypes = spec.get("array", ())
    kinds = (spec.get("number"), spec.get("list"), spec.get("tuple"), spec.get("tuples"))
    return any(dtype.startswith("float") for dtype in dtypes) or "float" in kinds
