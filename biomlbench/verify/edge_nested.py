"""Values of arguments of any declared kind, lists of anything and dicts among them.

An item, or what a dict holds, has an ordinary pattern of :mod:`biomlbench.verify.edge_values`, or
any; and the items of a list are all alike, alike but for one number, few that come again, or in
the order of something that they have.
"""

from __future__ import annotations

import copy
import math
from typing import TYPE_CHECKING, Any

from biomlbench.verify import edge_values
from biomlbench.verify.declarations import is_nested, names_of_sizes
from biomlbench.verify.edge_numbers import Drawing, bounds_of, holds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np

    from biomlbench.verify.declarations import ArgumentSpec

__all__ = ["TooFewError", "magnitude", "make", "names"]

TIES, ENDS, WIDE = "ties", "ends", "magnitudes"
_RECORD = ("mixed", "odd", TIES, ENDS, WIDE)
"""What a dict holds has ordinary patterns, or any; or all numbers are of a few, as in one array, at
their bounds, or of all magnitudes."""
CHAIN = "chain"
_ITEMS = (*_RECORD, "alike", "all-but-one", "repeated", "in-order", CHAIN)
_PLAIN = ("spread", "ties", "mixed", "few", "two-letters", edge_values.USUAL, "repeated")
_END = object()
_FEW = 3
"""Items that come again at most."""
MOST_INSIDE = 4_000
"""What all items of a list hold together, about: edges are not about size."""
_MOST_DRAWN = 500
"""Items of a long list that are drawn; the others are the same again."""
_TRIES = 20
"""Items that are drawn for one that is not there yet."""
_ABSENT_SHARE = 0.3
_FURTHER, _FURTHER_SHARE = "further", 0.2
"""A key that no record declares, and how many have it."""
_FURTHER_VALUES: tuple[Any, ...] = (
    1,
    -0.5,
    True,
    None,
    "further",
    "",
    [1, "further"],
    [],
    {"further": {"of": 1}},
)
"""What such a key holds: nothing is promised of it, so it may be of any kind."""
_ODD_SHARE = 0.3
"""Of what has any pattern at all, in a value that is to be odd; the rest is ordinary."""


class TooFewError(ValueError):
    """There are not as many distinct values as there have to be."""


def names(spec: ArgumentSpec, left_out: bool = False) -> list[str]:
    """Return the patterns of one declared argument, as :func:`edge_values.names` does."""
    if not is_nested(spec):
        return edge_values.names(spec, left_out)
    found = [*(["left-out"] if left_out else []), *(["none"] if spec.get("optional") else [])]
    return [*found, *(_RECORD if "record" in spec else _ITEMS)]


def make(pattern: str, spec: ArgumentSpec, drawing: Drawing) -> Any:
    """Make the value of one argument.

    Parameters
    ----------
    pattern : str
        Of :func:`names`.
    spec : ArgumentSpec
        As declared in ``inputs``.
    drawing : Drawing

    Returns
    -------
    object

    Raises
    ------
    TooFewError
        If items have to be distinct and there are not so many.
    """
    if not is_nested(spec):
        return edge_values.make(pattern, spec, drawing)
    if pattern == "none":
        return None
    if "record" in spec:
        made = {
            key: _part(part, drawing, pattern)
            for key, part in spec["record"].items()
            if not (part.get("absent") and drawing.rng.random() < _ABSENT_SHARE)
        }
        if spec.get("further") and drawing.rng.random() < _FURTHER_SHARE:
            value = _FURTHER_VALUES[int(drawing.rng.integers(len(_FURTHER_VALUES)))]
            made[_FURTHER] = copy.deepcopy(value)
        return made
    size = drawing.size(spec["length"])
    if "mapping" in spec:
        held = _items(pattern, spec["mapping"], size, drawing)
        return dict(zip(_distinct(spec["keys"], size, drawing, pattern), held, strict=True))
    if spec.get("distinct"):
        return _distinct(spec["items"], size, drawing, pattern)
    return _items(pattern, spec["items"], size, drawing)


def _part(spec: ArgumentSpec, drawing: Drawing, pattern: str) -> Any:
    """Make what stands in a list or a dict that has a pattern."""
    rng, every = drawing.rng, names(spec)
    if pattern in (TIES, ENDS, WIDE) and pattern in every:
        return make(pattern, spec, drawing)
    if pattern == WIDE and spec.get("number") == "int":
        return magnitude(spec, rng)
    if pattern == ENDS and "low" in every:
        return make(("low", "high")[int(rng.integers(2))], spec, drawing)
    if pattern == WIDE and "decades" in every:
        return make("decades", spec, drawing)
    plain = [one for one in every if one in _PLAIN or one.startswith(("choice-", "any-"))]
    odd = pattern == "odd" and rng.random() < _ODD_SHARE
    choices = every if odd or not plain else plain
    chosen = choices[int(rng.integers(len(choices)))]
    if "array" in spec:
        dtype = spec["array"][int(rng.integers(len(spec["array"])))]
        spec = edge_values.of_dtype(spec, dtype, chosen)
    return make(chosen, spec, drawing)


def _maker(spec: ArgumentSpec, count: int, drawing: Drawing) -> Callable[[str], Any]:
    """Return what makes one of so many items, of a pattern."""
    most = MOST_INSIDE // max(count, 1)
    names_inside = dict.fromkeys(names_of_sizes(spec, inner=True))
    own = [name for name in names_inside if name not in drawing.dims]

    def item(pattern: str) -> Any:
        sizes = {name: _size(drawing, name, most) for name in own}
        return _part(spec, _inside(drawing, sizes), pattern)

    return item


def _inside(drawing: Drawing, own: dict[str, int]) -> Drawing:
    """Return what an item's values share, which has sizes of its own."""
    return Drawing(
        drawing.rng,
        {**drawing.dims, **own},
        drawing.pool,
        tiny=drawing.tiny,
        huge=drawing.huge,
        bounds={name: ends for name, ends in drawing.bounds.items() if name not in own},
    )


def _size(drawing: Drawing, name: str, most: int) -> int:
    """Draw a size of any magnitude up to about so much."""
    low, high = drawing.bounds[name]
    top = max(low, min(high, most))
    return low + int(math.expm1(drawing.rng.uniform(0, math.log1p(top - low))) + 0.5)


def _items(pattern: str, spec: ArgumentSpec, size: int, drawing: Drawing) -> list[Any]:
    rng, item = drawing.rng, _maker(spec, size, drawing)

    def drawn(count: int) -> list[Any]:
        return [item(pattern) for _ in range(count)]

    def again(few: list[Any]) -> list[Any]:
        return [copy.deepcopy(few[int(place)]) for place in rng.integers(0, len(few) or 1, size)]

    if pattern in ("alike", "all-but-one"):
        made = [copy.deepcopy(one) for one in drawn(min(size, 1)) for _ in range(size)]
        if pattern == "all-but-one" and size:
            _change_a_part(made, int(rng.integers(size)), spec, item("mixed"), rng)
        return made
    if pattern == CHAIN:
        made = drawn(min(size, 1))
        while made and len(made) < size:
            made.append(_next_to(made[-1], spec, rng))
        return made
    if pattern == "repeated":
        return again(drawn(min(size, int(rng.integers(2, _FEW, endpoint=True)))))
    made = drawn(size) if size <= _MOST_DRAWN else again(drawn(_MOST_DRAWN))
    return _in_order(made, spec, drawing) if pattern == "in-order" else made


def _next_to(value: Any, spec: ArgumentSpec, rng: np.random.Generator) -> Any:
    """Return a value that is another one but for one letter, one step or one part, if it can be."""
    if isinstance(value, dict) and "record" in spec:
        keys = [key for key in value if key in spec["record"]]
        if not keys:
            return copy.deepcopy(value)
        key = keys[int(rng.integers(len(keys)))]
        return {**copy.deepcopy(value), key: _next_to(value[key], spec["record"][key], rng)}
    if isinstance(value, str) and value and spec.get("text"):
        place = int(rng.integers(len(value)))
        letter = spec["text"][int(rng.integers(len(spec["text"])))]
        return value[:place] + letter + value[place + 1 :]
    if type(value) in (int, float) and "number" in spec and math.isfinite(value):
        near = value + (1 if rng.random() < 0.5 else -1)
        return near if holds(spec, near) else value
    return copy.deepcopy(value)


def magnitude(spec: ArgumentSpec, rng: np.random.Generator, most: float = math.inf) -> int:
    """Draw a whole number of any magnitude that an argument may have, up to so much."""
    low, high = bounds_of(spec, "int")
    start = min(max(low, 0), high)
    far = high if high > start else low
    step = int(math.expm1(rng.uniform(0, math.log1p(min(abs(far - start), most)))) + 0.5)
    return int(start) + (step if far >= start else -step)


def _change_a_part(
    made: list[Any], place: int, spec: ArgumentSpec, other: Any, rng: np.random.Generator
) -> None:
    """Let one item be as another one: in one thing that it holds, or altogether."""
    keys = [key for key, part in spec.get("record", {}).items() if not names_of_sizes(part, True)]
    if keys and isinstance(other, dict) and isinstance(made[place], dict):
        key = str(rng.choice(keys))
        if key in other and key in made[place]:
            made[place][key] = other[key]
    else:
        made[place] = other


def _in_order(made: list[Any], spec: ArgumentSpec, drawing: Drawing) -> list[Any]:
    """Sort items by themselves or by one thing that they have; as they are where that fails."""
    keys = [key for key, part in spec.get("record", {}).items() if not part.get("absent")]
    key = str(drawing.rng.choice(keys)) if keys else None
    value: Callable[[Any], Any] = (lambda item: item) if key is None else (lambda item: item[key])
    try:
        return sorted(made, key=value, reverse=bool(drawing.rng.integers(2)))
    except (TypeError, ValueError):
        return made


def _distinct(spec: ArgumentSpec, size: int, drawing: Drawing, pattern: str) -> list[Any]:
    found: dict[str, Any] = {}
    every = _several(spec, size, drawing, pattern)
    while len(found) < size and (one := next(every, _END)) is not _END:
        found.setdefault(repr(one), one)
    if len(found) < size:
        raise TooFewError(f"there are no {size} distinct ones of {spec}")
    return list(found.values())


def _several(spec: ArgumentSpec, size: int, drawing: Drawing, pattern: str) -> Iterator[Any]:
    if "choice" in spec:
        yield from (spec["choice"][place] for place in drawing.rng.permutation(len(spec["choice"])))
        return
    item = _maker(spec, size, drawing)
    for _ in range(_TRIES * size):
        yield item(pattern)
