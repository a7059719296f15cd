"""Draws with a stretch of equal elements, of each length in turn, and flags that are set in it.

Ties of some numbers alone are what code goes wrong on whose fractions of a count are rounded, or
whose blocks end within; and of random lengths each one hardly ever comes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.verify import edge_draws
from biomlbench.verify.edge_numbers import Drawing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from biomlbench.contracts.mappings import Arguments
    from biomlbench.verify.edge_sources import Source

__all__ = ["LONGEST", "SHORTEST", "stretched"]

SHORTEST, LONGEST = 2, 130
BESIDE = 6
"""Elements beside a stretch at most."""
OTHER = 2
"""How far above its least one any other size is at most."""
SHARE = 0.85
"""Arguments of that size with a stretch; the others are as drawn."""
PLAIN = ("spread", "mixed")
TIES, CHOICES = "ties", ("choice-", "any-")


def stretched(
    source: Source, factors: dict[str, list[str]], rng: np.random.Generator, turn: int
) -> Iterator[Arguments]:
    """Yield inputs in which elements at the same places of several arguments are equal.

    Parameters
    ----------
    source : Source
    factors : dict
        Levels of sizes and patterns, of :func:`biomlbench.verify.edge_draws.factors_of`.
    rng : numpy.random.Generator
    turn : int
        Which length and size it is the turn of: all come, again and again.

    Yields
    ------
    dict
        Promised or not; none where no size allows that length.
    """
    sizes = _sizes_along(source)
    names = [name for name in source.call_sizes if name in sizes.values()]
    if not names:
        return
    size, count = names[turn % len(names)], SHORTEST + turn // len(names) % (LONGEST - SHORTEST + 1)
    dims = {
        name: int(rng.integers(low, min(high, low + OTHER), endpoint=True))
        for name, (low, high) in source.call_sizes.items()
    }
    low, high = source.sizes[size]
    dims[size] = max(low, count + int(rng.integers(0, BESIDE, endpoint=True)))
    if dims[size] > high:
        return
    levels = edge_draws.first_of(PLAIN, factors)
    # small numbers, so that products of several arguments are promised
    levels |= {
        name: TIES
        for name, every in factors.items()
        if TIES in every and sizes.get(name) != size and rng.random() < SHARE
    }
    choices = {name: [n for n in factors[name] if n.startswith(CHOICES)] for name in factors}
    levels |= {name: str(rng.choice(listed)) for name, listed in choices.items() if listed}
    levels["..."] = "0"
    values = edge_draws.filled(source, levels, Drawing(rng, dims, bounds=source.sizes))
    start = int(rng.integers(0, dims[size] - count, endpoint=True))
    for name in [name for name in sizes if sizes[name] == size]:
        if rng.random() < SHARE:
            values[name] = with_equal(values[name], start, count)
    if (inputs := edge_draws.built(source, values)) is not None:
        yield inputs


def with_equal(value: Any, start: int, count: int) -> Any:
    """Return a value whose elements from a place on are equal, or flags that are set there."""
    if isinstance(value, np.ndarray):
        made = value.copy()
        made[start : start + count] = True if made.dtype == bool else made[start]
        return made
    first = value[start : start + 1]
    return value[:start] + first * count + value[start + count :]


def _sizes_along(source: Source) -> dict[str, str]:
    """Return the size of each argument that is a text, a list or an array along one axis."""
    found = {}
    for name, spec in source.arguments.items():
        shape = spec.get("shape", [])
        along = spec.get("length") if "length" in spec else shape[0] if len(shape) == 1 else None
        kinds = {"text", "list", "tuple", "array"} & spec.keys()
        if isinstance(along, str) and along != "..." and kinds:
            found[name] = along
    return found
