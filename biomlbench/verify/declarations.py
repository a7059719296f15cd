"""What ``inputs``, ``sizes`` and ``quantities`` of a card's config may declare, as a schema.

For each entry point and argument what may arrive::

    inputs:
      adjust:
        p: {array: [float64], shape: [n], min: 0, max: 1, nan: true}
        ranges: {tuples: int, shape: [k, 2]}
        reads: {items: {record: {id: {text: ACGT, length: m}, quality: {number: int}}}, length: k}
    sizes: {n: [0, 6000], k: [0, 20], m: [1, 9]}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

from biomlbench.verify.alternates import LAYOUTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from biomlbench.contracts.mappings import JsonObject

__all__ = [
    *("INPUTS_SCHEMA", "KINDS", "ArgumentSpec", "EdgesSpec", "QuantitySpec", "Shape", "Size"),
    *("is_nested", "leaves", "may_be_float", "names_of_sizes", "parts", "whole_and_parts"),
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
    items: ArgumentSpec
    """What each item of a list is; a size that is named only there is each item's own."""
    record: dict[str, ArgumentSpec]
    """What a dict holds under each of its keys."""
    mapping: ArgumentSpec
    """What a dict holds under keys of any number."""
    keys: ArgumentSpec
    """What a key of a mapping is."""
    distinct: bool
    """No two items are equal."""
    absent: bool
    """A record may lack this key."""
    further: bool
    """A record may have keys beside those that are declared."""
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
    large: bool | dict[str, int]
    """False: large calls keep to `sizes`, because of their cost; or their largest sizes."""


NESTED = ("items", "record", "mapping")
KINDS = ("array", "number", "list", "tuple", "tuples", "text", "choice", *NESTED)
_NUMBER = {"type": "number"}
_SIZE = {"oneOf": [{"type": "integer"}, {"type": "string"}]}
_NESTED_SPEC: JsonObject = {"$ref": "#/$defs/argument"}
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
        "items": _NESTED_SPEC,
        "record": {"type": "object", "additionalProperties": _NESTED_SPEC, "minProperties": 1},
        "mapping": _NESTED_SPEC,
        "keys": {**_NESTED_SPEC, "description": "what a key of `mapping` is"},
        "distinct": {"type": "boolean", "description": "no two of `items` are equal"},
        "absent": {"type": "boolean", "description": "a record may lack this key"},
        "further": {"type": "boolean", "description": "a record may have other keys as well"},
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
            "description": "false: large calls keep to `sizes`, because of their cost; or the "
            "largest sizes of large calls, where those of `sizes` are for small ones",
            "anyOf": [
                {"type": "boolean"},
                {"type": "object", "additionalProperties": {"type": "integer", "minimum": 1}},
            ],
        },
    },
    "additionalProperties": False,
}
INPUTS_SCHEMA: JsonObject = {
    "type": "object",
    "$defs": {"argument": _ARGUMENT},
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


def is_nested(spec: ArgumentSpec) -> bool:
    """Whether an argument is a list of anything, or a dict."""
    return any(kind in spec for kind in NESTED)


def parts(spec: ArgumentSpec) -> dict[str, ArgumentSpec]:
    """Return what an argument is made of, by what stands behind its name: ``[]``, ``.key``.

    Parameters
    ----------
    spec : ArgumentSpec

    Returns
    -------
    dict
        Empty where it is made of nothing else.
    """
    if "items" in spec:
        return {"[]": spec["items"]}
    if "record" in spec:
        return {f".{key}": part for key, part in spec["record"].items()}
    if "mapping" in spec:
        return {"(keys)": spec["keys"], "[]": spec["mapping"]}
    return {}


def whole_and_parts(name: str, spec: ArgumentSpec) -> Iterator[tuple[str, ArgumentSpec]]:
    """Yield an argument and all that it is made of, each with where it is."""
    yield name, spec
    for behind, part in parts(spec).items():
        yield from whole_and_parts(f"{name}{behind}", part)


def leaves(name: str, spec: ArgumentSpec) -> Iterator[tuple[str, ArgumentSpec]]:
    """Yield what an argument is made of in the end, each with where it is; itself if of nothing."""
    for place, part in whole_and_parts(name, spec):
        if not is_nested(part):
            yield place, part


def names_of_sizes(spec: ArgumentSpec, inner: bool = False) -> list[str]:
    """Return the named sizes of an argument.

    Parameters
    ----------
    spec : ArgumentSpec
    inner : bool
        Those of its items as well, which each item may have for itself.
    """
    wanted = [*spec.get("shape", []), *([spec["length"]] if "length" in spec else [])]
    found = [name for name in wanted if isinstance(name, str) and name != "..."]
    for part in parts(spec).values() if inner or "record" in spec else ():
        found += names_of_sizes(part, inner)
    return found


def may_be_float(spec: ArgumentSpec) -> bool:
    """Whether the numbers of a declared argument that is not nested may be floats."""
    dtypes = spec.get("array", ())
    kinds = (spec.get("number"), spec.get("list"), spec.get("tuple"), spec.get("tuples"))
    return any(dtype.startswith("float") for dtype in dtypes) or "float" in kinds
