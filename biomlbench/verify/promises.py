"""Whether a card's cases keep to what it declares its arguments to be.

Every promise needs a case that keeps it (each dtype, each bound, each size at both ends and all of
a call together, NaN, None, an argument left out; each layout in memory of each array and dtype
that it changes; a quantity at a bound in one number and in all; a number beyond 32 bits in an int64
array without bounds, a sum beyond the dtype of smaller whole numbers, a character beyond 16 bits in
a text of any characters), and no case may lie outside a promise.
:mod:`biomlbench.verify.declarations` has the form of the declarations.
"""

from __future__ import annotations

import inspect
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.verify.alternates import SHARED, lies_in
from biomlbench.verify.declarations import (
    is_nested,
    may_be_float,
    names_of_sizes,
    parts,
    whole_and_parts,
)
from biomlbench.verify.edge_numbers import LARGEST_STATED, SMALLEST_STATED
from biomlbench.verify.edge_sources import not_made
from biomlbench.verify.shared_memory import can_share, overlapping
from biomlbench.verify.statement import problems_of_statement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from biomlbench.contracts.mappings import Arguments
    from biomlbench.verify.card import Card
    from biomlbench.verify.declarations import ArgumentSpec, QuantitySpec, Shape, Size
    from biomlbench.verify.plan import PlannedCase

__all__ = ["broken_by", "problems"]

REACHED = 0.01
"""A quantity's bound counts as reached this close to it: it is computed from inputs."""
TOGETHER = 0.9
"""Share of the largest product of its sizes that one case of each function must have."""
_ANY_ROWS: Shape = ["...", "..."]
_LARGEST_OF_32_BITS = 2**32 - 1
_LAST_OF_16_BITS = "\uffff"


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
    declared = card.config.get("inputs")
    if not declared:
        return ["config.yaml declares no `inputs`: say what each argument may be"]
    if set(declared) != set(card.entry_points):
        return [f"`inputs` of config.yaml must be those of {', '.join(card.entry_points)}"]
    linter = _Linter(card, declared)
    linter.run()
    found = [*linter.found, *_not_followed(card), *linter.unkept(), *problems_of_statement(card)]
    return list(dict.fromkeys(found))


def _not_followed(card: Card) -> Iterator[str]:
    for function in card.entry_points:
        if names := not_made(card, function):
            yield (
                f"`edges` of {function} is not followed: no value can be made for "
                f"{', '.join(names)}. Give each text, list and tuple a `length`, each size a line "
                "under `sizes`, and a `build` other `arguments` in place of `tuples`"
            )


def broken_by(card: Card, case: PlannedCase) -> Iterator[str]:
    """Yield what a case breaks of its card's declarations."""
    yield from _Linter(card, card.config["inputs"]).outside(case)


class _Linter:
    def __init__(self, card: Card, declared: dict[str, dict[str, ArgumentSpec]]) -> None:
        self.card, self.declared = card, declared
        self.sizes: dict[str, list[int]] = card.config.get("sizes", {})
        self.found: list[str] = []
        self.kept: set[str] = set()
        self.ends: set[str] = set()
        self.seen: dict[str, set[int]] = {}
        self.of_calls: set[str] = set()
        self.product: int | None = card.config.get("product")
        self.largest: dict[str, tuple[int, int]] = {}

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
        given = self.card.bind(case.function, case.args, case.kwargs)
        shared = overlapping(given)
        for name, value in given.items():
            if isinstance(value, np.ndarray):
                dtype = value.dtype.newbyteorder("=").name
                ways = [*lies_in(value), *([SHARED] if name in shared else [])]
                self.kept |= {f"{case.function}.{name}: {way}, {dtype}" for way in ways}

    def outside(self, case: PlannedCase) -> Iterator[str]:
        given = self.card.bind(case.function, case.args, case.kwargs)
        dims: dict[str, int] = {}
        declared = self.declared[case.function]
        self.of_calls = {name for spec in declared.values() for name in names_of_sizes(spec)}
        for name, spec in declared.items():
            where = f"{case.function}.{name}"
            if name not in given:
                self.kept.add(f"{where}: left out")
                continue
            for text in self._argument(where, spec, given[name], dims):
                yield f"{name} {text}"
        yield from self._sizes(dims)
        yield from self._together(case.function, {n: dims[n] for n in dims if n in self.sizes})
        whole = self.card.with_defaults(case.function, given)
        for name, spec in self.card.config.get("quantities", {}).items():
            if spec.get("function", case.function) == case.function:
                yield from self._quantity(name, spec, whole)

    def _sizes(self, dims: dict[str, int]) -> Iterator[str]:
        for name, size in dims.items():
            if name not in self.sizes:
                yield f"size {name} = {size} is not declared: give {name} a line under `sizes`"
                continue
            low, high = self.sizes[name]
            if not low <= size <= high:
                yield f"size {name} = {size} is outside [{low}, {high}]"
            self.seen.setdefault(name, set()).add(size)

    def _together(self, function: str, dims: dict[str, int]) -> Iterator[str]:
        """Note how large the sizes of a call are together: what takes time depends on that."""
        largest = math.prod(self.sizes[name][1] for name in dims)
        product, most = math.prod(dims.values()), min(largest, self.product or largest)
        if product > most:
            yield f"the product of its sizes is {product:,}, beyond {most:,}"
        if len(dims) > 1:
            before, all_of_them = self.largest.get(function, (0, 0))
            self.largest[function] = max(before, product), max(all_of_them, most)

    def _quantity(self, name: str, spec: QuantitySpec, inputs: Arguments) -> Iterator[str]:
        values = np.atleast_1d(np.asarray(self.card.library.own(name)(inputs), dtype=float))
        values = values[np.isfinite(values)]
        if not values.size:
            return
        slack = 1e-9 * max(abs(spec.get("min", 0)), abs(spec.get("max", 0)))
        for bound in ("min", "max"):
            if bound not in spec:
                continue
            value, limit = values.min() if bound == "min" else values.max(), spec[bound]
            if value < limit - slack if bound == "min" else value > limit + slack:
                yield f"quantity {name} = {value:g} is beyond its {bound} {limit:g}"
            if abs(value - limit) <= REACHED * abs(limit):
                self.kept.add(f"quantity {name}: {bound} {limit:g}")
        if values.size > 1:
            self._at_ends(name, spec, values)

    def _at_ends(self, name: str, spec: QuantitySpec, values: np.ndarray) -> None:
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
        self, where: str, spec: ArgumentSpec, value: Any, dims: dict[str, int]
    ) -> Iterator[str]:
        if value is None:
            self.kept.add(f"{where}: None")
            if not (spec.get("optional") or None in spec.get("choice", ())):
                yield "is None, which is not declared"
            return
        if is_nested(spec):
            yield from self._nested(where, spec, value, dims)
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
            kind: type[list[Any] | tuple[Any, ...]] = list if "list" in spec else tuple
            of = spec["list"] if "list" in spec else spec["tuple"]
            if not _holds(value, kind, of):
                yield f"is not a {kind.__name__} of {of}"
                return
            yield from _shape([spec.get("length", "...")], (len(value),), dims)
        elif "tuples" in spec:
            of = spec["tuples"]
            if not (isinstance(value, list) and all(_holds(row, tuple, of) for row in value)):
                yield f"is not a list of tuples of {of}"
                return
            length, *width = spec.get("shape", _ANY_ROWS)
            yield from _shape([length], (len(value),), dims)
            for row in value:
                yield from _shape(width, (len(row),), dims)
            value = [number for row in value for number in row]
        elif not _is(value, spec["number"]):
            yield f"is a {type(value).__name__}, not a {spec['number']} of Python"
            return
        yield from self._range(where, spec, np.asarray(value))

    def _nested(
        self, where: str, spec: ArgumentSpec, value: Any, dims: dict[str, int]
    ) -> Iterator[str]:
        kind = list if "items" in spec else dict
        if type(value) is not kind:
            yield f"is a {type(value).__name__}, not a {kind.__name__}"
        elif "record" in spec:
            yield from self._record(where, spec, value, dims)
        else:
            yield from _shape([spec.get("length", "...")], (len(value),), dims)
            if spec.get("distinct") and len({repr(item) for item in value}) < len(value):
                yield "has items that are equal"
            held = {"[]": value}
            if isinstance(value, dict):
                held = {"[]": [*value.values()], "(keys)": [*value]}
            for behind, part in parts(spec).items():
                for place, item in enumerate(held[behind]):
                    yield from self._item(f"{where}{behind}", part, item, place, dims)

    def _record(
        self, where: str, spec: ArgumentSpec, value: Any, dims: dict[str, int]
    ) -> Iterator[str]:
        fields = spec["record"]
        if unknown := [key for key in value if key not in fields]:
            self.kept.add(f"{where}: further keys")
            if not spec.get("further"):
                yield f"has the key {unknown[0]!r}, which is not declared"
        for key, part in fields.items():
            if key in value:
                for text in self._argument(f"{where}.{key}", part, value[key], dims):
                    yield f"under {key!r} {text}"
            elif part.get("absent"):
                self.kept.add(f"{where}.{key}: absent")
            else:
                yield f"lacks the key {key!r}"

    def _item(
        self, where: str, spec: ArgumentSpec, item: Any, place: int, dims: dict[str, int]
    ) -> Iterator[str]:
        """Hold one item to its declaration: sizes that no call has are its own."""
        own = {name: size for name, size in dims.items() if name in self.of_calls}
        for text in self._argument(where, spec, item, own):
            yield f"at {place} {text}"
        dims |= {name: size for name, size in own.items() if name in self.of_calls}
        yield from self._sizes({n: size for n, size in own.items() if n not in self.of_calls})

    def _text(
        self, where: str, spec: ArgumentSpec, value: Any, dims: dict[str, int]
    ) -> Iterator[str]:
        if type(value) is not str:
            yield f"is a {type(value).__name__}, not a string"
            return
        if spec["text"] and set(value) - set(spec["text"]):
            yield f"holds {sorted(set(value) - set(spec['text']))[:5]}"
        if max(value, default="") > _LAST_OF_16_BITS:
            self.kept.add(f"{where}: a character beyond 16 bits")
        yield from _shape([spec.get("length", "...")], (len(value),), dims)

    def _range(self, where: str, spec: ArgumentSpec, array: np.ndarray) -> Iterator[str]:
        if array.dtype.kind not in "biuf" or not array.size:
            return
        if (
            _is_small(array.dtype)
            and abs(float(array.sum(dtype=float))) > np.iinfo(array.dtype).max
        ):
            self.kept.add(f"{where}: a sum beyond {array.dtype.newbyteorder('=').name}")
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
        if may_be_float(spec) and not spec.get("any_magnitude"):
            magnitudes = np.abs(array[array != 0].astype(float))
            least, most = magnitudes.min(initial=1), magnitudes.max(initial=1)
            for number in (least, most):
                if not SMALLEST_STATED * (1 - 1e-9) <= number <= LARGEST_STATED * (1 + 1e-9):
                    yield f"holds {number:g}, of a magnitude that the statement does not allow"
        for bound in ("min", "max"):
            if (low if bound == "min" else high) == spec.get(bound):
                self.kept.add(f"{where}: {bound} {spec[bound]:g}")

    def unkept(self) -> list[str]:
        """Return promises that no case keeps."""
        wanted: list[str] = []
        for function, arguments in self.declared.items():
            parameters = inspect.signature(self.card.reference[function]).parameters
            if "strided" in self.card.layouts:
                wanted += [
                    f"{function}.{name}: {SHARED}, {dtype}"
                    for name, dtype in sorted(can_share(arguments))
                ]
            for name, spec in arguments.items():
                where = f"{function}.{name}"
                wanted += [f"{where}: {way}" for way in self._ways(spec)]
                for place, part in whole_and_parts(where, spec):
                    wanted += [f"{place}: {promise}" for promise in self._wanted(part)]
                if name in parameters and parameters[name].default is not inspect.Parameter.empty:
                    wanted.append(f"{where}: left out")
        for name, spec in self.card.config.get("quantities", {}).items():
            wanted += [f"quantity {name}: {b} {spec[b]:g}" for b in ("min", "max") if b in spec]
        wanted += sorted(self.ends)
        found = [f"no case for {promise}" for promise in wanted if promise not in self.kept]
        found += [
            f"no case of {function} whose sizes are large together: {product:,} of {most:,}"
            for function, (product, most) in self.largest.items()
            if product < TOGETHER * most
        ]
        for name, bounds in self.sizes.items():
            seen = self.seen.get(name, set())
            found += [f"no case with size {name} = {b}" for b in bounds if b not in seen]
        return found

    def _wanted(self, spec: ArgumentSpec) -> Iterator[str]:
        """Yield what some case has to have of an argument, or of what it is made of."""
        yield from (f"dtype {dtype}" for dtype in spec.get("array", ()))
        yield from (f"{bound} {spec[bound]:g}" for bound in ("min", "max") if bound in spec)
        yield from (flag for flag in ("nan", "inf") if spec.get(flag))
        if "int64" in spec.get("array", ()) and not {"min", "max"} & set(spec):
            yield "a number beyond 32 bits"
        yield from (f"a sum beyond {dtype}" for dtype in self._summed(spec))
        if spec.get("text") == "" and "length" in spec:
            yield "a character beyond 16 bits"
        yield from (f"{item!r}" for item in spec.get("choice", ()) if item is not None)
        if spec.get("optional") or None in spec.get("choice", ()):
            yield "None"
        if spec.get("absent"):
            yield "absent"
        if spec.get("further"):
            yield "further keys"

    def _summed(self, spec: ArgumentSpec) -> Iterator[str]:
        """Yield the dtypes that the numbers of an array may fit in and their sum may not."""
        most = math.prod(map(self._largest, spec.get("shape", [])))
        for dtype in spec.get("array", ()):
            if dtype != "bool" and _is_small(np.dtype(dtype)):
                limit = np.iinfo(dtype).max
                if most * min(spec.get("max", limit), limit) > limit:
                    yield dtype

    def _largest(self, size: Size) -> int:
        """Return the largest size that an axis may have; 1 for any axes."""
        if size == "...":
            return 1
        # of one that is not declared, of which `outside` tells, any may be meant
        return self.sizes.get(size, [0, 2])[1] if isinstance(size, str) else size

    def _ways(self, spec: ArgumentSpec) -> Iterator[str]:
        """Yield the layouts that change an array, with each dtype."""
        shape = spec.get("shape", [])
        if all(self._largest(size) == 1 for size in shape):
            return
        for layout in self.card.layouts:
            for dtype in spec.get("array", ()):
                one_byte = layout == "swapped" and np.dtype(dtype).itemsize == 1
                one_row = layout == "fortran" and len(shape) < 2 and "..." not in shape
                if not one_byte and not one_row:
                    yield f"{layout}, {dtype}"


def _is_small(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "iu" and dtype.itemsize < np.dtype(np.int64).itemsize


def _is(value: Any, kind: str) -> bool:
    return type(value) is int if kind == "int" else type(value) in (int, float)


def _holds(value: Any, kind: type[list[Any] | tuple[Any, ...]], of: str) -> bool:
    return isinstance(value, kind) and all(_is(item, of) for item in value)


def _shape(declared: Shape, shape: tuple[int, ...], dims: dict[str, int]) -> Iterator[str]:
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
