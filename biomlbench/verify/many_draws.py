"""Many small calls, made in few processes, among which a candidate's own cases are looked for.

A case of its own costs a fork; a call beside others costs next to nothing. So a candidate is tried
on thousands of them, and those that it fails are run once more as cases of their own, which alone
count. Some of the calls combine sizes and patterns at random, some have few small numbers and
letters in common, since most mistakes have a small example (the small scope hypothesis, Jackson
2006), and the arguments of the others hang together (:mod:`biomlbench.verify.related_draws`).
"""

from __future__ import annotations

import contextlib
import itertools
import math
import statistics
import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from biomlbench.outcomes import Suite
from biomlbench.sandbox.codec import encode
from biomlbench.sandbox.inside.calls import SEQUENCE
from biomlbench.verify import edge_draws, edges
from biomlbench.verify.alternates import layouts_of, with_mixed
from biomlbench.verify.edge_numbers import Drawing
from biomlbench.verify.edge_sizes import shrunk
from biomlbench.verify.edge_sources import Source, sources
from biomlbench.verify.large_draws import large_draws
from biomlbench.verify.plan import PlannedCase, seeded
from biomlbench.verify.related_draws import related
from biomlbench.verify.stretches import stretched
from biomlbench.verify.well_posed import is_well_posed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy as np

    from biomlbench.contracts.mappings import Arguments
    from biomlbench.verify.card import Card

__all__ = [
    *("COUNT", "NO_DRAWS", "Draws", "Together"),
    *("drawn", "in_few_processes", "in_one_process", "long_row", "numbered", "packed"),
]

COUNT = 3000
"""Draws of a card, shared by its entry points."""
MOST_LARGE = 120
"""Of them those of a large size."""
MOST_AT_RUNGS = 360
"""Of them those of a size at which code that counts in bits or bytes changes."""
TRIED = 4
"""So many times as many are tried before there are fewer."""
MOST_CPU_S = 20.0
"""After so long no more are drawn, where a reference or a build takes milliseconds."""
TOGETHER = 100
"""Calls that share a process."""
IN_LONG_ROW = 1000
"""Calls of the one process that makes many: a cache of a few hundred entries is full by then."""
LONG_ROW_S = 0.2
"""What the reference takes for them at most: right code may take fifty times as long."""
REPEATED = 8
"""Calls that come again and again at the end of it."""
ROUNDS = 12
"""So often they come."""
TOGETHER_BYTES = 1_000_000
"""Of calls that share a process, or pairs of letters in them: large ones take longer."""
MOST_BYTES = 4000
"""Of a call, but for large ones: most mistakes show on small inputs."""
LAID_OUT = 5
"""Of so many draws one has arrays that lie in memory in other ways."""
AS_IT_IS = "as-it-is"
EXTREME = frozenset({"huge", "tiny", "vast", "barely", "beyond-doubles", "hardly-apart", "inf"})
"""Patterns that edge cases have: combined with others they ask how far digits go, and no more."""
NUMBERS = (0, 1, 2, 3, 4, 5, 6, 7, 8, -1, -2, 0.5, 1.5, 0.25, 10)
MOST_IN_POOL = 5
SIZES = (2, 3, 4, 6, 9)
"""How far above its least one a size goes in a small call."""
BETWEEN = 4
"""After so many calls of other ways comes one with a stretch of equal elements."""
_SMALL = ("ties", "mixed", "two-letters", "few")
_ODD_SHARE = 0.15
"""Arguments of small calls that have any pattern all the same."""


class Together(NamedTuple):
    """A call of several cases in one process, and these cases."""

    call: PlannedCase
    steps: Sequence[PlannedCase]


class Draws(NamedTuple):
    """Calls of a card that have been drawn, and what the reference gives for each."""

    cases: tuple[PlannedCase, ...] = ()
    values: tuple[Any, ...] = ()


NO_DRAWS = Draws()


def drawn(card: Card) -> list[PlannedCase]:
    """Draw the calls of a card; the same ones every time, unless it takes them long.

    Parameters
    ----------
    card : Card

    Returns
    -------
    list of PlannedCase
        Promised by the card's declarations, and taken by its reference. None for a card without
        checks or without declared inputs.
    """
    most = card.config.get("draws", COUNT)
    if not card.checks or not card.config.get("inputs"):
        return []
    # first, as on a slow machine there may be fewer of the others, and all are known by numbers
    large = large_draws(
        card,
        min(MOST_LARGE, most // 4),
        min(MOST_AT_RUNGS, most // 4),
        _inputs(card, "large"),
        partial(_case, card),
        left_out=EXTREME - {"inf"},
    )
    found: dict[bytes, PlannedCase] = {}
    end = time.process_time() + MOST_CPU_S
    for function, inputs in itertools.islice(_inputs(card, "draws"), TRIED * most):
        if len(large) + len(found) == most or time.process_time() > end:
            break
        case = _case(card, len(large) + len(found), function, inputs)
        key = edges.key_of(case)
        if len(key) <= MOST_BYTES and key not in found and _is_promised(card, case):
            found[key] = _laid_out(card, case, len(found))
    return [*large, *found.values()]


def _case(card: Card, number: int, function: str, inputs: Arguments) -> PlannedCase:
    suite = edges.suite_of(card, function)
    return numbered(number, suite, function, *card.unbind(function, inputs))


def _laid_out(card: Card, case: PlannedCase, number: int) -> PlannedCase:
    """Return some draws with arrays that lie in memory in other ways, each in one of its own."""
    ways = [AS_IT_IS, *layouts_of(card.layouts)]
    if number % LAID_OUT or len(ways) == 1:
        return case
    mix = seeded(card.name, "layouts", number).permutation(ways).tolist()
    args, kwargs = with_mixed((case.args, dict(case.kwargs)), mix)
    return replace(case, args=args, kwargs=kwargs)


def _is_promised(card: Card, case: PlannedCase) -> bool:
    # what a card's own quantity cannot be taken of is nothing that it promises
    with contextlib.suppress(Exception):
        return edges.is_promised(card, case) and is_well_posed(card, case)
    return False


def numbered(
    number: int, suite: str, function: str, args: Iterable[Any], kwargs: Arguments
) -> PlannedCase:
    """Return a draw as a case, whose id no case of a plan has."""
    name = f"draw-{number}"
    return PlannedCase(name, Suite(suite), function, tuple(args), dict(kwargs), name)


def _inputs(card: Card, what_for: str) -> Iterator[tuple[str, Arguments]]:
    """Yield calls of all entry points and sources in turn, promised or not, without an end."""
    every = [
        (function, source, edge_draws.factors_of(source), seeded(card.name, function, i, what_for))
        for function in card.entry_points
        for i, source in enumerate(sources(card, function, 1))
    ]
    for number in itertools.count() if every else ():
        for function, source, factors, rng in every:
            ways = [WAYS[number % len(WAYS)](source, factors, rng)]
            if number % BETWEEN == 0:
                ways.append(stretched(source, factors, rng, number // BETWEEN))
            for way in ways:
                with contextlib.suppress(Exception):  # what a build cannot take is no input
                    for made in way:
                        yield function, made


def _combined(
    source: Source, factors: dict[str, list[str]], rng: np.random.Generator
) -> Iterator[Arguments]:
    levels = {
        name: str(rng.choice([one for one in every if one not in EXTREME] or every))
        for name, every in factors.items()
    }
    if (inputs := edge_draws.tried(source, levels, rng)) is not None:
        yield inputs


def _small(
    source: Source, factors: dict[str, list[str]], rng: np.random.Generator
) -> Iterator[Arguments]:
    levels = {name: _small_level(every, rng) for name, every in factors.items()}
    more = int(rng.choice(SIZES))
    dims = {
        name: int(rng.integers(low, min(high, low + more), endpoint=True))
        for name, (low, high) in source.call_sizes.items()
    }
    lead = edge_draws.LEADS[int(levels.get("...", 0))]
    count = int(rng.integers(2, MOST_IN_POOL, endpoint=True))
    pool = tuple(rng.choice(NUMBERS, count, replace=False).tolist())
    drawing = Drawing(rng, shrunk(source, dims, lead), pool, lead, bounds=source.sizes)
    inputs = edge_draws.built(source, edge_draws.filled(source, levels, drawing))
    if inputs is not None:
        yield inputs


def _small_level(every: list[str], rng: np.random.Generator) -> str:
    plain = [one for one in every if one in _SMALL or one.startswith(("choice-", "any-"))]
    return str(rng.choice(plain if plain and rng.random() >= _ODD_SHARE else every))


WAYS = (_combined, _small, related)


def in_few_processes(cases: Sequence[PlannedCase], together: int = TOGETHER) -> dict[str, Together]:
    """Return calls of cases in processes that they share, by name.

    Parameters
    ----------
    cases : sequence of PlannedCase
    together : int
        Cases that share a process.
    """
    parts: list[list[PlannedCase]] = []
    held = 0
    for case in cases:
        held += (size := _work_of(case))
        if not parts or len(parts[-1]) == together or held > TOGETHER_BYTES:
            parts.append([])
            held = size
        parts[-1].append(case)
    named = {f"together-{part[0].id}-{len(part)}": part for part in parts}
    return {name: Together(in_one_process(name, part), part) for name, part in named.items()}


def _work_of(case: PlannedCase) -> int:
    """Return the bytes of a call, or how many pairs its texts have of letters: work may be both."""
    values = (*case.args, *case.kwargs.values())
    size = sum(
        getattr(value, "nbytes", 0) or len(value) for value in values if hasattr(value, "__len__")
    )
    texts = [max(len(value), 1) for value in values if isinstance(value, str)]
    return max(size, math.prod(texts) if len(texts) > 1 else 0)


def long_row(draws: Draws, seconds: Iterable[float]) -> list[PlannedCase]:
    """Return small calls of which many more are made in one process than of others.

    Parameters
    ----------
    draws : Draws
    seconds : iterable of float
        What the reference takes for cases.

    Returns
    -------
    list of PlannedCase
        The last ones again and again; none where a call takes long.
    """
    each = max(statistics.median(seconds), LONG_ROW_S / IN_LONG_ROW)
    most = int(LONG_ROW_S / each) - REPEATED * ROUNDS
    small = [
        case
        for case, value in zip(*draws, strict=True)
        if _work_of(case) <= MOST_BYTES and len(encode(value)) <= MOST_BYTES
    ][:most]
    if most < TOGETHER or len(small) < TOGETHER:
        return []
    return [*small, *small[:REPEATED] * ROUNDS]


def packed(shares: Mapping[PlannedCase, float]) -> list[list[PlannedCase]]:
    """Put cases into groups in their order, as many as have no more than a whole together.

    Parameters
    ----------
    shares : mapping
        Case to what it takes of a whole; one that takes more has a group of its own.
    """
    groups: list[list[PlannedCase]] = []
    room = 0.0
    for case, share in shares.items():
        if share > room:
            groups.append([])
            room = 1.0
        groups[-1].append(case)
        room -= share
    return groups


def in_one_process(name: str, cases: Sequence[PlannedCase], *, reuse: bool = True) -> PlannedCase:
    """Return a call of cases one after the other, objects used again where they fit in or not."""
    calls = tuple((case.function, case.args, case.kwargs) for case in cases)
    return PlannedCase(name, Suite.ADVERSARIAL, SEQUENCE, (reuse, calls), {}, name)
