"""Relations of arrays and numbers of a call, by which some of them are made of others.

Columns in other places, rows but for one number alike, numbers of many magnitudes or next to a
power of two, zeros and ones alone, rows that sums of places do not tell apart.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.verify.edge_nested import magnitude
from biomlbench.verify.edge_numbers import LARGEST_STATED, SMALLEST_STATED, holds

if TYPE_CHECKING:
    from collections.abc import Callable

    from biomlbench.contracts.mappings import Arguments
    from biomlbench.verify.declarations import ArgumentSpec
    from biomlbench.verify.edge_sources import Source

__all__ = [
    *("ARRAY_RELATIONS", "is_array", "is_array_of_doubles", "one_of"),
    *("powers_of_ten", "whole_numbers"),
]

FAR = 1e6
"""Where a column lies off: the square of it leaves four digits of a double."""
DIGITS = 15.5
"""So many digits a double has, about."""
SCALES = 7
"""So many powers of ten mostly lie between the least and the largest numbers of one array."""
LEAST_POWER, MOST_POWER = 6, 53
"""Numbers lie near a power of two between these: of narrow types and of whole doubles."""
TYPES_END = (7, 8, 15, 16, 24, 31, 32, 53)
"""Powers of two at which narrow types end, or floats are not all whole numbers any more."""
LARGEST_WHOLE = 1e6
SMALLEST_DOUBLE, LARGEST_DOUBLE = -323, 308
"""Powers of ten of the least and of the largest double, where any magnitude is promised."""
STATED = (int(math.log10(SMALLEST_STATED)), int(math.log10(LARGEST_STATED)))
WIDE_SHARE = 0.3
"""So often magnitudes are of all that is promised."""
NEXT_TO_END = 15
"""So many powers of ten next to the least ones are tried as often as all others."""
SMALL_TURNS = 10
"""Axes are turned a little besides, by a tenth to this power at the least."""
WORDS = (4, 8, 16, 32, 64)
NEUTRAL = ((0,), (1,), (1, -1))
"""Numbers of arrays of floats that leave much as it is, for which code has shortcuts."""


def one_of(values: Arguments, rng: np.random.Generator, fits: Callable[[Any], bool]) -> str | None:
    """Return the name of a value that fits, if any does."""
    names = [name for name, value in values.items() if fits(value)]
    return str(rng.choice(names)) if names else None


def is_array(value: Any, axes: int = 1, kinds: str = "biuf") -> bool:
    """Whether a value is an array of numbers with more than one, of so many axes at least."""
    array = isinstance(value, np.ndarray) and value.ndim >= axes and value.size > 1
    return array and value.dtype.kind in kinds


def is_array_of_doubles(value: Any) -> bool:
    """Whether a value is an array of float64 with more than one."""
    return is_array(value, 1, "f") and value.dtype == np.float64


def _axes_turned(values: Arguments, source: Source, rng: np.random.Generator) -> Arguments:
    """Let an array be another one whose columns have changed places and signs."""
    one = one_of(values, rng, lambda value: is_array(value, 2, "f"))
    if one is None:
        return {}
    array = values[one]
    twin = one_of(
        {name: value for name, value in values.items() if name != one},
        rng,
        lambda value: is_array(value, 2, "f") and value.shape[1:] == array.shape[1:],
    )
    if twin is None:
        return {}
    count = array.shape[-1]
    turned = array[..., rng.permutation(count)] * rng.choice([-1.0, 1.0], count)
    if rng.random() < 0.5:
        # about an axis that is none of the coordinates'
        axis = rng.normal(size=count)
        turned = 2 * np.outer(array @ axis, axis).reshape(array.shape) / (axis @ axis) - array
    if count > 1 and rng.random() < 0.5:
        turned = _turned_a_little(turned, rng)
    return {twin: np.resize(turned, values[twin].shape).astype(values[twin].dtype)}


def _turned_a_little(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Turn two axes by a small angle: next to a half turn, formulas of rotations cancel."""
    one, other = rng.permutation(array.shape[-1])[:2]
    angle = 10.0 ** -rng.uniform(1, SMALL_TURNS)
    made = array.astype(float)
    made[..., one] = np.cos(angle) * array[..., one] - np.sin(angle) * array[..., other]
    made[..., other] = np.sin(angle) * array[..., one] + np.cos(angle) * array[..., other]
    return made


def _rows_alike(values: Arguments, source: Source, rng: np.random.Generator) -> Arguments:
    """Let all rows of an array be the first one, but for one number of one."""
    name = one_of(values, rng, lambda value: is_array(value, 2))
    if name is None:
        return {}
    array = values[name]
    made = np.broadcast_to(array[:1], array.shape).copy()
    place = tuple(int(rng.integers(size)) for size in array.shape)
    # the first and the last column are what a code of a row loses first
    column = int(rng.choice([0, array.shape[-1] - 1, place[-1]]))
    place = (*place[:-1], column)
    made[place] = ~made[place] if array.dtype == bool else rng.choice(array.ravel())
    return {name: made}


def _one_exchange(values: Arguments, source: Source, rng: np.random.Generator) -> Arguments:
    """Let an array be in order, and indices without a gap, but for two rows within."""
    name = one_of(values, rng, lambda value: is_array(value, 1, "iuf") and len(value) > 3)
    if name is None:
        return {}
    array = values[name]
    rows = len(array)
    if array.dtype.kind != "f" and "min" in source.arguments.get(name, {}):
        along = np.arange(rows).reshape(-1, *[1] * (array.ndim - 1)) + array.min(axis=0) % 3
        made = np.broadcast_to(along, array.shape).astype(array.dtype)
    else:
        made = np.sort(array, axis=0)
    if rng.random() < 0.5 and array.ndim > 1:
        column = int(rng.integers(array.shape[-1]))
        first, second = rng.integers(1, rows - 1, 2)
        made[[first, second], ..., column] = made[[second, first], ..., column]
    else:
        first, second = rng.integers(1, rows - 1, 2)
        made[[first, second]] = made[[second, first]]
    return {name: made}


def _far_column(values: Arguments, source: Source, rng: np.random.Generator) -> Arguments:
    """Let one column, or row, of an array lie far from all others."""
    name = one_of(values, rng, lambda value: is_array(value, 2, "f"))
    if name is None:
        return {}
    made = values[name].copy()
    axis = made.ndim - 1 if rng.random() < 0.7 else 0
    np.moveaxis(made, axis, 0)[int(rng.integers(made.shape[axis]))] += FAR * rng.choice([-1, 1])
    return {name: made}


def _many_scales(values: Arguments, source: Source, rng: np.random.Generator) -> Arguments:
    """Let the numbers of an array be of several powers of ten, and some of them hardly apart."""
    name = one_of(values, rng, lambda value: is_array(value, 1, "f"))
    if name is None:
        return {}
    array = values[name]
    spec = source.arguments.get(name, {})
    scales = 10.0 ** -rng.integers(0, SCALES, 3)
    if rng.random() < WIDE_SHARE:
        least, most = powers_of_ten(spec)
        scales = 10.0 ** rng.uniform(least, most, 3)
    made = array * rng.choice(scales, array.shape)
    flat = made.reshape(-1)
    first, second = rng.integers(0, flat.size, 2)
    flat[second] = flat[first] * (1 + 10.0 ** -rng.uniform(2, DIGITS))
    return {name: flat.reshape(array.shape).astype(array.dtype)}


def _hardly_odd(values: Arguments, source: Source, rng: np.random.Generator) -> Arguments:
    """Let an array be all of one number but for one, which is hardly another."""
    name = one_of(values, rng, lambda value: is_array(value, 1, "f"))
    if name is None:
        return {}
    array = values[name]
    made = np.full(array.size, rng.choice(array.ravel()))
    made[int(rng.integers(array.size))] *= 1 + 10.0 ** -rng.uniform(2, DIGITS)
    return {name: made.reshape(array.shape).astype(array.dtype)}


def powers_of_ten(spec: ArgumentSpec) -> tuple[int, int]:
    """Return the least and the largest power of ten that an argument may have."""
    if spec.get("any_magnitude"):
        least, most = SMALLEST_DOUBLE, LARGEST_DOUBLE
    else:
        # what is multiplied by it is mostly below 100
        least, most = STATED[0] + 2, STATED[1] - 2
    return least, most if holds(spec, 10.0 ** (most - 1)) else 0


def _near_a_power(values: Arguments, source: Source, rng: np.random.Generator) -> Arguments:
    """Let numbers of an array be next to a power of two, or to so many times a single number.

    Half of them are, or all; and all are whole, or the others are as they were.
    """
    name = one_of(values, rng, lambda value: is_array(value, 1, "iuf"))
    if name is None:
        return {}
    array = values[name]
    power = int(rng.integers(LEAST_POWER, MOST_POWER))
    if rng.random() < 0.5:
        power = int(rng.choice(TYPES_END))
    near = 2.0**power + rng.integers(-2, 3, array.shape)
    single = one_of(values, rng, lambda value: type(value) is float and 0 < value < math.inf)
    if single is not None and rng.random() < 0.5:
        near = (2.0**power + rng.uniform(-2, 2, array.shape)) * values[single]
    with np.errstate(invalid="ignore", over="ignore"):
        others = np.round(array) if rng.random() < 0.5 else array
        made = np.where(rng.random(array.shape) < rng.choice([0.5, 1.0]), near, others)
        if array.dtype.kind != "f":
            info = np.iinfo(array.dtype)
            made = np.clip(made, info.min, info.max if info.bits < 64 else 2.0**MOST_POWER)
        return {name: made.astype(array.dtype)}


def _rows_apart(values: Arguments, source: Source, rng: np.random.Generator) -> Arguments:
    """Let two rows be a Thue-Morse word and the same with its letters exchanged.

    As many places are set in both, and the sums of the places, of their squares and of higher
    powers are equal: codes that are made of such sums do not tell the rows apart.
    """

    def flags(value: Any) -> bool:
        return is_array(value, 2, "biuf") and value.shape[-2] > 1 and value.shape[-1] >= WORDS[0]

    name = one_of(values, rng, flags)
    if name is None:
        return {}
    spec, made = source.arguments.get(name, {}), values[name].copy()
    if made.dtype != bool and not (holds(spec, 0) and holds(spec, 1)):
        return {}
    size = int(rng.choice([size for size in WORDS if size <= made.shape[-1]]))
    word = np.array([place.bit_count() % 2 for place in range(size)])
    first, second = rng.permutation(made.shape[-2])[:2]
    start = int(rng.integers(made.shape[-1] - size + 1))
    made[..., second, :] = made[..., first, :]
    made[..., first, start : start + size] = word
    made[..., second, start : start + size] = 1 - word
    return {name: made}


def _nearly_one(values: Arguments, source: Source, rng: np.random.Generator) -> Arguments:
    """Let a square matrix be the unit matrix but for one small number."""

    def square(value: Any) -> bool:
        return is_array(value, 2, "f") and value.shape[-1] == value.shape[-2]

    name = one_of(values, rng, square)
    if name is None:
        return {}
    array = values[name]
    made = np.broadcast_to(np.eye(array.shape[-1]), array.shape).copy()
    row, column = rng.integers(array.shape[-1], size=2)
    made[..., row, column] += 10.0 ** -rng.integers(1, 9) * rng.choice([-1, 1])
    return {name: made.astype(array.dtype)}


def _neutral(values: Arguments, source: Source, rng: np.random.Generator) -> Arguments:
    """Let an array hold 0 alone, 1 alone, or 1 of either sign, and some of the others too."""
    found: Arguments = {}
    first = one_of(values, rng, lambda value: is_array(value, 1, "f"))
    for name, value in values.items():
        numbers = NEUTRAL[int(rng.integers(len(NEUTRAL)))]
        spec = source.arguments.get(name, {})
        wanted = name == first or (is_array(value, 1, "f") and rng.random() < 0.5)
        if wanted and all(holds(spec, number) for number in numbers):
            found[name] = rng.choice(numbers, value.shape).astype(value.dtype)
    return found


def _of_all_magnitudes(values: Arguments, source: Source, rng: np.random.Generator) -> Arguments:
    """Let the whole numbers of a call be of all magnitudes, each for itself."""
    whole = whole_numbers(values, source)
    return {name: magnitude(source.arguments[name], rng, LARGEST_WHOLE) for name in whole}


def _floats_of_all_magnitudes(
    values: Arguments, source: Source, rng: np.random.Generator
) -> Arguments:
    """Let the single floats of a call be of all magnitudes, each for itself."""
    found: Arguments = {}
    for name, spec in source.arguments.items():
        if spec.get("number") == "float" and values.get(name) is not None:
            least, most = powers_of_ten(spec)
            if rng.random() >= WIDE_SHARE:
                least, most = max(least, -SCALES), min(most, SCALES)
            elif rng.random() < 0.5:
                most = least + NEXT_TO_END
            number = float(10.0 ** rng.uniform(least, most)) * float(rng.choice([1, -1]))
            for one in (-number, number):
                if holds(spec, one):
                    found[name] = one
    return found


def whole_numbers(values: Arguments, source: Source) -> list[str]:
    """Return the arguments of a call that are single whole numbers."""
    return [
        name
        for name, spec in source.arguments.items()
        if spec.get("number") == "int" and values.get(name) is not None
    ]


ARRAY_RELATIONS = (
    _axes_turned,
    _rows_alike,
    _one_exchange,
    _far_column,
    _many_scales,
    _hardly_odd,
    _near_a_power,
    _nearly_one,
    _neutral,
    _rows_apart,
    _of_all_magnitudes,
    _floats_of_all_magnitudes,
)
"""What is done to the values of a call: functions of these, their source and a generator."""
