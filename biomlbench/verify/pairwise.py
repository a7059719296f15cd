"""Few combinations of levels in which nevertheless most pairs of them come together; turns."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["combinations", "in_turn"]


def in_turn(ways: Sequence[Iterator[Any]]) -> Iterator[Any]:
    """Yield the first of each, then the second of each: what comes first matters most."""
    for row in itertools.zip_longest(*ways):
        yield from (item for item in row if item is not None)


def combinations(
    factors: dict[str, list[str]], count: int, rng: np.random.Generator
) -> Iterator[dict[str, str]]:
    """Yield combinations, each with as many pairs of levels as possible that did not occur.

    Parameters
    ----------
    factors : dict
        Levels by factor.
    count : int
        Most combinations; fewer where all pairs have occurred.
    rng : numpy.random.Generator

    Yields
    ------
    dict
        A level for each factor.

    References
    ----------
    Cohen, Dalal, Fredman and Patton 1997, IEEE Trans. Softw. Eng. 23:437 (greedy choice of rows).
    """
    names = list(factors)
    free = {
        (a, x, b, y)
        for a, b in itertools.permutations(names, 2)
        for x in factors[a]
        for y in factors[b]
    }
    singles = {(a, x) for a in names for x in factors[a]}
    for _ in range(count):
        if not free and not singles:
            return
        row: dict[str, str] = {}
        for name in sorted(names, key=lambda _: rng.random()):
            gains = []
            for level in factors[name]:
                gain = sum((name, level, other, at) in free for other, at in row.items())
                # every level occurs before pairs are counted
                gains.append(gain + (len(names) if (name, level) in singles else 0) + rng.random())
            row[name] = factors[name][int(np.argmax(gains))]
        singles.difference_update(row.items())
        free.difference_update((a, row[a], b, row[b]) for a, b in itertools.permutations(names, 2))
        yield {name: row[name] for name in names}
