"""Edge cases that are ordinary calls but for one thing that several arguments have together.

An array that is another one turned or transposed, or another window of the same memory, an order
that another one has but for two neighbours, a row that is far away in both, numbers that are whole
and large, hardly apart, of single precision, close together far from 0, or as large as an
exponential can take; whole numbers that add up to a power of two.
"""

from __future__ import annotations

import math
from functools import partial
from itertools import permutations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from biomlbench.verify.declarations import names_of_sizes
from biomlbench.verify.edge_numbers import bounds_of, is_whole, reaches
from biomlbench.verify.pairwise import in_turn
from biomlbench.verify.shared_memory import WINDOWS, window_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from biomlbench.contracts.mappings import Arguments
    from biomlbench.verify.declarations import ArgumentSpec
    from biomlbench.verify.edge_draws import Change
    from biomlbench.verify.edge_sources import Source

__all__ = ["Changed", "changes"]

SQUARE = 5
"""Size of arrays that are made of one another."""
AGREEING = 300
"""Size of two orders that differ in two neighbours: a measure of agreement is all but 1."""
FAR = 3e6
"""Where a row of several arrays lies together, if bounds allow it: its square leaves few digits."""
WHOLE = (5e4, 3e8, 5e9)
"""Whole numbers whose squares overflow 32 bits, sums of whose squares 64, which overflow 32."""
APART = (1e-5, 1e-7, 1e-9)
"""By so much of themselves numbers are apart that code may take for equal."""
LARGEST_EXPONENT = 708.7
"""The exponential of it is a double, that of two together is none."""
OFFSET, STEP = 2.0**20, 2.0**-8
"""Far from 0 by so much, and close together by so little, that no digit of a number is lost."""
LEVELS = (4, 3)
"""Levels of the two columns of a full factorial design, whose covariance is rounding noise."""
TOTALS = (256, 1024, 4096)
"""What whole numbers add up to: sizes of tables that grow by doubling."""


class Changed(NamedTuple):
    """What is done to the values of an ordinary call.

    Parameters
    ----------
    name : str
    dims : dict
        Sizes by name, where they are not the ordinary ones.
    change : callable
        Changes the values in place.
    """

    name: str
    dims: dict[str, int]
    change: Change


def changes(source: Source, declared: dict[str, ArgumentSpec]) -> Iterator[Changed]:
    """Yield what is done to ordinary calls of a source; whether it is promised is not looked at.

    Parameters
    ----------
    source : Source
        Of ordinary values.
    declared : dict
        What its arguments may be.
    """
    known = {name: declared[name] for name in source.arguments}
    arrays = {n: s for n, s in known.items() if s.get("array") and s.get("shape")}
    floats = {n: s for n, s in arrays.items() if "float64" in s["array"]}
    pairs = [
        _of_two(source, arrays, one, other)
        for one, other in permutations(arrays, 2)
        if len(arrays[one]["shape"]) == len(arrays[other]["shape"])
        and {*arrays[one]["array"]} & {*arrays[other]["array"]}
    ]
    each = [_of_one(source, floats, name, spec) for name, spec in floats.items()]
    whole = (Changed(f"whole-{size:g}", {}, partial(_whole, floats, size)) for size in WHOLE)
    # of each kind the first of each argument or pair, then the second
    single = iter([Changed("single-precision", {}, partial(_single, [*floats]))] if floats else [])
    kinds = [in_turn(pairs), in_turn(each), single, whole if floats else iter(()), _totals(known)]
    yield from in_turn(kinds)


def _of_two(
    source: Source, arrays: dict[str, ArgumentSpec], one: str, other: str
) -> Iterator[Changed]:
    square = _sizes(source, (arrays[one], arrays[other]), SQUARE)
    if len(arrays[one]["shape"]) == 2:
        yield Changed(f"{other}-across-{one}", square, partial(_copied, one, other, np.transpose))
        if "float64" in arrays[one]["array"]:
            yield Changed(f"far-{one}-{other}", {}, partial(_far_together, one, other))
    elif arrays[one]["shape"] == arrays[other]["shape"] == ["..."]:
        yield Changed(f"{other}-across-{one}", {}, partial(_squared, one, other))
    elif one < other and "bool" not in arrays[one]["array"]:
        long = _sizes(source, (arrays[one], arrays[other]), AGREEING)
        yield Changed(f"agreeing-{one}-{other}", long, partial(_agreeing, one, other))
    yield Changed(f"{other}-turned-{one}", square, partial(_copied, one, other, _turned))
    for way in WINDOWS:
        window = partial(window_of, way=way)
        yield Changed(f"{other}-{way}-{one}", square, partial(_copied, one, other, window))


def _of_one(
    source: Source, floats: dict[str, ArgumentSpec], name: str, spec: ArgumentSpec
) -> Iterator[Changed]:
    for part in APART:
        yield Changed(f"{part:g}-apart-{name}", {}, partial(_hardly_apart, name, part))
    if reaches(spec, 2 * OFFSET):
        yield Changed(f"offset-{name}", {}, partial(_offset, name))
    if bounds_of(spec, "float64")[1] >= LARGEST_EXPONENT:
        # a sum over a size that several arrays have is to be of one product
        named = [size for each in floats.values() for size in {*names_of_sizes(each)}]
        inner = {size: 1 for size in named if named.count(size) > 1}
        dims = {**inner, **_sizes(source, (spec,), SQUARE, but=inner)} if len(floats) > 1 else {}
        yield Changed(f"exponents-{name}", dims, partial(_exponents, [*floats], name))
    if len(spec["shape"]) > 1 and all(isinstance(size, str) for size in spec["shape"][-2:]):
        rows, columns = map(str, spec["shape"][-2:])
        dims = {rows: math.prod(LEVELS), columns: len(LEVELS)}
        if rows != columns and all(_fits(source, *item) for item in dims.items()):
            yield Changed(f"factorial-{name}", dims, partial(_factorial, name))


def _totals(known: dict[str, ArgumentSpec]) -> Iterator[Changed]:
    """Yield single whole numbers of a call that add up to a power of two."""
    whole = {n: s for n, s in known.items() if s.get("number") == "int"}
    for total in TOTALS if len(whole) > 1 else ():
        share, rest = divmod(total, len(whole))
        # no two are equal
        parts = [share + step for step in range(len(whole))]
        parts[0] += rest - sum(range(len(whole)))
        spans = [bounds_of(spec, "int") for spec in whole.values()]
        if all(low <= part <= high for part, (low, high) in zip(parts, spans, strict=True)):
            new = dict(zip(whole, parts, strict=True))
            yield Changed(f"total-{total}", {}, partial(_replaced, new))


def _fits(source: Source, size: str, number: int) -> bool:
    low, high = source.sizes.get(size, (1, 0))
    return low <= number <= high


def _sizes(
    source: Source,
    specs: tuple[ArgumentSpec, ...],
    number: int,
    but: dict[str, int] | None = None,
) -> dict[str, int]:
    """Return one size for all that arguments have, as near to a number as each may be."""
    named = [size for spec in specs for size in names_of_sizes(spec) if size not in (but or {})]
    low = max((source.sizes[size][0] for size in named), default=0)
    high = min((source.sizes[size][1] for size in named), default=number)
    return dict.fromkeys(named, min(max(number, low), high))


def _turned(array: np.ndarray) -> np.ndarray:
    return array[::-1]


def _copied(
    one: str,
    other: str,
    turn: Callable[[np.ndarray], np.ndarray],
    values: Arguments,
    _: np.random.Generator,
) -> None:
    made = turn(values[one])
    if made.shape != values[other].shape:
        raise ValueError("the arrays have other shapes")
    values[other] = made.astype(values[one].dtype)


def _squared(one: str, other: str, values: Arguments, rng: np.random.Generator) -> None:
    """Let arrays of any shape be a square one and its transpose."""
    values[one] = rng.permutation(np.resize(values[one], SQUARE**2)).reshape(SQUARE, SQUARE)
    values[other] = values[one].T.copy()


def _agreeing(one: str, other: str, values: Arguments, rng: np.random.Generator) -> None:
    size = len(values[one])
    if values[one].shape != values[other].shape or values[one].ndim != 1 or size < 3:
        raise ValueError("no two orders")
    for name in (one, other):
        ends = values[name].min(), values[name].max()
        values[name] = np.linspace(*ends, size).astype(values[name].dtype)
    place = int(rng.integers(size // 2, size - 1))
    swapped = values[other].copy()
    swapped[[place, place + 1]] = swapped[[place + 1, place]]
    values[other] = swapped


def _far_together(one: str, other: str, values: Arguments, rng: np.random.Generator) -> None:
    if values[one].shape != values[other].shape or not len(values[one]):
        raise ValueError("no rows in common")
    place = int(rng.integers(len(values[one])))
    for name in (one, other):
        values[name] = values[name].copy()
        values[name][place] += FAR


def _hardly_apart(name: str, part: float, values: Arguments, rng: np.random.Generator) -> None:
    """Let numbers be near one of few others, by no more than a part of themselves."""
    array = values[name]
    few = rng.choice(array.ravel(), max(1, min(3, array.size)))
    steps = rng.integers(0, 3, array.shape)
    values[name] = rng.choice(few, array.shape) * (1 - part * steps)


def _offset(name: str, values: Arguments, _: np.random.Generator) -> None:
    """Let the first column, or all numbers of a row, be close together far from 0."""
    array = values[name].copy()
    if array.dtype.kind != "f":
        raise ValueError("no floats")
    column = array[..., 0] if array.ndim > 1 else array
    column[...] = OFFSET + STEP * np.round(column - column.min(initial=np.inf))
    values[name] = array


def _single(floats: list[str], values: Arguments, _: np.random.Generator) -> None:
    for name in floats:
        if isinstance(values.get(name), np.ndarray) and values[name].dtype == np.float64:
            values[name] = values[name].astype(np.float32).astype(np.float64)


def _exponents(floats: list[str], name: str, values: Arguments, _: np.random.Generator) -> None:
    for each in floats:
        if isinstance(values.get(each), np.ndarray):
            values[each] = np.full_like(values[each], LARGEST_EXPONENT if each == name else 1.0)


def _factorial(name: str, values: Arguments, _: np.random.Generator) -> None:
    array = values[name].copy()
    place = np.arange(array.shape[-2])
    array[..., 0], array[..., 1] = 0.3 * (place // LEVELS[1]), 0.86 * (place % LEVELS[1])
    values[name] = array


def _whole(
    floats: dict[str, ArgumentSpec], size: float, values: Arguments, rng: np.random.Generator
) -> None:
    """Let all numbers be whole and of one size, as far as bounds allow it."""
    for name, spec in floats.items():
        if not isinstance(values.get(name), np.ndarray) or is_whole(spec, values[name].dtype.name):
            continue
        low, high = spec.get("min", -math.inf), spec.get("max", math.inf)
        if high >= size:
            least = -size if low <= -size else size / 8
            values[name] = np.round(rng.uniform(least, size, values[name].shape))


def _replaced(new: dict[str, Any], values: Arguments, _: np.random.Generator) -> None:
    values.update(new)
