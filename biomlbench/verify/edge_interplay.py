"""Edge cases in which several arguments are of a kind at once, where pairs are not enough."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from biomlbench.verify.edge_numbers import OUTLIERS
from biomlbench.verify.pairwise import combinations

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

    from biomlbench.verify.declarations import ArgumentSpec

__all__ = ["MOST", "opposed", "share", "together"]

MOST, LEAST = 18, 6
"""Calls for them, shared by a card's entry points; for each at least so many."""
_CORE = ("spread", "ties", "mixed", "all-set", "tens")
"""Numbers that differ or are tied, masks of which a part or all is set, and the size."""
_SORTED = ("ascending", "descending")

Levels = dict[str, str]


def share(functions: int) -> int:
    """Return how many calls each of so many entry points gets."""
    return max(LEAST, MOST // functions)


def together(
    factors: Mapping[str, list[str]],
    arguments: Mapping[str, ArgumentSpec],
    most: int,
    rng: np.random.Generator,
) -> list[Levels]:
    """Return levels of calls in which several arguments are of a kind at once.

    Parameters
    ----------
    factors : mapping
        Sizes and arguments, each with its levels.
    arguments : mapping
        As declared.
    most : int
        Calls of each of two kinds: every combination of distinct and tied numbers with partial
        and full masks, or as many pairs as fit; and one number far from all others, in one array
        after another. Beside them infinities, in one array after another.
    rng : numpy.random.Generator

    Returns
    -------
    list of dict
        Factor to level.
    """
    core = {
        name: levels
        if levels[0].startswith("choice-")
        else [level for level in _CORE if level in levels] or levels[:1]
        for name, levels in factors.items()
    }
    if math.prod(map(len, core.values())) <= most:
        rows = [dict(zip(core, row, strict=True)) for row in itertools.product(*core.values())]
    else:
        rows = list(combinations(core, most, rng))
    plain = {name: levels[0] for name, levels in core.items()}
    many = [name for name in plain if "spread" in factors[name] and "number" not in arguments[name]]
    far = [{**plain, name: pattern} for name in many for pattern in OUTLIERS]
    odd = [{**plain, name: "inf"} for name in many if "inf" in factors[name]]
    return rows + far[:most] + odd


def opposed(plain: Levels, factors: Mapping[str, list[str]]) -> Levels | None:
    """Return levels by which arrays are sorted one against the next; None for a single one."""
    turns = itertools.cycle(_SORTED)
    found = {
        name: next(turns) if _SORTED[0] in factors[name] else level for name, level in plain.items()
    }
    return found if set(_SORTED) <= {*found.values()} else None
