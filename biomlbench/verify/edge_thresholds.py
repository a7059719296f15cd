"""Edge cases at thresholds that machines and their number formats have, with ordinary company.

A single whole number beside which code changes its method (bits of a word, of a double's
fraction); whole numbers whose sums and products with a size come near the largest of a type; and
large arrays with few distinct values, whose ties are large as well.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from biomlbench.verify.declarations import names_of_sizes
from biomlbench.verify.edge_numbers import bounds_of, is_whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from biomlbench.verify.declarations import ArgumentSpec
    from biomlbench.verify.edge_sources import Source

__all__ = [
    *("ORDERED", "TIED", "beyond_words", "long_and_full", "magnitudes", "single_numbers"),
    "sizes_beside",
]

BITS = (
    *(15, 16, 17, 26, 27, 28, 31, 32, 33, 52, 53, 54, 63, 64, 65, 127, 128, 129),
    *(255, 256, 257, 512, 1024),
)
"""Whole numbers at which words, pairs of bits in them, fractions of doubles and blocks are full."""
FULL = {share * 2.0**bits: bits in (24, 53) for bits in (24, 31, 53, 63) for share in (0.6, 0.9)}
"""What a size times a number may come to: below what a type holds, and above half of it."""
BEYOND_WORDS = (2**63, 2**64 + 1, 10**30)
"""Whole numbers of Python that no word of a machine holds, or that one holds without a sign."""
BEYOND = (1.02 * 2.0**31, 1.02 * 2.0**53)
"""What a number comes to at each letter of a long text: more than a type holds."""
SMALL = 9
"""Numbers beside such a one."""
TIED = ("odd-one", "ties")
"""Patterns of large arrays with few distinct values."""
ORDERED = ("ascending", "descending", "hardly-apart")
"""Patterns of large arrays without equal values."""
LARGEST_SINGLE = 10_000
"""A number that may be larger is a value, not a size or a count of anything."""
SIZE = 23
"""Size of calls with numbers of one magnitude."""
BESIDE = 6
"""So many times a single number are the sizes beside it, that there is something to do."""


def single_numbers(source: Source) -> Iterator[tuple[str, int, Source]]:
    """Yield each single whole number at each threshold within its bounds.

    Parameters
    ----------
    source : Source

    Yields
    ------
    tuple
        Name of the argument, its value, and the source in which it has no other.
    """
    for name, spec in source.arguments.items():
        if spec.get("number") != "int" or spec.get("optional"):
            continue
        # what is narrowed for the sake of cost may still be a count at a threshold
        low, high = bounds_of(source.wide.get(name, spec), "int")
        for number in BITS if high <= LARGEST_SINGLE else ():
            if low <= number <= high:
                fixed: ArgumentSpec = {**spec, "min": number, "max": number}
                yield name, number, _with(source, {name: fixed})


def magnitudes(source: Source, signs: Sequence[int]) -> Iterator[tuple[float, bool, Source]]:
    """Yield sources whose whole numbers are all of one magnitude, as far as their bounds allow.

    Those of one call have the sign that is wanted, or else that which their bounds allow.

    Parameters
    ----------
    source : Source
    signs : sequence of int
        1, -1 or both, in the order of preference.

    Yields
    ------
    tuple
        What so many of the numbers as a size add up to, whether more would be rounded (in floats)
        or overflow, and the source.
    """
    sizes = {name: _middle(*bounds) for name, bounds in source.sizes.items()}
    whole = {name: spec for name, spec in source.arguments.items() if _is_large(spec)}
    for full, rounds in FULL.items() if whole else ():
        large = int(full / max([1, *sizes.values()]))
        tried = []
        for sign in signs:
            changed = {name: _around(spec, large, sign) for name, spec in whole.items()}
            if all(changed.values()) and changed not in tried:
                tried.append(changed)
                narrow = _with(source, changed)
                yield (
                    sign * full,
                    rounds,
                    narrow._replace(sizes={n: [m, m] for n, m in sizes.items()}),
                )


def beyond_words(source: Source) -> Iterator[tuple[str, int]]:
    """Yield names of single whole numbers without a bound, each with values beyond 64 bits."""
    for name, spec in source.arguments.items():
        if spec.get("number") != "int":
            continue
        for number in BEYOND_WORDS:
            if "max" not in spec:
                yield name, number
            if not {"min", "above"} & spec.keys():
                yield name, -number - 1


def long_and_full(source: Source, length: int) -> Iterator[tuple[str, int, Source]]:
    """Yield sources with one large whole number beside small ones, for long texts.

    Parameters
    ----------
    source : Source
    length : int
        Of the texts.

    Yields
    ------
    tuple
        Name of the number, the number, and the source.
    """
    single = {n: s for n, s in source.arguments.items() if s.get("number") == "int"}
    small: dict[str, ArgumentSpec] = {}
    for name, spec in single.items():
        low, high = spec.get("min", -math.inf), spec.get("max", math.inf)
        if low <= SMALL and high >= -SMALL:
            small[name] = {**spec, "min": max(low, -SMALL), "max": min(high, SMALL)}
    for total in BEYOND:
        for name, spec in single.items():
            for sign in (1, -1):
                number = sign * math.ceil(total / length)
                if spec.get("min", -math.inf) <= number <= spec.get("max", math.inf):
                    fixed: ArgumentSpec = {**spec, "min": number, "max": number}
                    yield name, number, _with(source, {**small, name: fixed})


def _middle(low: int, high: int) -> int:
    return min(max(SIZE, low), high)


def sizes_beside(source: Source, number: int) -> dict[str, int]:
    """Return sizes at which a call with a single number of that size has something to do."""
    used = {name for spec in source.arguments.values() for name in names_of_sizes(spec)}
    return {
        name: int(min(max(BESIDE * number, low), high))
        for name, (low, high) in source.sizes.items()
        if name in used
    }


def _is_large(spec: ArgumentSpec) -> bool:
    if "bool" in spec.get("array", ()):
        return False
    dtypes = spec.get("array", ("",))
    whole = "number" in spec or "array" in spec
    if not whole or not all(is_whole(spec, dtype) for dtype in dtypes):
        return False
    return max(map(abs, bounds_of(spec, _widest(spec)))) >= min(FULL) / SIZE


def _around(spec: ArgumentSpec, large: int, sign: int) -> ArgumentSpec:
    """Return an argument whose numbers are near one magnitude; empty where bounds forbid it."""
    dtype = _widest(spec)
    low, high = bounds_of(spec, dtype)
    if "number" in spec:  # as declared: of numbers without a bound less is tried elsewhere
        low, high = spec.get("min", -math.inf), spec.get("max", math.inf)
    least = large - large // 8
    if "array" in spec:
        spec = {**spec, "array": [dtype]}
    for one in (sign, -sign):
        ends = sorted((one * least, one * large))
        if low <= ends[0] and ends[1] <= high:
            return {**spec, "min": ends[0], "max": ends[1]}
    return {}


def _widest(spec: ArgumentSpec) -> str:
    """Return the dtype of an array that holds most."""
    return max(spec.get("array", ("",)), key=lambda dtype: bounds_of(spec, dtype)[1])


def _with(source: Source, changed: dict[str, ArgumentSpec]) -> Source:
    return source._replace(arguments={**source.arguments, **changed})
