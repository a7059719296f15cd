"""Values of the arguments of one edge case, by the level that each of them has."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, TypeAlias

from biomlbench.verify import edge_nested, edge_values
from biomlbench.verify.declarations import names_of_sizes
from biomlbench.verify.edge_numbers import Drawing
from biomlbench.verify.edge_sizes import as_earlier, factor_of, shrunk, size_of

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from biomlbench.contracts.mappings import Arguments
    from biomlbench.verify.edge_sources import Source

__all__ = [
    "LEADS",
    "ORDINARY",
    "Change",
    "built",
    "dtype_of",
    "factors_of",
    "filled",
    "first_of",
    "tried",
    "value_of",
]

Change: TypeAlias = "Callable[[Arguments, np.random.Generator], None]"

TRIES = 5
"""Draws of one combination before it is given up."""
LEADS = (
    *((), (1,), (3,), (0,), (2, 3), (2, 1, 2), (2, 0), (2, 1, 1, 2), (1, 2, 1, 2, 1)),
    (131,),
)
"""Sizes of axes that no declaration names; the last is for large calls alone."""
ORDINARY = ("few", "tens", "mixed", "spread", "choice-0")
_SIZES = ("least", "least+1", "least+2", "few", "tens", "rung")


def factors_of(source: Source) -> dict[str, list[str]]:
    """Return what is combined: sizes by level, arguments by pattern."""
    found: dict[str, list[str]] = {}
    used = list(itertools.chain.from_iterable(map(names_of_sizes, source.arguments.values())))
    for name in dict.fromkeys(used):
        levels = [level for level in _SIZES if size_of(level, source.sizes[name], None) is not None]
        found[factor_of(name)] = levels
    if any(spec.get("shape", [""])[:1] == ["..."] for spec in source.arguments.values()):
        found["..."] = [str(i) for i in range(len(LEADS) - 1)]
    for name, spec in source.arguments.items():
        found[name] = edge_nested.names(spec, name in source.left_out)
        if len(spec.get("array", ())) > 1:
            found[dtype_of(name)] = [f"any-{dtype}" for dtype in spec["array"]]
    return found


def first_of(wanted: tuple[str, ...], factors: dict[str, list[str]]) -> dict[str, str]:
    """Return the first wanted level that a factor has, for each; else its own first."""
    return {
        name: next((level for level in wanted if level in every), every[0])
        for name, every in factors.items()
    }


def dtype_of(name: str) -> str:
    """Return the factor of an array's dtype."""
    return f"dtype({name})"


def tried(
    source: Source,
    levels: dict[str, str],
    rng: np.random.Generator,
    large: dict[str, int] | None = None,
    change: Change | None = None,
) -> Arguments | None:
    """Return inputs of the first draw that is promised; None where none of a few is.

    `change` changes the drawn values in place, and raises ValueError where they do not fit.
    """
    draws = (_inputs(source, levels, rng, large, change) for _ in range(TRIES))
    return next((inputs for inputs in draws if inputs is not None), None)


def _inputs(
    source: Source,
    levels: dict[str, str],
    rng: np.random.Generator,
    large: dict[str, int] | None,
    change: Change | None,
) -> Arguments | None:
    dims = {
        name: size_of(levels[factor_of(name)], bounds, rng) or 0
        for name, bounds in source.sizes.items()
        if factor_of(name) in levels
    }
    lead = LEADS[int(levels.get("...", 0))]
    dims = large or shrunk(source, as_earlier(source, dims, levels, rng), lead)
    drawing = Drawing(rng, dims, lead=lead, bounds=source.sizes)
    try:
        values = filled(source, levels, drawing)
    except edge_nested.TooFewError:
        return None
    if change is not None:
        try:
            change(values, rng)
        except ValueError:
            return None
    return built(source, values)


def filled(source: Source, levels: dict[str, str], drawing: Drawing) -> Arguments:
    """Make a value of each argument, by the pattern that `levels` names for it."""
    for name in source.arguments:
        drawing.earlier |= value_of(source, name, levels, drawing)
    return drawing.earlier


def value_of(source: Source, name: str, levels: dict[str, str], drawing: Drawing) -> Arguments:
    """Make the value of one argument by its pattern; none where that is to leave it out."""
    if levels[name] == "left-out":
        return {}
    dtype = levels.get(dtype_of(name), "").removeprefix("any-")
    spec = edge_values.of_dtype(source.arguments[name], dtype, levels[name])
    return {name: edge_nested.make(levels[name], spec, drawing)}


def built(source: Source, values: Arguments) -> Arguments | None:
    """Make inputs out of values; None where they are not promised."""
    if source.build is None:
        return values
    try:
        return source.build(**values)
    except ValueError:
        # a space's build raises where its values do not fit
        if source.strict:
            raise
        return None
