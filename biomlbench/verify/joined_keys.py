"""Inputs of two calls whose contents are equal once they are joined, cut in another place.

A key that joins arguments without their lengths, as text or as bytes, takes one call for the other.
"""

from __future__ import annotations

import itertools
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.verify.declarations import names_of_sizes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from biomlbench.contracts.mappings import Arguments
    from biomlbench.verify.declarations import ArgumentSpec

__all__ = ["SEPARATORS", "joined_alike"]

SEPARATORS = ("", ",", ";", "|", ":", "_", "-", " ", "/", "\t", "\n", "\0")
"""What keys are joined by. The first one stands for joining by nothing."""
LONGEST_PIECE = 3
"""Letters or rows that go over from one argument to the next at most."""


def joined_alike(
    values: Arguments, specs: dict[str, ArgumentSpec], rng: np.random.Generator
) -> tuple[Arguments, Arguments] | tuple[()]:
    """Return what takes the place of some arguments in one call, and in one that follows it.

    Parameters
    ----------
    values : dict
        By argument name.
    specs : dict
        Declarations of the arguments.
    rng : numpy.random.Generator

    Returns
    -------
    tuple of dict
        Two texts, two arrays of like rows, two whole numbers, or two neighbours of a list; nothing
        where there are none.

    Examples
    --------
    >>> declared = {"a": {"text": "AC"}, "b": {"text": "AC"}}
    >>> one, other = joined_alike({"a": "AC", "b": "CA"}, declared, np.random.default_rng(0))
    >>> one == other, one["a"] + one["b"] == other["a"] + other["b"]
    (False, True)
    """
    kinds: dict[str, list[tuple[Arguments, Arguments]]] = {}
    free = _free_in_length(specs)
    for one, other in itertools.combinations([name for name in specs if name in values], 2):
        if {one, other} <= free:
            for first, second in _cut(values[one], values[other], specs[one], rng):
                pair = (
                    dict(zip((one, other), first, strict=True)),
                    dict(zip((one, other), second, strict=True)),
                )
                kinds.setdefault(type(first[0]).__name__, []).append(pair)
    for name, items in values.items():
        if type(items) is list and len(items) > 1:
            start = int(rng.integers(len(items) - 1))
            before, after = items[:start], items[start + 2 :]
            inner = specs[name].get("items", {})
            for first, second in _cut(items[start], items[start + 1], inner, rng):
                pair = {name: [*before, *first, *after]}, {name: [*before, *second, *after]}
                kinds.setdefault("list", []).append(pair)
    if not kinds:
        return ()
    # one of each kind comes as often, however many there are of it
    pairs = kinds[str(rng.choice([*kinds]))]
    return pairs[int(rng.integers(len(pairs)))]


def _free_in_length(specs: dict[str, ArgumentSpec]) -> set[str]:
    """Return the arguments that may be longer or shorter while all others stay as they are."""
    used = Counter(itertools.chain.from_iterable(map(names_of_sizes, specs.values())))
    lengths = {
        name: spec.get("length") or next(iter(spec.get("shape", ())), "")
        for name, spec in specs.items()
    }
    return {name for name, size in lengths.items() if not size or used.get(str(size)) == 1}


def _cut(
    one: Any, other: Any, spec: ArgumentSpec, rng: np.random.Generator
) -> Iterator[tuple[tuple[Any, Any], tuple[Any, Any]]]:
    """Yield two values as they are cut apart in one place, and in another one."""
    if type(one) is str and type(other) is str:
        alphabet = spec.get("text") or ""
        fit = [mark for mark in SEPARATORS if not alphabet or mark in alphabet]
        mark = fit[int(rng.integers(len(fit)))]
        piece = (one + other)[: int(rng.integers(1, LONGEST_PIECE, endpoint=True))]
        yield (one + mark + piece, other), (one, piece + mark + other)
    elif type(one) is int and type(other) is int:
        first, second, third = (int(digit) for digit in rng.integers(1, 10, 3))
        yield (10 * first + second, third), (first, 10 * second + third)
    elif isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        alike = one.dtype == other.dtype and one.ndim and one.shape[1:] == other.shape[1:]
        if alike and len(one):
            rows = np.concatenate([one, other])
            cut = max(0, len(one) - int(rng.integers(1, LONGEST_PIECE, endpoint=True)))
            yield (one, other), (rows[:cut], rows[cut:])
