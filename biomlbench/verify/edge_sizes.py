"""Sizes of edge cases: at levels, large ones of prime size, and as small as a call has to be."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from biomlbench.verify.declarations import names_of_sizes
from biomlbench.verify.edge_numbers import RUNGS
from biomlbench.verify.edge_values import AFTER, NEAR

if TYPE_CHECKING:
    import numpy as np

    from biomlbench.verify.card import Card
    from biomlbench.verify.declarations import Shape
    from biomlbench.verify.edge_sources import Source

__all__ = [
    "MAX_ELEMENTS",
    "MAX_LARGE",
    "MAX_PRODUCT",
    "as_earlier",
    "declared_sizes",
    "factor_of",
    "large_sizes",
    "largest_prime",
    "shrunk",
    "size_of",
]

MAX_ELEMENTS = 4_000
"""Elements of all arguments of a call: edges are not about size."""
MAX_PRODUCT = 12_000
"""Product of the sizes of a call, which algorithms may take time for."""
MAX_LARGE = 600_000
"""The same for the one call of each entry point that is about size."""


def factor_of(name: str) -> str:
    """Return the factor of a size, which may have the name of an argument."""
    return f"len({name})"


def size_of(level: str, bounds: list[int], rng: np.random.Generator | None) -> int | None:
    """Return a size of a level; None where the bounds have none. Without `rng`, any."""
    low, high = bounds
    if level.startswith("least"):
        size = low + int(level.removeprefix("least") or 0)
        return size if size <= high else None
    fit = {
        "few": [n for n in range(3, 9) if low <= n <= high],
        "tens": [n for n in range(9, 28) if low <= n <= high],
        "rung": [n for n in RUNGS if n > 8 and low <= n <= high],
    }[level]
    if not fit:
        return None
    return fit[0] if rng is None else fit[int(rng.integers(len(fit)))]


def large_sizes(source: Source, card: Card, function: str) -> dict[str, int]:
    """Return primes near the largest sizes, of which work in blocks of any size leaves a rest."""
    dims = {
        name: largest_prime(size) for name, size in declared_sizes(source, card, function).items()
    }
    most = min(card.config.get("product", MAX_LARGE), MAX_LARGE)
    while math.prod(max(size, 1) for size in dims.values()) > most:
        largest = max(dims, key=lambda name: dims[name])
        low = source.sizes[largest][0]
        if dims[largest] // 2 < max(low, 2):
            return {}
        dims[largest] = largest_prime([low, dims[largest] * 2 // 3])
    return dims


def declared_sizes(
    source: Source, card: Card, function: str, inner: bool = False
) -> dict[str, list[int]]:
    """Return the bounds of the sizes that a call about size may have, or its items as well."""
    used = {name for spec in source.arguments.values() for name in names_of_sizes(spec, inner)}
    own = card.config.get("edges", {}).get(function, {})
    # What an input space may have is its author's to say, and so are sizes for the sake of cost.
    large = own.get("large", True)
    declared = card.config.get("sizes", {}) if source.strict and large else {}
    if isinstance(large, dict):
        declared = declared | {
            name: [source.sizes[name][0], large[name]] for name in used & large.keys()
        }
    return {name: declared.get(name, source.sizes[name]) for name in sorted(used)}


def largest_prime(bounds: list[int]) -> int:
    """Return the largest prime within bounds; the upper one where there is none."""
    low, high = bounds
    for size in range(high, max(low, 2) - 1, -1):
        if all(size % divisor for divisor in range(2, math.isqrt(size) + 1)):
            return size
    return high


def as_earlier(
    source: Source, dims: dict[str, int], levels: dict[str, str], rng: np.random.Generator
) -> dict[str, int]:
    """Let half of the arrays that are made of an earlier one have its sizes, too."""
    dims = dict(dims)
    earlier: list[Shape] = []
    for name, spec in source.arguments.items():
        shape = spec.get("shape", [])
        alike = [other for other in earlier if len(other) == len(shape)]
        if levels[name] in (*AFTER, NEAR) and alike and rng.random() < 0.5:
            for mine, theirs in zip(shape, alike[0], strict=True):
                if mine in dims and theirs in dims:
                    low, high = source.sizes[mine]
                    dims[mine] = dims[theirs] if low <= dims[theirs] <= high else dims[mine]
        earlier += [shape] if shape else []
    return dims


def shrunk(source: Source, dims: dict[str, int], lead: tuple[int, ...]) -> dict[str, int]:
    """Make the largest sizes smaller until a call is small enough."""
    dims = dict(dims)
    while dims:
        shapes = [spec.get("shape", []) for spec in source.arguments.values()]
        sizes = [math.prod(dims.get(n, 1) if isinstance(n, str) else n for n in s) for s in shapes]
        product = math.prod(max(size, 1) for size in dims.values())
        largest = max(dims, key=lambda name: dims[name])
        low = source.sizes[largest][0]
        fits = sum(sizes) * math.prod(lead) <= MAX_ELEMENTS and product <= MAX_PRODUCT
        if fits or dims[largest] <= max(low, 4):
            break
        dims[largest] = max(low, 4, dims[largest] // 2 + 1 if dims[largest] > 8 else 4)
    return dims
