"""Relations of numbers of a call that arithmetic of narrow types, or without care, mistakes.

Numbers at their bounds in several arguments at once, numbers whose products are ordinary though
they are not, whole numbers that lowest bits do not tell apart or whose products and totals reach
the end of a type, rows along few directions that simple vectors are orthogonal to.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.verify.edge_numbers import bounds_of, holds, is_whole
from biomlbench.verify.related_arrays import (
    is_array,
    is_array_of_doubles,
    one_of,
    powers_of_ten,
    whole_numbers,
)

if TYPE_CHECKING:
    from biomlbench.contracts.mappings import Arguments
    from biomlbench.verify.declarations import ArgumentSpec
    from biomlbench.verify.edge_sources import Source

__all__ = ["NUMBER_RELATIONS", "directions"]

GAP_SHARE = 0.2
"""Elements that are NaN, where they may be, among numbers at their bounds."""
BOUND_SHARE = 0.8
MOST_LESS = 12
"""What is scaled up and down is besides smaller by two to so much at most."""
NARROW = (8, 16, 32, 61, 62, 63)
"""Bits of types: whole numbers that differ by two to so much are equal in their lowest bits, and of
the last ones small multiples are in 64 bits."""
FEW = 3
FIRST_FEW = 5
FACTORS = (*(2**bits for bits in (8, 16, 24, 31, 32, 33, 40, 48, 62)), 3_037_000_500)
"""Whole numbers whose products are just the end of a type, or 0 in it, and the root of one."""
FULL = (15, 31, 53, 63)
"""Powers of two that a total of so many numbers comes near to."""
SMALL_OPTION = 12
STRENGTHS = (3.0, 2.0, 1.5, 1.0)
"""By so much is one direction stronger than the next one; by the last all are as strong."""


def _at_bounds(values: Arguments, source: Source, rng: np.random.Generator) -> Arguments:
    """Let numbers of several arguments lie at their bounds together, beside elements of NaN."""
    found: Arguments = {}
    for name, spec in source.arguments.items():
        value: Any = values.get(name)
        ends = [spec[end] for end in ("min", "max") if end in spec]
        if not ends or rng.random() >= BOUND_SHARE:
            continue
        if is_array(value, 1, "iuf"):
            info = np.iinfo(value.dtype) if value.dtype.kind != "f" else np.finfo(value.dtype)
            ends = [end for end in ends if info.min <= end <= info.max]
            there = rng.random(value.shape) < rng.choice([0.5, 1.0])
            made = value.copy()
            made[there] = rng.choice(ends or [0], int(there.sum())) if ends else value[there]
            if spec.get("nan"):
                made[rng.random(value.shape) < GAP_SHARE] = math.nan
            found[name] = made
        elif type(value) in (int, float):
            found[name] = type(value)(ends[int(rng.integers(len(ends)))])
    return found


def _scaled_apart(values: Arguments, source: Source, rng: np.random.Generator) -> Arguments:
    """Let floats of one argument be very large and those of another as small."""
    floats = [
        name for name, value in values.items() if type(value) is float or is_array_of_doubles(value)
    ]
    if len(floats) < 2:
        return {}
    one, other = (floats[place] for place in rng.permutation(len(floats))[:2])
    least, most = powers_of_ten(source.arguments[one])
    low, high = powers_of_ten(source.arguments[other])
    up = min(most, -low) if most > 0 else min(-least, high)
    bits = int(math.log2(10) * up * max(rng.random(), rng.random()))
    less = float(2.0 ** -rng.integers(0, MOST_LESS, endpoint=True))
    factor = 2.0 ** (bits if most > 0 else -bits)
    return {one: values[one] * factor, other: values[other] / factor * less}


def _congruent(values: Arguments, source: Source, rng: np.random.Generator) -> Arguments:
    """Let whole numbers be a few, and the same ones one modulus of a narrow type further on."""
    sign = int(rng.choice([-1, 1]))
    step = sign * 2 ** int(rng.choice(NARROW))
    # mostly from one side of 0 to the other, where a type with a sign goes over to one without
    signs = rng.choice([-sign, -sign * int(rng.choice([-1, 1, 1]))], FEW)
    base = [int(n) for n in rng.integers(rng.integers(0, 2), FIRST_FEW, FEW) * signs]
    found: Arguments = {}
    apart = False
    for name, spec in source.arguments.items():
        value: Any = values.get(name)
        if not _of_whole(value, spec):
            continue
        dtype = value.dtype.name if isinstance(value, np.ndarray) else ""
        low, high = bounds_of(spec, dtype) if dtype else (-(2**63), 2**63 - 1)
        pool = [n for n in (*base, *(n + step for n in base)) if low <= n <= high]
        pool = [n for n in pool if holds(spec, n)]
        if len({*pool}) < 2:
            continue
        if type(value) is int:
            if rng.random() < 0.5:
                found[name] = pool[int(rng.integers(len(pool)))]
            continue
        apart = apart or any(n + step in pool for n in pool)
        found[name] = _of_pool(value, pool, rng)
    return found if apart else {}


def _powers_of_two(values: Arguments, source: Source, rng: np.random.Generator) -> Arguments:
    """Let whole numbers be powers of two whose products a type cannot hold, or are 0 in it."""
    found: Arguments = {}
    for name, spec in source.arguments.items():
        value: Any = values.get(name)
        if type(value) is int or not _of_whole(value, spec):
            continue
        dtype = value.dtype.name if isinstance(value, np.ndarray) else "int64"
        low, high = bounds_of(spec, dtype)
        pool = [n for n in FACTORS if low <= n <= high]
        # the larger ones alone as often as all
        if len(pool) > 1:
            pool = pool[-FEW:] if rng.random() < 0.5 else pool
            found[name] = _of_pool(value, pool, rng)
    return found


def _totals_at_a_types_end(
    values: Arguments, source: Source, rng: np.random.Generator
) -> Arguments:
    """Let single whole numbers be so large that as many as there are items come near a type's end.

    Some are, of either sign, and the others are small.
    """
    sizes = [len(value) for value in values.values() if _has_length(value)]
    size = sum(sizes) if rng.random() < 0.5 else max(sizes, default=0)
    if not size:
        return {}
    full = 2 ** int(rng.choice(FULL)) // size
    found: Arguments = {}
    for name in whole_numbers(values, source):
        number = int(full * rng.uniform(0.4, 1.1))
        if rng.random() < 0.3:
            number = int(rng.integers(0, SMALL_OPTION, endpoint=True))
        sign = int(rng.choice([-1, 1]))
        for one in (-sign * number, sign * number):
            if holds(source.arguments[name], one):
                found[name] = one
    return found


def _along_directions(values: Arguments, source: Source, rng: np.random.Generator) -> Arguments:
    """Let rows of an array lie along few directions, each orthogonal to simple vectors."""
    name = one_of(values, rng, lambda value: is_array(value, 2, "f") and value.ndim == 2)
    if name is None:
        return {}
    value = values[name]
    count = value.shape[1]
    found = directions(count, rng) if rng.random() < 0.5 else np.eye(count)
    made = np.zeros(value.shape)
    strength, step = 1.0, float(rng.choice(STRENGTHS))
    for place, direction in zip(range(0, len(made) - 1, 2), found, strict=False):
        made[place], made[place + 1] = strength * direction, -strength * direction
        strength *= step
    made = made[::-1] if rng.random() < 0.5 else made
    return {name: made.astype(value.dtype)} if made.any() else {}


def directions(count: int, rng: np.random.Generator) -> np.ndarray:
    """Return orthogonal directions of numbers 1, -1 and 0, one a row, in any order.

    Parameters
    ----------
    count : int
        Of coordinates.
    rng : numpy.random.Generator

    Returns
    -------
    numpy.ndarray
        As many as the largest power of two within `count`: all but one add up to 0.
    """
    made = np.ones((1, 1))
    while 2 * len(made) <= count:
        made = np.block([[made, made], [made, -made]])
    found = np.zeros((len(made), count))
    found[:, rng.permutation(count)[: len(made)]] = made
    return found[rng.permutation(len(made))]


def _of_whole(value: Any, spec: ArgumentSpec) -> bool:
    """Whether a value is a whole number, or an array, a list or a tuple of such."""
    if "choice" in spec:
        return False
    if isinstance(value, np.ndarray):
        return is_array(value, 1, "iu")
    return type(value) in (int, list, tuple) and is_whole(spec, "") and value != []


def _of_pool(value: Any, pool: list[int], rng: np.random.Generator) -> Any:
    """Return numbers of a pool in the shape and of the kind of a value."""
    numbers = rng.choice(np.array(pool, dtype=np.int64), np.shape(value))
    if isinstance(value, np.ndarray):
        return numbers.astype(value.dtype)
    return type(value)(numbers.tolist())


def _has_length(value: Any) -> bool:
    return isinstance(value, (str, list, tuple)) or is_array(value)


NUMBER_RELATIONS = (
    _at_bounds,
    _scaled_apart,
    _congruent,
    _powers_of_two,
    _totals_at_a_types_end,
    _along_directions,
)
"""As :data:`biomlbench.verify.related_arrays.ARRAY_RELATIONS`."""
