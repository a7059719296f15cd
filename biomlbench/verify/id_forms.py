"""New ids of rows that nobody can tell from those of a task by how they are written."""

from __future__ import annotations

import re
from bisect import bisect
from itertools import chain, count, islice, pairwise
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterator, Sequence

    import numpy as np

__all__ = ["ids_like", "put_among"]

_Row = TypeVar("_Row")
_NUMBER = re.compile("[0-9]+")
_TRIES = 100
"""Draws of each kind before the next one is tried."""


def ids_like(
    ids: Sequence[str],
    taken: Collection[str],
    number: int,
    rng: np.random.Generator,
    same: Callable[[str], Hashable] = str,
) -> list[str]:
    """Return new ids written as others are.

    Parameters
    ----------
    ids : sequence of str
        The ids to be like.
    taken : collection of str
        Ids that none of the new ones may be.
    number : int
        How many.
    rng : Generator
    same : callable
        What two ids share that count as one.

    Notes
    -----
    A number is drawn between those of ids that are alike but for it, with as many digits where all
    have as many, or follows the largest where none is free between; otherwise each character is
    that of some id of the length.
    """
    used, found = set(map(same, taken)), list[str]()
    while len(found) < number:
        model = ids[int(rng.integers(len(ids)))]
        new = next(one for one in _drawn(model, ids, len(used), rng) if same(one) not in used)
        used.add(same(new))
        found.append(new)
    return found


def _drawn(model: str, ids: Sequence[str], used: int, rng: np.random.Generator) -> Iterator[str]:
    """Yield texts like an id, the likest first, without end."""
    beyond = (f"{model}{n}" for n in count(1))
    return chain(_numbered(model, ids, used, rng), _mixed(model, ids, rng), beyond)


def _numbered(model: str, ids: Sequence[str], used: int, rng: np.random.Generator) -> Iterator[str]:
    """Yield an id with another number, where others differ from it in numbers alone."""
    form = _NUMBER.sub("0", model)
    alike = [_NUMBER.findall(one) for one in ids if _NUMBER.sub("0", one) == form]
    numbers = _NUMBER.findall(model)
    if not numbers or len(alike) == 1 < len(ids):
        return
    varied = [len(set(values)) for values in zip(*alike, strict=True)]
    place = max(range(len(numbers)), key=lambda k: (varied[k], k))
    texts = [values[place] for values in alike]
    width = len(texts[0]) if len(set(map(len, texts))) == 1 else 0
    padded = width > 1 and any(text.startswith("0") for text in texts)
    low, high = min(map(int, texts)), max(map(int, texts))
    between = (low + int(rng.random() * (high - low + 1)) for _ in range(_TRIES))
    for value in chain(between, islice(count(high + 1), used + 1)):
        text = str(value).zfill(width if padded else 0)
        if len(text) == width or not padded:
            yield _with_number(model, place, text)


def _with_number(model: str, place: int, text: str) -> str:
    start, end = list(_NUMBER.finditer(model))[place].span()
    return f"{model[:start]}{text}{model[end:]}"


def _mixed(model: str, ids: Sequence[str], rng: np.random.Generator) -> Iterator[str]:
    """Yield characters that ids of one length have at their places, then in another order."""
    alike = [one for one in ids if len(one) == len(model)]
    for _ in range(_TRIES):
        yield "".join(alike[i][k] for k, i in enumerate(rng.integers(len(alike), size=len(model))))
    for _ in range(_TRIES):
        yield "".join(model[i] for i in rng.permutation(len(model)))


def put_among(
    rows: Sequence[_Row],
    more: Sequence[_Row],
    id_of: Callable[[_Row], str],
    rng: np.random.Generator,
) -> list[_Row]:
    """Put rows among others: where their ids belong if these are sorted, else anywhere.

    Parameters
    ----------
    rows, more : sequence
    id_of : callable
    rng : Generator
    """
    found = list(rows)
    for key in (_natural, _as_is):
        keys = [key(id_of(row)) for row in rows]
        if _is_sorted(keys):
            for row in more:
                place = bisect(keys, key(id_of(row)))
                keys.insert(place, key(id_of(row)))
                found.insert(place, row)
            return found
    for row in more:
        found.insert(int(rng.integers(len(found) + 1)), row)
    return found


def _is_sorted(keys: list[tuple[str | int, ...]]) -> bool:
    return all(one <= other for one, other in pairwise(keys))


def _natural(text: str) -> tuple[str | int, ...]:
    """Return an id's words and numbers, in turns, a word first."""
    parts = re.split("([0-9]+)", text)
    return tuple(int(part) if k % 2 else part for k, part in enumerate(parts))


def _as_is(text: str) -> tuple[str | int, ...]:
    return (text,)
