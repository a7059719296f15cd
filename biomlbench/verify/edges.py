"""Edge cases of every card, made from what it declares its arguments to be.

Sizes and patterns of values (:mod:`biomlbench.verify.edge_values`) are combined so that, within a
fixed number of calls, as many pairs of them as possible come together. The reference says what is
right. Inputs outside a promise are left out, and so are those that the reference refuses.

Where arguments hang on one another, ``edges`` of ``config.yaml`` says how inputs are made::

    edges:
      score:
        arguments: {match: {number: int, min: 1, max: 9}}   # in place of the declared ones
        sizes: {n: [0, 40]}
        build: fitting_scores   # of properties.py: values to inputs, or None where not promised

Without it, arguments that no value can be made for are made as in `generate` of verifier.yaml.
"""

from __future__ import annotations

import copy
import itertools
import math
from typing import TYPE_CHECKING

import numpy as np

from biomlbench.errors import TaskError
from biomlbench.verify import edge_interplay, edge_values
from biomlbench.verify.edge_numbers import Drawing
from biomlbench.verify.edge_sizes import (
    MAX_LARGE,
    as_earlier,
    declared_sizes,
    factor_of,
    large_sizes,
    largest_prime,
    names_of_sizes,
    shrunk,
    size_of,
)
from biomlbench.verify.edge_sources import Source, sources
from biomlbench.verify.pairwise import combinations
from biomlbench.verify.plan import seeded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from biomlbench.contracts.mappings import Arguments
    from biomlbench.verify.card import Card
    from biomlbench.verify.plan import PlannedCase

__all__ = [
    "COUNT",
    "built",
    "edges",
    "factors_of",
    "filled",
    "is_promised",
    "key_of",
    "made",
    "suite_of",
]

COUNT = 96
"""Edge cases of a card, shared by its entry points."""
LEAST = 32
"""Edge cases of an entry point, however many there are."""
RICH_SHARE = 3
"""One edge case in so many is of patterns alone that leave work to do: ties, not all equal."""
FEW = 7
"""Size beside a large one."""
TRIES = 5
"""Draws of one combination before it is given up."""
_LEADS = ((), (1,), (3,), (0,), (2, 3), (2, 1, 2), (2, 0), (2, 1, 1, 2), (1, 2, 1, 2, 1))
_RICH = (
    "few",
    "tens",
    "ties",
    "spread",
    "nan",
    "inf",
    "mixed",
    "same",
    "shuffled",
    "two-letters",
    "rung",
    "tiny",
    "barely",
    "hardly-apart",
    "beyond-doubles",
)
_PLAIN = ("spread", "mixed", "choice-0")
_PLAIN_TEXT = ("odd-letter", *_PLAIN)
"""Letters at random leave no long stretch without one that is not a nucleotide."""
_ENDS = ("high", "low", "huge", "tiny")
"""Patterns that all arguments of a call take together."""
_WIDE = ("high", "ends", "huge", "decades", "beyond-doubles")
"""Patterns that lead to the ends of a declaration."""
_ORDINARY = ("few", "tens", "mixed", "spread", "choice-0")
_SIZES = ("least", "least+1", "least+2", "few", "tens", "rung")


def edges(card: Card, planned: Callable[..., PlannedCase]) -> list[PlannedCase]:
    """Plan the edge cases of a card; the same ones every time.

    Parameters
    ----------
    card : Card
    planned : callable
        Makes a planned case out of suite, name, function, args and kwargs.

    Returns
    -------
    list of PlannedCase
        None for a card without checks or without declared inputs.

    Raises
    ------
    TaskError
        If ``edges`` of the card cannot be followed.
    """
    if not card.checks:
        return []
    found: list[PlannedCase] = []
    for function in card.entry_points:
        try:
            found += _of_function(card, function, planned)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            # declarations that cannot be read are what the linter tells the author
            if function in card.config.get("edges", {}):
                raise TaskError(
                    f"{card.folder / 'config.yaml'}: `edges` of `{function}`: "
                    f"{type(error).__name__}: {error}"
                ) from error
    return found


def _of_function(
    card: Card, function: str, planned: Callable[..., PlannedCase]
) -> Iterator[PlannedCase]:
    suite, seen = suite_of(card, function), set()
    for name, inputs in made(card, function):
        args, kwargs = card.unbind(function, inputs)
        case = planned(suite, f"edge-{function}-{name}", function, args, kwargs)
        key = key_of(case)
        if key not in seen and is_promised(card, case):
            seen.add(key)
            yield case


def made(card: Card, function: str) -> Iterator[tuple[str, Arguments]]:
    """Yield inputs of one entry point by name, those outside of a promise included."""
    for number, source in enumerate(
        sources(card, function, max(LEAST, COUNT // len(card.entry_points)))
    ):
        rng = seeded(card.name, function, number, "edges")
        factors = factors_of(source)
        rich = {name: [*filter(_is_rich, every)] or every for name, every in factors.items()}
        corners = _corners(source, factors) if source.most else []
        rich_rows = source.most // RICH_SHARE
        rows = [
            *corners,
            *combinations(factors, source.most - rich_rows - len(corners), rng),
            *combinations(rich, rich_rows, rng),
        ]
        for row, levels in enumerate(rows):
            if (inputs := _tried(source, levels, rng)) is not None:
                said = ",".join(f"{key}={level}" for key, level in levels.items())
                yield f"{number}-{row}:{said}", inputs
        if source.most:
            yield from _about_size(card, function, number, source, rng)
            yield from _interplay(card, function, number, source)
            yield from _wide(card, function, number, source)


def _about_size(
    card: Card, function: str, number: int, source: Source, rng: np.random.Generator
) -> Iterator[tuple[str, Arguments]]:
    """Yield calls with large sizes: all together, of few letters, and each size by itself."""
    calls = []
    if dims := large_sizes(source, card, function):
        calls += [("large", _PLAIN, dims), ("large-of-few-letters", _PLAIN_TEXT, dims)]
        alone = {name: max(source.sizes[name][0], min(FEW, size)) for name, size in dims.items()}
        for name in dims if len(dims) > 1 else ():
            long = largest_prime(declared_sizes(source, card, function)[name])
            if long * math.prod(n for other, n in alone.items() if other != name) <= MAX_LARGE:
                calls.append((f"long-{name}", _PLAIN, {**alone, name: long}))
    factors = factors_of(source)
    for name, plain, dims in calls:
        levels = _first_of(plain, factors)
        if plain is _PLAIN_TEXT and "odd-letter" not in levels.values():
            continue
        inputs = _tried(source, {**levels, "...": "0"}, rng, dims)
        if inputs is not None:
            yield f"{number}-{name}", inputs


def _interplay(
    card: Card, function: str, number: int, source: Source
) -> Iterator[tuple[str, Arguments]]:
    """Yield calls in which several arguments are of a kind at once."""
    rng, factors = seeded(card.name, function, number, "interplay"), factors_of(source)
    most = edge_interplay.share(len(card.entry_points))
    rows = edge_interplay.together(factors, source.arguments, most, rng)
    for row, levels in enumerate(rows):
        if (inputs := _tried(source, levels, rng)) is not None:
            yield f"{number}-interplay-{row}", inputs
    dims = large_sizes(source, card, function)
    against = edge_interplay.opposed(_first_of(_PLAIN, factors), factors)
    if dims and against is not None:
        inputs = _tried(source, {**against, "...": "0"}, rng, dims)
        if inputs is not None:
            yield f"{number}-large-opposed", inputs


def _wide(
    card: Card, function: str, number: int, source: Source
) -> Iterator[tuple[str, Arguments]]:
    """Yield calls in which one argument takes all that is declared, the others what is usual."""
    for name, spec in source.wide.items():
        rng = seeded(card.name, function, number, f"wide-{name}")
        whole = source._replace(arguments={**source.arguments, name: spec})
        factors = factors_of(whole)
        plain = _first_of(_ORDINARY, factors)
        for dtype in factors.get(_of_dtype(name), [""]):
            typed = {**plain, **({_of_dtype(name): dtype} if dtype else {})}
            for pattern in filter(_WIDE.__contains__, factors[name]):
                if (inputs := _tried(whole, {**typed, name: pattern}, rng)) is not None:
                    yield f"{number}-wide-{name}={pattern},{dtype}", inputs


def factors_of(source: Source) -> dict[str, list[str]]:
    """Return what is combined: sizes by level, arguments by pattern."""
    found: dict[str, list[str]] = {}
    used = list(itertools.chain.from_iterable(map(names_of_sizes, source.arguments.values())))
    for name in dict.fromkeys(used):
        levels = [level for level in _SIZES if size_of(level, source.sizes[name], None) is not None]
        found[factor_of(name)] = levels
    if any(spec.get("shape", [""])[:1] == ["..."] for spec in source.arguments.values()):
        found["..."] = [str(i) for i in range(len(_LEADS))]
    for name, spec in source.arguments.items():
        found[name] = edge_values.names(spec, name in source.left_out)
        if len(spec.get("array", ())) > 1:
            found[_of_dtype(name)] = [f"any-{dtype}" for dtype in spec["array"]]
    return found


def _first_of(wanted: tuple[str, ...], factors: dict[str, list[str]]) -> dict[str, str]:
    """Return the first wanted level that a factor has, for each; else its own first."""
    return {
        name: next((level for level in wanted if level in every), every[0])
        for name, every in factors.items()
    }


def _corners(source: Source, factors: dict[str, list[str]]) -> list[dict[str, str]]:
    """Return what pairs miss: all numbers of a call at one end, in each dtype."""
    found = []
    typed = [factors.get(_of_dtype(name), []) for name in source.arguments]
    for end, dtype in itertools.product(_ENDS, dict.fromkeys(itertools.chain(*typed)) or [""]):
        levels = _first_of((dtype, end, *_ORDINARY), factors)
        if sum(level == end for level in levels.values()) > 1:
            found.append(levels)
    return found


def _is_rich(level: str) -> bool:
    return level in _RICH or level.startswith(("choice-", "any-"))


def _of_dtype(name: str) -> str:
    """Return the factor of an array's dtype."""
    return f"dtype({name})"


def _tried(
    source: Source,
    levels: dict[str, str],
    rng: np.random.Generator,
    large: dict[str, int] | None = None,
) -> Arguments | None:
    """Return inputs of the first draw that is promised; None where none of a few is."""
    draws = (_inputs(source, levels, rng, large) for _ in range(TRIES))
    return next((inputs for inputs in draws if inputs is not None), None)


def _inputs(
    source: Source,
    levels: dict[str, str],
    rng: np.random.Generator,
    large: dict[str, int] | None = None,
) -> Arguments | None:
    dims = {
        name: size_of(levels[factor_of(name)], bounds, rng) or 0
        for name, bounds in source.sizes.items()
        if factor_of(name) in levels
    }
    lead = _LEADS[int(levels.get("...", 0))]
    dims = large or shrunk(source, as_earlier(source, dims, levels, rng), lead)
    drawing = Drawing(rng, dims, lead=lead)
    return built(source, filled(source, levels, drawing))


def filled(source: Source, levels: dict[str, str], drawing: Drawing) -> Arguments:
    """Make a value of each argument, by the pattern that `levels` names for it."""
    for name, spec in source.arguments.items():
        if levels[name] != "left-out":
            dtype = levels.get(_of_dtype(name), "").removeprefix("any-")
            one = edge_values.of_dtype(spec, dtype, levels[name])
            drawing.earlier[name] = edge_values.make(levels[name], one, drawing)
    return drawing.earlier


def built(source: Source, values: Arguments) -> Arguments | None:
    """Make inputs out of values; None where they are not promised."""
    if source.build is None:
        return values
    try:
        return source.build(**values)
    except ValueError:
        # a space's build raises where its values do not fit
        if source.strict:
            raise
        return None


def suite_of(card: Card, function: str) -> str:
    """Return the suite in which a check compares an entry point with the oracle."""
    for suite in ("adversarial", "hidden"):
        for check in card.checks:
            mine = check.function in (None, function) and "*" in check.cases
            if mine and suite in check.suites and check.decides and check.against_oracle:
                return suite
    return "adversarial"


def key_of(case: PlannedCase) -> bytes:
    """Return bytes that are equal for equal calls."""
    from biomlbench.sandbox.codec import encode

    data: bytes = encode([list(case.args), case.kwargs])
    return data


def is_promised(card: Card, case: PlannedCase) -> bool:
    """Whether a call keeps to what its card declares, and the reference takes it."""
    from biomlbench.verify.promises import broken_by

    return not any(True for _ in broken_by(card, case)) and _reference_takes(card, case)


def _reference_takes(card: Card, case: PlannedCase) -> bool:
    from biomlbench.sandbox.codec import encode

    args, kwargs = copy.deepcopy((case.args, case.kwargs))
    with np.errstate(all="ignore"):
        try:
            encode(card.reference[case.function](*args, **kwargs))
        except KeyboardInterrupt:
            raise
        except BaseException:
            return False
    return True
