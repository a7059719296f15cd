"""What a constant of code may be about: a size, a value, a magnitude, a distance, a stretch."""

from __future__ import annotations

import itertools
import math
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from biomlbench.verify.edge_numbers import LARGEST_STATED, SMALLEST_STATED, holds
from biomlbench.verify.edge_sizes import MAX_PRODUCT
from biomlbench.verify.pairwise import in_turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from biomlbench.contracts.mappings import Arguments
    from biomlbench.verify.constants import Constants
    from biomlbench.verify.declarations import ArgumentSpec

__all__ = ["ORDINARY", "Probe", "ProbedArguments", "ways"]

SMALL = 1e-2
"""Below it, a number in code is a tolerance rather than a distance."""
SIDES = (0.3, 3.0)
"""Parts of a tolerance: within it, and beyond."""
LEAST_SHARE = 1e-4
"""A smaller number in code is no share of the elements: there are not as many."""
LONGEST_RUN = 300
LARGEST_MODULUS = 16
OPTION = 5
"""A whole number of a call, as the length of a window, by which sizes differ from others."""
ORDINARY = 8
"""Size of what a probe is not about."""

Change: TypeAlias = "Callable[[Arguments, np.random.Generator], None]"


class Probe(NamedTuple):
    """What makes inputs of a call unlike ordinary ones.

    Parameters
    ----------
    name : str
    sizes : dict
        Sizes by name.
    patterns : dict
        Patterns of :mod:`~biomlbench.verify.edge_values` by argument.
    pool : tuple of float
        Numbers for the pattern ``ties``.
    scale : float
        Magnitude for the pattern ``tiny``.
    change : callable or None
        Changes the values in place.
    lead : tuple of int
        Undeclared leading axes.
    """

    name: str
    sizes: Mapping[str, int] = MappingProxyType({})
    patterns: Mapping[str, str] = MappingProxyType({})
    pool: tuple[float, ...] = ()
    scale: float = 0.0
    change: Change | None = None
    lead: tuple[int, ...] = ()


class ProbedArguments(NamedTuple):
    """The arguments of an entry point by what a constant may mean for them."""

    bounds: dict[str, list[int]]
    numbers: dict[str, ArgumentSpec]
    single: list[str]
    floats: list[str]
    texts: dict[str, ArgumentSpec]
    led: bool


def ways(arguments: ProbedArguments, constants: Constants) -> Iterator[Probe]:
    """Yield what makes inputs meet constants: of each the likeliest first, then the next.

    Parameters
    ----------
    arguments : ProbedArguments
    constants : Constants
    """
    each = [_next_to(arguments, one, constants.numbers) for one in constants.numbers]
    each += [_remainders(arguments, modulus) for modulus in constants.moduli]
    each += [_words(arguments, word) for word in constants.words]
    yield from in_turn(each)


def _next_to(arguments: ProbedArguments, number: float, others: Sequence[float]) -> Iterator[Probe]:
    """Yield what a number in code may be about, the likeliest first."""
    found = [
        _beside(arguments, number, others),
        _sizes_less_an_option(arguments, number),
        _above(arguments, number, others),
        _sizes(arguments, number),
        _values(arguments, number),
        _magnitudes(arguments, number),
        _runs(arguments, number),
    ]
    for probe in in_turn(found):
        yield probe._replace(name=f"{number:.17g}-{probe.name}")


def _sizes(arguments: ProbedArguments, number: float) -> Iterator[Probe]:
    if not isinstance(number, int):
        if not LEAST_SHARE <= number <= 0.5:
            return
        number = math.ceil(1 / number)
    bounds = arguments.bounds
    for size in (number + 1, number):
        for name, (low, high) in bounds.items():
            if low <= size <= high:
                yield Probe(f"{name}={size}", {name: size})
        if arguments.led and size <= MAX_PRODUCT // ORDINARY:
            yield Probe(f"lead={size}", lead=(size,))
    for one, other in itertools.combinations(bounds, 2):
        if all(bounds[n][0] <= number and number + ORDINARY <= bounds[n][1] for n in (one, other)):
            yield Probe(f"{one},{other}>{number}", {one: number + ORDINARY, other: number + 1})
    for size in (2 * number + 1, number + 1):
        fit = {n: size for n, (low, high) in bounds.items() if low <= size <= high}
        if len(fit) > 1 or (fit and size > number + 1):
            yield Probe(f"all={size}", fit)
    for one, other in itertools.permutations(bounds, 2):
        # a size of the whole: the product of two
        wide = min(max(bounds[other][0], ORDINARY), bounds[other][1])
        long = number // max(wide, 1) + 1
        if wide > 1 and bounds[one][0] <= long <= bounds[one][1]:
            yield Probe(f"{one}*{other}>{number}", {one: long, other: wide})


def _sizes_less_an_option(arguments: ProbedArguments, number: float) -> Iterator[Probe]:
    """Yield sizes that differ from a number, or twice it, by a whole number of the call."""
    if not isinstance(number, int) or number <= ORDINARY:
        return
    whole = [name for name in arguments.single if arguments.numbers[name]["number"] == "int"]
    fit = [name for name in whole if holds(arguments.numbers[name], OPTION)]
    for times, sign in itertools.product((1, 2), (1, -1)):
        size = times * number + sign * OPTION
        for (dim, (low, high)), name in itertools.product(arguments.bounds.items(), fit):
            if low <= size <= high:
                yield Probe(f"{dim}={size},{name}={OPTION}", {dim: size}, {name: "ties"}, (OPTION,))


def _values(arguments: ProbedArguments, number: float) -> Iterator[Probe]:
    names, single = arguments.numbers, arguments.single
    around = _around(number)
    if number < SMALL:
        yield from _close(arguments, number)
    many = [name for name in names if name not in single]
    fits = [name for name, spec in names.items() if any(holds(spec, one) for one in around[:3])]
    if fits:
        here = (*around, 1.0, 0.9 * number, 1.1 * number)
        yield Probe("at", {}, dict.fromkeys(fits, "ties"), here)
    for base in (1.0, 0.0, 50.0) if number < SMALL else (0.0, 1.0, 50.0):
        if number < SMALL:
            apart = (*(base + side * number for side in SIDES), base - SIDES[0] * number)
        else:
            apart = (base + number, base + number * (1 + 1e-6), base + number * (1 - 1e-6))
        pool = tuple(_whole(one) for one in (base, *apart, base + 1.0))
        near = [name for name in many if any(holds(names[name], one) for one in apart)]
        if near:
            yield Probe(f"apart-from-{base:g}", {}, dict.fromkeys(near, "ties"), pool)
        if base == 1.0:
            yield from _alone(arguments, (*around[:3], 1.1 * number, 0.9 * number))
    if fits:
        yield Probe("at-again", {}, dict.fromkeys(fits[::2], "ties"), around)
    for name in many:
        if name in arguments.floats and holds(names[name], number):
            yield Probe(f"total-of-{name}", change=_summing_to(name, number))


def _beside(arguments: ProbedArguments, number: float, others: Sequence[float]) -> Iterator[Probe]:
    """Yield single numbers within a small number of another one in code, and of one another."""
    if not 0 < number < SMALL:
        return
    for base, name in itertools.product(others, arguments.single):
        for side in SIDES if base > number else ():
            one = base + side * number
            if arguments.numbers[name]["number"] != "int" and holds(arguments.numbers[name], one):
                yield Probe(f"{name}={one:.17g}", {}, {name: "ties"}, (one,))
    floats = [name for name in arguments.single if name in arguments.floats]
    for part, whole in itertools.permutations(floats, 2):
        yield Probe(f"{part}-of-{whole}", change=_part_of(part, whole, 0.99 * number))


def _above(arguments: ProbedArguments, number: float, others: Sequence[float]) -> Iterator[Probe]:
    """Yield single numbers that are more than so many of another one, or of one another's."""
    floats = [name for name in arguments.single if name in arguments.floats]
    for part, whole in itertools.permutations(floats, 2) if number >= SMALL else ():
        for factor in (1.05, 0.95):
            name = f"{part}-{factor:g}-of-{whole}"
            yield Probe(name, change=_part_of(part, whole, factor * number))
    # a size beyond this number, and a whole number beyond a smaller one, as of blocks that overlap
    whole_ones = [n for n in arguments.single if arguments.numbers[n]["number"] == "int"]
    for less in others if isinstance(number, int) and number > ORDINARY else ():
        if not isinstance(less, int) or not 1 < less < number:
            continue
        for (size, (low, high)), name in itertools.product(arguments.bounds.items(), whole_ones):
            beyond = less + less // 5 + 1
            if low <= number + 2 * beyond <= high and holds(arguments.numbers[name], beyond):
                sizes = {size: int(number) + 2 * beyond}
                yield Probe(f"{size}>{number},{name}>{less}", sizes, {name: "ties"}, (beyond,))


def _part_of(one: str, other: str, part: float) -> Change:
    def change(values: Arguments, rng: np.random.Generator) -> None:
        if isinstance(values.get(one), float) and isinstance(values.get(other), float):
            values[one] = part * values[other]

    return change


def _alone(arguments: ProbedArguments, numbers: tuple[float, ...]) -> Iterator[Probe]:
    for one, name in itertools.product(numbers, arguments.single):
        if holds(arguments.numbers[name], one):
            yield Probe(f"{name}={one:.17g}", {}, {name: "ties"}, (one,))


def _close(arguments: ProbedArguments, number: float) -> Iterator[Probe]:
    """Yield arrays that are equal to an earlier one but for a tolerance, small and large ones."""
    arrays = [name for name in arguments.floats if arguments.numbers[name].get("array")]
    for size, side in itertools.product((1000.0, 1.0), SIDES):
        for one, other in itertools.pairwise(arrays):
            same = arguments.numbers[one].get("shape"), arguments.numbers[other].get("shape")
            if same[0] and len(same[0]) == len(same[1] or ()):
                most = min(arguments.numbers[name].get("max", math.inf) for name in (one, other))
                change = _close_to(one, other, side * number, size, 0.99 * most)
                yield Probe(f"{other}-{side:g}-of-{one}-times-{size:g}", change=change)


def _magnitudes(arguments: ProbedArguments, number: float) -> Iterator[Probe]:
    floats = arguments.floats
    for factor in (0.1, 1e-4, 10.0, 1e4):
        scale = number * factor
        if not SMALLEST_STATED < scale < LARGEST_STATED / 10:
            continue
        if floats:
            yield Probe(f"times-{factor:g}", {}, dict.fromkeys(floats, "tiny"), scale=scale)
        for name in floats if len(floats) > 1 else ():
            yield Probe(f"{name}-times-{factor:g}", {}, {name: "tiny"}, scale=scale)


def _runs(arguments: ProbedArguments, number: float) -> Iterator[Probe]:
    """Yield stretches of so many equal elements, and of one more."""
    if not isinstance(number, int) or not 2 <= number <= LONGEST_RUN:
        return
    declared = {n: s["length"] for n, s in arguments.texts.items()}
    declared |= {n: s["shape"][0] for n, s in arguments.numbers.items() if s.get("shape")}
    for name, size in declared.items():
        if not isinstance(size, str):
            continue
        low, high = arguments.bounds.get(size, (0, 0))
        for length in (number, number + 1):
            if low <= length + 4 <= high:
                yield Probe(
                    f"{length}-equal-{name}",
                    {size: length + 4},
                    {},
                    (),
                    0.0,
                    _with_run(name, length),
                )


def _remainders(arguments: ProbedArguments, modulus: int) -> Iterator[Probe]:
    for rest in range(min(modulus, LARGEST_MODULUS)):
        for name, (low, high) in arguments.bounds.items():
            size = max(low, 2 * modulus) // modulus * modulus + rest
            if low <= size <= high:
                yield Probe(f"{name}%{modulus}={rest}", {name: size})


def _words(arguments: ProbedArguments, word: str) -> Iterator[Probe]:
    for name, spec in arguments.texts.items():
        size = spec["length"]
        if not isinstance(size, str):
            continue
        low, high = arguments.bounds.get(size, (0, 0))
        long = max(low, 3 * len(word) + ORDINARY)
        if (not spec["text"] or set(word) <= set(spec["text"])) and long <= high:
            for place in ("first", "last", "inside"):
                change = _with_word(name, word, place)
                yield Probe(f"{word}-{place}-in-{name}", {size: long}, change=change)


def _around(number: float) -> tuple[float, ...]:
    if isinstance(number, int):
        return (number, number + 1, number - 1, -number)
    return (number, math.nextafter(number, math.inf), math.nextafter(number, 0), -number)


def _whole(number: float) -> float:
    return int(number) if float(number).is_integer() and abs(number) < 2**63 else number


def _summing_to(name: str, total: float) -> Change:
    def change(values: Arguments, rng: np.random.Generator) -> None:
        array = values.get(name)
        if isinstance(array, np.ndarray) and array.dtype.kind == "f" and array.size:
            there = np.abs(array).sum(axis=-1, keepdims=True)
            values[name] = (array * (total / np.where(there == 0, 1, there))).astype(array.dtype)

    return change


def _close_to(one: str, other: str, by: float, size: float, most: float) -> Change:
    def change(values: Arguments, rng: np.random.Generator) -> None:
        if isinstance(base := values.get(one), np.ndarray) and base.size and other in values:
            # all numbers of one magnitude, so that each is as close, relatively, as any other
            largest = min(size, most)
            base = largest * (0.9 + 0.1 * np.abs(base) / (np.abs(base).max() or 1.0))
            moved = base * (1 + by * rng.uniform(-1, 1, base.shape))
            values[one] = base.astype(values[one].dtype)
            values[other] = moved.astype(values[other].dtype)

    return change


def _with_run(name: str, length: int) -> Change:
    def change(values: Arguments, rng: np.random.Generator) -> None:
        value, start = values[name], 2
        if isinstance(value, str):
            run = value[start] * length
            values[name] = value[:start] + run + value[start + length :]
        elif isinstance(value, np.ndarray):
            value[start : start + length] = value[start]
        else:
            values[name] = type(value)(
                [*value[:start], *[value[start]] * length, *value[start + length :]]
            )

    return change


def _with_word(name: str, word: str, place: str) -> Change:
    def change(values: Arguments, rng: np.random.Generator) -> None:
        text = values[name]
        start = {"first": 0, "last": len(text) - len(word), "inside": len(text) // 2}[place]
        values[name] = text[:start] + word + text[start + len(word) :]

    return change
