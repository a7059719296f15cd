"""What a card declares its arguments to be, and whether its cases and its statement keep to it.

``inputs`` of ``config.yaml`` says for each entry point and argument what may arrive::

    inputs:
      adjust:
        p: {array: [float64], shape: [n], min: 0, max: 1, nan: true}
        ranges: {tuples: int, shape: [k, 2]}
    sizes: {n: [0, 6000], k: [0, 20]}

Every promise needs a case that keeps it (each dtype, each bound, each size at both ends, NaN,
None, an argument left out; each layout in memory of each array and dtype that it changes; a
quantity at a bound in one number and in all; a number beyond 32 bits in an int64 array without
bounds, a character beyond 16 bits in a text of any characters), and no case may lie outside a
promise.
"""

from __future__ import annotations

import inspect
import math
import re
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.verify.alternates import LAYOUTS, lies_in
from biomlbench.verify.edges import EDGES_SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from biomlbench.verify.card import Card
    from biomlbench.verify.plan import PlannedCase

__all__ = ["INPUTS_SCHEMA", "broken_by", "conventions", "problems", "write_conventions"]

_KINDS = ("array", "number", "list", "tuple", "tuples", "text", "choice")
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
    },
    "additionalProperties": False,
    "oneOf": [{"required": [kind]} for kind in _KINDS],
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
REACHED = 0.01
"""A quantity's bound counts as reached this close to it: it is computed from inputs."""
_LARGEST_OF_32_BITS = 2**32 - 1
_LAST_OF_16_BITS = "\uffff"
LEAST_STATED = 100
"""Whole numbers of the statement from here on must be declared."""


_TITLE = "## For all calls"
_NO_STATE = (
    "A result depends on the arguments of its own call alone: not on earlier calls, nor on what "
    "their callers did to their results; and it stays what it is when the function is called again."
)
_TIME = (
    "A call is ended after ten times the time of the reference, plain code in Python and NumPy, "
    "but never before 4 seconds have passed."
)
_ROUNDING = (
    "Floats need not be right to the last digit: where no tolerance is given, what any sound order "
    "of the operations in double precision gives is right."
)


def conventions(card: Card) -> str:
    """Return the section that ends a card's statement, written from its declarations.

    Parameters
    ----------
    card : Card

    Returns
    -------
    str
    """
    config = card.config
    kinds = {
        next(kind for kind in _KINDS if kind in spec)
        for arguments in config.get("inputs", {}).values()
        for spec in arguments.values()
    }
    lines = []
    sizes = [
        f"{name} is {low:,} to {high:,}" for name, (low, high) in config.get("sizes", {}).items()
    ]
    if sizes:
        lines.append(f"Sizes: {', '.join(sizes)}.")
    if "array" in kinds:
        layouts = ", ".join(LAYOUTS[name] for name in card.layouts)
        lines.append(
            "Arrays are NumPy arrays of the given dtypes, never lists in their place. They may "
            f"lie in memory in any of these ways, which must not change the result: {layouts}."
        )
    if "number" in kinds:
        lines.append("Single numbers are Python's own, never 0-d arrays.")
    lines += [
        "Arguments must not be changed in place.",
        _NO_STATE,
        _ROUNDING,
        _TIME,
    ]
    return f"{_TITLE}\n\n" + "\n".join(_wrapped(line) for line in lines) + "\n"


def write_conventions(card: Card) -> None:
    """Put the section at the end of a card's statement, in place of an older one."""
    path = _statement_path(card)
    text = path.read_text(encoding="utf-8").split(_TITLE)[0].rstrip()
    path.write_text(f"{text}\n\n{conventions(card)}", encoding="utf-8")


def _statement_path(card: Card) -> Path:
    return card.folder / str(card.config.get("description") or "description.md")


def _wrapped(line: str) -> str:
    return textwrap.fill(line, 98, initial_indent="- ", subsequent_indent="  ")


def problems(card: Card) -> list[str]:
    """Hold a card's cases and statement against its declarations.

    Parameters
    ----------
    card : Card

    Returns
    -------
    list of str
        Empty where every promise has a case and no case lies outside a promise.
    """
    from jsonschema import Draft202012Validator

    errors = list(Draft202012Validator(INPUTS_SCHEMA).iter_errors(card.config))
    if errors:
        place = ".".join(str(part) for part in errors[0].absolute_path)
        return [f"config.yaml, `{place}`: {errors[0].message[:200]}"]
    declared = card.config.get("inputs")
    if not declared:
        return ["config.yaml declares no `inputs`: say what each argument may be"]
    if set(declared) != set(card.entry_points):
        return [f"`inputs` of config.yaml must be those of {', '.join(card.entry_points)}"]
    linter = _Linter(card, declared)
    linter.run()
    return list(dict.fromkeys([*linter.found, *linter.unkept(), *_statement(card, declared)]))


def broken_by(card: Card, case: PlannedCase) -> Iterator[str]:
    """Yield what a case breaks of its card's declarations."""
    yield from _Linter(card, card.config["inputs"]).outside(case)


class _Linter:
    def __init__(self, card: Card, declared: dict[str, Any]) -> None:
        self.card, self.declared = card, declared
        self.sizes: dict[str, list[int]] = card.config.get("sizes", {})
        self.found: list[str] = []
        self.kept: set[str] = set()
        self.ends: set[str] = set()
        self.seen: dict[str, list[float]] = {}

    def run(self) -> None:
        for function in self.card.entry_points:
            names = set(inspect.signature(self.card.reference[function]).parameters)
            if names != set(self.declared.get(function, {})):
                self.found.append(f"`inputs` of {function} must name {sorted(names)}")
        if self.found:
            return
        plan = self.card.plan()
        for case in plan.calls:
            # these are made from the declarations, and prove nothing about the author's cases
            for text in () if case.id in plan.edges else self.outside(case):
                self.found.append(f"case `{case.name}`: {text}")
            if case.id in plan.same_as:
                self._layouts(case)

    def _layouts(self, case: PlannedCase) -> None:
        for name, value in self.card.bind(case.function, case.args, case.kwargs).items():
            if isinstance(value, np.ndarray):
                dtype = value.dtype.newbyteorder("=").name
                self.kept |= {f"{case.function}.{name}: {way}, {dtype}" for way in lies_in(value)}

    def outside(self, case: PlannedCase) -> Iterator[str]:
        given = self.card.bind(case.function, case.args, case.kwargs)
        dims: dict[str, int] = {}
        for name, spec in self.declared[case.function].items():
            where = f"{case.function}.{name}"
            if name not in given:
                self.kept.add(f"{where}: left out")
                continue
            for text in self._argument(where, spec, given[name], dims):
                yield f"{name} {text}"
        for name, size in dims.items():
            low, high = self.sizes.get(name, [0, 0])
            if not low <= size <= high:
                yield f"size {name} = {size} is outside [{low}, {high}]"
            self.seen.setdefault(name, []).append(size)
        whole = self.card.with_defaults(case.function, given)
        for name, spec in self.card.config.get("quantities", {}).items():
            if spec.get("function", case.function) == case.function:
                yield from self._quantity(name, spec, whole)

    def _quantity(self, name: str, spec: dict[str, Any], inputs: dict[str, Any]) -> Iterator[str]:
        values = np.atleast_1d(np.asarray(self.card.library.own(name)(inputs), dtype=float))
        values = values[np.isfinite(values)]
        if not values.size:
            return
        slack = 1e-9 * max(abs(spec.get("min", 0)), abs(spec.get("max", 0)))
        for bound, value, outside in (
            ("min", values.min(), values.min() < spec.get("min", -math.inf) - slack),
            ("max", values.max(), values.max() > spec.get("max", math.inf) + slack),
        ):
            if outside:
                yield f"quantity {name} = {value:g} is beyond its {bound} {spec[bound]:g}"
            if bound in spec and abs(value - spec[bound]) <= REACHED * abs(spec[bound]):
                self.kept.add(f"quantity {name}: {bound} {spec[bound]:g}")
        if values.size > 1:
            self._at_ends(name, spec, values)

    def _at_ends(self, name: str, spec: dict[str, Any], values: np.ndarray) -> None:
        """Note the bounds that all numbers of a quantity are at, and whether some are at each."""
        near = {
            bound: np.abs(values - spec[bound]) <= REACHED * abs(spec[bound])
            for bound in ("min", "max")
            if bound in spec
        }
        for bound, there in near.items():
            self.ends.add(f"quantity {name}: all at {bound} {spec[bound]:g}")
            if there.all():
                self.kept.add(f"quantity {name}: all at {bound} {spec[bound]:g}")
        if len(near) == 2:
            self.ends.add(f"quantity {name}: at both ends")
            if near["min"].any() and near["max"].any() and (near["min"] | near["max"]).all():
                self.kept.add(f"quantity {name}: at both ends")

    def _argument(
        self, where: str, spec: dict[str, Any], value: Any, dims: dict[str, int]
    ) -> Iterator[str]:
        if value is None:
            self.kept.add(f"{where}: None")
            if not (spec.get("optional") or None in spec.get("choice", ())):
                yield "is None, which is not declared"
            return
        if "choice" in spec:
            self.kept.add(f"{where}: {value!r}")
            if value not in spec["choice"]:
                yield f"is {value!r}, which is not declared"
            return
        if "text" in spec:
            yield from self._text(where, spec, value, dims)
            return
        if "array" in spec:
            if not isinstance(value, np.ndarray):
                yield f"is a {type(value).__name__}, not an array"
                return
            self.kept.add(f"{where}: dtype {value.dtype.newbyteorder('=').name}")
            if value.dtype.newbyteorder("=").name not in spec["array"]:
                yield f"is of dtype {value.dtype}, not {' or '.join(spec['array'])}"
            yield from _shape(spec.get("shape", []), value.shape, dims)
        elif "list" in spec or "tuple" in spec:
            kind = list if "list" in spec else tuple
            if not _holds(value, kind, spec[kind.__name__]):
                yield f"is not a {kind.__name__} of {spec[kind.__name__]}"
                return
            yield from _shape([spec.get("length", "...")], (len(value),), dims)
        elif "tuples" in spec:
            of = spec["tuples"]
            if not (isinstance(value, list) and all(_holds(row, tuple, of) for row in value)):
                yield f"is not a list of tuples of {of}"
                return
            length, *width = spec.get("shape", ["...", "..."])
            yield from _shape([length], (len(value),), dims)
            for row in value:
                yield from _shape(width, (len(row),), dims)
            value = [number for row in value for number in row]
        elif not _is(value, spec["number"]):
            yield f"is a {type(value).__name__}, not a {spec['number']} of Python"
            return
        yield from self._range(where, spec, np.asarray(value))

    def _text(
        self, where: str, spec: dict[str, Any], value: Any, dims: dict[str, int]
    ) -> Iterator[str]:
        if type(value) is not str:
            yield f"is a {type(value).__name__}, not a string"
            return
        if spec["text"] and set(value) - set(spec["text"]):
            yield f"holds {sorted(set(value) - set(spec['text']))[:5]}"
        if max(value, default="") > _LAST_OF_16_BITS:
            self.kept.add(f"{where}: a character beyond 16 bits")
        yield from _shape([spec.get("length", "...")], (len(value),), dims)

    def _range(self, where: str, spec: dict[str, Any], array: np.ndarray) -> Iterator[str]:
        if array.dtype.kind not in "biuf" or not array.size:
            return
        if array.dtype.kind == "f":
            for name, there in (("nan", np.isnan(array)), ("inf", np.isinf(array))):
                if there.any():
                    self.kept.add(f"{where}: {name}")
                    if not spec.get(name):
                        yield f"holds {name}, which is not declared"
            array = array[np.isfinite(array)]
        if not array.size:
            return
        low, high = array.min(), array.max()
        if max(abs(int(low)), abs(int(high))) > _LARGEST_OF_32_BITS:
            self.kept.add(f"{where}: a number beyond 32 bits")
        if low < spec.get("min", -math.inf) or high > spec.get("max", math.inf):
            yield f"lies in [{low:g}, {high:g}], outside its bounds"
        if low <= spec.get("above", -math.inf):
            yield f"is {low:g}, which is not above {spec['above']:g}"
        for bound, value in (("min", low), ("max", high)):
            if value == spec.get(bound):
                self.kept.add(f"{where}: {bound} {spec[bound]:g}")

    def unkept(self) -> list[str]:
        """Return promises that no case keeps."""
        wanted: list[str] = []
        for function, arguments in self.declared.items():
            parameters = inspect.signature(self.card.reference[function]).parameters
            for name, spec in arguments.items():
                where = f"{function}.{name}"
                wanted += [f"{where}: dtype {dtype}" for dtype in spec.get("array", ())]
                wanted += [f"{where}: {way}" for way in self._ways(spec)]
                wanted += [f"{where}: {b} {spec[b]:g}" for b in ("min", "max") if b in spec]
                wanted += [f"{where}: {flag}" for flag in ("nan", "inf") if spec.get(flag)]
                if "int64" in spec.get("array", ()) and not {"min", "max"} & set(spec):
                    wanted.append(f"{where}: a number beyond 32 bits")
                if spec.get("text") == "" and "length" in spec:
                    wanted.append(f"{where}: a character beyond 16 bits")
                wanted += [
                    f"{where}: {item!r}" for item in spec.get("choice", ()) if item is not None
                ]
                if spec.get("optional") or None in spec.get("choice", ()):
                    wanted.append(f"{where}: None")
                if name in parameters and parameters[name].default is not inspect.Parameter.empty:
                    wanted.append(f"{where}: left out")
        for name, spec in self.card.config.get("quantities", {}).items():
            wanted += [f"quantity {name}: {b} {spec[b]:g}" for b in ("min", "max") if b in spec]
        wanted += sorted(self.ends)
        found = [f"no case for {promise}" for promise in wanted if promise not in self.kept]
        for name, bounds in self.sizes.items():
            seen = self.seen.get(name, [])
            found += [f"no case with size {name} = {b}" for b in bounds if b not in seen]
        return found

    def _ways(self, spec: dict[str, Any]) -> Iterator[str]:
        """Yield the layouts that change an array, with each dtype."""
        shape = spec.get("shape", [])
        if all(self.sizes.get(n, [n, n])[1] == 1 for n in shape if n != "..."):
            return
        for layout in self.card.layouts:
            for dtype in spec.get("array", ()):
                one_byte = layout == "swapped" and np.dtype(dtype).itemsize == 1
                one_row = layout == "fortran" and len(shape) < 2 and "..." not in shape
                if not one_byte and not one_row:
                    yield f"{layout}, {dtype}"


def _is(value: Any, kind: str) -> bool:
    return type(value) is int if kind == "int" else type(value) in (int, float)


def _holds(value: Any, kind: type[list[Any] | tuple[Any, ...]], of: str) -> bool:
    return isinstance(value, kind) and all(_is(item, of) for item in value)


def _shape(declared: list[Any], shape: tuple[int, ...], dims: dict[str, int]) -> Iterator[str]:
    if declared and declared[0] == "...":
        declared = declared[1:]
        shape = shape[len(shape) - len(declared) :] if declared else ()
    if len(declared) != len(shape):
        yield f"has {len(shape)} axes, not {len(declared)}"
        return
    for want, size in zip(declared, shape, strict=True):
        expected = dims.setdefault(want, size) if isinstance(want, str) else want
        if expected != size:
            yield f"has an axis of {size}, where {want} is {expected}"


_STATED = re.compile(r"(?<![\w.^*-])(\d{1,3}(?:,\d{3})+|\d{3,})(?![\w.]*\d|\*\*)")


def _statement(card: Card, declared: dict[str, Any]) -> Iterator[str]:
    """Compare the statement with the declarations."""
    path = _statement_path(card)
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    if conventions(card) not in text:
        yield "the statement does not end with the section that `biomlbench statement` writes"
    body = text.split(_TITLE)[0]
    table = "\n".join(line for line in body.splitlines() if line.startswith("|"))
    for arguments in declared.values():
        for name, spec in arguments.items():
            if f"`{name}`" not in table:
                yield f"the statement's table has no row for `{name}`"
            for dtype in spec.get("array", ()):
                if dtype not in body:
                    yield f"the statement does not say that `{name}` may be {dtype}"
    known = set(_numbers(declared)) | set(_numbers(card.config.get("sizes", {})))
    known |= set(_numbers(card.config.get("quantities", {}))) | set(card.config.get("stated", ()))
    prose = re.sub(r"```.*?```", "", body, flags=re.DOTALL)
    prose = re.sub(r"\b(?:float|int|uint)\d+\b|\((?:[^()]*\b(?:18|19|20)\d\d[^()]*)\)", "", prose)
    for match in _STATED.finditer(prose):
        number = int(match[1].replace(",", ""))
        if number >= LEAST_STATED and number not in known and -number not in known:
            yield f"the statement speaks of {match[1]}, which no declaration carries"


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _numbers(item)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield value
