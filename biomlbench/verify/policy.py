"""The verdict, out of a table of what each kind of check's outcome does to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

from biomlbench.outcomes import Fault, Outcome, Reason, Severity, Suite, Verdict, fault_of
from biomlbench.verify.modes import get_mode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from biomlbench.contracts.rows import CheckRow

__all__ = [
    "GATE",
    "TABLE",
    "CheckOutcome",
    "Decision",
    "decide",
    "gate",
    "kind",
    "not_passed",
    "rounded",
]

GATE = "gate"
"""Mode of the rows that say whether the candidate ran and returned data at all."""
_MARGIN_DIGITS = 3


class CheckOutcome(NamedTuple):
    """One row of the `verify` table, without the pair and the verdict.

    ``margin`` is None where the check has no threshold or was not reached; ``pattern`` lists
    the failure patterns that the check catches.
    """

    check: str
    suite: Suite
    mode: str
    severity: Severity
    outcome: Outcome
    reason: Reason
    message: str
    margin: float | None = None
    weight: float = 0.0
    pattern: str = ""

    @classmethod
    def of(cls, row: CheckRow) -> Self:
        """Return what a row of a table says, whatever else it holds."""
        return cls(
            check=row["check"],
            suite=Suite(row["suite"]),
            mode=row["mode"],
            severity=Severity(row["severity"]),
            outcome=Outcome(row["outcome"]),
            reason=Reason(row["reason"]),
            message=row["message"],
            margin=row["margin"],
            weight=row["weight"],
            pattern=row["pattern"],
        )

    def row(self) -> CheckRow:
        """Return the row of a table; that its keys are the fields here, the type checker sees."""
        return {
            "check": self.check,
            "suite": self.suite,
            "mode": self.mode,
            "severity": self.severity,
            "outcome": self.outcome,
            "reason": self.reason,
            "message": self.message,
            "margin": self.margin,
            "weight": self.weight,
            "pattern": self.pattern,
        }


def rounded(margin: float) -> float:
    """Return a margin to few digits, so that it does not depend on the last bits of a sum."""
    return float(f"{margin:.{_MARGIN_DIGITS}g}")


class Decision(NamedTuple):
    """Verdict, the reasons behind it, and the hidden score."""

    verdict: Verdict
    reasons: list[Reason]
    hidden_score: float | None


_PASSED, _FAILED, _SKIPPED, _ERROR = (
    Outcome.PASSED,
    Outcome.FAILED,
    Outcome.SKIPPED,
    Outcome.ERROR,
)

TABLE: dict[tuple[str, Severity, Outcome], Verdict | None] = {
    # the candidate did not run, or returned no data
    (GATE, Severity.BLOCKER, _FAILED): Verdict.FAIL,
    # the result is not even of the right form
    ("guard", Severity.BLOCKER, _FAILED): Verdict.FAIL,
    ("guard", Severity.CRITICAL, _FAILED): Verdict.FAIL,
    # the form is right, the meaning is not
    ("semantic", Severity.BLOCKER, _FAILED): Verdict.FAIL,
    ("semantic", Severity.CRITICAL, _FAILED): Verdict.PARTIAL,
    # nothing is proven by a check that was not carried out
    **{
        (kind, severity, outcome): Verdict.PARTIAL
        for kind in (GATE, "guard", "semantic")
        for severity in (Severity.BLOCKER, Severity.CRITICAL)
        for outcome in (_SKIPPED, _ERROR)
    },
    (GATE, Severity.CRITICAL, _FAILED): Verdict.FAIL,
    **{
        (kind, severity, _PASSED): None
        for kind in (GATE, "guard", "semantic")
        for severity in (Severity.BLOCKER, Severity.CRITICAL)
    },
    # an advisory check changes nothing
    **{
        (kind, Severity.ADVISORY, outcome): None
        for kind in (GATE, "guard", "semantic")
        for outcome in (_PASSED, _FAILED, _SKIPPED, _ERROR)
    },
}
"""What (kind of mode, severity, outcome) does to the verdict; None leaves it alone."""

_RANK: dict[Verdict | None, int] = {None: 0, Verdict.PARTIAL: 1, Verdict.FAIL: 2}


def kind(mode: str) -> str:
    """Return gate, guard or semantic, the kind of a mode in :data:`TABLE`.

    A mode says itself whether passing it is evidence; none is taken for evidence unasked.

    Raises
    ------
    KeyError
        If there is no such mode.
    """
    if mode == GATE:
        return GATE
    return "semantic" if get_mode(mode).SEMANTIC is True else "guard"


def gate(check: str, reason: Reason, message: str) -> CheckOutcome:
    """Return the row of a hidden gate that a candidate does not pass.

    Parameters
    ----------
    check : str
    reason : Reason
        What is not the submission's fault is no failed check of it, but an error.
    message : str
    """
    ours = fault_of(reason) is not Fault.SUBMISSION
    return CheckOutcome(
        check=check,
        suite=Suite.HIDDEN,
        mode=GATE,
        severity=Severity.BLOCKER,
        outcome=Outcome.ERROR if ours else Outcome.FAILED,
        reason=reason,
        message=message,
        pattern="does not run to a valid result",
    )


def decide(outcomes: Iterable[CheckOutcome]) -> Decision:
    """Decide on a table of outcomes.

    Parameters
    ----------
    outcomes : iterable of CheckOutcome

    Returns
    -------
    Decision
        ``fail`` after a runtime error, a malformed output or a failed blocker; ``partial``
        after a failed critical check, after a check that could not be carried out, or where no
        check that looks at values has passed; else ``pass``. The reasons are those of the rows
        that decided, first come first. The hidden score is the weighted share of hidden checks
        passed, None without any.

    Examples
    --------
    >>> first = Suite.HIDDEN, "exact_match", Severity.BLOCKER, Outcome.PASSED
    >>> row = CheckOutcome("a", *first, Reason.OK, "", 1, 1, "")
    >>> print(decide([row]).verdict)
    pass
    >>> wrong = decide([row._replace(outcome=Outcome.FAILED, reason=Reason.WRONG_OUTPUT)])
    >>> print(wrong.verdict, *wrong.reasons, wrong.hidden_score)
    fail wrong_output 0.0
    >>> print(decide([row._replace(mode="shape_guard")]).verdict)
    partial
    """
    rows = list(outcomes)
    effects = [TABLE[kind(row.mode), row.severity, row.outcome] for row in rows]
    worst = max(effects, key=_rank, default=None)
    score = _hidden_score(rows)
    if worst is not None:
        reasons = [row.reason for row, effect in zip(rows, effects, strict=True) if effect == worst]
        return Decision(worst, list(dict.fromkeys(reasons)), score)
    if not any(_is_evidence(row) for row in rows):
        return Decision(Verdict.PARTIAL, [Reason.NOT_REACHED], score)
    return Decision(Verdict.PASS, [Reason.OK], score)


def not_passed(outcomes: Iterable[CheckOutcome]) -> list[str]:
    """Return the checks that decide and have not passed, each once.

    Parameters
    ----------
    outcomes : iterable of CheckOutcome
    """
    bad = (r for r in outcomes if r.outcome != _PASSED and r.severity != Severity.ADVISORY)
    return list(dict.fromkeys(row.check for row in bad))


def _rank(effect: Verdict | None) -> int:
    return _RANK[effect]


def _is_evidence(row: CheckOutcome) -> bool:
    return (
        kind(row.mode) == "semantic"
        and row.severity != Severity.ADVISORY
        and row.outcome == _PASSED
    )


def _hidden_score(rows: list[CheckOutcome]) -> float | None:
    """Return the weighted share of hidden checks passed.

    An advisory check has no part in it, nor has one that the grader itself broke.
    """
    counted = [
        row
        for row in rows
        if row.suite == Suite.HIDDEN
        and row.mode != GATE
        and row.severity != Severity.ADVISORY
        and row.outcome != _ERROR
    ]
    total = sum(row.weight for row in counted)
    if total <= 0:
        return None
    return sum(row.weight for row in counted if row.outcome == _PASSED) / total
