"""Rows that every card has: arguments stay, layout does not matter, calls leave no trace.

What the right value is here is what the card's own checks say of the case by itself. A case
whose own value is wrong proves nothing about layout or state, and is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from biomlbench.outcomes import Fault, Outcome, Reason, Severity, Suite, fault_of, sentence
from biomlbench.sandbox.codec import CodecError, decode, encode
from biomlbench.verify.cases import SUITES
from biomlbench.verify.policy import GATE, CheckOutcome

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from biomlbench.verify.card import Card
    from biomlbench.verify.config import Check
    from biomlbench.verify.plan import Plan, UnitSpec

__all__ = ["ANY_LAYOUT", "KEEPS_ARGUMENTS", "KEEPS_NO_STATE", "NAMES", "PATTERNS", "SideEffects"]

KEEPS_ARGUMENTS, ANY_LAYOUT, KEEPS_NO_STATE = "keeps-arguments", "any-layout", "keeps-no-state"
NAMES = (KEEPS_ARGUMENTS, ANY_LAYOUT, KEEPS_NO_STATE)

PATTERNS = {
    "input-modified": "an argument is changed in place",
    "layout-dependent": "the result hangs on how an array lies in memory",
    "state-kept": "something is kept from one call to the next",
    "size-limited": "right up to some size or magnitude of the inputs, and not beyond",
}
"""Failure patterns that every card knows without describing them."""

_UNFIT = object()


class _Bad(NamedTuple):
    case_id: str
    what: str


class SideEffects:
    """Judge what a candidate does beside returning a value.

    Parameters
    ----------
    card : Card
    plan : Plan
    read : callable
        Case id to the candidate's status and value.
    modified : mapping
        Case id to what was changed in place.
    look : callable
        ``(check, spec, values)`` to whether a check is content with other values than the
        candidate's own.
    """

    def __init__(
        self,
        card: Card,
        plan: Plan,
        read: Callable[[str], tuple[str, Any]],
        modified: Mapping[str, str],
        look: Callable[[Check, UnitSpec, Mapping[str, Any]], bool],
    ) -> None:
        self.card, self.plan, self.read, self.look = card, plan, read, look
        self.modified = modified
        self.names = {case.id: case.name for case in plan.cases}
        self.sound: dict[str, list[tuple[Check, UnitSpec]]] = {}
        self.own: dict[str, bytes | None] = {}

    def rows(self) -> list[CheckOutcome]:
        """Return a row for each suite and effect that the plan has cases for."""
        found = [self._keeps_arguments(suite) for suite in SUITES if self.plan.suite(suite)]
        if self.plan.same_as:
            bad = [one for pair in self.plan.same_as.items() if (one := self._layout(*pair))]
            found.append(
                _row(ANY_LAYOUT, bad, len(self.plan.same_as), Reason.LAYOUT_DEPENDENT, self.names)
            )
        if self.plan.sequences:
            bad = [one for pair in self.plan.sequences.items() if (one := self._sequence(*pair))]
            found.append(
                _row(
                    KEEPS_NO_STATE,
                    bad,
                    len(self.plan.sequences),
                    Reason.STATE_BETWEEN_CALLS,
                    self.names,
                )
            )
        return found

    def _keeps_arguments(self, suite: Suite) -> CheckOutcome:
        cases = self.plan.suite(suite)
        bad = [_Bad(case.id, self.modified[case.id]) for case in cases if case.id in self.modified]
        return _row(KEEPS_ARGUMENTS, bad, len(cases), Reason.INPUT_MODIFIED, self.names, suite)

    def _layout(self, case_id: str, base: str) -> _Bad | None:
        if not self._ran(base) or self._is_ours(case_id):
            return None
        if self._agrees(base, self._value(case_id)):
            return None
        return _Bad(case_id, "another result in another layout")

    def _sequence(self, case_id: str, steps: tuple[str, ...]) -> _Bad | None:
        if not all(self._ran(step) for step in steps) or self._is_ours(case_id):
            return None
        value = self._value(case_id)
        if value is _UNFIT:
            return _Bad(case_id, "each call works by itself, but not all of them in one process")
        try:
            results, later = value
            pairs = list(zip(steps, results, later, strict=True))
            for number, (step, result, changed) in enumerate(pairs, 1):
                if result != self._own(step) and not self._agrees(step, decode(result)):
                    return _Bad(case_id, f"call {number} gives another result than by itself")
                if changed is not None:
                    return _Bad(case_id, f"the result of call {number} changes later")
        except (CodecError, TypeError, ValueError):
            return _Bad(case_id, "the results of the calls are not well formed")
        return None

    def _ran(self, case_id: str) -> bool:
        return self.read(case_id)[0] == Reason.OK

    def _is_ours(self, case_id: str) -> bool:
        """Whether the case was lost for a reason outside the candidate."""
        status = self.read(case_id)[0]
        return status != Reason.OK and fault_of(status) is not Fault.SUBMISSION

    def _value(self, case_id: str) -> Any:
        status, value = self.read(case_id)
        return value if status == Reason.OK else _UNFIT

    def _own(self, case_id: str) -> bytes | None:
        """Return what a case's own value is as bytes, which most others of it are equal to."""
        if case_id not in self.own:
            try:
                self.own[case_id] = encode(self.read(case_id)[1])
            except CodecError:
                self.own[case_id] = None
        return self.own[case_id]

    def _agrees(self, base: str, value: Any) -> bool:
        """Say whether a value passes every check that the case's own value passes."""
        if value is _UNFIT:
            return False
        if base not in self.sound:
            own = {base: self.read(base)[1]}
            self.sound[base] = [pair for pair in self._checks(base) if self.look(*pair, own)]
        return all(self.look(*pair, {base: value}) for pair in self.sound[base])

    def _checks(self, case_id: str) -> list[tuple[Check, UnitSpec]]:
        """Return the deciding checks that look at one case alone."""
        return [
            (check, spec)
            for check in self.card.checks
            if check.decides and check.mode != "metamorphic"
            for suite in check.suites
            for spec in self.plan.units[check.name, suite]
            if spec.case_id == case_id
        ]


def _row(
    check: str,
    bad: list[_Bad],
    total: int,
    reason: Reason,
    names: Mapping[str, str],
    suite: Suite = Suite.ADVERSARIAL,
) -> CheckOutcome:
    """Make a row; what went wrong is told, and which case only where the learner knows it."""
    message = f"{total} cases"
    if bad:
        first = f"case `{names[bad[0].case_id]}`: " if suite == Suite.VISIBLE else ""
        message = f"{len(bad)} of {total} cases: {first}{bad[0].what}. {sentence(reason)}"
    return CheckOutcome(
        check,
        suite,
        GATE,
        Severity.CRITICAL,
        Outcome.FAILED if bad else Outcome.PASSED,
        reason if bad else Reason.OK,
        message,
    )
