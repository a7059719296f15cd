"""The v1 verifier: visible cases only, their shape, and `allclose` to the reference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from biomlbench.outcomes import Outcome, Reason, Severity, Suite, sentence
from biomlbench.verify.compare import Tolerance, difference
from biomlbench.verify.judging import OK, Results
from biomlbench.verify.modes import numeric_tolerance, shape_guard
from biomlbench.verify.policy import GATE, CheckOutcome

if TYPE_CHECKING:
    from collections.abc import Mapping

    from biomlbench.verify.oracle import Oracle
    from biomlbench.verify.plan import PlannedCase

__all__ = ["ATOL", "RTOL", "judge"]

RTOL, ATOL = 1e-5, 1e-8
"""Defaults of NumPy's `allclose`."""


class _Cases(Protocol):
    """A plan, or a part of one."""

    def suite(self, name: str, /) -> tuple[PlannedCase, ...]: ...


def judge(plan: _Cases, oracle: Oracle, outputs: Mapping[str, Any] | Results) -> list[CheckOutcome]:
    """Judge a candidate as v1 does.

    Parameters
    ----------
    plan, oracle, outputs
        As for :func:`biomlbench.verify.judge`.

    Returns
    -------
    list of CheckOutcome
        Three blocker rows of the visible suite: ``runs``, ``v1-shape`` and ``v1-allclose``.
    """
    results = outputs if isinstance(outputs, Results) else Results(outputs)
    cases = plan.suite(Suite.VISIBLE)
    ran, shaped, close = [], [], []
    reason = Reason.OK
    for case in cases:
        status, value = results.get(case.id)
        expected = oracle.values[case.id]
        ran.append(status == OK)
        if status != OK:
            reason = Reason(status) if reason == Reason.OK else reason
            continue
        with np.errstate(all="ignore"):
            found = difference(value, expected, Tolerance(atol=ATOL, rtol=RTOL))
        shaped.append(found.kind != "structure")
        close.append(found.kind == "none")
    return [
        _row("runs", GATE, ran, len(cases), reason),
        _row("v1-shape", shape_guard.MODE, shaped, len(cases), shape_guard.REASON),
        _row("v1-allclose", numeric_tolerance.MODE, close, len(cases), numeric_tolerance.REASON),
    ]


def _row(name: str, mode: str, good: list[bool], total: int, reason: Reason) -> CheckOutcome:
    bad = good.count(False)
    if bad:
        outcome, message = Outcome.FAILED, f"{bad} of {total} visible cases. {sentence(reason)}"
    elif not good or len(good) < total:
        outcome, reason = Outcome.SKIPPED, Reason.NOT_REACHED
        message = f"{total - len(good)} of {total} visible cases gave no result"
    else:
        outcome, reason, message = Outcome.PASSED, Reason.OK, f"{total} cases"
    return CheckOutcome(
        name, Suite.VISIBLE, mode, Severity.BLOCKER, outcome, reason, message, weight=1.0
    )
