"""Cases drawn for one candidate, next to the constants that its code is written with.

A threshold of 1e-12, a block of 4,096 or a key rounded to six decimals is wrong for few inputs, and
no fixed set of cases holds them all; but the code says which. Each constant becomes a size, a
value, a magnitude, a distance between values, or the length of a stretch of equal ones, in inputs
that the card promises. The reference says what is right, as for every case.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.verify import edge_draws, edge_sizes, edges
from biomlbench.verify.constants import Constants, constants_of
from biomlbench.verify.declarations import is_nested
from biomlbench.verify.edge_numbers import Drawing, holds
from biomlbench.verify.edge_sources import Source, sources
from biomlbench.verify.edge_values import USUAL
from biomlbench.verify.pairwise import in_turn
from biomlbench.verify.plan import seeded
from biomlbench.verify.probe_ways import ORDINARY, Probe, ProbedArguments, ways
from biomlbench.verify.statement import statement_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from biomlbench.contracts.mappings import Arguments
    from biomlbench.verify.card import Card
    from biomlbench.verify.declarations import ArgumentSpec
    from biomlbench.verify.plan import PlannedCase

__all__ = ["MAX_PROBES", "probes"]

MAX_PROBES = 96
"""Cases for one candidate, over all entry points: they cost as much as any other case."""
MAX_KNOWN = 32
"""Of them, those next to constants that the statement or the reference has, too."""
MAX_WORK = 1_000_000
"""Product of the sizes of a call, summed over a candidate's cases."""


def probes(
    card: Card, constants: Constants, planned: Callable[..., PlannedCase]
) -> list[PlannedCase]:
    """Plan cases next to the constants of a candidate; the same ones for the same constants.

    Parameters
    ----------
    card : Card
    constants : Constants
    planned : callable
        Makes a planned case out of suite, name, function, args and kwargs.

    Returns
    -------
    list of PlannedCase
        At most :data:`MAX_PROBES`, each promised by the card's declarations. None for a card
        without checks or without declared inputs.
    """
    if not card.checks or not card.config.get("inputs"):
        return []
    known, new = _parted(constants, _known(card))
    found: dict[bytes, PlannedCase] = {}
    work = 0
    for some, most in ((new, MAX_PROBES), (known, MAX_KNOWN)):
        most = min(MAX_PROBES, len(found) + most)
        sources_of_cases = [
            _of_source(card, function, number, source, some, planned)
            for function in card.entry_points
            for number, source in enumerate(sources(card, function, 1))
        ]
        for case, product in in_turn(sources_of_cases):
            if len(found) >= most:
                break
            key = edges.key_of(case)
            if key not in found and work + product <= MAX_WORK and edges.is_promised(card, case):
                work += product
                found[key] = case
    return list({case.id: case for case in found.values()}.values())


def _known(card: Card) -> Constants:
    """Return the constants of the statement and of the reference."""
    texts = [statement_path(card).read_bytes()] if statement_path(card).is_file() else []
    texts.append((card.folder / "reference.py").read_bytes())
    return constants_of(b"\n".join(texts), most=None)


def _parted(constants: Constants, known: Constants) -> tuple[Constants, Constants]:
    """Return the constants that are known, and those that are not, which tell more."""
    there = set(known.numbers) | set(known.words)

    def some(wanted: bool) -> Constants:
        return Constants(
            tuple(one for one in constants.numbers if (one in there) is wanted),
            tuple(one for one in constants.moduli if (one in known.moduli) is wanted),
            tuple(one for one in constants.words if (one in there) is wanted),
        )

    return some(True), some(False)


def _of_source(
    card: Card,
    function: str,
    number: int,
    source: Source,
    constants: Constants,
    planned: Callable[..., PlannedCase],
) -> Iterator[tuple[PlannedCase, int]]:
    factors = edge_draws.factors_of(source)
    bounds = edge_sizes.declared_sizes(source, card, function, inner=True)
    arguments = _arguments(source, bounds, factors)
    suite = edges.suite_of(card, function)
    for probe in ways(arguments, constants):
        name = f"probe-{function}-{number}-{probe.name}"
        inputs = _inputs(source, arguments, factors, probe, seeded(card.name, name))
        if inputs is None:
            continue
        try:
            args, kwargs = card.unbind(function, inputs)
        except TypeError:
            continue
        sizes = [max(1, size) for size in (*probe.sizes.values(), *probe.lead)]
        yield planned(suite, name, function, args, kwargs), math.prod(sizes)


def _arguments(
    source: Source, bounds: dict[str, list[int]], factors: dict[str, list[str]]
) -> ProbedArguments:
    numbers = {n: s for n, s in source.arguments.items() if "ties" in factors[n]}
    return ProbedArguments(
        {name: bounds[name] for name in bounds},
        numbers,
        [name for name, spec in numbers.items() if "number" in spec],
        [n for n, s in numbers.items() if "decades" in factors[n] and "decimals" not in s],
        {n: s for n, s in source.arguments.items() if "text" in s and "length" in s},
        "..." in factors,
    )


def _inputs(
    source: Source,
    arguments: ProbedArguments,
    factors: dict[str, list[str]],
    probe: Probe,
    rng: np.random.Generator,
) -> Arguments | None:
    of_calls = source.call_sizes
    dims = {
        name: probe.sizes.get(name, min(max(low, ORDINARY - i), high))
        for i, (name, (low, high)) in enumerate(arguments.bounds.items())
        if name in of_calls or name in probe.sizes
    }
    levels = {name: _ordinary(every, rng) for name, every in factors.items()}
    levels |= {name: way for name, way in probe.patterns.items() if way in factors[name]}
    # the pattern takes any magnitude; whether the card names it depends on its own
    levels |= {name: way for name, way in probe.patterns.items() if way == "tiny"}
    scale = probe.scale
    drawing = Drawing(
        rng, dims, probe.pool, probe.lead, tiny=scale, huge=scale, bounds=source.sizes
    )
    try:
        values = edge_draws.filled(source, levels, drawing)
        if probe.change is not None:
            probe.change(values, rng)
        if not all(_within(source.arguments[name], value) for name, value in values.items()):
            return None
        return edge_draws.built(source, values)
    except (ValueError, OverflowError, IndexError):
        # numbers that are none of the argument's, as 1e300 for an int64
        return None


def _ordinary(levels: list[str], rng: np.random.Generator) -> str:
    choices = [level for level in levels if level.startswith("choice-")]
    if choices:
        return str(rng.choice(choices))
    return next((one for one in ("spread", USUAL, "mixed", "0") if one in levels), levels[0])


def _within(spec: ArgumentSpec, value: Any) -> bool:
    """Whether numbers keep to the bounds of their argument, which a build does not tell."""
    if isinstance(value, str) or value is None or "choice" in spec or is_nested(spec):
        return True
    numbers = np.asarray(value)
    if numbers.dtype.kind not in "iuf" or not numbers.size:
        return True
    return all(holds(spec, float(end)) for end in (numbers.min(), numbers.max()))
