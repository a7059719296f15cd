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

__all__ = ["in_other_shapes", "rounded_alike"]

SMALL = 2.0**-40
"""Factor for numbers of which a dozen decimals leave nothing."""


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
        ``nudged-<argument>`` where that array of the first is the same as float32, and not as
        float64; ``small`` and ``small-other``, both draws with all those arrays
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
    for name, inputs in (("small", first), ("small-other", second)) if doubles else ():
        yield name, {**inputs, **{double: inputs[double] * SMALL for double in doubles}}


def in_other_shapes(inputs: Arguments, shapes: dict[str, Shape]) -> Iterator[Arguments]:
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
    dict
        The numbers of columns that differ least first.

    Examples
    --------
    >>> shapes = {"q": ["n", "d"], "mask": ["n"]}
    >>> inputs = {"q": np.arange(8.0).reshape(2, 4), "mask": np.array([True, False])}
    >>> new = next(in_other_shapes(inputs, shapes))
    >>> new["q"].shape, new["mask"].shape
    ((4, 2), (4,))
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
            yield inputs | {
                name: np.resize(inputs[name], [s if isinstance(s, int) else now[s] for s in shape])
                for name, shape in arrays.items()
                if set(shape) & set(changed)
            }
