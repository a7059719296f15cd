"""Outputs of a candidate in, one row a check out."""

from __future__ import annotations

import warnings
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from biomlbench.outcomes import Fault, Outcome, Reason, Severity, Suite, fault_of, sentence
from biomlbench.sandbox.inside.calls import SEQUENCE
from biomlbench.verify.cases import SUITES, Finding, Observed, Unit
from biomlbench.verify.disputes import settled
from biomlbench.verify.library import UNSAID
from biomlbench.verify.modes import get_mode
from biomlbench.verify.policy import GATE, CheckOutcome, rounded
from biomlbench.verify.side_effects import SideEffects
from biomlbench.verify.written import show, transportable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from biomlbench.verify.card import Card
    from biomlbench.verify.config import Check
    from biomlbench.verify.oracle import Oracle
    from biomlbench.verify.plan import Plan, PlannedCase, UnitSpec

__all__ = ["OK", "RUNS", "GraderError", "Judge", "Results", "judge"]

OK = "ok"
RUNS = "runs"
"""Name of the row that says whether every case ran."""


class Results:
    """A candidate's results, decoded when they are asked for.

    Parameters
    ----------
    outputs : mapping
        Case id to an object with ``status`` ("ok" or a reason code), ``value`` (the decoded
        value, or a function without arguments that returns it) and optionally ``message``.
    """

    def __init__(self, outputs: Mapping[str, Any]) -> None:
        self._outputs = outputs
        self._decoded: dict[str, tuple[str, Any]] = {}
        self.modified: dict[str, str] = {}

    def get(self, case_id: str) -> tuple[str, Any]:
        """Return status and value; the value is None unless the status is ok.

        A result that came with a changed argument is a result; `modified` says what was changed.
        """
        if case_id not in self._decoded:
            self._decoded[case_id] = self._read(case_id)
        return self._decoded[case_id]

    def _read(self, case_id: str) -> tuple[str, Any]:
        from biomlbench.sandbox.codec import CodecError

        result = self._outputs.get(case_id)
        if result is None:
            return Reason.CRASHED.value, None
        status = str(result.status)
        if status == Reason.INPUT_MODIFIED:
            self.modified[case_id] = str(getattr(result, "message", "") or "an argument")
        elif status != OK:
            return Reason(status).value, None
        try:
            value = result.value() if callable(result.value) else result.value
        except CodecError:
            return Reason.MALFORMED_OUTPUT.value, None
        return OK, value

    def total(self, case_id: str) -> str:
        """Return which limit on all cases together was used up, in the grader's own words."""
        return str(getattr(self._outputs.get(case_id), "total", "") or "")

    def said(self, case_id: str) -> tuple[str, str]:
        """Return the sandbox's message and the candidate's standard output."""
        result = self._outputs.get(case_id)
        return str(getattr(result, "message", "") or ""), str(getattr(result, "stdout", "") or "")


def judge(
    card: Card, plan: Plan, oracle: Oracle, outputs: Mapping[str, Any] | Results
) -> list[CheckOutcome]:
    """Judge a candidate's outputs by all checks of a card.

    Parameters
    ----------
    card : Card
    plan : Plan
    oracle : Oracle
    outputs : mapping or Results
        See :class:`Results`.

    Returns
    -------
    list of CheckOutcome
        A ``gate`` row a suite, the rows of :mod:`biomlbench.verify.side_effects`, then a row
        for every check and suite, in the order of ``verifier.yaml``. A case without an output,
        or with one that a deciding shape guard refuses, is looked at no further; a check that
        loses cases that way is ``skipped`` unless the rest already fails it.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a candidate chooses the values that they are about
        return _judged(card, plan, oracle, outputs)


def _judged(
    card: Card, plan: Plan, oracle: Oracle, outputs: Mapping[str, Any] | Results
) -> list[CheckOutcome]:
    results = outputs if isinstance(outputs, Results) else Results(outputs)
    plan = settled(card, plan, oracle, results)
    judged = Judge(card, plan, oracle, results)
    rows = {("", suite): judged.gate(suite) for suite in SUITES if plan.suite(suite)}
    jobs = [(check, suite) for check in card.checks for suite in check.suites]
    # guards first: what they refuse is not looked at by the checks after them
    for check, suite in sorted(jobs, key=_guards_first):
        rows[check.name, suite] = judged.check(check, suite)
    first = [row for key, row in rows.items() if not key[0]]
    return [*first, *judged.side_effects(), *(rows[c.name, s] for c, s in jobs)]


def _guards_first(job: tuple[Check, str]) -> bool:
    return job[0].semantic


class Judge:
    """The checks of a card, looking at the results of one candidate."""

    def __init__(self, card: Card, plan: Plan, oracle: Oracle, results: Results) -> None:
        self.card, self.plan, self.oracle, self.results = card, plan, oracle, results
        self.unfit = {
            case.id: results.get(case.id)[0] for case in plan.cases if results.get(case.id)[0] != OK
        }

    def gate(self, suite: Suite) -> CheckOutcome:
        """Say whether every case of a suite ran and returned data."""
        cases = self.plan.suite(suite)
        reasons = Counter(self.unfit[case.id] for case in cases if case.id in self.unfit)
        if not reasons:
            told = f"{len(cases)} cases ran"
            return CheckOutcome(
                RUNS, suite, GATE, Severity.BLOCKER, Outcome.PASSED, Reason.OK, told
            )
        # what is not the candidate's fault must not be booked on it
        own = [r for r in reasons if fault_of(r) is Fault.SUBMISSION]
        reason = own[0] if own else next(iter(reasons))
        counts = ", ".join(f"{reason} {count}" for reason, count in reasons.items())
        totals = (self.results.total(case.id) for case in cases if case.id in self.unfit)
        more = next((f" In all: {text}." for text in totals if text), "")
        if reason == Reason.MISSING_FUNCTION and (names := self._missing(cases)):
            more += f" Missing: {', '.join(names)}."
        return CheckOutcome(
            RUNS,
            suite,
            GATE,
            Severity.BLOCKER,
            Outcome.FAILED if own else Outcome.ERROR,
            Reason(reason),
            f"{sum(reasons.values())} of {len(cases)} cases: {counts}. {sentence(reason)}{more}",
        )

    def _missing(self, cases: Sequence[PlannedCase]) -> list[str]:
        """Return the card's functions that no case found; a case alone may claim that of any."""
        found = {case.function for case in cases}
        there = {
            case.function for case in cases if self.unfit.get(case.id) != Reason.MISSING_FUNCTION
        }
        return sorted(found - there - {SEQUENCE})

    def check(self, check: Check, suite: Suite) -> CheckOutcome:
        """Evaluate one check on one suite."""
        specs = self.plan.units[check.name, suite]
        fit = [spec for spec in specs if not self._is_unfit(spec)]
        failed: list[tuple[UnitSpec, Finding]] = []
        errors: list[GraderError] = []
        found: list[float | None] = []
        for spec in fit:
            try:
                finding = self.look(check, spec)
            except GraderError as error:
                errors.append(error)
                found.append(error.margin)
                continue
            found.append(finding.margin)
            if not finding.ok:
                failed.append((spec, finding))
        margins = [margin for margin in found if margin is not None]
        margin = rounded(min(margins)) if margins else None
        if failed:
            mode = get_mode(check.mode)
            if not check.semantic and check.decides:
                self.unfit.update({spec.case_id: str(mode.REASON) for spec, _ in failed})
            return self._row(
                check,
                suite,
                Outcome.FAILED,
                mode.REASON,
                self._failure(check, suite, failed, len(specs)),
                margin,
            )
        if errors:
            claim = get_mode(check.mode).claim(check, self.card.library)
            told = f"{len(errors)} of {len(specs)} cases: {errors[0]}; as a failure it would be: "
            return self._row(
                check, suite, Outcome.ERROR, errors[0].reason, f"{told}{claim}", margin
            )
        if len(fit) < len(specs):
            lost = len(specs) - len(fit)
            return self._row(
                check,
                suite,
                Outcome.SKIPPED,
                Reason.NOT_REACHED,
                f"{lost} of {len(specs)} cases gave no result of the right form",
            )
        return self._row(check, suite, Outcome.PASSED, Reason.OK, f"{len(specs)} cases", margin)

    def side_effects(self) -> list[CheckOutcome]:
        """Judge what the candidate does beside returning values."""

        def content(check: Check, spec: UnitSpec, values: Mapping[str, Any]) -> bool:
            try:
                return self.look(check, spec, values).ok
            except GraderError:
                # the check's own row says so
                return True

        effects = SideEffects(
            self.card, self.plan, self.results.get, self.results.modified, content
        )
        return effects.rows()

    def _is_unfit(self, spec: UnitSpec) -> bool:
        return any(case_id in self.unfit for case_id in (spec.case_id, *spec.variant_ids))

    def _unit(self, spec: UnitSpec, values: Mapping[str, Any]) -> Unit:
        return Unit(
            self.plan.inputs[spec.case_id],
            values[spec.case_id],
            self.oracle.values[spec.case_id],
            tuple(Observed(self.plan.inputs[i], values[i]) for i in spec.variant_ids),
            spec.info,
        )

    def look(
        self, check: Check, spec: UnitSpec, values: Mapping[str, Any] | None = None
    ) -> Finding:
        """Return what a check finds at one unit, in the candidate's values or in others.

        Raises
        ------
        GraderError
            If it is the check that is wrong: it refuses what the reference gives there as well.
        """
        ids = (spec.case_id, *spec.variant_ids)
        values = values or {case_id: self.results.get(case_id)[1] for case_id in ids}
        raised = ""
        try:
            finding = self._found(check, spec, values)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raised = type(error).__name__
            finding = Finding(False, "the output is not of a form that the check can read")
        if finding.ok:
            return finding
        # The output may be what the check cannot read, or is wrong. If the check says so of the
        # oracle's output, too, the check itself is broken, or the reference is. Asked only now
        # that an exception, and all memory that its frames held, is gone.
        try:
            own = self._found(check, spec, self.oracle.values)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            told = f"the check raised {raised or type(error).__name__} on the oracle's own output"
            raise GraderError(told, Reason.GRADER_ERROR, finding.margin) from error
        if not own.ok:
            told = "the check refuses the reference's own result"
            raise GraderError(told, Reason.REFERENCE_REFUSED, finding.margin, own.message)
        return finding

    def _found(self, check: Check, spec: UnitSpec, values: Mapping[str, Any]) -> Finding:
        judge = get_mode(check.mode).judge
        with np.errstate(all="ignore"):
            return _plain(judge(check, self._unit(spec, values), self.card.library))

    def _failure(
        self, check: Check, suite: Suite, failed: list[tuple[UnitSpec, Finding]], total: int
    ) -> str:
        claim = get_mode(check.mode).claim(check, self.card.library)
        text = f"{len(failed)} of {total} cases: {claim}"
        if suite != Suite.VISIBLE:
            return text
        spec, finding = failed[0]
        case = _case(self.plan, spec.case_id)
        return (
            f"{text}. Case `{case.name}`: {finding.message}; "
            f"expected {show(self.oracle.values[case.id])}, "
            f"got {show(self.results.get(case.id)[1])}"
        )

    def _row(
        self,
        check: Check,
        suite: Suite,
        outcome: Outcome,
        reason: Reason,
        message: str,
        margin: float | None = None,
    ) -> CheckOutcome:
        return CheckOutcome(
            check.name,
            suite,
            check.mode,
            check.severity,
            outcome,
            reason,
            transportable(message),
            margin,
            check.weight,
            ", ".join(check.catches),
        )


class GraderError(Exception):
    """A check is broken, or refuses what the reference gives.

    Parameters
    ----------
    told : str
        For whoever sees the row.
    reason : Reason
    margin : float, optional
        Of the output that was looked at.
    found : str
        What the check finds wrong in the reference's result.
    """

    def __init__(
        self, told: str, reason: Reason, margin: float | None = None, found: str = ""
    ) -> None:
        super().__init__(told)
        self.reason, self.margin, self.found = reason, margin, found


def _case(plan: Plan, case_id: str) -> PlannedCase:
    return next(case for case in plan.cases if case.id == case_id)


def _plain(finding: Finding) -> Finding:
    """Return a finding of plain values; one that an output has made of another kind raises."""
    margin = None if finding.margin is None else float(finding.margin)
    ok, message = bool(finding.ok), str(finding.message)
    return Finding(ok, message if ok or message.strip() else UNSAID, margin)
