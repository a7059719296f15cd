"""All cases of a card that a candidate is executed on, and what is done with their outputs.

A planned case carries nothing but a call and an opaque id. Which checks look at it, what was
transformed into what, and all expected values stay outside the sandbox.
"""

from __future__ import annotations

import hashlib
import inspect
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.outcomes import Suite
from biomlbench.verify.cases import SUITES, Transformed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from biomlbench.verify.card import Card
    from biomlbench.verify.config import Check

__all__ = ["Plan", "PlannedCase", "UnitSpec", "looked_at", "make", "planned_case"]

_ID_DIGITS = 12
_DEFAULT_COUNT = 6


@dataclass(frozen=True, eq=False)
class PlannedCase:
    """One call that the sandbox is to make.

    Parameters
    ----------
    id : str
        Opaque, and stable from one plan of the card to the next.
    suite : Suite
        visible, hidden or adversarial. Not for the sandbox.
    function : str
    args, kwargs
    name : str
        For the author. Not for the sandbox.
    """

    id: str
    suite: Suite
    function: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    name: str


@dataclass(frozen=True)
class UnitSpec:
    """What a check looks at once: a case, and for metamorphic checks its variants."""

    case_id: str
    variant_ids: tuple[str, ...] = ()
    info: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Plan:
    """The cases of a card in the order of execution, which tells nothing about suites.

    Parameters
    ----------
    cases : tuple of PlannedCase
    units : dict
        (check's name, suite) to the units that the check looks at.
    inputs : dict
        Case id to inputs by argument name, defaults filled in; none for a sequence.
    same_as : dict
        Case id to the id of the case that it must agree with, because only the layout differs.
    sequences : dict
        Case id of a sequence to the ids of the cases that it calls.
    near : frozenset of str
        Ids of the near draws, which are executed whatever the checks look at.
    edges : frozenset of str
        Ids of the edge cases that the declared inputs give.
    probes : tuple of PlannedCase
        Those of `cases` that were drawn for one candidate.
    """

    cases: tuple[PlannedCase, ...]
    units: dict[tuple[str, str], tuple[UnitSpec, ...]]
    inputs: dict[str, dict[str, Any]]
    same_as: dict[str, str] = field(default_factory=dict)
    sequences: dict[str, tuple[str, ...]] = field(default_factory=dict)
    near: frozenset[str] = frozenset()
    edges: frozenset[str] = frozenset()
    probes: tuple[PlannedCase, ...] = ()

    @property
    def calls(self) -> tuple[PlannedCase, ...]:
        """The cases that are one call each."""
        return tuple(case for case in self.cases if case.id not in self.sequences)

    def suite(self, name: str) -> tuple[PlannedCase, ...]:
        """Return the cases of one suite."""
        return tuple(case for case in self.cases if case.suite == name)

    @property
    def fingerprint(self) -> str:
        """Hash over all calls, by which an oracle is known to belong to this plan."""
        from biomlbench.sandbox.codec import encode

        digest = hashlib.sha256()
        for case in self.cases:
            digest.update(f"{case.id}:{case.suite}:{case.function}:".encode())
            digest.update(encode([list(case.args), case.kwargs], layouts=True))
        return digest.hexdigest()


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
    cases += _generated(card)
    close = _near(card)
    cases += close
    near = frozenset(case.id for case in close)
    limits = _edges(card)
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
    same_as, sequences = _alternates(card, cases, limits, near)
    everything = sorted([*cases, *limits, *variants, *same_as, *sequences], key=_by_id)
    if len({case.id for case in everything}) != len(everything):
        raise card.rules.error("unique-names", "two planned cases have the same name", "checks")
    inputs = {
        case.id: card.with_defaults(case.function, card.bind(case.function, case.args, case.kwargs))
        for case in everything
        if case not in sequences
    }
    return Plan(
        tuple(everything),
        units,
        inputs,
        {case.id: base for case, base in same_as.items()},
        {case.id: steps for case, steps in sequences.items()},
        near,
        frozenset(case.id for case in limits),
    )


def _by_id(case: PlannedCase) -> str:
    return case.id


def _seed(*parts: str) -> np.random.Generator:
    digest = hashlib.sha256("/".join(parts).encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest[:8], "big")))


def planned_case(
    card: Card, suite: str, name: str, function: str, args: Any, kwargs: dict[str, Any]
) -> PlannedCase:
    """Return a case whose id tells nothing, and is the same whenever its name is."""
    digest = hashlib.sha256(f"{card.name}/{name}".encode()).hexdigest()[:_ID_DIGITS]
    return PlannedCase(digest, Suite(suite), function, tuple(args), dict(kwargs), name)


def _generated(card: Card) -> list[PlannedCase]:
    from biomlbench.verify.space import Source, draw

    found = []
    for index, space in enumerate(card.verifier.generate if card.verifier else ()):
        function = space.get("function", card.entry_points[0])
        build = card.library.own(space["build"]) if "build" in space else None
        for number in range(space.get("count", _DEFAULT_COUNT)):
            name = f"{space['name']}-{number}"
            try:
                inputs = draw(space, Source(_seed(card.name, name)), build)
                args, kwargs = card.unbind(function, inputs)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                raise card.rules.error(
                    "generate",
                    f"space `{space['name']}`: {type(error).__name__}: {error}",
                    "generate",
                    index,
                ) from error
            suite = space.get("suite", "hidden")
            found.append(planned_case(card, suite, name, function, args, kwargs))
    return found


def _edges(card: Card) -> list[PlannedCase]:
    from biomlbench.verify.edges import edges

    return edges(card, lambda suite, *call: planned_case(card, suite, *call))


def _near(card: Card) -> list[PlannedCase]:
    from biomlbench.verify.alternates import near_draws

    found = []
    for index, space in enumerate(card.verifier.generate if card.verifier else ()):
        if not space.get("near", True):
            continue
        function = space.get("function", card.entry_points[0])
        build = card.library.own(space["build"]) if "build" in space else None
        try:
            drawn = near_draws(space, _seed(card.name, space["name"], "near"), build)
            drawn |= _left_out(card, function, drawn["first"])
            calls = {name: card.unbind(function, inputs) for name, inputs in drawn.items()}
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise card.rules.error(
                "generate",
                f"near draws of space `{space['name']}`: {type(error).__name__}: {error}",
                "generate",
                index,
            ) from error
        for name, (args, kwargs) in calls.items():
            title = f"{space['name']}-{name}"
            found.append(planned_case(card, "adversarial", title, function, args, kwargs))
        found += _colliding(card, space, function, drawn["first"], drawn["second"])
    return found


def _colliding(
    card: Card,
    space: dict[str, Any],
    function: str,
    first: dict[str, Any],
    second: dict[str, Any],
) -> Iterator[PlannedCase]:
    """Plan what careless keys take for the first draw, or for one another, where it is promised."""
    from biomlbench.verify.collisions import in_other_shapes, rounded_alike
    from biomlbench.verify.edges import is_promised

    declared = card.config.get("inputs", {}).get(function)
    if not declared:
        return

    def promised(drawn: Iterable[tuple[str, dict[str, Any]]]) -> Iterator[PlannedCase]:
        for name, inputs in drawn:
            call = card.unbind(function, inputs)
            case = planned_case(card, "adversarial", f"{space['name']}-{name}", function, *call)
            if is_promised(card, case):
                yield case

    shapes = {name: spec["shape"] for name, spec in declared.items() if spec.get("shape")}
    reshaped = (("reshaped", inputs) for inputs in in_other_shapes(first, shapes))
    yield from islice(promised(reshaped), 1)
    # What is built may hang together in ways that no declaration carries, as a rotation does.
    free = space.get("rescaled", () if "build" in space else list(declared))
    yield from promised(rounded_alike(first, second, free))


def _left_out(card: Card, function: str, inputs: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the inputs without each argument that may be left out."""
    defaults = inspect.signature(card.reference[function]).parameters
    return {
        f"without-{name}": {key: value for key, value in inputs.items() if key != name}
        for name in inputs
        if defaults[name].default is not inspect.Parameter.empty
    }


def _alternates(
    card: Card, cases: list[PlannedCase], limits: list[PlannedCase], near: frozenset[str]
) -> tuple[dict[PlannedCase, str], dict[PlannedCase, tuple[str, ...]]]:
    from biomlbench.verify import alternates

    if not card.checks:
        return {}, {}

    def of_card(suite: str, *call: Any) -> PlannedCase:
        return planned_case(card, suite, *call)

    laid: dict[PlannedCase, str] = {}
    for function in card.entry_points:
        own = [case for case in (*cases, *limits) if case.function == function]
        laid |= alternates.laid_out(own, card.layouts, of_card)
    steps = alternates.chosen_steps(cases, near)
    return laid, alternates.sequences(steps, [*limits, *cases], of_card)


def looked_at(check: Check, cases: list[PlannedCase], suite: Suite) -> list[PlannedCase]:
    """Return the cases of a suite that a check looks at."""
    return [
        case
        for case in cases
        if case.suite == suite
        and check.function in (None, case.function)
        and any(fnmatchcase(case.name, pattern) for pattern in check.cases)
    ]


def _metamorphic(
    card: Card, check: Check, cases: list[PlannedCase], suite: Suite
) -> tuple[list[UnitSpec], list[PlannedCase]]:
    from biomlbench.verify.modes.metamorphic import DEFAULT_MAX_BASES

    index = card.checks.index(check)
    transform = card.library.transform(check.options["transform"])
    bases = looked_at(check, cases, check.options.get("base", "hidden"))
    units, variants = [], []
    for base in bases[: check.options.get("max_bases", DEFAULT_MAX_BASES)]:
        inputs = card.bind(base.function, base.args, base.kwargs)
        try:
            made = transform(inputs, _seed(card.name, check.name, base.name))
            if not isinstance(made, Transformed):
                raise TypeError(f"a transform returns Transformed, not {type(made).__name__}")
            calls = [card.unbind(base.function, new) for new in made.variants]
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise card.rules.error(
                "transform-fits",
                f"check `{check.name}`, base case `{base.name}`: {type(error).__name__}: {error}",
                "checks",
                index,
            ) from error
        planned = [
            planned_case(card, suite, f"{base.name}~{check.name}~{i}", base.function, args, kwargs)
            for i, (args, kwargs) in enumerate(calls)
        ]
        variants += planned
        units.append(UnitSpec(base.id, tuple(case.id for case in planned), made.info))
    return units, variants
