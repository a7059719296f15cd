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
from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.errors import TaskError
from biomlbench.verify.edge_draws import ORDINARY, dtype_of, factors_of, first_of, tried
from biomlbench.verify.edge_families import (
    about_size,
    at_thresholds,
    changed,
    interplay,
    structured,
    wide,
)
from biomlbench.verify.edge_sources import sources
from biomlbench.verify.pairwise import combinations
from biomlbench.verify.plan import seeded
from biomlbench.verify.related_runs import wide_runs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from biomlbench.contracts.mappings import Arguments
    from biomlbench.verify.card import Card
    from biomlbench.verify.edge_sources import Source
    from biomlbench.verify.plan import PlannedCase

__all__ = [
    "COUNT",
    "edges",
    "is_promised",
    "key_of",
    "made",
    "promised_result",
    "result_of",
    "suite_of",
]

COUNT = 96
"""Edge cases of a card, shared by its entry points."""
LEAST = 32
"""Edge cases of an entry point, however many there are."""
RICH_SHARE = 3
"""One edge case in so many is of patterns alone that leave work to do: ties, not all equal."""
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
NEARLY_0 = 1e-9
_ENDS = ("high", "low", "huge", "tiny")
"""Patterns that all arguments of a call take together."""


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
        If what the card declares cannot be followed.
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
            key = "edges" if function in card.config.get("edges", {}) else "inputs"
            raise TaskError(
                f"{card.folder / 'config.yaml'}: `{key}` of `{function}`: "
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
            if (inputs := tried(source, levels, rng)) is not None:
                said = ",".join(f"{key}={level}" for key, level in levels.items())
                yield f"{number}-{row}:{said}", inputs
        if source.most:
            yield from about_size(card, function, number, source, rng)
            yield from interplay(card, function, number, source)
            yield from wide(card, function, number, source)
            yield from at_thresholds(card, function, number, source)
            yield from structured(card, function, number, source)
            yield from changed(card, function, number, source)
            yield from wide_runs(card, function, number, source)


def _corners(source: Source, factors: dict[str, list[str]]) -> list[dict[str, str]]:
    """Return what pairs miss: all numbers of a call at one end, in each dtype."""
    found = []
    typed = [factors.get(dtype_of(name), []) for name in source.arguments]
    for end, dtype in itertools.product(_ENDS, dict.fromkeys(itertools.chain(*typed)) or [""]):
        levels = first_of((dtype, end, *ORDINARY), factors)
        if sum(level == end for level in levels.values()) > 1:
            found.append(levels)
    return found


def _is_rich(level: str) -> bool:
    return level in _RICH or level.startswith(("choice-", "any-"))


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
    return promised_result(card, case) is not None


def promised_result(card: Card, case: PlannedCase) -> bytes | None:
    """Return what :func:`result_of` does; None also where a call breaks what its card declares."""
    from biomlbench.verify.promises import broken_by

    return None if any(True for _ in broken_by(card, case)) else result_of(card, case)


def result_of(card: Card, case: PlannedCase, *, coarsely: bool = False) -> bytes | None:
    """Return what the reference makes of a call, in bytes; None where it refuses it.

    Parameters
    ----------
    card : Card
    case : PlannedCase
    coarsely : bool
        Leave out what rounding may have made: all but six digits, and what is nearly zero.
    """
    from biomlbench.sandbox.codec import encode

    args, kwargs = copy.deepcopy((case.args, case.kwargs))
    with np.errstate(all="ignore"):
        try:
            result = card.reference[case.function](*args, **kwargs)
            data: bytes = encode(_coarse(result) if coarsely else result)
        except KeyboardInterrupt:
            raise
        except BaseException:
            return None
    return data


def _coarse(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _coarse(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_coarse(item) for item in value]
    if isinstance(value, np.ndarray) and value.dtype.kind in "fc":
        return [_coarse(item) for item in value.ravel().tolist()]
    return 0.0 if isinstance(value, float) and abs(value) < NEARLY_0 else _six_digits(value)


def _six_digits(value: Any) -> Any:
    return f"{value:.6g}" if isinstance(value, (float, complex)) else value
