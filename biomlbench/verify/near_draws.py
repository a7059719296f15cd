"""Draws from a declared input space that have much in common.

They share their sizes, or all but one argument, or all but one element, so that a key that stands
for less than the whole input collides.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.verify.space import Source, near_sizes, values_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from biomlbench.contracts.mappings import Arguments
    from biomlbench.verify.space import DrawnSpec, Space

__all__ = ["first_two", "near_draws"]

KEPT_ENDS = 3
"""Elements at each end by which a careless key tells inputs apart."""
KEPT_START = 7
"""Tenths of a long input at its start by which one does so."""
EXACT_BITS = 10
"""Numbers with so few bits behind the point have sums that are not rounded."""
MOST_PAIRS = 4
"""Pairs of single numbers that are changed together."""
SCALES = (2.0, 0.5, 4.0, 0.25, 1.5, 0.75, 1.25, 0.875)
"""Factors for numbers, the best first: by a power of two their ratio stays exactly as it is."""


def near_draws(
    space: Space,
    rng: np.random.Generator,
    build: Callable[..., Arguments] | None,
) -> dict[str, Arguments]:
    """Draw inputs that have much in common, by a name for each.

    Parameters
    ----------
    space : Space
        Its dimensions are those of `near_dims`, else the largest.
    rng : numpy.random.Generator
    build : callable, optional
        Makes the inputs out of the drawn values.

    Returns
    -------
    dict
        ``first`` and ``second`` are drawn alike; ``other-<argument>`` has that value of the
        second and the rest of the first; ``touched-<argument>`` only one element of it, and
        ``inner-<argument>`` those between a long start and the last few; ``turned-<argument>``
        the same elements, each row backwards; ``exact-<argument>`` and ``permuted-<argument>``
        floats whose sums are not rounded, and these or whole numbers with the rows between both
        ends in another order; ``swapped-<argument>`` has letters of the other case
        where the space has both; ``scaled`` has all numbers times one factor, and
        ``exchanged`` two of them in each other's place, and ``difference-of-…``, ``sum-of-…`` and
        ``product-of-…`` two others of which that is the same, where the space allows it;
        ``resized-<dimension>`` has that size changed, and all values that have not that size kept.
    """
    source, dims = Source(rng), near_sizes(space)
    arguments = space["arguments"]
    first, second = first_two(space, source)
    drawn = {"first": first, "second": second}
    for name, spec in arguments.items():
        if len(first) > 1 and "value" not in spec:
            drawn[f"other-{name}"] = {**first, name: second[name]}
        many = "string" in spec or ("array" in spec and not spec.get("distinct"))
        touched = _touched(first[name], second[name]) if many else None
        if touched is not None:
            drawn[f"touched-{name}"] = {**first, name: touched}
            drawn[f"inner-{name}"] = {**first, name: _inner(first[name], second[name])}
            drawn[f"turned-{name}"] = {**first, name: _turned(first[name])}
        if touched is not None and isinstance(touched, np.ndarray) and _may_be_rounded(spec):
            exact = _exact(first[name], spec)
            if exact.dtype.kind == "f":
                drawn[f"exact-{name}"] = {**first, name: exact}
            drawn[f"permuted-{name}"] = {**first, name: _permuted(exact)}
        if "string" in spec:
            other = first[name].swapcase()
            if other != first[name] and set(other) <= set(spec["string"]):
                drawn[f"swapped-{name}"] = {**first, name: other}
    drawn |= {name: {**first, **new} for name, new in _alike(arguments, first).items()}
    drawn |= {name: {**first, **new} for name, new in _resized(space, source, dims).items()}
    return {name: build(**values) if build else values for name, values in drawn.items()}


def first_two(space: Space, source: Source) -> tuple[Arguments, Arguments]:
    """Draw the values of ``first`` and ``second``, of which nothing is built yet."""
    one, other = (values_of(space["arguments"], source, near_sizes(space)) for _ in range(2))
    return one, other


def _alike(specs: dict[str, DrawnSpec], first: Arguments) -> dict[str, Arguments]:
    """Return other numbers of which ratios, sums, products or extremes are those of the first."""
    found: dict[str, Arguments] = {}
    spans = {name: span for name, spec in specs.items() if (span := _span(spec))}
    floats = [name for name in spans if "number" in specs[name]]
    for factor in SCALES if len(floats) > 1 else ():
        scaled = {name: first[name] * factor for name in floats}
        if all(_within(scaled[name], spans[name]) for name in floats):
            found["scaled"] = scaled
            break
    for one, other in combinations(spans, 2):
        if type(first[one]) is not type(first[other]) or first[one] == first[other]:
            continue
        if _within(first[one], spans[other]) and _within(first[other], spans[one]):
            found["exchanged"] = {one: first[other], other: first[one]}
            break
    for one, other in [*combinations(spans, 2)][:MOST_PAIRS]:
        found |= {
            f"{kept}-of-{one}-and-{other}": {one: a, other: b}
            for kept, (a, b) in _keeping(first[one], first[other])
            if _within(a, spans[one]) and _within(b, spans[other])
        }
    return found


def _keeping(one: float, other: float) -> Iterator[tuple[str, tuple[float, float]]]:
    """Yield pairs of numbers with the same difference, sum or product as two others."""
    for step in (1, -1):
        yield "difference", (one + step, other + step)
        yield "sum", (one + step, other - step)
    if isinstance(one, float) and isinstance(other, float):
        for factor in (2.0, 0.5):
            yield "product", (one * factor, other / factor)


def _resized(space: Space, source: Source, dims: dict[str, int]) -> dict[str, Arguments]:
    """Return new values of the arguments that have a dimension, for each one beside others."""
    found = {}
    for dim, (low, _) in space.get("dims", {}).items() if len(dims) > 1 else ():
        size = max(int(low), dims[dim] // 2)
        if size != dims[dim]:
            mine = {n: spec for n, spec in space["arguments"].items() if _hangs_on(spec, dim)}
            found[f"resized-{dim}"] = values_of(mine, source, {**dims, dim: size})
    return {name: values for name, values in found.items() if values}


def _hangs_on(spec: DrawnSpec, dim: str) -> bool:
    wanted = [*spec.get("shape", []), spec.get("length"), *spec.get("integer", [])]
    return dim in [*wanted, spec.get("min"), spec.get("max")]


def _span(spec: DrawnSpec) -> tuple[float, float] | None:
    """Return the bounds of a single number, where they hang on no dimension."""
    low, high = spec.get("number") or spec.get("integer") or ("", "")
    return None if isinstance(low, str) or isinstance(high, str) else (low, high)


def _within(value: float, span: tuple[float, float]) -> bool:
    return bool(span[0] <= value <= span[1])


def _touched(old: Any, new: Any) -> Any:
    """Return `old` with one element, far from both ends, of `new`; None where there is none."""
    size = old.size if isinstance(old, np.ndarray) else len(old)
    if size < 4:
        return None
    if isinstance(old, np.ndarray):
        flat, other = old.ravel(), new.ravel()
        place = _differing([a != b for a, b in zip(flat, other, strict=True)], size)
        if place is None:
            return None
        flat = flat.copy()
        flat[place] = other[place]
        return flat.reshape(old.shape)
    place = _differing([a != b for a, b in zip(old, new, strict=True)], size)
    return None if place is None else old[:place] + new[place : place + 1] + old[place + 1 :]


def _inner(old: Any, new: Any) -> Any:
    """Return `old` with elements of `new` near its end: long starts and short ends stay."""
    size = old.size if isinstance(old, np.ndarray) else len(old)
    keep = min(KEPT_ENDS, (size - 1) // 2)
    start, stop = max(keep, min(KEPT_START * size // 10, size - 2 * keep)), size - keep
    if not isinstance(old, np.ndarray):
        return old[:start] + new[start:stop] + old[stop:]
    flat = old.ravel().copy()
    flat[start:stop] = new.ravel()[start:stop]
    return flat.reshape(old.shape)


def _turned(old: Any) -> Any:
    """Return `old` backwards, so that a key of sorted elements, a sum or a set stands for both."""
    return old[..., ::-1].copy() if isinstance(old, np.ndarray) else old[::-1]


def _may_be_rounded(spec: DrawnSpec) -> bool:
    """Whether numbers of a drawn array may be rounded a little and stay within its bounds."""
    bounds = [bound for bound in (spec.get("min"), spec.get("max")) if bound is not None]
    whole = all(isinstance(bound, (int, float)) and bound == int(bound) for bound in bounds)
    return spec.get("array") != "bool" and whole


def _exact(array: np.ndarray, spec: DrawnSpec) -> np.ndarray:
    """Return numbers whose sums are not rounded, of no more decimals than they may have."""
    if array.dtype.kind != "f":
        return array
    # a number with so many bits behind the point has as many decimals
    parts = 2.0 ** min(spec.get("decimals", EXACT_BITS), EXACT_BITS)
    return np.asarray(np.round(array * parts) / parts)


def _permuted(old: np.ndarray) -> np.ndarray:
    """Return rows of which those between both ends are backwards: sums and ends stay."""
    keep = min(KEPT_ENDS, (len(old) - 1) // 3)
    new = old.copy()
    new[keep : len(old) - keep] = old[keep : len(old) - keep][::-1]
    return new


def _differing(differs: list[bool], size: int) -> int | None:
    """Return the place of a difference nearest to three quarters of the way."""
    places = [i for i in range(1, size - 1) if differs[i]]
    return min(places, key=lambda i: abs(i - 3 * size // 4), default=None)
