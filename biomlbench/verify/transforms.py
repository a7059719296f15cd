"""Ready metamorphic transforms: base inputs and a seeded generator in, new inputs out.

A transform has the signature ``f(inputs, rng, **options) -> Transformed``. It never changes
its inputs in place. Options that name arguments are `arguments`: a list of names, or a mapping
of name to axis. A transform that has a parameter `reference` is given the reference solution,
as a function of the inputs by name. A transform in a card's own `properties.py` is used the
same way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.verify.cases import Transformed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from biomlbench.contracts.mappings import Arguments

__all__ = [
    "add_constant",
    "duplicate",
    "feed_back",
    "pad",
    "permute",
    "permute_columns",
    "permute_rows",
    "reorder_batch",
    "rotate",
    "same_again",
    "scale",
    "split_batch",
    "stronger_mask",
    "swap_arguments",
    "swap_labels",
    "translate",
    "widen_dtype",
]


def _axes(arguments: Any, axis: int = 0) -> dict[str, int]:
    if isinstance(arguments, dict):
        return dict(arguments)
    return dict.fromkeys([arguments] if isinstance(arguments, str) else arguments, axis)


def _take(value: Any, index: np.ndarray, axis: int) -> Any:
    """Take items along an axis; lists and strings stay what they are."""
    if isinstance(value, np.ndarray):
        return np.take(value, index, axis=axis)
    if axis != 0:
        raise ValueError("only an array has an axis other than 0")
    if isinstance(value, str):
        return "".join(value[i] for i in index)
    return type(value)(value[i] for i in index)


def _length(inputs: Arguments, axes: dict[str, int]) -> int:
    sizes = {
        inputs[name].shape[axis] if isinstance(inputs[name], np.ndarray) else len(inputs[name])
        for name, axis in axes.items()
    }
    if len(sizes) != 1:
        raise ValueError(f"the arguments {sorted(axes)} differ in length along their axes")
    return int(sizes.pop())


def permute(inputs: Arguments, rng: np.random.Generator, *, arguments: Any) -> Transformed:
    """Put the items of several arguments, each along its axis, into one new order.

    Notes
    -----
    ``info["permutation"]``: item i of the variant is item permutation[i] of the base. With two
    or more items the order is never the old one.
    """
    axes = _axes(arguments)
    n = _length(inputs, axes)
    order = rng.permutation(n)
    if n > 1 and (order == np.arange(n)).all():
        order = np.roll(order, 1)
    new = {**inputs, **{name: _take(inputs[name], order, axis) for name, axis in axes.items()}}
    return Transformed([new], {"permutation": order})


def permute_rows(inputs: Arguments, rng: np.random.Generator, *, arguments: Any) -> Transformed:
    """Permute the first axis of the arguments together."""
    return permute(inputs, rng, arguments=_axes(arguments, 0))


def permute_columns(inputs: Arguments, rng: np.random.Generator, *, arguments: Any) -> Transformed:
    """Permute the last axis of the arguments together."""
    return permute(inputs, rng, arguments=_axes(arguments, -1))


def reorder_batch(inputs: Arguments, rng: np.random.Generator, *, arguments: Any) -> Transformed:
    """Put the items of a batch into another order."""
    return permute(inputs, rng, arguments=_axes(arguments, 0))


def split_batch(inputs: Arguments, rng: np.random.Generator, *, arguments: Any) -> Transformed:
    """Split a batch into two calls; pair it with the relation ``concatenated``.

    Notes
    -----
    A batch of fewer than two items stays one call.
    """
    axes = _axes(arguments)
    n = _length(inputs, axes)
    cut = int(rng.integers(1, n)) if n > 1 else n
    parts = [np.arange(cut), np.arange(cut, n)] if n > 1 else [np.arange(n)]
    variants = [
        {**inputs, **{name: _take(inputs[name], part, axis) for name, axis in axes.items()}}
        for part in parts
    ]
    return Transformed(variants, {"cut": cut})


def duplicate(
    inputs: Arguments, rng: np.random.Generator, *, arguments: Any, times: int = 2
) -> Transformed:
    """Repeat every item `times` times, one block after the other."""
    axes = _axes(arguments)
    order = np.tile(np.arange(_length(inputs, axes)), times)
    new = {**inputs, **{name: _take(inputs[name], order, axis) for name, axis in axes.items()}}
    return Transformed([new], {"times": times})


def pad(
    inputs: Arguments,
    rng: np.random.Generator,
    *,
    arguments: Any,
    width: int = 2,
    value: Any = 0,
    values: Any = None,
) -> Transformed:
    """Append `width` items of `value` (or of ``values[name]``) to the arguments."""
    axes = _axes(arguments)
    n = _length(inputs, axes)
    new = dict(inputs)
    for name, axis in axes.items():
        fill = (values or {}).get(name, value)
        old = inputs[name]
        if isinstance(old, np.ndarray):
            widths = [(0, 0)] * old.ndim
            widths[axis] = (0, width)
            new[name] = np.pad(old, widths, constant_values=fill)
        elif isinstance(old, str):
            new[name] = old + str(fill) * width
        else:
            new[name] = type(old)([*old, *([fill] * width)])
    return Transformed([new], {"length": n, "width": width})


def _float(value: Any) -> Any:
    return np.asarray(value, float) if isinstance(value, (np.ndarray, list, tuple)) else value


def translate(
    inputs: Arguments,
    rng: np.random.Generator,
    *,
    arguments: Any,
    by: float | None = None,
    size: float = 10.0,
) -> Transformed:
    """Shift each argument.

    Parameters
    ----------
    arguments : list of str
    by : float, optional
        Shift of every number. Without it, each argument is shifted by a random vector along
        its last axis, another for each argument, drawn from [-size, size].
    """
    new, shifts = dict(inputs), {}
    for name in _axes(arguments):
        old = _float(inputs[name])
        shape = np.shape(old)[-1:] if np.ndim(old) > 1 else ()
        shifts[name] = by if by is not None else rng.uniform(-size, size, shape)
        new[name] = old + shifts[name]
    return Transformed([new], {"shifts": shifts})


def add_constant(
    inputs: Arguments, rng: np.random.Generator, *, arguments: Any, by: float
) -> Transformed:
    """Add one number to every element of the arguments."""
    return translate(inputs, rng, arguments=arguments, by=by)


def scale(
    inputs: Arguments, rng: np.random.Generator, *, arguments: Any, factor: float = 2.0
) -> Transformed:
    """Multiply the arguments by one factor."""
    new = {**inputs, **{name: _float(inputs[name]) * factor for name in _axes(arguments)}}
    return Transformed([new], {"factor": factor})


def rotate(
    inputs: Arguments, rng: np.random.Generator, *, arguments: Any, together: bool = False
) -> Transformed:
    """Rotate coordinates (last axis of length 3) by random proper rotations.

    With `together` all arguments get the same rotation, otherwise each its own.
    """
    new, rotations = dict(inputs), {}
    shared = _rotation(rng)
    for name in _axes(arguments):
        rotations[name] = shared if together else _rotation(rng)
        new[name] = _float(inputs[name]) @ rotations[name].T
    return Transformed([new], {"rotations": rotations})


def _rotation(rng: np.random.Generator) -> np.ndarray:
    """Return a uniformly distributed rotation matrix, from a random unit quaternion."""
    w, x, y, z = _unit(rng.normal(size=4))
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def _unit(vector: np.ndarray) -> np.ndarray:
    result: np.ndarray = vector / np.linalg.norm(vector)
    return result


def stronger_mask(
    inputs: Arguments,
    rng: np.random.Generator,
    *,
    argument: str,
    masked_where: bool = False,
    leave: int = 1,
) -> Transformed:
    """Mask one more entry in every row that keeps more than `leave` unmasked ones.

    Notes
    -----
    ``info["newly_masked"]`` is True where an entry has become masked.
    """
    mask = np.array(inputs[argument], bool)
    rows = mask.reshape(-1, mask.shape[-1])
    newly = np.zeros_like(rows)
    for row, mark in zip(rows, newly, strict=True):
        free = np.flatnonzero(row != masked_where)
        if len(free) > leave:
            mark[rng.choice(free)] = True
    changed = np.where(newly.reshape(mask.shape), masked_where, mask)
    return Transformed([{**inputs, argument: changed}], {"newly_masked": newly.reshape(mask.shape)})


def swap_labels(
    inputs: Arguments, rng: np.random.Generator, *, argument: str, labels: Sequence[Any] = (0, 1)
) -> Transformed:
    """Exchange two labels; other values stay."""
    first, second = labels
    old = inputs[argument]
    array = np.asarray(old)
    new = np.where(array == first, second, np.where(array == second, first, array))
    new = new.astype(array.dtype)
    value = new if isinstance(old, np.ndarray) else type(old)(new.tolist())
    return Transformed([{**inputs, argument: value}])


def swap_arguments(
    inputs: Arguments, rng: np.random.Generator, *, arguments: Sequence[str]
) -> Transformed:
    """Exchange two arguments."""
    first, second = arguments
    return Transformed([{**inputs, first: inputs[second], second: inputs[first]}])


def widen_dtype(
    inputs: Arguments,
    rng: np.random.Generator,
    *,
    arguments: Any,
    narrow: str = "float32",
    wide: str = "float64",
) -> Transformed:
    """Give the same numbers twice, as a narrow and as a wide dtype.

    Notes
    -----
    Both variants hold the numbers rounded to the narrow dtype; pair it with the relation
    ``agree``.
    """
    names = list(_axes(arguments))
    low = {name: np.asarray(inputs[name]).astype(narrow) for name in names}
    high = {name: value.astype(wide) for name, value in low.items()}
    return Transformed([{**inputs, **low}, {**inputs, **high}])


def same_again(inputs: Arguments, rng: np.random.Generator) -> Transformed:
    """Call once more with the same inputs: determinism, and no state kept between calls."""
    return Transformed([dict(inputs)])


def feed_back(
    inputs: Arguments,
    rng: np.random.Generator,
    *,
    argument: str,
    reference: Callable[[Arguments], Any],
) -> Transformed:
    """Give the right result back as input, for a function with f(f(x)) = f(x)."""
    return Transformed([{**inputs, argument: reference(inputs)}])
