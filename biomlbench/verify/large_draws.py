"""Draws whose sizes are near the largest: what is special in small calls is met in large ones, too.

Code that takes another way from some size on (blocks, a faster algorithm, a narrower type) is right
on all small calls, and on large ones of ordinary numbers. So each pattern of each argument is drawn
at a large size, and small calls are made large by saying the same again along one of their sizes;
and long texts are related to each other (:mod:`biomlbench.verify.long_pairs`).
"""

from __future__ import annotations

import contextlib
import itertools
import math
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.verify import edge_draws
from biomlbench.verify.edge_sizes import declared_sizes
from biomlbench.verify.edge_sources import sources
from biomlbench.verify.edges import key_of, promised_result
from biomlbench.verify.long_pairs import long_pair, texts_of_pairs
from biomlbench.verify.plan import seeded
from biomlbench.verify.rung_draws import at_rungs
from biomlbench.verify.well_posed import keeps_its_result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from biomlbench.contracts.mappings import Arguments
    from biomlbench.verify.card import Card
    from biomlbench.verify.declarations import ArgumentSpec
    from biomlbench.verify.edge_sources import Source
    from biomlbench.verify.plan import PlannedCase

__all__ = ["large_draws", "sizes_of"]

MOST_CPU_S = 10.0
"""After so long no more are drawn."""
TRIED = 8
"""So many times as many are tried before there are fewer."""
MOST_BYTES = 12_000_000
"""Of all calls and their results."""
MOST_BYTES_AT_RUNGS = 6_000_000
MOST_OF_ONE = 1_000_000
LARGE = 40
"""Cards whose sizes are all smaller have no large calls."""
NEAR_LARGEST = 0.7
"""Least share of its largest one that a size has, where nothing limits a call."""
MOST_PRODUCT = 60_000
"""Product of a call's sizes, which algorithms may take time for."""
OF_VAST = 20
"""By so much less is the product than what a card declares, where that is more than the above."""
MOST_LEADING = 6_000
"""Of axes that no declaration names."""
LEADING = "..."
EVEN = 0.5
"""Share of further sizes that are as near the largest that is left of the product."""
ODD = 0.3
"""Share of the other arguments that have any pattern."""


def large_draws(
    card: Card,
    most: int,
    most_at_rungs: int,
    small: Iterable[tuple[str, Arguments]],
    numbered: Callable[[int, str, Arguments], PlannedCase],
    *,
    left_out: frozenset[str],
) -> list[PlannedCase]:
    """Draw large calls of a card.

    Parameters
    ----------
    card : Card
    most : int
        So many of a size near the largest, shared by its entry points.
    most_at_rungs : int
        So many of sizes at which code changes, likewise.
    small : iterable of tuple
        Small calls without an end: entry point and inputs.
    numbered : callable
        Makes a case of its number, its entry point and its inputs.
    left_out : frozenset of str
        Patterns that are not drawn.

    Returns
    -------
    list of PlannedCase
        Promised by the card's declarations. Of a card with one right solution alone, which could
        not disagree with another about them, also with a result that does not hang on last digits.
    """
    rng = seeded(card.name, "large-draws")
    ways = [_patterns(card, left_out, rng), _repeated(card, small, rng), _pairs(card)]
    made = itertools.chain.from_iterable(itertools.zip_longest(*ways, fillvalue=("", None)))
    found = _promised(card, most, itertools.islice(made, TRIED * most), numbered, MOST_BYTES)
    at = at_rungs(card, MOST_PRODUCT, seeded(card.name, "rungs"))
    return [
        *found,
        *_promised(
            card,
            most_at_rungs,
            at,
            lambda number, *call: numbered(len(found) + number, *call),
            MOST_BYTES_AT_RUNGS,
        ),
    ]


def _promised(
    card: Card,
    most: int,
    made: Iterable[tuple[str, Arguments | None]],
    numbered: Callable[[int, str, Arguments], PlannedCase],
    room: int,
) -> list[PlannedCase]:
    """Return those of the calls that are made that are promised and fit in so many bytes."""
    may_disagree = sum(solution.right for solution in card.solutions) > 1
    found: list[PlannedCase] = []
    end = time.process_time() + MOST_CPU_S
    for function, inputs in made:
        if len(found) == most or time.process_time() > end:
            break
        if inputs is None:
            continue
        with contextlib.suppress(Exception):  # what a card's own quantity cannot be taken of
            case = numbered(len(found), function, inputs)
            result = promised_result(card, case)
            if result is None:
                continue
            size = len(key_of(case)) + len(result)
            fits = size <= min(room, MOST_OF_ONE)
            if fits and (may_disagree or keeps_its_result(card, case)):
                found.append(case)
                room -= size
    return found


def _patterns(
    card: Card, left_out: frozenset[str], rng: np.random.Generator
) -> Iterator[tuple[str, Arguments | None]]:
    """Yield calls of a large size, each pattern of each argument in turn, without an end."""
    wanted = [
        (function, source, factors, {name: level})
        for function in card.entry_points
        for source in sources(card, function, 1)
        for factors in [_without(edge_draws.factors_of(source), left_out)]
        for name in source.arguments
        for level in factors[name]
    ]
    while wanted:
        for place in rng.permutation(len(wanted)):
            function, source, factors, level = wanted[place]
            inputs = None
            with contextlib.suppress(Exception):  # what a build cannot take is no input
                dims = _large_sizes(declared_sizes(source, card, function), _most(card), rng)
                levels = _levels(source, factors, rng) | level
                inputs = edge_draws.tried(source, levels, rng, dims) if dims else None
            yield function, inputs


def _pairs(card: Card) -> Iterator[tuple[str, Arguments | None]]:
    """Yield calls with related long texts without an end; none where no call has two."""
    every = [
        (function, source, edge_draws.factors_of(source), seeded(card.name, function, "pairs"))
        for function in card.entry_points
        for source in sources(card, function, 1)
        if texts_of_pairs(source)
        and card.config.get("edges", {}).get(function, {}).get("large", True)
    ]
    for turn in itertools.count() if every else ():
        for function, source, factors, rng in every:
            inputs = None
            with contextlib.suppress(Exception):  # what a build cannot take is no input
                inputs = long_pair(card, source, factors, rng, turn)
            yield function, inputs


def _without(factors: dict[str, list[str]], left_out: frozenset[str]) -> dict[str, list[str]]:
    kept = {
        name: [level for level in every if level not in left_out] for name, every in factors.items()
    }
    return {name: levels or factors[name] for name, levels in kept.items()}


def _levels(
    source: Source, factors: dict[str, list[str]], rng: np.random.Generator
) -> dict[str, str]:
    levels = edge_draws.first_of(edge_draws.ORDINARY, factors)
    for name, every in factors.items():
        if name not in source.arguments or rng.random() < ODD:
            levels[name] = str(rng.choice(every))
    # none of the axes that no declaration names, or as many elements as large calls have
    return levels | {LEADING: str(rng.choice([0, len(edge_draws.LEADS) - 1]))}


def _most(card: Card) -> int:
    """Return the largest product of sizes: of a card that allows vast ones a share of its own."""
    product: int = card.config.get("product", MOST_PRODUCT)
    return max(min(product, MOST_PRODUCT), product // OF_VAST)


def _large_sizes(
    bounds: dict[str, list[int]], most: int, rng: np.random.Generator
) -> dict[str, int]:
    """Return sizes of which one, in random order, is as near its largest as a product allows."""
    dims: dict[str, int] = {}
    left = most
    for name in rng.permutation(sorted(bounds)).tolist():
        low, high = bounds[name]
        top = max(low, min(high, left))
        least = max(low, round(NEAR_LARGEST * top)) if rng.random() < EVEN or not dims else low
        dims[name] = int(rng.integers(least, top, endpoint=True))
        left //= max(dims[name], 1)
    return dims if max(dims.values(), default=0) >= LARGE else {}


def _repeated(
    card: Card, small: Iterable[tuple[str, Arguments]], rng: np.random.Generator
) -> Iterator[tuple[str, Arguments | None]]:
    """Yield small calls whose elements along one size come again and again, up to a large size."""
    for function, inputs in small:
        specs = card.config["inputs"][function]
        sizes = sizes_of(specs, inputs)
        is_large = card.config.get("edges", {}).get(function, {}).get("large", True)
        declared = card.config.get("sizes", {}) if is_large else {}
        highest = {name: declared[name][1] for name in sizes if name in declared}
        if LEADING in sizes and is_large:
            highest[LEADING] = MOST_LEADING
        along = [name for name in sorted(highest) if highest[name] >= LARGE and sizes[name]]
        if not along:
            yield function, None
            continue
        size = str(rng.choice(along))
        others = math.prod(max(n, 1) for name, n in sizes.items() if name != size)
        top = max(1, min(highest[size], _most(card) // others))
        count = int(rng.integers(math.ceil(NEAR_LARGEST * top), top, endpoint=True))
        places = np.arange(count) % sizes[size]
        if rng.random() < EVEN:
            places.sort()
        yield (
            function,
            {
                name: _taken(value, specs.get(name, {}), size, places)
                for name, value in inputs.items()
            },
        )


def _axes(spec: ArgumentSpec, value: Any) -> list[tuple[str, int]]:
    """Return the named sizes of a value, each with its axis; of axes without a name the first."""
    if not isinstance(value, np.ndarray):
        length = spec.get("length")
        return [(length, 0)] if isinstance(length, str) and isinstance(value, (str, list)) else []
    shape = spec.get("shape", [])
    leading = value.ndim - len(shape) if shape[:1] == [LEADING] else 0
    return [
        (name, 0 if name == LEADING else place + leading)
        for place, name in enumerate(shape)
        if isinstance(name, str) and (name != LEADING or leading >= 0)
    ]


def sizes_of(specs: Mapping[str, ArgumentSpec], inputs: Arguments) -> dict[str, int]:
    """Return the named sizes of a call."""
    return {
        size: value.shape[axis] if isinstance(value, np.ndarray) else len(value)
        for name, value in inputs.items()
        for size, axis in _axes(specs.get(name, {}), value)
    }


def _taken(value: Any, spec: ArgumentSpec, size: str, places: np.ndarray) -> Any:
    """Return a value with the elements at some places along a size."""
    for axis in (axis for name, axis in _axes(spec, value) if name == size):
        if isinstance(value, np.ndarray):
            value = np.take(value, places, axis=axis)
        else:
            taken = [value[place] for place in places.tolist()]
            value = "".join(taken) if isinstance(value, str) else taken
    return value
