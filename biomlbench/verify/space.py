"""Declared input spaces: drawn from with a fixed seed for grading, and by Hypothesis for authors.

A space names the arguments of one entry point and says what they may be::

    - name: random
      function: softmax
      count: 6
      dims: {n: [1, 8], d: [1, 4]}
      arguments:
        x: {array: float64, shape: [n, d], min: -5, max: 5}
        mask: {array: bool, shape: [n]}
        k: {integer: [1, n]}
        letters: {string: ACGT, length: n}
        side: {choice: [left, right]}
        eps: {number: [0.0, 1.0]}
        unit: {value: 1}

A number's bounds may name a dimension. With `build: name`, that function of the card's
`properties.py` gets the drawn values as keyword arguments and returns the inputs by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Required, TypeAlias, TypedDict

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from biomlbench.contracts.mappings import Arguments, JsonObject
    from biomlbench.verify.declarations import Shape, Size

__all__ = ["SPACE_SCHEMA", "DrawnSpec", "Source", "Space", "draw", "near_sizes", "values_of"]

Bound: TypeAlias = float | str
"""A number, or the name of a dimension."""
# Within a class that has a key of that name, `list` would mean the key.
_Bounds: TypeAlias = list[Bound]
_Values: TypeAlias = list[Any]


class DrawnSpec(TypedDict, total=False):
    """What one argument of a space may be: an array, or one of integer to value."""

    array: str
    """The dtype."""
    shape: Shape
    min: Bound
    max: Bound
    decimals: int
    """To how many decimals floats are rounded, which makes ties."""
    list: bool
    """A list is given in place of an array."""
    distinct: bool
    """No two integers of the array are equal."""
    integer: _Bounds
    """Smallest and largest."""
    number: _Bounds
    string: str
    """The alphabet."""
    length: Size
    """Of the string."""
    choice: _Values
    value: Any


class Space(TypedDict, total=False):
    """A declared input space, an item of ``generate`` of `verifier.yaml`."""

    name: Required[str]
    arguments: Required[dict[str, DrawnSpec]]
    function: str
    """The entry point; the first, if left out."""
    suite: str
    count: int
    dims: dict[str, list[int]]
    """Smallest and largest of each named dimension."""
    near_dims: dict[str, int]
    """Sizes of the near draws; by default the largest of `dims`."""
    near: bool
    """False: there are no near draws."""
    build: str
    """Function of `properties.py` that makes the inputs."""
    rescaled: list[str]
    """Arrays whose numbers may be any others; by default all where there is no `build`."""


_BOUND = {"oneOf": [{"type": "number"}, {"type": "string"}]}
_RANGE = {"type": "array", "prefixItems": [_BOUND, _BOUND], "minItems": 2, "maxItems": 2}
_ARGUMENT: JsonObject = {
    "type": "object",
    "properties": {
        "array": {"enum": ["float64", "float32", "int64", "int32", "bool"]},
        "shape": {"type": "array", "items": _BOUND},
        "min": _BOUND,
        "max": _BOUND,
        "decimals": {
            "type": "integer",
            "description": "round to this many decimals, which makes ties",
        },
        "list": {"type": "boolean", "description": "give a list in place of an array"},
        "distinct": {"type": "boolean", "description": "no two integers of the array are equal"},
        "integer": _RANGE,
        "number": _RANGE,
        "string": {"type": "string", "minLength": 1, "description": "the alphabet"},
        "length": _BOUND,
        "choice": {"type": "array", "minItems": 1},
        "value": {},
    },
    "additionalProperties": False,
}
SPACE_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9_-]*$"},
        "function": {
            "type": "string",
            "description": "entry point; needed where there are several",
        },
        "suite": {"enum": ["visible", "hidden", "adversarial"]},
        "count": {"type": "integer", "minimum": 1, "maximum": 100},
        "dims": {
            "type": "object",
            "additionalProperties": {
                "type": "array",
                "prefixItems": [{"type": "integer"}, {"type": "integer"}],
                "minItems": 2,
                "maxItems": 2,
            },
            "description": "named dimensions: smallest and largest",
        },
        "arguments": {"type": "object", "additionalProperties": _ARGUMENT},
        "near_dims": {
            "type": "object",
            "additionalProperties": {"type": "integer", "minimum": 1},
            "description": "sizes of the further draws; by default the largest of `dims`",
        },
        "near": {
            "type": "boolean",
            "description": "false: no further draws that share all but one argument or element",
        },
        "build": {
            "type": "string",
            "description": "function of properties.py that makes the inputs",
        },
        "rescaled": {
            "type": "array",
            "items": {"type": "string"},
            "description": "arrays whose numbers may be any others: all times a tiny factor, or "
            "each a little different. By default all where there is no `build`.",
        },
    },
    "required": ["name", "arguments"],
    "additionalProperties": False,
}


class Source:
    """Where numbers come from: a seeded generator here, Hypothesis in `explore`."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng

    def integer(self, low: int, high: int) -> int:
        """Draw a whole number in [low, high]."""
        return int(self.rng.integers(low, high, endpoint=True))

    def number(self, low: float, high: float) -> float:
        """Draw a number in [low, high]."""
        return float(self.rng.uniform(low, high))

    def floats(self, size: int, low: float, high: float) -> np.ndarray:
        """Draw `size` numbers in [low, high]."""
        return self.rng.uniform(low, high, size)

    def integers(self, size: int, low: int, high: int, distinct: bool) -> np.ndarray:
        """Draw `size` whole numbers in [low, high]."""
        if distinct:
            return low + self.rng.permutation(high - low + 1)[:size]
        return self.rng.integers(low, high, size, endpoint=True)

    def choice(self, options: list[Any]) -> Any:
        """Draw one of the options."""
        return options[self.integer(0, len(options) - 1)]

    def text(self, alphabet: str, size: int) -> str:
        """Draw a string."""
        return "".join(alphabet[i] for i in self.integers(size, 0, len(alphabet) - 1, False))


def draw(space: Space, source: Source, build: Callable[..., Arguments] | None = None) -> Arguments:
    """Draw one set of inputs.

    Parameters
    ----------
    space : Space
    source : Source
    build : callable, optional
        Makes the inputs out of the drawn values.

    Returns
    -------
    dict
        Inputs by argument name, in the order in which the space declares them.

    Examples
    --------
    >>> space = {"dims": {"n": [2, 2]}, "arguments": {"x": {"array": "bool", "shape": ["n"]}}}
    >>> draw(space, Source(np.random.default_rng(0)))["x"].shape
    (2,)
    """
    dims = {name: source.integer(*bounds) for name, bounds in space.get("dims", {}).items()}
    values = values_of(space["arguments"], source, dims)
    return build(**values) if build else values


def near_sizes(space: Space) -> dict[str, int]:
    """Return every dimension of a space at the size of its near draws."""
    largest = {name: int(bounds[1]) for name, bounds in space.get("dims", {}).items()}
    return {**largest, **space.get("near_dims", {})}


def values_of(arguments: dict[str, DrawnSpec], source: Source, dims: dict[str, int]) -> Arguments:
    """Draw the declared values for dimensions that are given; nothing is built from them."""
    return {name: _one(spec, dims, source) for name, spec in arguments.items()}


def _bound(value: Bound | None, dims: dict[str, int], default: float) -> float:
    if value is None:
        return default
    if isinstance(value, str):
        if value not in dims:
            raise ValueError(f"`{value}` is not one of the dims {sorted(dims)}")
        return dims[value]
    return value


def _one(spec: DrawnSpec, dims: dict[str, int], source: Source) -> Any:
    if "value" in spec:
        return spec["value"]
    if "choice" in spec:
        return source.choice(spec["choice"])
    if "integer" in spec:
        low, high = (_bound(item, dims, 0) for item in spec["integer"])
        return source.integer(int(low), int(high))
    if "number" in spec:
        low, high = (_bound(item, dims, 0.0) for item in spec["number"])
        return source.number(float(low), float(high))
    if "string" in spec:
        return source.text(spec["string"], int(_bound(spec.get("length"), dims, 1)))
    if "array" not in spec:
        raise ValueError("an argument needs array, integer, number, string, choice or value")
    return _array(spec, dims, source)


def _array(spec: DrawnSpec, dims: dict[str, int], source: Source) -> Any:
    shape = tuple(int(_bound(item, dims, 1)) for item in spec.get("shape", []))
    size = int(np.prod(shape)) if shape else 1
    dtype = np.dtype(spec["array"])
    if dtype.kind == "b":
        flat = source.integers(size, 0, 1, False)
    elif dtype.kind == "i":
        low, high = _bound(spec.get("min"), dims, 0), _bound(spec.get("max"), dims, 9)
        flat = source.integers(size, int(low), int(high), spec.get("distinct", False))
    else:
        low, high = _bound(spec.get("min"), dims, -1.0), _bound(spec.get("max"), dims, 1.0)
        flat = source.floats(size, float(low), float(high))
        if "decimals" in spec:
            flat = np.round(flat, spec["decimals"])
    array = np.asarray(flat).reshape(shape).astype(dtype)
    return array.tolist() if spec.get("list") else array
