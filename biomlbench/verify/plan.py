"""All cases of a card that a candidate is executed on, and what is done with their outputs.

A planned case carries nothing but a call and an opaque id. Which checks look at it, what was
transformed into what, and all expected values stay outside the sandbox.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from biomlbench.outcomes import Suite

if TYPE_CHECKING:
    import numpy as np

    from biomlbench.contracts.mappings import Arguments
    from biomlbench.verify.card import Card
    from biomlbench.verify.config import Check

__all__ = ["Plan", "PlannedCase", "UnitSpec", "looked_at", "planned_case", "seeded"]

_ID_DIGITS = 12


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
    kwargs: Arguments
    name: str


@dataclass(frozen=True)
class UnitSpec:
    """What a check looks at once: a case, and for metamorphic checks its variants."""

    case_id: str
    variant_ids: tuple[str, ...] = ()
    info: Arguments = field(default_factory=dict)


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
    inputs: dict[str, Arguments]
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


def planned_case(
    card: Card, suite: str, name: str, function: str, args: Any, kwargs: Arguments
) -> PlannedCase:
    """Return a case whose id tells nothing, and is the same whenever its name is."""
    digest = hashlib.sha256(f"{card.name}/{name}".encode()).hexdigest()[:_ID_DIGITS]
    return PlannedCase(digest, Suite(suite), function, tuple(args), dict(kwargs), name)


def seeded(*parts: str | int) -> np.random.Generator:
    """Return random numbers that are the same wherever and whenever the parts are."""
    import numpy as np

    digest = hashlib.sha256("/".join(map(str, parts)).encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest[:8], "big")))


def looked_at(check: Check, cases: list[PlannedCase], suite: Suite) -> list[PlannedCase]:
    """Return the cases of a suite that a check looks at."""
    return [
        case
        for case in cases
        if case.suite == suite
        and check.function in (None, case.function)
        and any(fnmatchcase(case.name, pattern) for pattern in check.cases)
    ]
