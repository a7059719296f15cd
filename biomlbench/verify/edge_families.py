"""Edge cases beside the combined ones: large, of several arguments at once, at thresholds."""

from __future__ import annotations

import itertools
import math
import re
from functools import partial
from typing import TYPE_CHECKING

from biomlbench.verify import edge_changes, edge_interplay, edge_thresholds
from biomlbench.verify.edge_draws import LEADS, ORDINARY, dtype_of, factors_of, first_of, tried
from biomlbench.verify.edge_sizes import MAX_LARGE, declared_sizes, large_sizes, largest_prime
from biomlbench.verify.edge_sources import of_inputs, of_spaces
from biomlbench.verify.edge_values import MANY_LETTERS, SHIFTED, TAILS, USUAL, structures
from biomlbench.verify.long_pairs import length_of_pair, texts_of_pairs
from biomlbench.verify.plan import seeded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy as np

    from biomlbench.contracts.mappings import Arguments
    from biomlbench.verify.card import Card
    from biomlbench.verify.edge_sources import Source

__all__ = [
    *("about_size", "at_thresholds", "changed", "interplay", "is_in_order", "structured", "wide"),
]

LONG_ROW = 130
"""Longer than what two words have bits for."""
ROUNDED = 6
"""Calls with texts that are much alike, where numbers are about to be rounded."""
FEW = 7
"""Size beside a large one."""
MOST_CHANGED, LEAST_CHANGED = 24, 10
"""Ordinary calls that are changed, shared by a card's entry points; for each at least so many."""
MATRIX = 10
"""Size of matrices of some structure."""
_PLAIN = ("spread", "mixed", "choice-0")
_PLAIN_TEXT = ("odd-letter", *_PLAIN)
"""Letters at random leave no long stretch without one that is not a nucleotide."""
MAX_ORDERED = 20_000
"""Product of the sizes of calls in order: of several sizes work may grow with a power of them."""
SAME = "same"
_AGAIN = "-again"
_ONE_VALUE = ("all-set", "high")
"""Patterns of flags and of whole numbers that are all the same."""
_WIDE = ("high", "ends", "huge", "decades", "beyond-doubles")
"""Patterns that lead to the ends of a declaration."""


def about_size(
    card: Card, function: str, number: int, source: Source, rng: np.random.Generator
) -> Iterator[tuple[str, Arguments]]:
    """Yield calls with large sizes: all together, of few letters, and each size by itself."""
    calls = []
    large = large_sizes(source, card, function)
    if dims := large:
        calls += [("large", _PLAIN, dims), ("large-of-few-letters", _PLAIN_TEXT, dims)]
        calls += [("large-of-many-letters", (MANY_LETTERS, *_PLAIN), dims)]
        alone = {name: max(source.sizes[name][0], min(FEW, size)) for name, size in dims.items()}
        for name in dims if len(dims) > 1 else ():
            long = largest_prime(declared_sizes(source, card, function)[name])
            if long * math.prod(n for other, n in alone.items() if other != name) <= MAX_LARGE:
                calls.append((f"long-{name}", _PLAIN, {**alone, name: long}))
    factors = factors_of(source)
    for name, plain, dims in calls:
        levels = first_of(plain, factors)
        if plain is not _PLAIN and plain[0] not in levels.values():
            continue
        inputs = tried(source, {**levels, "...": "0"}, rng, dims)
        if inputs is not None:
            yield f"{number}-{name}", inputs
    if "..." in factors and math.prod((*LEADS[-1], *large.values())) <= MAX_LARGE:
        levels = {**first_of(_PLAIN, factors), "...": str(len(LEADS) - 1)}
        if (inputs := tried(source, levels, rng, large)) is not None:
            yield f"{number}-large-lead", inputs


def interplay(
    card: Card, function: str, number: int, source: Source
) -> Iterator[tuple[str, Arguments]]:
    """Yield calls in which several arguments are of a kind at once."""
    rng, factors = seeded(card.name, function, number, "interplay"), factors_of(source)
    most = edge_interplay.share(len(card.entry_points))
    rows = edge_interplay.together(factors, source.arguments, most, rng)
    for row, levels in enumerate(rows):
        if (inputs := tried(source, levels, rng)) is not None:
            yield f"{number}-interplay-{row}", inputs
    dims = large_sizes(source, card, function)
    against = edge_interplay.opposed(first_of(_PLAIN, factors), factors)
    if dims and against is not None:
        inputs = tried(source, {**against, "...": "0"}, rng, dims)
        if inputs is not None:
            yield f"{number}-large-opposed", inputs


def wide(card: Card, function: str, number: int, source: Source) -> Iterator[tuple[str, Arguments]]:
    """Yield calls in which one argument takes all that is declared, the others what is usual."""
    for name, spec in source.wide.items():
        rng = seeded(card.name, function, number, f"wide-{name}")
        whole = source._replace(arguments={**source.arguments, name: spec})
        factors = factors_of(whole)
        plain = first_of(ORDINARY, factors)
        for dtype in factors.get(dtype_of(name), [""]):
            typed = {**plain, **({dtype_of(name): dtype} if dtype else {})}
            for pattern in filter(_WIDE.__contains__, factors[name]):
                if (inputs := tried(whole, {**typed, name: pattern}, rng)) is not None:
                    yield f"{number}-wide-{name}={pattern},{dtype}", inputs


def structured(
    card: Card, function: str, number: int, source: Source
) -> Iterator[tuple[str, Arguments]]:
    """Yield calls with matrices that are triangular, in blocks, or without a row.

    The other numbers are ordinary ones, where the card draws such: at the ends of what is declared
    a single one may decide the result, and the others hide.
    """
    drawn = of_spaces(card, function, 1)
    for name, spec in source.arguments.items():
        usual = next((s for s in drawn if structures(s.arguments.get(name, {}))), source)
        levels = {**first_of(_PLAIN, factors_of(usual)), "...": "0"}
        bounds = {**usual.sizes, **_known(source.sizes, usual.sizes)}
        dims = {size: max(low, min(MATRIX, high)) for size, (low, high) in bounds.items()}
        for pattern in structures(spec):
            rng = seeded(card.name, function, number, f"{pattern}-{name}")
            if (inputs := tried(usual, {**levels, name: pattern}, rng, dims)) is not None:
                yield f"{number}-{pattern}-{name}", inputs


def changed(
    card: Card, function: str, number: int, source: Source
) -> Iterator[tuple[str, Arguments]]:
    """Yield ordinary calls but for one thing that several arguments have together."""
    drawn = [one for one in of_spaces(card, function, 1) if one.build is None]
    declared = of_inputs(card, function)
    # where inputs are built they hang together in ways that no declaration carries
    usual = next(iter([*drawn, *(declared if source.build is None else ())]), source)
    widest = declared[0] if declared else usual
    usual = usual._replace(sizes={**usual.sizes, **_known(widest.sizes, usual.sizes)})
    levels = {**first_of(_PLAIN, factors_of(usual)), "...": "0"}
    ordinary = {name: max(low, min(FEW, high)) for name, (low, high) in usual.sizes.items()}
    most = max(LEAST_CHANGED, MOST_CHANGED // len(card.entry_points))
    every = edge_changes.changes(usual, {**usual.arguments, **widest.arguments})
    for one in itertools.islice(every, most):
        rng = seeded(card.name, function, number, one.name)
        inputs = tried(usual, levels, rng, {**ordinary, **one.dims}, one.change)
        if inputs is not None:
            yield f"{number}-{one.name}", inputs


def _known(sizes: dict[str, list[int]], names: Iterable[str]) -> dict[str, list[int]]:
    return {name: sizes[name] for name in names if name in sizes}


def at_thresholds(
    card: Card, function: str, number: int, source: Source
) -> Iterator[tuple[str, Arguments]]:
    """Yield calls at thresholds of machines and their numbers, the other arguments ordinary."""
    for name, value, narrow in edge_thresholds.single_numbers(source):
        rng = seeded(card.name, function, number, f"bits-{name}-{value}")
        dims = edge_thresholds.sizes_beside(source, value)
        levels = {**first_of((USUAL, *_PLAIN), factors_of(narrow)), name: "low"}
        if (inputs := tried(narrow, levels, rng, dims)) is not None:
            yield f"{number}-bits-{name}={value}", inputs
    signs = (1, -1) if len(card.entry_points) == 1 else (1,)
    texts = [name for name, spec in source.arguments.items() if "text" in spec]
    for full, rounds, narrow in edge_thresholds.magnitudes(source, signs):
        levels = first_of((*_PLAIN, *ORDINARY), factors_of(narrow))
        alike = {**levels, **dict.fromkeys(texts[1:], SHIFTED)}
        # what is rounded shows in few of many
        draws = ROUNDED if rounds else 1
        for row, each in enumerate([levels, *([alike] * draws if alike != levels else ())]):
            rng = seeded(card.name, function, number, f"full-{full:g}-{row}")
            if (inputs := tried(narrow, each, rng)) is not None:
                yield f"{number}-full-{full:g}-{row}", inputs
    yield from _beyond_words(card, function, number, source)
    yield from _long_and_full(card, function, number, source)
    yield from _told_apart_late(card, function, number, source)
    yield from _large_and_tied(card, function, number, source)
    yield from _large_in_order(card, function, number, source)


def _beyond_words(
    card: Card, function: str, number: int, source: Source
) -> Iterator[tuple[str, Arguments]]:
    """Yield calls with single whole numbers that no word holds, the other arguments ordinary."""
    levels = {**first_of((USUAL, *_PLAIN, *ORDINARY), factors_of(source)), "...": "0"}
    for name, value in edge_thresholds.beyond_words(source):
        rng = seeded(card.name, function, number, f"word-{name}-{value}")
        inputs = tried(source, levels, rng, change=partial(_set, name, value))
        # a build may have made another number of it
        if inputs is not None and inputs.get(name, value) == value:
            yield f"{number}-word-{name}={value}", inputs


def _set(name: str, value: int, values: Arguments, _: np.random.Generator) -> None:
    values[name] = value


def _long_and_full(
    card: Card, function: str, number: int, source: Source
) -> Iterator[tuple[str, Arguments]]:
    """Yield calls of long texts one number of which comes to more than a type holds.

    All others are small, so that nothing but the length tells that it does.
    """
    texts = texts_of_pairs(source)
    dims = large_sizes(source, card, function) if texts else {}
    if not dims:
        return
    length = length_of_pair(card, source, texts, MAX_LARGE)
    dims |= {str(source.arguments[name]["length"]): length for name in texts}
    for name, value, narrow in edge_thresholds.long_and_full(source, length):
        rng = seeded(card.name, function, number, f"long-{name}-{value}")
        levels = {**first_of(_PLAIN, factors_of(narrow)), texts[1]: SAME if value > 0 else "mixed"}
        inputs = tried(narrow, levels, rng, dims)
        # a build may have made another number of it
        if inputs is not None and inputs.get(name, value) == value:
            yield f"{number}-long-{name}={value}", inputs


def _large_and_tied(
    card: Card, function: str, number: int, source: Source
) -> Iterator[tuple[str, Arguments]]:
    """Yield large calls in which one array after another is tied, and then all are."""
    dims, factors = large_sizes(source, card, function), factors_of(source)
    plain = {**first_of(_PLAIN, factors), "...": "0"}
    for pattern in edge_thresholds.TIED if dims else ():
        many = [
            name
            for name, spec in source.arguments.items()
            if "array" in spec and pattern in factors[name]
        ]
        alone = [(name,) for name in many] if pattern == edge_thresholds.TIED[0] else []
        for names in dict.fromkeys([*alone, tuple(many)] if many else []):
            rng = seeded(card.name, function, number, f"large-{pattern}-{names}")
            levels = {**plain, **dict.fromkeys(names, pattern)}
            if (inputs := tried(source, levels, rng, dims)) is not None:
                yield f"{number}-large-{pattern}-of-{'-'.join(names)}", inputs


def _large_in_order(
    card: Card, function: str, number: int, source: Source
) -> Iterator[tuple[str, Arguments]]:
    """Yield large calls whose floats are distinct and in order, or hardly apart.

    Of one that ascends there is another, to follow it: what is returned for both may be one memory.
    What has few values is of one alone, so that none of the others is left out for it.
    """
    dims, factors = large_sizes(source, card, function), factors_of(source)
    plain = {**first_of(_PLAIN, factors), "...": "0"}
    plain |= {
        name: _ONE_VALUE[0] if _ONE_VALUE[0] in every else _ONE_VALUE[1]
        for name, every in factors.items()
        if {*_ONE_VALUE} & {*every} and "hardly-apart" not in every
    }
    fits = dims and math.prod(dims.values()) <= MAX_ORDERED
    for pattern in edge_thresholds.ORDERED if fits else ():
        levels = {**plain, **{name: pattern for name, every in factors.items() if pattern in every}}
        if pattern not in levels.values():
            continue
        for title in (pattern, *([f"{pattern}{_AGAIN}"] if pattern == "ascending" else [])):
            rng = seeded(card.name, function, number, f"large-{title}")
            if (inputs := tried(source, levels, rng, dims)) is not None:
                yield f"{number}-large-{title}", inputs


def is_in_order(name: str) -> bool:
    """Whether a case is of :func:`at_thresholds`, large, and has numbers in order."""
    kinds = "|".join(edge_thresholds.ORDERED)
    return bool(re.fullmatch(rf"edge-.*-[0-9]+-large-({kinds})({_AGAIN})?", name))


def _told_apart_late(
    card: Card, function: str, number: int, source: Source
) -> Iterator[tuple[str, Arguments]]:
    """Yield calls with rows that are told apart by their last numbers alone, behind 64 others."""
    factors = factors_of(source)
    late = {name: TAILS for name, levels in factors.items() if TAILS in levels}
    last = {source.arguments[name].get("shape", [""])[-1] for name in late}
    dims = {
        name: min(max(low, LONG_ROW if name in last else FEW), high)
        for name, (low, high) in source.call_sizes.items()
    }
    rng = seeded(card.name, function, number, "late")
    levels = {**first_of(_PLAIN, factors), **late, "...": "0"}
    inputs = tried(source, levels, rng, dims) if late else None
    if inputs is not None:
        yield f"{number}-told-apart-late", inputs
