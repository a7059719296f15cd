"""Pairs of long texts of which one is the other moved, cut or hardly changed, and numbers beside.

Code that looks for a short way round long texts (a band about the diagonal, place by place where
gaps are dear, a narrower type for scores of usual size) is right on short ones, and on long ones
that have nothing to do with each other. What is too much for it depends on all at once: how far
the texts are moved, and how large the numbers are beside each other and beside the length.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from biomlbench.verify import edge_draws
from biomlbench.verify.edge_numbers import Drawing
from biomlbench.verify.edge_sizes import MAX_LARGE

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from biomlbench.contracts.mappings import Arguments
    from biomlbench.verify.card import Card
    from biomlbench.verify.declarations import ArgumentSpec
    from biomlbench.verify.edge_sources import Source

__all__ = ["length_of_pair", "long_pair", "texts_of_pairs"]

LONG = 40
"""Texts that cannot be so long make no pair."""
PRODUCTS = (MAX_LARGE, 60_000, 60_000)
"""Product of the lengths, in turn: work may grow with it."""
FARTHEST = 0.6
"""Share of its length by which a text is moved at most."""
ALPHABETS = (4, 2, 20)
LETTERS = "ACGTDEFHIKLMNPQRSVWY"
SUBSTITUTED = 0.03
SMALL = 9
DECADES_APART = 3.0
"""Numbers of one call lie within so many decades, small ones aside."""
FULL = (2.0**31, 2.0**32, 2.0**53, 2.0**63)
"""What a number comes to at each place of a text: just beyond what a type holds."""
BEYOND = 1.9
WAYS = 7
"""Relations of two texts."""
PLAIN = ("spread", "mixed")


def texts_of_pairs(source: Source) -> list[str]:
    """Return the first two texts of a source that can be long; none where there are not two."""
    found = [
        name
        for name, spec in source.arguments.items()
        if "text" in spec and source.sizes.get(str(spec.get("length")), [0, 0])[1] >= LONG
    ]
    return found[:2] if len(found) > 1 else []


def length_of_pair(card: Card, source: Source, texts: Sequence[str], most: int) -> int:
    """Return how long texts may both be, where work grows with the product of their lengths."""
    product = min(card.config.get("product", most), most)
    ends = [source.sizes[str(source.arguments[name]["length"])] for name in texts]
    return min(math.isqrt(product), *(high for _, high in ends))


def long_pair(
    card: Card, source: Source, factors: dict[str, list[str]], rng: np.random.Generator, turn: int
) -> Arguments | None:
    """Draw inputs whose first two long texts are related.

    Parameters
    ----------
    card : Card
    source : Source
    factors : dict
        Levels of sizes and patterns, of :func:`biomlbench.verify.edge_draws.factors_of`.
    rng : numpy.random.Generator
    turn : int
        Which relation and length it is the turn of.

    Returns
    -------
    dict or None
        Promised or not; None where a build does not take the values.
    """
    one, other = texts_of_pairs(source)
    sizes = {name: str(source.arguments[name]["length"]) for name in (one, other)}
    length = length_of_pair(card, source, (one, other), PRODUCTS[turn % len(PRODUCTS)])
    least = max(source.sizes[size][0] for size in sizes.values())
    levels = edge_draws.first_of(PLAIN, factors)
    for name, every in factors.items():
        listed = [level for level in every if level.startswith("choice-")]
        levels[name] = str(rng.choice(listed)) if listed else levels[name]
    levels["..."] = "0"
    dims = {name: max(low, min(SMALL, high)) for name, (low, high) in source.call_sizes.items()}
    values = edge_draws.filled(source, levels, Drawing(rng, dims, bounds=source.sizes))
    letters = _letters(source.arguments[one], source.arguments[other], rng)
    texts = _pair(length, letters, rng, turn // len(PRODUCTS) % WAYS)
    if sizes[one] == sizes[other]:
        texts = tuple(text[: min(map(len, texts))] for text in texts)
    if min(map(len, texts)) < least:
        return None
    values |= dict(zip(sizes, texts, strict=True))
    values |= _numbers(source.arguments, length, rng)
    return edge_draws.built(source, values)


def _letters(one: ArgumentSpec, other: ArgumentSpec, rng: np.random.Generator) -> list[str]:
    """Return some letters that both texts may have, in random order."""
    either = [spec["text"] or LETTERS for spec in (one, other)]
    both = [letter for letter in dict.fromkeys(either[0]) if letter in either[1]]
    most = int(rng.choice(ALPHABETS))
    return [str(letter) for letter in rng.permutation(both[:most] or both)]


def _pair(length: int, letters: list[str], rng: np.random.Generator, way: int) -> tuple[str, ...]:
    if not letters:
        return "", ""
    core = _random(length, letters, rng)
    moved = _distance(length, rng, far=way in (0, 2))
    if way < 2:  # moved along, what is left at the ends of other letters or of one
        ends = [
            _random(moved, letters[: int(rng.integers(1, len(letters) + 1))], rng) for _ in "ab"
        ]
        kept = core[: length - moved]
        return ends[0] + kept, kept + ends[1]
    start = int(rng.integers(0, length - moved + 1))
    start = int(rng.choice([0, start, length - moved]))
    block, rest = core[start : start + moved], core[:start] + core[start + moved :]
    if way < 4:  # a block moved to another place
        place = int(rng.integers(0, len(rest) + 1))
        return core, rest[:place] + block + rest[place:]
    if way == 4:  # a block cut out
        return (core, rest) if rng.random() < 0.5 else (rest, core)
    if way == 5:  # few letters are others
        return core, "".join(
            str(rng.choice(letters)) if odd else letter
            for letter, odd in zip(core, rng.random(length) < SUBSTITUTED, strict=True)
        )
    return core, core


def _random(length: int, letters: list[str], rng: np.random.Generator) -> str:
    return "".join(letters[place] for place in rng.integers(0, len(letters), length))


def _distance(length: int, rng: np.random.Generator, far: bool) -> int:
    """Return how far a text is moved: far, or by some magnitude below."""
    most = max(FARTHEST * length, 1.0)
    if far:
        return int(rng.uniform(most / 3, most))
    return min(round(math.exp(rng.uniform(0, math.log(most)))), length - 1)


def _numbers(
    arguments: dict[str, ArgumentSpec], length: int, rng: np.random.Generator
) -> dict[str, Any]:
    """Draw single numbers: small ones, of which one may be larger, or all of some magnitude."""
    spans = {name: _span(spec) for name, spec in arguments.items() if "number" in spec}
    sizes = {name: float(rng.integers(1, SMALL, endpoint=True)) for name in spans}
    way = int(rng.integers(4))
    full = float(rng.choice(FULL)) * rng.uniform(1, BEYOND) / max(length, 1)
    if spans and way in (1, 2):
        one = str(rng.choice([*spans]))
        sizes[one] = full if way == 1 else sizes[one] * 10 ** rng.uniform(0, DECADES_APART)
    elif way == 3:
        scale = full if rng.random() < 0.5 else 10 ** rng.uniform(0, 9)
        apart = DECADES_APART / 2
        sizes = {n: max(scale * 10 ** rng.uniform(-apart, apart), 1.0) for n in spans}
    found = {}
    for name, (low, high) in spans.items():
        signs = [sign for sign in (1, -1) if low <= sign * sizes[name] <= high]
        if signs:
            value = float(rng.choice(signs)) * sizes[name]
            found[name] = int(value) if arguments[name]["number"] == "int" else value
    return found


def _span(spec: ArgumentSpec) -> tuple[float, float]:
    low = max(spec.get("min", -math.inf), spec.get("above", -math.inf))
    return low, spec.get("max", math.inf)
