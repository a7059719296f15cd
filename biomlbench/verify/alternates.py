"""Further calls that every card gets without its author's doing.

Near ones: draws from a declared space that share their sizes, or all but one argument, or all
but one element, so that a key that stands for less than the whole input collides.
Laid out: a hidden case's arrays once more, lying otherwise in memory.
Sequences: many cases in one process, to see whether a result depends on the calls before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.sandbox.codec import encode
from biomlbench.sandbox.inside.calls import SEQUENCE
from biomlbench.sandbox.inside.layouts import arrange
from biomlbench.verify.space import Source, near_sizes, values_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from biomlbench.verify.plan import PlannedCase

__all__ = [
    "DEFAULT_LAYOUTS",
    "LAYOUTS",
    "chosen_steps",
    "laid_out",
    "near_draws",
    "sequences",
    "with_layout",
]

LAYOUTS = {
    "fortran": "Fortran order, also of some arrays beside C order of others",
    "strided": "views that are not contiguous",
    "readonly": "read-only",
    "swapped": "the other byte order",
}
"""How an array may lie in memory, in the words of a statement."""
DEFAULT_LAYOUTS = ("fortran", "strided", "readonly")
_MIXED = "mixed"
BASES = 3
"""Cases of each entry point that are laid out otherwise."""
KEPT_ENDS = 3
"""Elements at each end by which a careless key tells inputs apart."""
KEPT_START = 7
"""Tenths of a long input at its start by which one does so."""
MAX_STEPS = 16
MAX_STEP_BYTES = 6_000
"""A sequence is of small cases: how a function treats its past does not hang on size."""


def near_draws(
    space: dict[str, Any],
    rng: np.random.Generator,
    build: Callable[..., dict[str, Any]] | None,
) -> dict[str, dict[str, Any]]:
    """Draw inputs that have much in common, by a name for each.

    Parameters
    ----------
    space : dict
        As in `verifier.yaml`; its dimensions are those of `near_dims`, else the largest.
    rng : numpy.random.Generator
    build : callable, optional
        Makes the inputs out of the drawn values.

    Returns
    -------
    dict
        ``first`` and ``second`` are drawn alike; ``other-<argument>`` has that value of the
        second and the rest of the first; ``touched-<argument>`` only one element of it, and
        ``inner-<argument>`` those between a long start and the last few.
    """
    source, dims = Source(rng), near_sizes(space)
    first, second = values_of(space, source, dims), values_of(space, source, dims)
    drawn = {"first": first, "second": second}
    for name, spec in space["arguments"].items():
        if len(first) > 1 and "value" not in spec:
            drawn[f"other-{name}"] = {**first, name: second[name]}
        many = "string" in spec or ("array" in spec and not spec.get("distinct"))
        touched = _touched(first[name], second[name]) if many else None
        if touched is not None:
            drawn[f"touched-{name}"] = {**first, name: touched}
            drawn[f"inner-{name}"] = {**first, name: _inner(first[name], second[name])}
    return {name: build(**values) if build else values for name, values in drawn.items()}


def _touched(old: Any, new: Any) -> Any:
    """Return `old` with one element, far from both ends, of `new`; None where there is none."""
    size = old.size if isinstance(old, np.ndarray) else len(old)
    if size < 4:
        return None
    if isinstance(old, np.ndarray):
        flat, other = old.ravel(), new.ravel()
        place = _differing([a != b for a, b in zip(flat, other, strict=True)], size)
        if place is None:
            return None
        flat = flat.copy()
        flat[place] = other[place]
        return flat.reshape(old.shape)
    place = _differing([a != b for a, b in zip(old, new, strict=True)], size)
    return None if place is None else old[:place] + new[place : place + 1] + old[place + 1 :]


def _inner(old: Any, new: Any) -> Any:
    """Return `old` with elements of `new` near its end: long starts and short ends stay."""
    size = old.size if isinstance(old, np.ndarray) else len(old)
    keep = min(KEPT_ENDS, (size - 1) // 2)
    start, stop = max(keep, min(KEPT_START * size // 10, size - 2 * keep)), size - keep
    if not isinstance(old, np.ndarray):
        return old[:start] + new[start:stop] + old[stop:]
    flat = old.ravel().copy()
    flat[start:stop] = new.ravel()[start:stop]
    return flat.reshape(old.shape)


def _differing(differs: list[bool], size: int) -> int | None:
    """Return the place of a difference nearest to three quarters of the way."""
    places = [i for i in range(1, size - 1) if differs[i]]
    return min(places, key=lambda i: abs(i - 3 * size // 4), default=None)


def with_layout(value: Any, layout: str) -> Any:
    """Return an equal value whose arrays of numbers lie in memory as `layout` says."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "biufc":
            return value
        if layout == "fortran":
            return np.asfortranarray(value)
        return arrange(np.array(value, dtype=value.dtype.newbyteorder("=")), [layout])
    if isinstance(value, (list, tuple)):
        return type(value)(with_layout(item, layout) for item in value)
    if isinstance(value, dict):
        return {key: with_layout(item, layout) for key, item in value.items()}
    return value


def laid_out(
    cases: Iterable[PlannedCase],
    layouts: Sequence[str],
    planned: Callable[..., PlannedCase],
) -> dict[PlannedCase, str]:
    """Plan cases that differ from hidden ones in layout alone.

    Parameters
    ----------
    cases : iterable of PlannedCase
        Of one entry point.
    layouts : sequence of str
        Of :data:`LAYOUTS`.
    planned : callable
        Makes a planned case out of suite, name, function, args and kwargs.

    Returns
    -------
    dict
        Each new case to the id of the one that it must agree with.
    """
    found: dict[PlannedCase, str] = {}
    for base in _bases(cases):
        call = (base.args, base.kwargs)
        seen = {encode(call, layouts=True)}
        for layout in _each(layouts):
            args, kwargs = _every_second(call) if layout == _MIXED else with_layout(call, layout)
            data = encode((args, kwargs), layouts=True)
            if data in seen:
                continue
            seen.add(data)
            name = f"{base.name}~{layout}"
            case = planned("adversarial", name, base.function, args, kwargs)
            found[case] = base.id
    return found


def _each(layouts: Sequence[str]) -> list[str]:
    return [*layouts, *([_MIXED] if "fortran" in layouts else [])]


def _every_second(call: tuple[tuple[Any, ...], dict[str, Any]]) -> Any:
    """Turn every second array into Fortran order: orders that differ must not matter either."""
    args, kwargs = call
    count = 0

    def turned(value: Any) -> Any:
        nonlocal count
        if not isinstance(value, np.ndarray) or value.ndim < 2:
            return value
        count += 1
        return with_layout(value, "fortran") if count % 2 == 0 else value

    return tuple(turned(value) for value in args), {k: turned(v) for k, v in kwargs.items()}


def _bases(cases: Iterable[PlannedCase]) -> list[PlannedCase]:
    """Choose hidden cases with arrays: the first ones, and that with most axes."""
    fit = [c for c in cases if c.suite == "hidden" and _arrays(c) and _size(c) < MAX_STEP_BYTES]
    deepest = sorted(fit, key=_axes, reverse=True)[:1]
    return list(dict.fromkeys([*deepest, *fit]))[:BASES]


def _arrays(case: PlannedCase) -> list[np.ndarray]:
    values = (*case.args, *case.kwargs.values())
    return [v for v in values if isinstance(v, np.ndarray) and v.size > 1]


def _axes(case: PlannedCase) -> int:
    axes: list[int] = [sum(size > 1 for size in array.shape) for array in _arrays(case)]
    return max(axes)


def _size(case: PlannedCase) -> int:
    encoded: bytes = encode((case.args, case.kwargs), layouts=True)
    return len(encoded)


def chosen_steps(cases: Sequence[PlannedCase], near: frozenset[str]) -> list[PlannedCase]:
    """Choose the cases of a sequence: all near draws, and small ones of every suite.

    Parameters
    ----------
    cases : sequence of PlannedCase
    near : frozenset of str
        Ids of cases drawn by :func:`near_draws`.
    """
    close = [case for case in cases if case.id in near]
    rest = [c for c in cases if c.id not in near and _size(c) <= MAX_STEP_BYTES]
    room = max(MAX_STEPS - len(close), MAX_STEPS // 2)
    spread = rest[:: max(1, len(rest) // room)][:room]
    return [*spread[::2], *close, *spread[1::2]]


def sequences(
    steps: Sequence[PlannedCase], planned: Callable[..., PlannedCase]
) -> dict[PlannedCase, tuple[str, ...]]:
    """Plan the sequences: forwards with everything kept, backwards with objects used again.

    The first step of each function comes once more at the end of each.
    """
    found: dict[PlannedCase, tuple[str, ...]] = {}
    if not steps:
        return found
    for name, order, reuse in (
        ("forwards", steps, False),
        ("backwards", steps[::-1], True),
    ):
        order = [*order, *{case.function: case for case in order[::-1]}.values()]
        calls = tuple((case.function, case.args, case.kwargs) for case in order)
        case = planned("adversarial", f"sequence~{name}", SEQUENCE, (reuse, calls), {})
        found[case] = tuple(step.id for step in order)
    return found
