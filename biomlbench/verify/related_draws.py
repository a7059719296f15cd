"""Draws whose arguments hang together, each followed by one that differs in one argument alone.

Values that are drawn each for itself hardly ever are what code goes wrong on: an array that is
another one in turned axes, rows that differ in one place, an order with two rows exchanged, a text
that is another one with blocks moved. And of two calls one after the other hardly ever all but one
argument is equal, so that a key without that argument is never caught.
"""

from __future__ import annotations

import copy
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.verify import edge_draws, edge_values
from biomlbench.verify.edge_numbers import Drawing, bounds_of, holds
from biomlbench.verify.edge_sizes import shrunk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    from biomlbench.contracts.mappings import Arguments
    from biomlbench.verify.declarations import ArgumentSpec
    from biomlbench.verify.edge_sources import Source

    Relation: TypeAlias = "Callable[[Arguments, Source, np.random.Generator], Arguments]"

__all__ = ["RELATIONS", "related"]

LARGEST = 160
"""Size of a related draw at most; sizes of all magnitudes up to there come as often."""
MOST_RELATIONS = 2
PLAIN = ("spread", "ties", "mixed", "few", "two-letters", edge_values.USUAL)
"""Patterns that leave a relation to be seen."""
FAR = 1e6
"""Where a column lies off: the square of it leaves four digits of a double."""
SCALES = 7
"""So many powers of ten lie between the least and the largest numbers of one array."""
LEAST_POWER, MOST_POWER = 31, 53
"""Whole numbers of a double lie near a power of two between these."""
LARGEST_WHOLE = 1e6
WORDS = (8, 16, 32, 64, 128)
EDITS = 4
VARIED_SHARE = 0.2


def related(
    source: Source, factors: dict[str, list[str]], rng: np.random.Generator
) -> Iterator[Arguments]:
    """Yield inputs whose arguments are related, and inputs in which one of them is another.

    Parameters
    ----------
    source : Source
    factors : dict
        Levels of sizes and patterns, of :func:`biomlbench.verify.edge_draws.factors_of`.
    rng : numpy.random.Generator

    Yields
    ------
    dict
        Promised or not; none where a build does not take the values.
    """
    levels = {name: _level(every, rng) for name, every in factors.items()}
    lead = edge_draws.LEADS[int(levels.get("...", 0))]
    sizes = {name: _size(bounds, rng) for name, bounds in source.call_sizes.items()}
    dims = shrunk(source, sizes, lead)
    values = edge_draws.filled(source, levels, Drawing(rng, dims, lead=lead, bounds=source.sizes))
    # one of the listed values is none of them once it is changed
    free = {key: value for key, value in values.items() if not _is_choice(source, key)}
    wanted = int(rng.integers(1, MOST_RELATIONS, endpoint=True))
    for number in rng.permutation(len(RELATIONS)):
        new = RELATIONS[number](free, source, rng) if wanted else {}
        if new and all(_is_in_bounds(source.arguments[key], new[key]) for key in new):
            free |= new
            wanted -= 1
    values |= free
    yield from _built(source, values)
    name = str(rng.choice([*source.arguments]))
    others = {key: value for key, value in values.items() if key != name}
    again = {**levels, name: _level(factors[name], rng)}
    drawing = Drawing(rng, dims, lead=lead, earlier=others, bounds=source.sizes)
    yield from _built(source, {**others, **edge_draws.value_of(source, name, again, drawing)})


def _is_choice(source: Source, name: str) -> bool:
    return "choice" in source.arguments[name]


def _is_in_bounds(spec: ArgumentSpec, value: Any) -> bool:
    if not isinstance(value, (int, float, np.ndarray)) or not np.size(value):
        return True
    return holds(spec, np.nanmin(value)) and holds(spec, np.nanmax(value))


def _built(source: Source, values: Arguments) -> Iterator[Arguments]:
    inputs = edge_draws.built(source, dict(values))
    if inputs is not None:
        yield inputs


def _level(every: list[str], rng: np.random.Generator) -> str:
    plain = [one for one in every if one in PLAIN or one.startswith(("choice-", "any-"))]
    return str(rng.choice(plain or every))


def _size(bounds: list[int], rng: np.random.Generator) -> int:
    low, high = bounds
    most = min(high, max(low, LARGEST))
    return low + int(math.expm1(rng.uniform(0, math.log1p(most - low))) + 0.5)


def _one_of(values: Arguments, rng: np.random.Generator, fits: Callable[[Any], bool]) -> str | None:
    """Return the name of a value that fits, if any does."""
    names = [name for name, value in values.items() if fits(value)]
    return str(rng.choice(names)) if names else None


def _is_array(value: Any, axes: int = 1, kinds: str = "biuf") -> bool:
    array = isinstance(value, np.ndarray) and value.ndim >= axes and value.size > 1
    return array and value.dtype.kind in kinds


def _axes_turned(values: Arguments, source: Source, rng: np.random.Generator) -> Arguments:
    """Let an array be another one whose columns have changed places and signs."""
    one = _one_of(values, rng, lambda value: _is_array(value, 2, "f"))
    if one is None:
        return {}
    array = values[one]
    twin = _one_of(
        {name: value for name, value in values.items() if name != one},
        rng,
        lambda value: _is_array(value, 2, "f") and value.shape[1:] == array.shape[1:],
    )
    if twin is None:
        return {}
    count = array.shape[-1]
    turned = array[..., rng.permutation(count)] * rng.choice([-1.0, 1.0], count)
    return {twin: np.resize(turned, values[twin].shape).astype(values[twin].dtype)}


def _rows_alike(values: Arguments, source: Source, rng: np.random.Generator) -> Arguments:
    """Let all rows of an array be the first one, but for one number of one."""
    name = _one_of(values, rng, lambda value: _is_array(value, 2))
    if name is None:
        return {}
    array = values[name]
    made = np.broadcast_to(array[:1], array.shape).copy()
    place = tuple(int(rng.integers(size)) for size in array.shape)
    # the first and the last column are what a code of a row loses first
    column = int(rng.choice([0, array.shape[-1] - 1, place[-1]]))
    place = (*place[:-1], column)
    made[place] = ~made[place] if array.dtype == bool else rng.choice(array.ravel())
    return {name: made}


def _one_exchange(values: Arguments, source: Source, rng: np.random.Generator) -> Arguments:
    """Let an array be in order, and indices without a gap, but for two rows within."""
    name = _one_of(values, rng, lambda value: _is_array(value, 1, "iuf") and len(value) > 3)
    if name is None:
        return {}
    array = values[name]
    rows = len(array)
    if array.dtype.kind != "f" and "min" in source.arguments.get(name, {}):
        along = np.arange(rows).reshape(-1, *[1] * (array.ndim - 1)) + array.min(axis=0) % 3
        made = np.broadcast_to(along, array.shape).astype(array.dtype)
    else:
        made = np.sort(array, axis=0)
    if rng.random() < 0.5 and array.ndim > 1:
        column = int(rng.integers(array.shape[-1]))
        first, second = rng.integers(1, rows - 1, 2)
        made[[first, second], ..., column] = made[[second, first], ..., column]
    else:
        first, second = rng.integers(1, rows - 1, 2)
        made[[first, second]] = made[[second, first]]
    return {name: made}


def _far_column(values: Arguments, source: Source, rng: np.random.Generator) -> Arguments:
    """Let one column, or row, of an array lie far from all others."""
    name = _one_of(values, rng, lambda value: _is_array(value, 2, "f"))
    if name is None:
        return {}
    made = values[name].copy()
    axis = made.ndim - 1 if rng.random() < 0.7 else 0
    np.moveaxis(made, axis, 0)[int(rng.integers(made.shape[axis]))] += FAR * rng.choice([-1, 1])
    return {name: made}


def _many_scales(values: Arguments, source: Source, rng: np.random.Generator) -> Arguments:
    """Let the numbers of an array be of several powers of ten, and some of them hardly apart."""
    name = _one_of(values, rng, lambda value: _is_array(value, 1, "f"))
    if name is None:
        return {}
    array = values[name]
    scales = 10.0 ** -rng.integers(0, SCALES, 3)
    made = array * rng.choice(scales, array.shape)
    flat = made.reshape(-1)
    first, second = rng.integers(0, flat.size, 2)
    flat[second] = flat[first] * (1 + 10.0 ** -rng.integers(2, 12))
    return {name: flat.reshape(array.shape).astype(array.dtype)}


def _near_a_power(values: Arguments, source: Source, rng: np.random.Generator) -> Arguments:
    """Let half of the numbers of an array be whole and next to a large power of two."""
    name = _one_of(values, rng, lambda value: _is_array(value, 1, "if"))
    if name is None:
        return {}
    array = values[name]
    base = 2.0 ** int(rng.integers(LEAST_POWER, MOST_POWER))
    near = base + rng.integers(-2, 3, array.shape)
    return {name: np.where(rng.random(array.shape) < 0.5, near, array).astype(array.dtype)}


def _nearly_one(values: Arguments, source: Source, rng: np.random.Generator) -> Arguments:
    """Let a square matrix be the unit matrix but for one small number."""

    def square(value: Any) -> bool:
        return _is_array(value, 2, "f") and value.shape[-1] == value.shape[-2]

    name = _one_of(values, rng, square)
    if name is None:
        return {}
    array = values[name]
    made = np.broadcast_to(np.eye(array.shape[-1]), array.shape).copy()
    row, column = rng.integers(array.shape[-1], size=2)
    made[..., row, column] += 10.0 ** -rng.integers(1, 9) * rng.choice([-1, 1])
    return {name: made.astype(array.dtype)}


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) > 1


def _text_edited(values: Arguments, source: Source, rng: np.random.Generator) -> Arguments:
    """Let a text be another one of which blocks are copied, moved, cut out or exchanged."""
    one = _one_of(values, rng, _is_text)
    if one is None:
        return {}
    others = {name: value for name, value in values.items() if name != one}
    twin = _one_of(others, rng, _is_text) or one
    text = values[one]
    for _ in range(int(rng.integers(1, EDITS, endpoint=True))):
        text = _edited(text, rng)
    return {twin: text[: _most_letters(source, twin)]}


def _most_letters(source: Source, name: str) -> int:
    length = str(source.arguments[name].get("length", ""))
    return source.sizes.get(length, [0, LARGEST])[1]


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
    name = _one_of(values, rng, _is_text)
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
    whole = [number for number in _whole_numbers(values, source) if rng.random() < 0.5]
    return {name: text, **dict.fromkeys(whole, size)}


def _items_edited(values: Arguments, source: Source, rng: np.random.Generator) -> Arguments:
    """Let items of a list, or of one within, have changed places, or one be another once more."""
    name = _one_of(values, rng, lambda value: any(True for _ in _lists_in(value)))
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
    name = _one_of(values, rng, lambda value: isinstance(value, (dict, list)))
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


def _whole_numbers(values: Arguments, source: Source) -> list[str]:
    return [
        name
        for name, spec in source.arguments.items()
        if spec.get("number") == "int" and values.get(name) is not None
    ]


def _of_all_magnitudes(values: Arguments, source: Source, rng: np.random.Generator) -> Arguments:
    """Let the whole numbers of a call be of all magnitudes, each for itself."""
    whole = _whole_numbers(values, source)
    return {name: _magnitude(source.arguments[name], rng) for name in whole}


def _magnitude(spec: ArgumentSpec, rng: np.random.Generator) -> int:
    low, high = bounds_of(spec, "int")
    start = min(max(low, 0), high)
    far = high if high > start else low
    reach = min(abs(far - start), LARGEST_WHOLE)
    step = int(math.expm1(rng.uniform(0, math.log1p(reach))) + 0.5)
    return int(start) + (step if far >= start else -step)


RELATIONS: tuple[Relation, ...] = (
    _axes_turned,
    _rows_alike,
    _one_exchange,
    _far_column,
    _many_scales,
    _near_a_power,
    _nearly_one,
    _text_edited,
    _words_apart,
    _of_all_magnitudes,
    _items_edited,
    _words_varied,
)
