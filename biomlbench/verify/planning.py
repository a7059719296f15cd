"""What is executed of a card: cases, draws, edge cases, variants, layouts and sequences."""

from __future__ import annotations

import inspect
from collections import Counter
from contextlib import suppress
from itertools import combinations, groupby, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.verify import alternates, edges
from biomlbench.verify.cases import SUITES, Transformed
from biomlbench.verify.collisions import (
    between_equal_arrays,
    between_equal_ends,
    in_other_axes,
    in_other_byte_order,
    in_other_shapes,
    rounded_alike,
    with_equal_sums,
    with_gap_elsewhere,
)
from biomlbench.verify.edge_families import is_in_order
from biomlbench.verify.large_calls import in_a_row, large_calls
from biomlbench.verify.modes.metamorphic import DEFAULT_MAX_BASES
from biomlbench.verify.near_draws import first_two, near_draws
from biomlbench.verify.plan import (
    Plan,
    PlannedCase,
    UnitSpec,
    looked_at,
    planned_case,
    seeded,
)
from biomlbench.verify.space import Source, draw

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from biomlbench.contracts.mappings import Arguments
    from biomlbench.outcomes import Suite
    from biomlbench.verify.card import Card
    from biomlbench.verify.config import Check
    from biomlbench.verify.declarations import ArgumentSpec
    from biomlbench.verify.space import Space

__all__ = ["make"]

_DEFAULT_COUNT = 6
MOST_BORROWED = 32
"""Cases of other entry points that one is called with as well."""
MOST_WITH_ITSELF, LEAST_WITH_ITSELF = 16, 8
"""Cases of a card in which one array stands for two arguments, and at least of an entry point."""


def make(card: Card) -> Plan:
    """Plan all executions of a card.

    Parameters
    ----------
    card : Card

    Returns
    -------
    Plan

    Raises
    ------
    VerifierError
        If a check looks at no case at all, or a transform does not fit its base cases.
    """
    cases = [
        planned_case(card, suite, case.name, case.function, case.args, case.kwargs)
        for suite in SUITES
        for case in card.cases[suite]
    ]
    close = _near(card)
    drawn = [*_generated(card), *close]
    cases += drawn
    near = frozenset(case.id for case in close)
    limits = _edges(card)
    limits += _borrowed(card, cases, limits)
    limits += _with_itself(card, [*cases, *limits])
    rows = [in_a_row(*calls) for calls in large_calls(card, [*cases, *limits]).items()]
    known = {*cases, *limits}
    limits += [case for row in rows for case in dict.fromkeys(row) if case not in known]
    units: dict[tuple[str, str], tuple[UnitSpec, ...]] = {}
    variants: list[PlannedCase] = []
    for index, check in enumerate(card.checks):
        for suite in check.suites:
            if check.mode == "metamorphic":
                found, more = _metamorphic(card, check, cases, suite)
                variants += more
            else:
                chosen = looked_at(check, [*cases, *limits], suite)
                found = [UnitSpec(case.id) for case in chosen]
            if not found:
                raise card.rules.error(
                    "check-has-cases",
                    f"check `{check.name}` looks at no case of suite `{suite}`",
                    "checks",
                    index,
                )
            units[check.name, suite] = tuple(found)
    same_as, sequences = _alternates(card, cases, limits, near, [*_in_order(card, limits)], rows)
    everything = sorted([*cases, *limits, *variants, *same_as, *sequences], key=attrgetter("id"))
    _need_own_names(card, drawn, limits, everything)
    inputs = {case.id: card.inputs_of(case) for case in everything if case not in sequences}
    return Plan(
        tuple(everything),
        units,
        inputs,
        {case.id: base for case, base in same_as.items()},
        {case.id: steps for case, steps in sequences.items()},
        near,
        frozenset(case.id for case in limits),
    )


def _need_own_names(
    card: Card, drawn: list[PlannedCase], limits: list[PlannedCase], cases: list[PlannedCase]
) -> None:
    count = Counter(case.name for case in cases)
    name = next((name for name, found in count.items() if found > 1), None)
    if name is None:
        return
    sources = {
        "cases.py": [case.name for suite in SUITES for case in card.cases[suite]],
        "the spaces of `generate`, which name what they draw `<space>-<n>`": [
            case.name for case in drawn
        ],
        "the edge cases": [case.name for case in limits],
    }
    found = {source: names.count(name) for source, names in sources.items() if name in names}
    if rest := count[name] - sum(found.values()):
        found["what is made of other cases"] = rest
    origin = " and ".join(f"{number} from {source}" for source, number in found.items())
    is_drawn = any(case.name == name for case in drawn)
    raise card.rules.error(
        "unique-names",
        f"{count[name]} planned cases are called `{name}`: {origin}; rename one",
        "generate" if is_drawn else "checks",
    )


def _generated(card: Card) -> list[PlannedCase]:
    found = []
    for index, space in enumerate(card.spaces):
        function = card.function_of(space)
        build = card.build_of(space)
        for number in range(space.get("count", _DEFAULT_COUNT)):
            name = f"{space['name']}-{number}"
            with card.rules.blaming("generate", f"space `{space['name']}`", "generate", index):
                inputs = draw(space, Source(seeded(card.name, name)), build)
                args, kwargs = card.unbind(function, inputs)
            suite = space.get("suite", "hidden")
            found.append(planned_case(card, suite, name, function, args, kwargs))
    return found


def _edges(card: Card) -> list[PlannedCase]:
    return edges.edges(card, lambda suite, *call: planned_case(card, suite, *call))


def _borrowed(card: Card, cases: list[PlannedCase], limits: list[PlannedCase]) -> list[PlannedCase]:
    """Plan for each entry point what the author thought of for another of the same arguments."""
    found: list[PlannedCase] = []
    declared = card.config.get("inputs", {}) if card.checks else {}
    for function in card.entry_points:
        wanted = declared.get(function) or {}
        lenders = [
            other
            for other in card.entry_points
            if other != function and wanted and _same(wanted, declared.get(other) or {})
        ]
        suite = edges.suite_of(card, function)
        seen = {edges.key_of(case) for case in (*cases, *limits) if case.function == function}
        own: list[PlannedCase] = []
        for lent in card.cases["adversarial"] + card.cases["hidden"]:
            if lent.function not in lenders or len(own) == MOST_BORROWED:
                continue
            inputs = card.bind(lent.function, lent.args, lent.kwargs)
            call = card.unbind(function, {n: v for n, v in inputs.items() if n in wanted})
            case = planned_case(card, suite, f"lent-{function}-{lent.name}", function, *call)
            key = edges.key_of(case)
            if key not in seen and edges.is_promised(card, case):
                seen.add(key)
                own.append(case)
        found += own
    return found


def _with_itself(card: Card, cases: list[PlannedCase]) -> Iterator[PlannedCase]:
    """Plan calls in which one array, the same object, stands for two arguments.

    A caller compares something with itself. Code that asks whether two arguments are one object, or
    are equal, and takes another way then, may be wrong on that way alone: for what is empty, zero
    or tied in it.
    """
    declared = card.config.get("inputs", {}) if card.checks and "strided" in card.layouts else {}
    most = max(LEAST_WITH_ITSELF, MOST_WITH_ITSELF // max(1, len(card.entry_points)))
    for function in card.entry_points:
        is_built = "build" in card.config.get("edges", {}).get(function, {})
        pairs = [*_interchangeable(declared.get(function) or {}, is_built)]
        own = [case for case in cases if case.function == function] if pairs else []
        seen = {edges.key_of(case) for case in own}
        found = (case for base in _varied(own) for case in _doubled(card, base, pairs, seen))
        yield from islice(found, most)


def _interchangeable(
    declared: dict[str, ArgumentSpec], is_built: bool
) -> Iterator[tuple[str, str]]:
    """Yield arguments of which one may stand for the other.

    What is built hangs together row by row in ways that no declaration carries, as doses and
    responses do; what has any number of rows of its own there does not. Of a fixed size are
    rotations.
    """
    for one, other in combinations(declared, 2):
        kinds = declared[one].get("array"), declared[other].get("array")
        shapes = declared[one].get("shape") or (), declared[other].get("shape") or ()
        is_alike = kinds[0] and kinds[0] == kinds[1] and len(shapes[0]) == len(shapes[1])
        rows = {shape[0] for shape in shapes if shape}
        are_free = len(rows) > 1 and not any(isinstance(size, int) for size in rows)
        if is_alike and rows and (not is_built or are_free):
            yield one, other


def _varied(cases: list[PlannedCase]) -> list[PlannedCase]:
    """Return small cases in an order in which the first few are of all kinds."""
    small = [case for case in cases if len(edges.key_of(case)) <= alternates.MAX_STEP_BYTES]
    step = max(1, len(small) // MOST_WITH_ITSELF)
    return [case for start in range(step) for case in small[start::step]]


def _doubled(
    card: Card, base: PlannedCase, pairs: list[tuple[str, str]], seen: set[bytes]
) -> Iterator[PlannedCase]:
    inputs = card.bind(base.function, base.args, base.kwargs)
    for one, other in pairs:
        value = inputs.get(one)
        if not isinstance(value, np.ndarray) or not value.size:
            continue
        call = card.unbind(base.function, {**inputs, other: value})
        name = f"{base.name}-{one}-as-{other}"
        case = planned_case(card, edges.suite_of(card, base.function), name, base.function, *call)
        if (key := edges.key_of(case)) not in seen and edges.is_promised(card, case):
            seen.add(key)
            yield case


def _in_order(card: Card, limits: list[PlannedCase]) -> Iterator[list[PlannedCase]]:
    """Yield for each entry point its large edge cases whose numbers are in order."""
    for function in card.entry_points:
        found = [case for case in limits if case.function == function and is_in_order(case.name)]
        if len(found) > 1:
            yield found


def _same(wanted: dict[str, ArgumentSpec], given: dict[str, ArgumentSpec]) -> bool:
    return all(given.get(name) == spec for name, spec in wanted.items())


def _near(card: Card) -> list[PlannedCase]:
    found = []
    for index, space in enumerate(card.spaces):
        if not space.get("near", True):
            continue
        function = card.function_of(space)
        build = card.build_of(space)
        what = f"near draws of space `{space['name']}`"
        with card.rules.blaming("generate", what, "generate", index):
            drawn = near_draws(space, seeded(card.name, space["name"], "near"), build)
            drawn |= _left_out(card, function, drawn["first"])
            calls = {name: card.unbind(function, inputs) for name, inputs in drawn.items()}
        for name, (args, kwargs) in calls.items():
            title = f"{space['name']}-{name}"
            found.append(planned_case(card, "adversarial", title, function, args, kwargs))
        found += _colliding(card, space, function, drawn["first"], drawn["second"])
    return found


def _colliding(
    card: Card,
    space: Space,
    function: str,
    first: Arguments,
    second: Arguments,
) -> Iterator[PlannedCase]:
    """Plan what careless keys take for the first draw, or for one another, where it is promised."""
    declared = card.config.get("inputs", {}).get(function)
    if not declared:
        return

    def promised(drawn: Iterable[tuple[str, Arguments]]) -> Iterator[PlannedCase]:
        for name, inputs in drawn:
            call = card.unbind(function, inputs)
            case = planned_case(card, "adversarial", f"{space['name']}-{name}", function, *call)
            if edges.is_promised(card, case):
                yield case

    shapes = {name: spec["shape"] for name, spec in declared.items() if spec.get("shape")}
    # two of each size, one after the other, for a key that is kept for one call
    for _, reshaped in groupby(in_other_shapes(first, shapes), _size_of):
        yield from islice(promised(reshaped), 2)
    yield from promised(in_other_axes(first, shapes))
    # What is built may hang together in ways that no declaration carries, as a rotation does.
    free = space.get("rescaled", () if "build" in space else list(declared))
    yield from promised(rounded_alike(first, second, free))
    if "swapped" in card.layouts:
        yield from promised(in_other_byte_order(first, free))
    yield from promised(with_equal_sums(first, free))
    if "build" not in space:
        yield from promised(between_equal_arrays(first, second, shapes))
    gaps = [name for name, spec in declared.items() if spec.get("nan")]
    yield from promised(with_gap_elsewhere(first, gaps))
    yield from promised(_long(card, space, declared))


def _size_of(reshaped: tuple[str, Arguments]) -> str:
    return reshaped[0].rpartition("-")[0]


def _long(
    card: Card, space: Space, declared: dict[str, ArgumentSpec]
) -> Iterator[tuple[str, Arguments]]:
    """Yield inputs made of long texts that differ far from both ends only."""
    build = card.build_of(space)
    specs = space["arguments"]
    texts = [name for name in specs if "string" in specs[name] and (build or name in declared)]
    values = first_two(space, Source(seeded(card.name, space["name"], "near")))
    for name, inputs in between_equal_ends(*values, texts):
        made: Arguments | None = None
        with suppress(Exception):  # a build is written for texts of the size that the space has
            made = build(**inputs) if build else inputs
        if made is not None:
            yield name, made


def _left_out(card: Card, function: str, inputs: Arguments) -> dict[str, Arguments]:
    """Return the inputs without each argument that may be left out."""
    defaults = inspect.signature(card.reference[function]).parameters
    return {
        f"without-{name}": {key: value for key, value in inputs.items() if key != name}
        for name in inputs
        if defaults[name].default is not inspect.Parameter.empty
    }


def _alternates(
    card: Card,
    cases: list[PlannedCase],
    limits: list[PlannedCase],
    near: frozenset[str],
    in_order: list[list[PlannedCase]],
    large: list[list[PlannedCase]],
) -> tuple[dict[PlannedCase, str], dict[PlannedCase, tuple[str, ...]]]:
    if not card.checks:
        return {}, {}

    def of_card(suite: str, *call: Any) -> PlannedCase:
        return planned_case(card, suite, *call)

    def tells_apart(case: PlannedCase, place: int | str, value: Any) -> bool:
        args, kwargs = list(case.args), dict(case.kwargs)
        if isinstance(place, int):
            args[place] = value
        else:
            kwargs[place] = value
        with_other = planned_case(card, case.suite, case.name, case.function, args, kwargs)
        one, other = (edges.result_of(card, c, coarsely=True) for c in (case, with_other))
        return one != other

    laid: dict[PlannedCase, str] = {}
    for function in card.entry_points:
        own = [case for case in (*cases, *limits) if case.function == function]
        laid |= alternates.laid_out(own, card.layouts, of_card, tells_apart)
    steps = alternates.chosen_steps(cases, near)
    return laid, alternates.sequences(steps, [*limits, *cases], of_card, in_order, large)


def _metamorphic(
    card: Card, check: Check, cases: list[PlannedCase], suite: Suite
) -> tuple[list[UnitSpec], list[PlannedCase]]:
    index = card.checks.index(check)
    transform = card.library.transform(check.options["transform"])
    bases = looked_at(check, cases, check.options.get("base", "hidden"))
    units, variants = [], []
    for base in bases[: check.options.get("max_bases", DEFAULT_MAX_BASES)]:
        inputs = card.bind(base.function, base.args, base.kwargs)
        what = f"check `{check.name}`, base case `{base.name}`"
        with card.rules.blaming("transform-fits", what, "checks", index):
            made = transform(inputs, seeded(card.name, check.name, base.name))
            if not isinstance(made, Transformed):
                raise TypeError(f"a transform returns Transformed, not {type(made).__name__}")
            calls = [card.unbind(base.function, new) for new in made.variants]
        planned = [
            planned_case(card, suite, f"{base.name}~{check.name}~{i}", base.function, args, kwargs)
            for i, (args, kwargs) in enumerate(calls)
        ]
        variants += planned
        units.append(UnitSpec(base.id, tuple(case.id for case in planned), made.info))
    return units, variants
