"""Large calls of one form but of other values, to be made one after the other in one process.

Memory that is used again for large results alone, and what is kept by a key that stands for large
inputs alone, are right in all small calls and in a large one by itself.
"""

from __future__ import annotations

import contextlib
import math
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.verify import edge_draws
from biomlbench.verify.edge_sources import sources
from biomlbench.verify.edges import key_of, promised_result, suite_of
from biomlbench.verify.large_draws import sizes_of
from biomlbench.verify.plan import planned_case, seeded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from biomlbench.contracts.mappings import Arguments
    from biomlbench.verify.card import Card
    from biomlbench.verify.plan import PlannedCase

__all__ = ["in_a_row", "large_calls"]

LEAST_BYTES = 1_000
"""Of a call and its result: smaller ones are no large calls."""
MOST_BYTES = 5_000_000
"""Of a call and its result: what is returned is kept for good, once more for each sequence."""
MOST_ASKED = 4
"""So many of the largest cases are asked whether another one can be made of them."""
ABOUT = 0.9
"""What has this share of the largest case's bytes is as large."""
TRIES = 3
"""Draws of a call that is built."""
SMALLER = 0.7
"""By this the largest size of a drawn call is less, until it is small enough."""
LEAST_SIZE = 8
PLAIN = ("spread", "mixed", "choice-0")


def large_calls(card: Card, cases: Sequence[PlannedCase]) -> dict[PlannedCase, list[PlannedCase]]:
    """Return for each entry point a large call, and others of the same form.

    Parameters
    ----------
    card : Card
    cases : sequence of PlannedCase
        All that are known.

    Returns
    -------
    dict
        The largest case, or where that is too large to be called several times, a drawn one; to
        calls with its rows turned round and with one element changed, or where inputs are built,
        which hang together in ways that no declaration carries, to a call that is built with its
        sizes. Where none of these is promised, to the next largest case. Some of them are new.
    """
    found: dict[PlannedCase, list[PlannedCase]] = {}
    for function in card.entry_points if card.checks and card.config.get("inputs") else ():
        own = _largest_first([case for case in cases if case.function == function])
        fit = [case for case in own[:MOST_ASKED] if _fits(card, case)]
        if own and own[0] not in fit and (drawn := _drawn_smaller(card, own[0])) is not None:
            fit.insert(0, drawn)
        beside = _drawn if "build" in card.config.get("edges", {}).get(function, {}) else _changed
        calls = ((first, [*beside(card, first)]) for first in fit)
        first, others = next((one for one in calls if one[1]), (None, []))
        if first is None and fit:
            first, others = fit[0], _alike(fit[0], own)
        if first is not None and others:
            found[first] = others
    return found


def _largest_first(cases: list[PlannedCase]) -> list[PlannedCase]:
    """Return cases by size; of those of about one size, such of many different elements first."""
    keys = {case: key_of(case) for case in cases}
    most = max(map(len, keys.values()), default=0)

    def order(case: PlannedCase) -> tuple[int, int, str]:
        size = len(keys[case])
        is_large = size >= ABOUT * most
        return -most if is_large else -size, -len(zlib.compress(keys[case], 1)), case.id

    return sorted(cases, key=order)


def _alike(first: PlannedCase, cases: list[PlannedCase]) -> list[PlannedCase]:
    """Return the largest other case of the same shapes, or where there is none, of any."""
    others = [case for case in cases if case is not first]
    alike = [case for case in others if _shapes(case) == _shapes(first)]
    return [*alike, *others][:1]


def _shapes(case: PlannedCase) -> list[Any]:
    values = (*case.args, *case.kwargs.values())
    return [np.shape(v) if isinstance(v, np.ndarray) else _length(v) for v in values]


def _length(value: Any) -> int | None:
    return len(value) if isinstance(value, (str, list, tuple, dict)) else None


def in_a_row(first: PlannedCase, others: Sequence[PlannedCase]) -> list[PlannedCase]:
    """Return large calls in the order in which they are made: the first comes again at the end."""
    return [first, *others, first]


def _fits(card: Card, case: PlannedCase) -> bool:
    size = len(key_of(case))
    if size > MOST_BYTES:
        return False
    result = promised_result(card, case)
    return result is not None and LEAST_BYTES <= size + len(result) <= MOST_BYTES


def _planned(card: Card, first: PlannedCase, how: str, inputs: Arguments) -> PlannedCase | None:
    """Return a case of other inputs; None where it is not promised, or is the same."""
    suite, name = suite_of(card, first.function), f"{how}-{first.name}"
    with contextlib.suppress(Exception):  # what a card's own quantity cannot be taken of
        call = card.unbind(first.function, inputs)
        case = planned_case(card, suite, name, first.function, *call)
        if key_of(case) != key_of(first) and _fits(card, case):
            return case
    return None


def _changed(card: Card, first: PlannedCase) -> Iterator[PlannedCase]:
    inputs = card.bind(first.function, first.args, first.kwargs)
    specs = card.config["inputs"][first.function]
    # a text without a length is of some format, which no declaration carries
    free = {n: v for n, v in inputs.items() if not isinstance(v, str) or "length" in specs[n]}
    for how, change in (("turned", _turned_round), ("touched", _touched)):
        made = {**inputs, **{name: change(value) for name, value in free.items()}}
        if (case := _planned(card, first, how, made)) is not None:
            yield case


def _turned_round(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value[::-1].copy() if value.ndim else value
    return value[::-1] if isinstance(value, (str, list)) else value


def _touched(value: Any) -> Any:
    """Return a value with one element that is another one's, far from both ends."""
    if isinstance(value, np.ndarray):
        flat = value.ravel().copy()
        if (place := _other_than_next(flat)) is not None:
            flat[place] = flat[place + 1]
        return flat.reshape(value.shape)
    if isinstance(value, str):
        return "".join(_touched([*value]))
    if isinstance(value, list) and (place := _other_than_next(value)) is not None:
        return [*value[:place], value[place + 1], *value[place + 1 :]]
    return value


def _other_than_next(items: Any) -> int | None:
    """Return the first place from the middle on whose element differs from the next one."""
    return next(
        (i for i in range(len(items) // 2, len(items) - 1) if items[i] != items[i + 1]), None
    )


def _drawn(card: Card, first: PlannedCase) -> Iterator[PlannedCase]:
    """Yield a call that is built with the sizes of another one."""
    sizes = _declared_sizes(card, first)
    for number in range(TRIES):
        inputs = _of_sizes(card, first.function, sizes, f"beside-large-{number}")
        if inputs and (case := _planned(card, first, "beside", inputs)) is not None:
            yield case
            return


def _declared_sizes(card: Card, case: PlannedCase) -> dict[str, int]:
    """Return the sizes of a case; none where the card says that large calls cost too much."""
    if not card.config.get("edges", {}).get(case.function, {}).get("large", True):
        return {}
    declared = card.config["inputs"][case.function]
    return sizes_of(declared, card.bind(case.function, case.args, case.kwargs))


def _drawn_smaller(card: Card, base: PlannedCase) -> PlannedCase | None:
    """Return a call with the sizes of a case that is too large, the largest of them made less."""
    sizes = _declared_sizes(card, base)
    while max(sizes.values(), default=0) > LEAST_SIZE:
        largest = max(sizes, key=lambda name: sizes[name])
        sizes[largest] = math.ceil(SMALLER * sizes[largest])
        inputs = _of_sizes(card, base.function, sizes, "large")
        if not inputs:
            return None
        if (case := _planned(card, base, "smaller", inputs)) is not None:
            return case
    return None


def _of_sizes(card: Card, function: str, sizes: dict[str, int], what_for: str) -> Arguments | None:
    """Draw ordinary inputs of given sizes; None where a size is not known."""
    for source in sources(card, function, 1):
        if not source.call_sizes or not source.call_sizes.keys() <= sizes.keys():
            continue
        dims = {name: sizes[name] for name in source.call_sizes}
        levels = {**edge_draws.first_of(PLAIN, edge_draws.factors_of(source)), "...": "0"}
        rng = seeded(card.name, function, what_for)
        with contextlib.suppress(Exception):  # what a build cannot take is no input
            return edge_draws.tried(source, levels, rng, dims)
    return None
