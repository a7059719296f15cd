"""Runs of flags and intervals of whole numbers that meet: they touch, overlap, or miss by one.

Code that leaves out what lies apart by its first and last places goes wrong just there. Ranges that
are drawn each for itself hardly ever share exactly one place, the less the longer a row is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.verify.edge_draws import factors_of, first_of, tried
from biomlbench.verify.edge_numbers import holds
from biomlbench.verify.edge_sizes import MAX_LARGE, declared_sizes, largest_prime
from biomlbench.verify.plan import seeded
from biomlbench.verify.related_arrays import is_array

if TYPE_CHECKING:
    from collections.abc import Iterator

    from biomlbench.contracts.mappings import Arguments
    from biomlbench.verify.card import Card
    from biomlbench.verify.declarations import ArgumentSpec
    from biomlbench.verify.edge_sources import Source

__all__ = ["RUN_RELATIONS", "meeting_runs", "wide_runs"]

LEAST_WIDTH = 2
ROWS = 7
"""Rows of arrays that are as wide as may be."""
WIDEST = 4_100
NEXT_TO = 1
"""So far from where runs meet does each one begin or end at most."""
FULL_SHARE = 0.7
"""Runs without a gap; of the others the first and the last place are set, and some between."""
LONGEST = 6
_PLAIN = ("spread", "mixed", "choice-0")


def wide_runs(
    card: Card, function: str, number: int, source: Source
) -> Iterator[tuple[str, Arguments]]:
    """Yield a call with wide rows of flags whose runs meet, for each size that such rows have."""
    rows = {
        name: str(spec["shape"][-1])
        for name, spec in source.arguments.items()
        if _holds_flags_alone(spec) and len(spec.get("shape", ())) > 1
    }
    bounds = declared_sizes(source, card, function)
    for size in dict.fromkeys(size for size in rows.values() if size in bounds):
        low, high = bounds[size]
        dims = {name: max(least, min(ROWS, most)) for name, (least, most) in bounds.items()}
        dims[size] = largest_prime([low, min(high, max(low, WIDEST))])
        if max(dims.values()) * ROWS > MAX_LARGE:
            continue
        names = [name for name, own in rows.items() if own == size]

        def change(values: Arguments, rng: np.random.Generator, names: list[str] = names) -> None:
            values.update(_all_meeting({name: values[name] for name in names}, rng))

        rng = seeded(card.name, function, number, f"runs-{size}")
        levels = {**first_of(_PLAIN, factors_of(source)), "...": "0"}
        if (inputs := tried(source, levels, rng, dims, change)) is not None:
            yield f"{number}-runs-along-{size}", inputs


def meeting_runs(shape: tuple[int, ...], place: int, rng: np.random.Generator) -> np.ndarray:
    """Return rows of flags, each with one run that ends, or begins, at a place or next to it.

    Parameters
    ----------
    shape : tuple of int
    place : int
        Along the last axis.
    rng : numpy.random.Generator

    Returns
    -------
    numpy.ndarray
        Of bool.

    Examples
    --------
    >>> rows = meeting_runs((40, 9), 4, np.random.default_rng(0))
    >>> common = np.triu(rows.astype(int) @ rows.T.astype(int), 1)
    >>> bool((common == 1).any())
    True
    """
    made = np.zeros(shape, bool)
    width = shape[-1]
    for row in made.reshape(-1, width):
        meet = int(np.clip(place + rng.integers(-NEXT_TO, NEXT_TO, endpoint=True), 0, width - 1))
        ends_there = rng.random() < 0.5
        start = int(rng.integers(meet + 1)) if ends_there else meet
        stop = meet if ends_there else int(rng.integers(meet, width))
        row[start : stop + 1] = rng.random() < FULL_SHARE or rng.random(stop + 1 - start) < 0.5
        row[[start, stop]] = True
    return made


def _all_meeting(arrays: Arguments, rng: np.random.Generator) -> Arguments:
    """Return arrays whose runs all meet at one place, arrays of one width at the same one."""
    share = rng.random()
    return {
        name: meeting_runs(value.shape, int(share * value.shape[-1]), rng).astype(value.dtype)
        for name, value in arrays.items()
    }


def _runs_meet(values: Arguments, source: Source, rng: np.random.Generator) -> Arguments:
    """Let each row of arrays of flags have one run, and let these runs meet."""
    arrays = {
        name: value
        for name, value in values.items()
        if is_array(value, 1, "biu")
        and value.shape[-1] >= LEAST_WIDTH
        and (value.dtype == bool or _holds_flags(source.arguments.get(name, {})))
    }
    if len(arrays) > 1 and rng.random() < 0.3:
        kept = str(rng.choice([*arrays]))
        arrays = {kept: arrays[kept]}
    return _all_meeting(arrays, rng)


def _intervals_meet(values: Arguments, source: Source, rng: np.random.Generator) -> Arguments:
    """Let intervals of whole numbers, pairs of a start and an end, meet one another."""
    found: Arguments = {}
    for name, value in values.items():
        if is_array(value, 2, "iu") and value.ndim == 2 and value.shape[1] == 2:
            found[name] = np.array(_chained(value.tolist(), rng)).astype(value.dtype)
        elif isinstance(value, list) and len(value) > 1 and all(map(_is_pair, value)):
            found[name] = [type(value[0])(pair) for pair in _chained(value, rng)]
    return found


def _is_pair(value: Any) -> bool:
    pair = isinstance(value, (tuple, list)) and len(value) == 2
    return pair and all(type(number) is int for number in value)


def _chained(pairs: list[Any], rng: np.random.Generator) -> list[list[int]]:
    """Return intervals of which each begins where the one before ends, or next to there."""
    first = max(0, int(min(pairs[0])))
    made: list[list[int]] = []
    for _ in pairs:
        stop = first + int(rng.integers(0, LONGEST, endpoint=True))
        made.append([first, stop])
        first = max(0, stop + int(rng.integers(-NEXT_TO, NEXT_TO, endpoint=True)))
    return [made[place] for place in rng.permutation(len(made))] if rng.random() < 0.3 else made


def _holds_flags(spec: ArgumentSpec) -> bool:
    return holds(spec, 0) and holds(spec, 1)


def _holds_flags_alone(spec: ArgumentSpec) -> bool:
    dtypes = spec.get("array", [])
    return dtypes == ["bool"] or (
        bool(dtypes)
        and all("int" in dtype for dtype in dtypes)
        and (spec.get("min"), spec.get("max")) == (0, 1)
    )


RUN_RELATIONS = (_runs_meet, _intervals_meet)
"""As :data:`biomlbench.verify.related_arrays.ARRAY_RELATIONS`."""
