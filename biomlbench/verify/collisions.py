"""Inputs of a call that careless keys take for those of another: of their bytes, or rounded.

They are made of the inputs of two near draws, as a call has them, and the plan keeps those that the
card promises.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from biomlbench.contracts.mappings import Arguments
    from biomlbench.verify.declarations import Shape, Size

__all__ = [
    "between_equal_arrays",
    "between_equal_ends",
    "in_other_axes",
    "in_other_byte_order",
    "in_other_order",
    "in_other_shapes",
    "rounded_alike",
    "with_equal_sums",
    "with_gap_elsewhere",
]

SMALL = 2.0**-40
"""Factor for numbers of which a dozen decimals leave nothing."""
EXACT = 8
"""Numbers that are multiples of one in so many, and not large, have sums that are not rounded."""
ENDS = 1000
"""Letters, or rows, at each end of what is long by which a careless key tells it apart."""


def rounded_alike(
    first: Arguments, second: Arguments, names: Iterable[str]
) -> Iterator[tuple[str, Arguments]]:
    """Yield inputs that are equal in single precision or after a dozen decimals.

    Parameters
    ----------
    first, second : dict
        Inputs by argument name.
    names : iterable of str
        Arguments whose numbers may be any others.

    Yields
    ------
    str
        ``nudged-<argument>`` where that array or number of the first is the same as float32, and
        not as float64; ``small`` and ``small-other``, both draws with all those arrays
        next to 0.
    dict

    Examples
    --------
    >>> x = np.array([0.1, 0.7])
    >>> drawn = dict(rounded_alike({"x": x}, {"x": x + 1}, ["x"]))
    >>> new = drawn["nudged-x"]["x"]
    >>> (new == x).any(), (np.float32(new) == np.float32(x)).all()
    (np.False_, np.True_)
    >>> sorted(drawn)
    ['nudged-x', 'small', 'small-other']
    """
    doubles = [
        name
        for name in names
        if isinstance(value := first.get(name), np.ndarray)
        and value.dtype == np.float64
        and value.size
    ]
    for name in doubles:
        single = first[name].astype(np.float32).astype(np.float64)
        mirrored = 2 * single - first[name]  # as far from it, on its other side
        if not np.array_equal(mirrored, first[name]):
            yield f"nudged-{name}", {**first, name: mirrored}
    for name in names:
        if type(value := first.get(name)) is float and (nudged := _same_as_single(value)) != value:
            yield f"nudged-{name}", {**first, name: nudged}
    for name, inputs in (("small", first), ("small-other", second)) if doubles else ():
        yield name, {**inputs, **{double: inputs[double] * SMALL for double in doubles}}


def _same_as_single(value: float) -> float:
    """Return a number far from another that is the same in single precision.

    Examples
    --------
    >>> nudged = _same_as_single(0.1)
    >>> abs(nudged / 0.1 - 1) > 1e-8, np.float32(nudged) == np.float32(0.1)
    (True, np.True_)
    """
    single = np.float32(value)
    if not np.isfinite(single) or abs(single) < np.finfo(np.float32).tiny:
        return value
    farthest = 0.45 * float(np.spacing(single))
    return float(single) + (farthest if value <= single else -farthest)


def with_equal_sums(inputs: Arguments, names: Iterable[str]) -> Iterator[tuple[str, Arguments]]:
    """Yield inputs with one array whose sum is exact, and with two of its numbers moved apart.

    Length, ends and sum of both are the same; order and extremes mostly are.

    Parameters
    ----------
    inputs : dict
        By argument name.
    names : iterable of str
        Arrays whose numbers may be any others.

    Yields
    ------
    str
        ``sum-<argument>`` and ``same-sum-<argument>``, one after the other.
    dict

    Examples
    --------
    >>> drawn = dict(with_equal_sums({"x": np.array([0, 2, 2, 5, 9])}, ["x"]))
    >>> drawn["sum-x"]["x"], drawn["same-sum-x"]["x"]
    (array([0, 2, 2, 5, 9]), array([0, 1, 2, 6, 9]))
    """
    for name in names:
        value = inputs.get(name)
        if not isinstance(value, np.ndarray) or value.dtype.kind not in "if" or value.ndim != 1:
            continue
        if len(value) < 4 or not np.isfinite(value).all():
            continue
        exact, step = value, 1.0
        if value.dtype.kind == "f":
            exact, step = (np.round(value * EXACT) / EXACT).astype(value.dtype), 1 / EXACT
        moved = exact.copy()
        moved[1] -= value.dtype.type(step)
        moved[-2] += value.dtype.type(step)
        yield f"sum-{name}", {**inputs, name: exact}
        yield f"same-sum-{name}", {**inputs, name: moved}


def with_gap_elsewhere(inputs: Arguments, names: Iterable[str]) -> Iterator[tuple[str, Arguments]]:
    """Yield inputs with the same numbers in the same order, and NaN at another place among them.

    Parameters
    ----------
    inputs : dict
        By argument name.
    names : iterable of str
        Arrays of floats that may hold NaN.

    Yields
    ------
    str
        ``gap-0-<argument>`` and ``gap-1-<argument>``.
    dict

    Examples
    --------
    >>> drawn = dict(with_gap_elsewhere({"x": np.array([0.1, 0.2, 0.3])}, ["x"]))
    >>> drawn["gap-0-x"]["x"], drawn["gap-1-x"]["x"]
    (array([nan, 0.1, 0.2]), array([0.1, nan, 0.2]))
    """
    for name in names:
        value = inputs.get(name)
        if isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.size > 2:
            for place in (0, 1):
                flat = np.insert(value.ravel()[:-1], place, np.nan)
                yield f"gap-{place}-{name}", {**inputs, name: flat.reshape(value.shape)}


def between_equal_ends(
    first: Arguments, second: Arguments, names: Iterable[str]
) -> Iterator[tuple[str, Arguments]]:
    """Yield inputs whose texts are long, and differ far from both ends only.

    Parameters
    ----------
    first, second : dict
        Inputs by argument name.
    names : iterable of str
        Texts that may be of any length.

    Yields
    ------
    str
        ``long-0-<argument>`` with the text of the first in the middle, ``long-1-<argument>`` with
        that of the second, ``long-2-<argument>`` with the parts of the first in another order.
    dict

    Examples
    --------
    >>> drawn = dict(between_equal_ends({"text": "ACGT"}, {"text": "TTGA"}, ["text"]))
    >>> a, b, c = (inputs["text"] for inputs in drawn.values())
    >>> len(a) == len(b), a[:1000] == b[:1000], a[-1000:] == b[-1000:], a == b
    (True, True, True, False)
    """
    for name in names:
        one, other = str(first.get(name) or ""), str(second.get(name) or "")
        if one and one != other:
            end = (one * ENDS)[:ENDS]
            for number, text in enumerate((one, other, _later(one))):
                yield f"long-{number}-{name}", {**first, name: f"{end}{text}{end}"}


def between_equal_arrays(
    first: Arguments, second: Arguments, shapes: dict[str, Shape]
) -> Iterator[tuple[str, Arguments]]:
    """Yield inputs whose arrays are long, and differ far from both ends only.

    Parameters
    ----------
    first, second : dict
        Inputs by argument name.
    shapes : dict
        Declared shapes by argument name.

    Yields
    ------
    str
        ``long-0-<size>`` with the rows of the first in the middle of all arrays of that size,
        ``long-1-<size>`` with those of the second, ``long-2-<size>`` with those of the first
        backwards.
    dict

    Examples
    --------
    >>> drawn = between_equal_arrays({"x": np.arange(3.0)}, {"x": np.ones(3)}, {"x": ["n"]})
    >>> a, b, c = (inputs["x"] for _, inputs in drawn)
    >>> len(a), (a[:1000] == b[:1000]).all(), (a[-1000:] == b[-1000:]).all(), (a == b).all()
    (2003, np.True_, np.True_, np.False_)
    """
    sizes: dict[Size, list[str]] = {}
    for name, shape in shapes.items():
        if shape and isinstance(shape[0], str) and isinstance(first.get(name), np.ndarray):
            sizes.setdefault(shape[0], []).append(name)
    for size, names in sizes.items():
        if size == "..." or any(not len(first[name]) for name in names):
            continue
        ends = {name: np.resize(first[name], (ENDS, *first[name].shape[1:])) for name in names}
        backwards = {name: first[name][::-1] for name in names}
        for number, inner in enumerate((first, second, backwards)):
            if any(first[name].shape != inner[name].shape for name in names):
                continue
            made = {name: np.concatenate([end, inner[name], end]) for name, end in ends.items()}
            yield f"long-{number}-{size}", {**first, **made}


def in_other_order(
    inputs: Arguments, rng: np.random.Generator
) -> tuple[Arguments, Arguments] | tuple[()]:
    """Return an array of numbers whose sums are exact, and with rows between both ends elsewhere.

    Length, ends, sum, extremes and sorted values of both are the same.

    Parameters
    ----------
    inputs : dict
        By argument name.
    rng : numpy.random.Generator

    Returns
    -------
    tuple of dict
        What takes the place of one array; nothing where there is none of four rows.

    Examples
    --------
    >>> one, other = in_other_order({"x": np.arange(9.0)}, np.random.default_rng(0))
    >>> one["x"].sum() == other["x"].sum(), (one["x"] == other["x"]).all()
    (np.True_, np.False_)
    >>> one["x"][[0, -1]] == other["x"][[0, -1]]
    array([ True,  True])
    """
    names = [
        name
        for name, value in inputs.items()
        if isinstance(value, np.ndarray)
        and value.dtype.kind in "biuf"
        and len(np.atleast_1d(value)) > 3
    ]
    if not names:
        return ()
    name = str(rng.choice(names))
    exact = inputs[name]
    if exact.dtype.kind == "f":
        exact = (np.round(exact * EXACT) / EXACT).astype(exact.dtype)
    inner = exact[1:-1]
    ways = (inner[::-1], np.roll(inner, 1, axis=0), rng.permutation(inner))
    other = exact.copy()
    other[1:-1] = ways[int(rng.integers(len(ways)))]
    return {name: exact}, {name: other}


def _later(text: str) -> str:
    """Return a text whose second and last third have changed places: its beginning may be a head.

    Examples
    --------
    >>> _later("abcdefghi")
    'abcghidef'
    """
    third = len(text) // 3
    return text[:third] + text[2 * third :] + text[third : 2 * third]


def in_other_shapes(inputs: Arguments, shapes: dict[str, Shape]) -> Iterator[tuple[str, Arguments]]:
    """Yield inputs whose tables have the same bytes and another number of columns.

    What else has a size that changes is cut or repeated to the new one.

    Parameters
    ----------
    inputs : dict
        By argument name.
    shapes : dict
        Declared shapes by argument name: names of sizes, whole numbers, or ``...`` for any axes.

    Yields
    ------
    str
        ``reshaped-<size>-<columns>``.
    dict
        The numbers of columns that differ least first.

    Examples
    --------
    >>> shapes = {"q": ["n", "d"], "mask": ["n"]}
    >>> inputs = {"q": np.arange(8.0).reshape(2, 4), "mask": np.array([True, False])}
    >>> name, new = next(in_other_shapes(inputs, shapes))
    >>> name, new["q"].shape, new["mask"].shape
    ('reshaped-d-2', (4, 2), (4,))
    """
    arrays: dict[str, Shape] = {}
    for name, shape in shapes.items():
        if isinstance(value := inputs.get(name), np.ndarray):
            own = [size for size in shape if size != "..."]
            lead = value.ndim - len(own) if len(own) < len(shape) else 0
            arrays[name] = [*(f"axis {axis}" for axis in range(lead)), *own]
    sizes: dict[Size, int] = {
        size: inputs[name].shape[axis]
        for name, shape in arrays.items()
        for axis, size in enumerate(shape)
        if isinstance(size, str)
    }
    for width in dict.fromkeys(shape[-1] for shape in arrays.values() if len(shape) == 2):
        tables = [name for name, shape in arrays.items() if len(shape) == 2 and shape[1] == width]
        rows = {arrays[name][0] for name in tables}
        if width not in sizes or width in rows or not rows <= set(sizes):
            continue
        counts = [sizes[row] * sizes[width] for row in rows]
        old = sizes[width]
        fit = [n for n in range(1, max(counts) + 1) if not any(count % n for count in counts)]
        for new in sorted({*fit} - {old}, key=lambda n: (abs(n - old), n)):
            changed = {row: sizes[row] * old // new for row in rows} | {width: new}
            now = {**sizes, **changed}
            resized = {
                name: np.resize(inputs[name], [s if isinstance(s, int) else now[s] for s in shape])
                for name, shape in arrays.items()
                if set(shape) & set(changed)
            }
            yield f"reshaped-{width}-{new}", inputs | resized


def in_other_axes(inputs: Arguments, shapes: dict[str, Shape]) -> Iterator[tuple[str, Arguments]]:
    """Yield inputs whose arrays of three axes and more have the same bytes and these in turn.

    Parameters
    ----------
    inputs : dict
        By argument name.
    shapes : dict
        Declared shapes by argument name.

    Yields
    ------
    str
        ``turned-<axes>``, the first axis being as long as that many axes before were.
    dict
        All arrays of one declared shape have another one.

    Examples
    --------
    >>> inputs = {"image": np.arange(6).reshape(1, 2, 3)}
    >>> for name, new in in_other_axes(inputs, {"image": ["a", "b", "c"]}):
    ...     print(name, new["image"].shape)
    turned-1 (2, 3, 1)
    turned-2 (3, 1, 2)
    """
    for wanted in dict.fromkeys(tuple(shape) for shape in shapes.values()):
        names = [
            name
            for name, shape in shapes.items()
            if tuple(shape) == wanted
            and isinstance(value := inputs.get(name), np.ndarray)
            and value.ndim > 2
        ]
        if not names or not all(isinstance(size, str) for size in wanted):
            continue
        old = inputs[names[0]].shape
        if any(inputs[name].shape != old for name in names):
            continue
        for turn in range(1, len(old)):
            new = old[turn:] + old[:turn]
            if new != old:
                turned = {name: inputs[name].reshape(new) for name in names}
                yield f"turned-{turn}", {**inputs, **turned}


def in_other_byte_order(inputs: Arguments, names: Iterable[str]) -> Iterator[tuple[str, Arguments]]:
    """Yield inputs one array of which has the same bytes, and other numbers in the other order.

    Parameters
    ----------
    inputs : dict
        By argument name.
    names : iterable of str
        Arrays whose numbers may be any others, and lie in memory in either order.

    Yields
    ------
    str
        ``other-end-first-<argument>``.
    dict

    Examples
    --------
    >>> drawn = dict(in_other_byte_order({"x": np.array([1, 2], "<i2")}, ["x"]))
    >>> new = drawn["other-end-first-x"]["x"]
    >>> new.tolist(), new.tobytes() == np.array([1, 2], "<i2").tobytes()
    ([256, 512], True)
    """
    for name in names:
        value = inputs.get(name)
        if isinstance(value, np.ndarray) and value.dtype.itemsize > 1 and value.size:
            same = np.ascontiguousarray(value)
            yield f"other-end-first-{name}", {**inputs, name: same.view(same.dtype.newbyteorder())}
