"""Relations of texts, lists and dicts of a call, by which some of them are made of others."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from biomlbench.verify.related_arrays import one_of, whole_numbers

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np

    from biomlbench.contracts.mappings import Arguments
    from biomlbench.verify.edge_sources import Source

__all__ = ["TEXT_RELATIONS"]

MOST_LETTERS = 160
"""Of a text whose length has no bound."""
WORDS = (8, 16, 32, 64, 128)
EDITS = 4
VARIED_SHARE = 0.2


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) > 1


def _text_edited(values: Arguments, source: Source, rng: np.random.Generator) -> Arguments:
    """Let a text be another one of which blocks are copied, moved, cut out or exchanged."""
    one = one_of(values, rng, _is_text)
    if one is None:
        return {}
    others = {name: value for name, value in values.items() if name != one}
    twin = one_of(others, rng, _is_text) or one
    text = values[one]
    for _ in range(int(rng.integers(1, EDITS, endpoint=True))):
        text = _edited(text, rng)
    return {twin: text[: _most_letters(source, twin)]}


def _most_letters(source: Source, name: str) -> int:
    length = str(source.arguments[name].get("length", ""))
    return source.sizes.get(length, [0, MOST_LETTERS])[1]


def _edited(text: str, rng: np.random.Generator) -> str:
    start, end = sorted((_place(text, rng), _place(text, rng)))
    block, at = text[start:end], _place(text, rng)
    letters = sorted(set(text))
    step = int(rng.integers(3, 12))
    way = int(rng.integers(5))
    if way == 0:  # a block once more
        return text[:at] + block + text[at:]
    if way == 1:  # moved to the end
        return text[:start] + text[end:] + block
    if way == 2 and len(block) < len(text):  # cut out
        return text[:start] + text[end:]
    if way == 3:  # backwards
        return text[:start] + block[::-1] + text[end:]
    # one letter in so many is another
    return "".join(
        str(rng.choice(letters)) if place % step == step - 1 else letter
        for place, letter in enumerate(text)
    )


def _place(text: str, rng: np.random.Generator) -> int:
    """Return a place in a text: at either end as often as within."""
    within = int(rng.integers(0, len(text) + 1))
    return int(rng.choice([0, within, within, len(text)]))


def _words_apart(values: Arguments, source: Source, rng: np.random.Generator) -> Arguments:
    """Let a text hold the Thue-Morse word and the same with letters exchanged: sums of them agree.

    Polynomial codes of the two are equal modulo a power of two, whatever the base is.
    """
    name = one_of(values, rng, _is_text)
    if name is None:
        return {}
    letters = sorted(set(values[name]))
    size = int(rng.choice(WORDS))
    if len(letters) < 2 or 2 * size > _most_letters(source, name):
        return {}
    first, second = (str(letter) for letter in rng.permutation(letters)[:2])
    word = "".join((first, second)[place.bit_count() % 2] for place in range(size))
    between = str(rng.choice(letters)) * int(rng.integers(0, 2))
    text = word + between + word.translate({ord(first): second, ord(second): first})
    whole = [number for number in whole_numbers(values, source) if rng.random() < 0.5]
    return {name: text, **dict.fromkeys(whole, size)}


def _items_edited(values: Arguments, source: Source, rng: np.random.Generator) -> Arguments:
    """Let items of a list, or of one within, have changed places, or one be another once more."""
    name = one_of(values, rng, lambda value: any(True for _ in _lists_in(value)))
    if name is None:
        return {}
    made = copy.deepcopy(values[name])
    lists = [*_lists_in(made)]
    items = lists[int(rng.integers(len(lists)))]
    one, other = (int(place) for place in rng.integers(0, len(items), 2))
    way = int(rng.integers(3))
    if way == 0:
        items[one], items[other] = items[other], items[one]
    elif way == 1:
        items[one] = copy.deepcopy(items[other])
    else:
        items.reverse()
    return {name: made}


def _lists_in(value: Any) -> Iterator[list[Any]]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _lists_in(item)
    if isinstance(value, list):
        if len(value) > 1:
            yield value
        for item in value:
            yield from _lists_in(item)


def _words_varied(values: Arguments, source: Source, rng: np.random.Generator) -> Arguments:
    """Let some words in a list or a dict be others but for case, an end or a letter more."""
    if source.build is not None:
        return {}  # words that it is written for
    name = one_of(values, rng, lambda value: isinstance(value, (dict, list)))
    return {} if name is None else {name: _varied(values[name], rng)}


def _varied(value: Any, rng: np.random.Generator) -> Any:
    if isinstance(value, dict):
        return {key: _varied(item, rng) for key, item in value.items()}
    if isinstance(value, list):
        return [_varied(item, rng) for item in value]
    if isinstance(value, str) and rng.random() < VARIED_SHARE:
        ways = (value.swapcase(), value[:-1], value[1:], value + "x", "x" + value, f" {value}")
        return ways[int(rng.integers(len(ways)))]
    return value


TEXT_RELATIONS = (_text_edited, _words_apart, _items_edited, _words_varied)
"""As :data:`biomlbench.verify.related_arrays.ARRAY_RELATIONS`."""
