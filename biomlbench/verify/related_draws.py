"""Draws whose arguments hang together, each followed by one that differs in one argument alone.

Before it may come one of the same bytes in other shapes, of the same numbers in another order, or
two that are equal once their arguments are joined.

Values that are drawn each for itself hardly ever are what code goes wrong on: an array that is
another one in turned axes, rows that differ in one place, an order with two rows exchanged, a text
that is another one with blocks moved. And of two calls one after the other hardly ever all but one
argument is equal, so that a key without that argument is never caught.
"""

from __future__ import annotations

import math
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.verify import edge_draws, edge_values
from biomlbench.verify.collisions import in_other_order, in_other_shapes
from biomlbench.verify.edge_numbers import Drawing, holds
from biomlbench.verify.edge_sizes import shrunk
from biomlbench.verify.joined_keys import joined_alike
from biomlbench.verify.related_arrays import ARRAY_RELATIONS
from biomlbench.verify.related_numbers import NUMBER_RELATIONS
from biomlbench.verify.related_runs import RUN_RELATIONS
from biomlbench.verify.related_steps import STEP_RELATIONS
from biomlbench.verify.related_texts import TEXT_RELATIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    from biomlbench.contracts.mappings import Arguments
    from biomlbench.verify.declarations import ArgumentSpec
    from biomlbench.verify.edge_sources import Source

    Relation: TypeAlias = "Callable[[Arguments, Source, np.random.Generator], Arguments]"

__all__ = ["RELATIONS", "related"]

LARGEST = 160
"""Size of a related draw at most; sizes of all magnitudes up to there come as often."""
MOST_RELATIONS = 3
REORDERED_SHARE = 0.2
"""Of calls that come once more with rows in another order, numbers with sums that are exact."""
JOINED_SHARE = 0.2
"""Of calls that are followed by two whose arguments are equal once they are joined."""
RESHAPED_SHARE = 0.3
"""Of calls that are followed by one with the same bytes in other shapes, where that is possible."""
PLAIN = ("spread", "ties", "mixed", "few", "two-letters", edge_values.USUAL)
"""Patterns that leave a relation to be seen."""
RELATIONS: tuple[Relation, ...] = (
    *ARRAY_RELATIONS,
    *NUMBER_RELATIONS,
    *RUN_RELATIONS,
    *STEP_RELATIONS,
    *TEXT_RELATIONS,
)


def related(
    source: Source, factors: dict[str, list[str]], rng: np.random.Generator
) -> Iterator[Arguments]:
    """Yield inputs whose arguments are related, and inputs in which one of them is another.

    Parameters
    ----------
    source : Source
    factors : dict
        Levels of sizes and patterns, of :func:`biomlbench.verify.edge_draws.factors_of`.
    rng : numpy.random.Generator

    Yields
    ------
    dict
        Promised or not; none where a build does not take the values.
    """
    levels = {name: _level(every, rng) for name, every in factors.items()}
    lead = edge_draws.LEADS[int(levels.get("...", 0))]
    sizes = {name: _size(bounds, rng) for name, bounds in source.call_sizes.items()}
    dims = shrunk(source, sizes, lead)
    values = edge_draws.filled(source, levels, Drawing(rng, dims, lead=lead, bounds=source.sizes))
    # one of the listed values is none of them once it is changed
    free = {key: value for key, value in values.items() if not _is_choice(source, key)}
    wanted = int(rng.integers(1, MOST_RELATIONS, endpoint=True))
    for number in rng.permutation(len(RELATIONS)):
        # what becomes of numbers by one may be too large for others
        with np.errstate(all="ignore"):
            new = RELATIONS[number](free, source, rng) if wanted else {}
        if new and all(_is_in_bounds(source.arguments[key], new[key]) for key in new):
            free |= new
            wanted -= 1
    values |= free
    yield from _built(source, values)
    if rng.random() < RESHAPED_SHARE:
        shapes = {name: spec["shape"] for name, spec in source.arguments.items() if "shape" in spec}
        for _, reshaped in islice(in_other_shapes(values, shapes), 1):
            yield from _built(source, reshaped)
    if rng.random() < REORDERED_SHARE:
        for reordered in in_other_order(free, rng):
            yield from _built(source, {**values, **reordered})
    if rng.random() < JOINED_SHARE:
        for joined in joined_alike(free, source.arguments, rng):
            yield from _built(source, {**values, **joined})
    name = str(rng.choice([*source.arguments]))
    others = {key: value for key, value in values.items() if key != name}
    again = {**levels, name: _level(factors[name], rng)}
    drawing = Drawing(rng, dims, lead=lead, earlier=others, bounds=source.sizes)
    yield from _built(source, {**others, **edge_draws.value_of(source, name, again, drawing)})


def _is_choice(source: Source, name: str) -> bool:
    return "choice" in source.arguments[name]


def _is_in_bounds(spec: ArgumentSpec, value: Any) -> bool:
    if not isinstance(value, (int, float, np.ndarray)) or not np.size(value):
        return True
    if np.isnan(value).all():
        return True
    return holds(spec, np.nanmin(value)) and holds(spec, np.nanmax(value))


def _built(source: Source, values: Arguments) -> Iterator[Arguments]:
    inputs = edge_draws.built(source, dict(values))
    if inputs is not None:
        yield inputs


def _level(every: list[str], rng: np.random.Generator) -> str:
    plain = [one for one in every if one in PLAIN or one.startswith(("choice-", "any-"))]
    return str(rng.choice(plain or every))


def _size(bounds: list[int], rng: np.random.Generator) -> int:
    low, high = bounds
    most = min(high, max(low, LARGEST))
    return low + int(math.expm1(rng.uniform(0, math.log1p(most - low))) + 0.5)
