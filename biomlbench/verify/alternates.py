"""Further calls that every card gets without its author's doing.

Near ones: draws from a declared space that share their sizes, or all but one argument, or all
but one element, so that a key that stands for less than the whole input collides.
Laid out: a case's arrays once more, lying otherwise in memory.
Sequences: many cases in one process, to see whether a result depends on the calls before it.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.sandbox.codec import encode
from biomlbench.sandbox.inside.calls import SEQUENCE
from biomlbench.sandbox.inside.layouts import arrange, traits_of
from biomlbench.verify.space import Source, near_sizes, values_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from biomlbench.verify.plan import PlannedCase

__all__ = [
    "DEFAULT_LAYOUTS",
    "LAYOUTS",
    "chosen_steps",
    "laid_out",
    "lies_in",
    "near_draws",
    "sequences",
    "shows",
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
BASES = 2
"""Cases of each entry point whose arrays are all laid out otherwise, whatever is covered."""
KEPT_ENDS = 3
"""Elements at each end by which a careless key tells inputs apart."""
KEPT_START = 7
"""Tenths of a long input at its start by which one does so."""
EXACT = 1024
"""Numbers that are multiples of one in so many have sums that are not rounded."""
SCALES = (2.0, 0.5, 4.0, 0.25, 1.5, 0.75, 1.25, 0.875)
"""Factors for numbers, the best first: by a power of two their ratio stays exactly as it is."""
MAX_STEPS = 16
MAX_TWICE = 48
"""Cases of one sequence that are called twice in a row: what is returned for a special case may be
one object for all calls."""
MAX_LONGEST = 64
"""Of a text or a list in them: of such, work may grow with the square."""
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
        ``inner-<argument>`` those between a long start and the last few; ``turned-<argument>``
        the same elements, each row backwards; ``exact-<argument>`` and ``permuted-<argument>``
        numbers whose sums are not rounded, and the same with the rows between both ends in another
        order; ``swapped-<argument>`` has letters of the other case
        where the space has both; ``scaled`` has all numbers times one factor, and
        ``exchanged`` two of them in each other's place, where the space allows it;
        ``resized-<dimension>`` has that size changed, and all values that have not that size kept.
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
            drawn[f"turned-{name}"] = {**first, name: _turned(first[name])}
        if touched is not None and isinstance(touched, np.ndarray) and _may_be_rounded(spec):
            exact = np.round(first[name] * EXACT) / EXACT
            drawn[f"exact-{name}"] = {**first, name: exact}
            drawn[f"permuted-{name}"] = {**first, name: _permuted(exact)}
        if "string" in spec:
            other = first[name].swapcase()
            if other != first[name] and set(other) <= set(spec["string"]):
                drawn[f"swapped-{name}"] = {**first, name: other}
    drawn |= {name: {**first, **new} for name, new in _alike(space["arguments"], first).items()}
    drawn |= {name: {**first, **new} for name, new in _resized(space, source, dims).items()}
    return {name: build(**values) if build else values for name, values in drawn.items()}


def _alike(space: dict[str, Any], first: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return other numbers of which ratios, sums, products or extremes are those of the first."""
    found: dict[str, dict[str, Any]] = {}
    spans = {name: spec.get("number") or spec.get("integer") for name, spec in space.items()}
    spans = {name: span for name, span in spans.items() if span and _is_plain(span)}
    floats = [name for name in spans if "number" in space[name]]
    for factor in SCALES if len(floats) > 1 else ():
        scaled = {name: first[name] * factor for name in floats}
        if all(_within(scaled[name], spans[name]) for name in floats):
            found["scaled"] = scaled
            break
    for one, other in combinations(spans, 2):
        if type(first[one]) is not type(first[other]) or first[one] == first[other]:
            continue
        if _within(first[one], spans[other]) and _within(first[other], spans[one]):
            found["exchanged"] = {one: first[other], other: first[one]}
            break
    return found


def _resized(
    space: dict[str, Any], source: Source, dims: dict[str, int]
) -> dict[str, dict[str, Any]]:
    """Return new values of the arguments that have a dimension, for each one beside others."""
    found = {}
    for dim, (low, _) in space.get("dims", {}).items() if len(dims) > 1 else ():
        size = max(int(low), dims[dim] // 2)
        if size != dims[dim]:
            mine = {n: spec for n, spec in space["arguments"].items() if _hangs_on(spec, dim)}
            changed = {**space, "arguments": mine}
            found[f"resized-{dim}"] = values_of(changed, source, {**dims, dim: size})
    return {name: values for name, values in found.items() if values}


def _hangs_on(spec: dict[str, Any], dim: str) -> bool:
    wanted = [*spec.get("shape", []), spec.get("length"), *spec.get("integer", [])]
    return dim in [*wanted, spec.get("min"), spec.get("max")]


def _is_plain(span: list[Any]) -> bool:
    return not any(isinstance(bound, str) for bound in span)


def _within(value: float, span: list[float]) -> bool:
    return bool(span[0] <= value <= span[1])


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


def _turned(old: Any) -> Any:
    """Return `old` backwards, so that a key of sorted elements, a sum or a set stands for both."""
    return old[..., ::-1].copy() if isinstance(old, np.ndarray) else old[::-1]


def _may_be_rounded(spec: dict[str, Any]) -> bool:
    """Whether numbers of a drawn array may be rounded a little and stay within its bounds."""
    bounds = [bound for bound in (spec.get("min"), spec.get("max")) if bound is not None]
    whole = all(isinstance(bound, (int, float)) and bound == int(bound) for bound in bounds)
    return "float" in str(spec.get("array", "")) and "decimals" not in spec and whole


def _permuted(old: np.ndarray) -> np.ndarray:
    """Return rows of which those between both ends are backwards: sums and ends stay."""
    keep = min(KEPT_ENDS, (len(old) - 1) // 3)
    new = old.copy()
    new[keep : len(old) - keep] = old[keep : len(old) - keep][::-1]
    return new


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
    """Plan cases that differ from others in layout alone.

    Each layout is tried on each argument and dtype for which it changes something in memory: on
    that array alone, and on all arrays of the call together.

    Parameters
    ----------
    cases : iterable of PlannedCase
        Of one entry point, in the order of preference.
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
    seen: set[bytes] = set()
    covered: set[tuple[str, int | str, str]] = set()

    def add(base: PlannedCase, name: str, args: Any, kwargs: Any) -> None:
        data = encode((args, kwargs), layouts=True)
        if data not in seen:
            seen.add(data)
            found[planned("adversarial", name, base.function, args, kwargs)] = base.id

    bases = _bases(cases)
    for base in bases:
        seen.add(encode((base.args, base.kwargs), layouts=True))
        values: dict[int | str, Any] = dict([*enumerate(base.args), *base.kwargs.items()])
        for layout in layouts:
            new = {
                place: value.dtype.name
                for place, value in values.items()
                if isinstance(value, np.ndarray) and shows(value, layout)
            }
            if base in bases[:BASES] or not covered >= {(layout, *one) for one in new.items()}:
                add(base, f"{base.name}~{layout}", *with_layout((base.args, base.kwargs), layout))
            for place, dtype in new.items():
                if (layout, place, dtype) in covered:
                    continue
                covered.add((layout, place, dtype))
                turned = {**values, place: with_layout(values[place], layout)}
                args = tuple(turned.pop(i) for i in range(len(base.args)))
                add(base, f"{base.name}~{layout}-{place}", args, turned)
    return found


def shows(array: np.ndarray, layout: str) -> bool:
    """Say whether code that reads an array's memory carelessly sees that it is laid out so.

    One byte has no order of bytes, a row has none of axes, and of equal numbers none is misread.
    """
    if array.dtype.kind not in "biufc" or array.size < 2:
        return False
    if layout == "readonly":
        return True
    if layout == "strided":
        return bool((array != array.flat[0]).any())
    return bool(with_layout(array, layout).tobytes("A") != array.tobytes("A"))


def lies_in(array: np.ndarray) -> list[str]:
    """Return the layouts that an array has."""
    fortran = array.flags.f_contiguous and not array.flags.c_contiguous
    return [*traits_of(array), *(["fortran"] if fortran else [])]


def _bases(cases: Iterable[PlannedCase]) -> list[PlannedCase]:
    """Return small cases with arrays: that with most axes first, then hidden ones."""
    fit = [c for c in cases if _arrays(c) and _size(c) < MAX_STEP_BYTES]
    hidden = [case for case in fit if case.suite == "hidden"]
    deepest = sorted(hidden, key=_axes, reverse=True)[:1]
    return list(dict.fromkeys([*deepest, *hidden, *fit]))


def _arrays(case: PlannedCase) -> list[np.ndarray]:
    values = (*case.args, *case.kwargs.values())
    return [v for v in values if isinstance(v, np.ndarray) and v.size > 1]


def _axes(case: PlannedCase) -> int:
    axes: list[int] = [sum(size > 1 for size in array.shape) for array in _arrays(case)]
    return max(axes)


def _size(case: PlannedCase) -> int:
    encoded: bytes = encode((case.args, case.kwargs), layouts=True)
    return len(encoded)


def _longest(case: PlannedCase) -> int:
    values = (*case.args, *case.kwargs.values())
    return max((len(v) for v in values if isinstance(v, str | list)), default=0)


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
    steps: Sequence[PlannedCase],
    cases: Sequence[PlannedCase],
    planned: Callable[..., PlannedCase],
) -> dict[PlannedCase, tuple[str, ...]]:
    """Plan the sequences: forwards with everything kept, backwards with objects used again.

    Others have every small case, each twice in a row: what a call returned has been overwritten
    by its caller when the same is asked again.

    The first step of each function comes once more at the end of each, and its last one twice in
    a row: what is kept for few calls only shows at once.
    """
    found: dict[PlannedCase, tuple[str, ...]] = {}
    if not steps:
        return found
    for name, order, reuse in (
        ("forwards", steps, False),
        ("backwards", steps[::-1], True),
    ):
        first = {case.function: case for case in order[::-1]}
        last = {case.function: case for case in order}
        order = [*order, *(case for one in last.values() for case in (one, one)), *first.values()]
        found |= _sequence(name, order, reuse, planned)
    small = [c for c in cases if _size(c) <= MAX_STEP_BYTES // 3 and _longest(c) <= MAX_LONGEST]
    for number, start in enumerate(range(0, len(small), MAX_TWICE)):
        twice = [case for case in small[start : start + MAX_TWICE] for case in (case, case)]
        found |= _sequence(f"twice-{number}", twice, True, planned)
    return found


def _sequence(
    name: str, order: Sequence[PlannedCase], reuse: bool, planned: Callable[..., PlannedCase]
) -> dict[PlannedCase, tuple[str, ...]]:
    calls = tuple((case.function, case.args, case.kwargs) for case in order)
    case = planned("adversarial", f"sequence~{name}", SEQUENCE, (reuse, calls), {})
    return {case: tuple(step.id for step in order)}
