"""Cases that are called otherwise, without their author's doing.

Laid out: a case's arrays once more, lying otherwise in memory.
Sequences: many cases in one process, to see whether a result depends on the calls before it.
"""

from __future__ import annotations

import itertools
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.sandbox.codec import encode
from biomlbench.sandbox.inside.calls import SEQUENCE
from biomlbench.sandbox.inside.layouts import arrange, traits_of, viewed
from biomlbench.verify.shared_memory import in_one_memory, mirrored, overlapping

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from biomlbench.verify.plan import PlannedCase

__all__ = [
    "DEFAULT_LAYOUTS",
    "IN_ONE_MEMORY",
    "LAYOUTS",
    "REVERSED",
    "SHARED",
    "VIEWS",
    "chosen_steps",
    "laid_out",
    "layouts_of",
    "lies_in",
    "sequences",
    "shows",
    "with_layout",
    "with_mixed",
]

LAYOUTS = {
    "fortran": "Fortran order, also of some arrays beside C order of others",
    "strided": "views that are not contiguous",
    "readonly": "read-only",
    "swapped": "the other byte order",
}
"""How an array may lie in memory, in the words of a statement."""
SHARED, IN_ONE_MEMORY = "shared", "views of memory that several arguments share"
REVERSED, WINDOW, TURNED, EXCHANGED = "reversed", "window", "turned", "exchanged"
VIEWS = {
    "strided": "every other element of a longer last axis",
    REVERSED: "the last axis goes backwards in memory",
    WINDOW: "rows of a wider table",
    TURNED: "the axes of a table in opposite order, of one that is wider",
    EXCHANGED: "the first two of three axes or more have changed places",
}
"""What a view that is not contiguous may be."""
MIXED = (
    *(("fortran", "strided"), ("strided", "fortran"), (REVERSED, "fortran")),
    *((TURNED, WINDOW), (WINDOW, TURNED), (EXCHANGED, TURNED)),
)
"""Layouts of arrays of one call, in turn."""
DEFAULT_LAYOUTS = ("fortran", "strided", "readonly")
BASES = 2
"""Cases of each entry point whose arrays are all laid out otherwise, whatever is covered."""
MIRRORED = 3
"""Cases of each entry point in which an array is a view of another one, for each way to turn it."""
ALIKE = 3
"""Cases in which an array shares memory: whether one in another's place is told depends on both."""
MAX_STEPS = 16
MAX_TWICE = 48
"""Cases of one sequence that are called twice in a row: what is returned for a special case may be
one object for all calls."""
MAX_LONGEST = 64
"""Of a text or a list in them: of such, work may grow with the square."""
MAX_STEP_BYTES = 6_000
"""A sequence is of small cases: how a function treats its past does not hang on size."""


def with_layout(value: Any, layout: str) -> Any:
    """Return an equal value whose arrays of numbers lie in memory as `layout` says."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "biufc":
            return value
        if layout == "fortran":
            return np.asfortranarray(value) if value.ndim else value
        native = np.array(value, dtype=value.dtype.newbyteorder("="), order="C")
        if layout in VIEWS:
            return viewed(native, _strides(native.shape, layout))
        return arrange(native, [layout], [])
    if isinstance(value, (list, tuple)):
        return type(value)(with_layout(item, layout) for item in value)
    if isinstance(value, dict):
        return {key: with_layout(item, layout) for key, item in value.items()}
    return value


def _strides(shape: tuple[int, ...], view: str) -> list[int]:
    """Return the strides in elements of one of :data:`VIEWS`."""
    axes = range(len(shape))
    order = [*axes][::-1]  # the one along which elements are neighbours first
    if view == TURNED:
        order.reverse()
    elif view == EXCHANGED and len(shape) > 2:
        order[-2:] = order[:-3:-1]
    step = 2 if view == "strided" else 1
    strides = dict.fromkeys(axes, step)
    for place, axis in enumerate(order):
        strides[axis] = step
        step *= shape[axis] + (view in (WINDOW, TURNED) and place == 0)
    if view == REVERSED and order:
        strides[order[0]] *= -1
    return [strides[axis] for axis in axes]


def layouts_of(layouts: Sequence[str]) -> list[str]:
    """Return the layouts of a card, and what else a view may be where one is allowed."""
    return list(dict.fromkeys([*layouts, *(VIEWS if "strided" in layouts else ())]))


def with_mixed(
    call: tuple[tuple[Any, ...], dict[str, Any]], mix: Sequence[str]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments of a call whose arrays lie as one layout after the other says."""
    ways = itertools.cycle(mix)

    def laid(value: Any) -> Any:
        return with_layout(value, next(ways)) if isinstance(value, np.ndarray) else value

    args, kwargs = call
    return tuple(map(laid, args)), {name: laid(value) for name, value in kwargs.items()}


def laid_out(
    cases: Iterable[PlannedCase],
    layouts: Sequence[str],
    planned: Callable[..., PlannedCase],
    tells_apart: Callable[[PlannedCase, int | str, Any], bool],
) -> dict[PlannedCase, str]:
    """Plan cases that differ from others in layout alone.

    Each layout is tried on each argument and dtype for which it changes something in memory: on
    that array alone, and on all arrays of the call together. Arrays of one call also lie in
    different ways, and where views are allowed, in one memory.

    Parameters
    ----------
    cases : iterable of PlannedCase
        Of one entry point, in the order of preference.
    layouts : sequence of str
        Of :data:`LAYOUTS`.
    planned : callable
        Makes a planned case out of suite, name, function, args and kwargs.
    tells_apart : callable
        Whether a case has another result with the value at a place replaced by another one.

    Returns
    -------
    dict
        Each new case to the id of the one that it must agree with.
    """
    found: dict[PlannedCase, str] = {}
    seen: set[bytes] = set()
    covered: set[tuple[str, int | str, str]] = set()
    shared: Counter[tuple[str, int | str, str]] = Counter()

    def add(base: PlannedCase, name: str, args: Any, kwargs: Any) -> None:
        data = encode((args, kwargs), layouts=True, shared=True)
        if data not in seen:
            seen.add(data)
            found[planned("adversarial", name, base.function, args, kwargs)] = base.id

    bases = _bases(cases)
    for base in _with_several(bases)[:1]:
        for mix in MIXED:
            if {*mix} <= {*layouts_of(layouts)}:
                name = f"{base.name}~{'-beside-'.join(mix)}"
                add(base, name, *with_mixed((base.args, base.kwargs), mix))
    views: Counter[str] = Counter()
    for base in bases:
        # apart from each other its arrays are nothing new either
        seen |= {
            encode((base.args, base.kwargs), layouts=True, shared=one) for one in (True, False)
        }
        values: dict[int | str, Any] = dict([*enumerate(base.args), *base.kwargs.items()])
        if "strided" in layouts:
            args, kwargs = in_one_memory(base.args, base.kwargs)
            lying: dict[int | str, Any] = dict([*enumerate(args), *kwargs.items()])
            among = {
                (f"{SHARED}-{bool(alike)}", place, values[place].dtype.name)
                for place, alike in overlapping(lying).items()
                if not alike or any(tells_apart(base, place, lying[other]) for other in alike)
            }
            turned = {one for one in mirrored(values.values()) if views[one] < MIRRORED}
            fresh = turned or base in bases[:BASES] or any(shared[one] < ALIKE for one in among)
            if among and fresh:
                shared.update(among)
                views.update(turned)
                add(base, f"{base.name}~{SHARED}", args, kwargs)
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
                laid = {**values, place: with_layout(values[place], layout)}
                args = tuple(laid.pop(i) for i in range(len(base.args)))
                add(base, f"{base.name}~{layout}-{place}", args, laid)
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
    found = traits_of(array)
    if not (array.flags.c_contiguous or array.flags.f_contiguous):
        strides = [step // array.itemsize for step in array.strides]
        found = [next((v for v in VIEWS if strides == _strides(array.shape, v)), "strided"), *found]
    fortran = array.flags.f_contiguous and not array.flags.c_contiguous
    return [*found, *(["fortran"] if fortran else [])]


def _bases(cases: Iterable[PlannedCase]) -> list[PlannedCase]:
    """Return small cases with arrays: that with most axes first, then hidden ones."""
    fit = [c for c in cases if _arrays(c) and _size(c) < MAX_STEP_BYTES]
    hidden = [case for case in fit if case.suite == "hidden"]
    deepest = sorted(hidden, key=_axes, reverse=True)[:1]
    return list(dict.fromkeys([*deepest, *hidden, *fit]))


def _with_several(cases: Iterable[PlannedCase]) -> list[PlannedCase]:
    """Return the cases with several arrays of which it shows that they lie otherwise."""
    return [c for c in cases if sum(shows(array, "fortran") for array in _arrays(c)) > 1]


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
        Ids of cases of :mod:`biomlbench.verify.near_draws`.
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
    in_order: Iterable[Sequence[PlannedCase]] = (),
    large: Iterable[Sequence[PlannedCase]] = (),
) -> dict[PlannedCase, tuple[str, ...]]:
    """Plan the sequences: forwards with everything kept, backwards with objects used again.

    Large calls follow one another, those in order with their results kept, the largest with
    objects used again: memory that is used again for large results alone shows there, and what is
    kept of large calls.

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
    for name, rows, reuse in (("in-order", in_order, False), ("large", large, True)):
        for number, order in enumerate(rows):
            found |= _sequence(f"{name}-{number}-{order[0].function}", order, reuse, planned)
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
