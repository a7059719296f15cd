"""Draws of which one size is just where code that counts in bits, bytes or blocks changes.

A sum in eight bits is right up to 255 and beyond 256 where another type is chosen: only calls of
that very size show it, and of them only those all of whose elements count. So each size comes at
each such number within its bounds, beside others that are small: with elements that are all the
same, with arguments that are the same as the first, and with ordinary ones.
"""

from __future__ import annotations

import contextlib
import math
from typing import TYPE_CHECKING

from biomlbench.verify import edge_draws
from biomlbench.verify.edge_sizes import declared_sizes
from biomlbench.verify.edge_sources import sources

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np

    from biomlbench.contracts.mappings import Arguments
    from biomlbench.verify.card import Card
    from biomlbench.verify.edge_sources import Source

__all__ = ["at_rungs"]

LEAST = 48
"""Smaller sizes come by themselves among thousands of small calls."""
ROUND = (50, 100, 200, 250, 300, 400, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)
"""Numbers that somebody writes as a threshold."""
HIGHEST_POWER = 17
FEW = (3, 8)
SIZED = {"array", "text", "list"}
ONE_VALUE = ("all-set", "one-letter", "high", "equal")
FLOATS_OF_ONE_VALUE = ("equal",)
SAME = ("same",)
PLAIN = ("spread", "mixed", "choice-0")


def _rungs_within(low: int, high: int) -> list[int]:
    """Return the sizes within bounds at which code changes, and the largest two."""
    powers = (2**n + step for n in range(HIGHEST_POWER) for step in (-1, 0, 1))
    found = {*powers, *ROUND, *(number + 1 for number in ROUND), high - 1, high}
    return sorted(size for size in found if max(low, LEAST) <= size <= high)


def at_rungs(
    card: Card, most: int, rng: np.random.Generator
) -> Iterator[tuple[str, Arguments | None]]:
    """Yield calls of a card at each rung of each size, those of one value first.

    Parameters
    ----------
    card : Card
    most : int
        Product of a call's sizes at most.
    rng : numpy.random.Generator

    Yields
    ------
    function : str
    inputs : dict or None
        None where the build takes none of a few.
    """
    wanted = [
        (function, source, bounds, name, size)
        for function in card.entry_points
        for source in sources(card, function, 1)
        for bounds in [declared_sizes(source, card, function)]
        for name in bounds
        for size in _rungs_within(*bounds[name])
    ]
    for kind in ("one value", "same", "plain"):
        for place in rng.permutation(len(wanted)):
            function, source, bounds, name, size = wanted[place]
            inputs = None
            with contextlib.suppress(Exception):  # what a build cannot take is no input
                dims = {**_few(bounds, rng), name: size}
                if math.prod(max(n, 1) for n in dims.values()) <= most:
                    inputs = edge_draws.tried(source, _levels(source, kind), rng, dims)
            yield function, inputs


def _few(bounds: dict[str, list[int]], rng: np.random.Generator) -> dict[str, int]:
    few = int(rng.integers(*FEW, endpoint=True))
    return {name: min(max(low, few), high) for name, (low, high) in bounds.items()}


def _levels(source: Source, kind: str) -> dict[str, str]:
    factors = edge_draws.factors_of(source)
    levels = edge_draws.first_of(PLAIN, factors) | {"...": "0"}
    sized = [name for name, spec in source.arguments.items() if SIZED & spec.keys()]
    for name in sized[kind == "same" :] if kind != "plain" else ():
        is_float = "hardly-apart" in factors[name]
        wanted = SAME if kind == "same" else FLOATS_OF_ONE_VALUE if is_float else ONE_VALUE
        levels |= edge_draws.first_of((*wanted, *PLAIN), {name: factors[name]})
    return levels
