"""The verdict, out of a table of what each kind of check's outcome does to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from biomlbench.outcomes import Fault, Outcome, Reason, fault_of
from biomlbench.outcomes import Verdict as Ruling
from biomlbench.verify.modes import get_mode

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["GATE", "TABLE", "CheckOutcome", "Verdict", "decide", "gate", "kind", "rounded"]

GATE = "gate"
"""Mode of the rows that say whether the candidate ran and returned data at all."""
_MARGIN_DIGITS = 3


class CheckOutcome(NamedTuple):
    """One row of the `verify` table, without the pair and the verdict.

    ``margin`` is None where the check has no threshold or was not reached; ``pattern`` lists
    the failure patterns that the check catches.
    """

    check: str
    suite: str
    mode: str
    severity: str
    outcome: str
    reason: str
    message: str
    margin: float | None
    weight: float
    pattern: str


def rounded(margin: float) -> float:
    """Return a margin to few digits, so that it does not depend on the last bits of a sum."""
    return float(f"{margin:.{_MARGIN_DIGITS}g}")


class Verdict(NamedTuple):
    """Verdict (pass, partial, fail), the reason codes behind it, and the hidden score."""

    verdict: str
    reasons: list[str]
    hidden_score: float | None


_PASSED, _FAILED, _SKIPPED, _ERROR = (
    Outcome.PASSED,
    Outcome.FAILED,
    Outcome.SKIPPED,
    Outcome.ERROR,
)

TABLE: dict[tuple[str, str, str], str | None] = {
    # the candidate did not run, or returned no data
    (GATE, "blocker", _FAILED): Ruling.FAIL,
    # the result is not even of the right form
    ("guard", "blocker", _FAILED): Ruling.FAIL,
    ("guard", "critical", _FAILED): Ruling.FAIL,
    # the form is right, the meaning is not
    ("semantic", "blocker", _FAILED): Ruling.FAIL,
    ("semantic", "critical", _FAILED): Ruling.PARTIAL,
    # nothing is proven by a check that was not carried out
    **{
        (kind, severity, outcome): Ruling.PARTIAL
        for kind in (GATE, "guard", "semantic")
        for severity in ("blocker", "critical")
        for outcome in (_SKIPPED, _ERROR)
    },
    (GATE, "critical", _FAILED): Ruling.FAIL,
    **{
        (kind, severity, _PASSED): None
        for kind in (GATE, "guard", "semantic")
        for severity in ("blocker", "critical")
    },
    # an advisory check changes nothing
    **{
        (kind, "advisory", outcome): None
        for kind in (GATE, "guard", "semantic")
        for outcome in (_PASSED, _FAILED, _SKIPPED, _ERROR)
    },
}
"""What (kind of mode, severity, outcome) does to the verdict; None leaves it alone."""

_RANK: dict[str | None, int] = {None: 0, Ruling.PARTIAL: 1, Ruling.FAIL: 2}


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


def gate(check: str, reason: str, message: str) -> CheckOutcome:
    """Return the row of a hidden gate that a candidate does not pass.

    Parameters
    ----------
    check : str
    reason : str
        What is not the submission's fault is no failed check of it, but an error.
    message : str
    """
    ours = fault_of(reason) is not Fault.SUBMISSION
    return CheckOutcome(
        check=check,
        suite="hidden",
        mode=GATE,
        severity="blocker",
        outcome=str(Outcome.ERROR if ours else Outcome.FAILED),
        reason=str(reason),
        message=message,
        margin=None,
        weight=0.0,
        pattern="does not run to a valid result",
    )


def decide(outcomes: Iterable[CheckOutcome]) -> Verdict:
    """Decide on a table of outcomes.

    Parameters
    ----------
    outcomes : iterable of CheckOutcome

    Returns
    -------
    Verdict
        ``fail`` after a runtime error, a malformed output or a failed blocker; ``partial``
        after a failed critical check, after a check that could not be carried out, or where no
        check that looks at values has passed; else ``pass``. The reasons are those of the rows
        that decided, first come first. The hidden score is the weighted share of hidden checks
        passed, None without any.

    Examples
    --------
    >>> row = CheckOutcome("a", "hidden", "exact_match", "blocker", "passed", "ok", "", 1, 1, "")
    >>> decide([row]).verdict
    'pass'
    >>> decide([row._replace(outcome="failed", reason="wrong_output")])
    Verdict(verdict='fail', reasons=['wrong_output'], hidden_score=0.0)
    >>> decide([row._replace(mode="shape_guard")]).verdict
    'partial'
    """
    rows = list(outcomes)
    effects = [TABLE[kind(row.mode), row.severity, row.outcome] for row in rows]
    worst = max(effects, key=_rank, default=None)
    score = _hidden_score(rows)
    if worst is not None:
        reasons = [
            str(row.reason) for row, effect in zip(rows, effects, strict=True) if effect == worst
        ]
        return Verdict(str(worst), list(dict.fromkeys(reasons)), score)
    if not any(_is_evidence(row) for row in rows):
        return Verdict(str(Ruling.PARTIAL), [str(Reason.NOT_REACHED)], score)
    return Verdict(str(Ruling.PASS), [str(Reason.OK)], score)


def _rank(effect: str | None) -> int:
    return _RANK[effect]


def _is_evidence(row: CheckOutcome) -> bool:
    return kind(row.mode) == "semantic" and row.severity != "advisory" and row.outcome == _PASSED


def _hidden_score(rows: list[CheckOutcome]) -> float | None:
    """Return the weighted share of hidden checks passed.

    An advisory check has no part in it, nor has one that the grader itself broke.
    """
    counted = [
        row
        for row in rows
        if row.suite == "hidden"
        and row.mode != GATE
        and row.severity != "advisory"
        and row.outcome != _ERROR
    ]
    total = sum(row.weight for row in counted)
    if total <= 0:
        return None
    return sum(row.weight for row in counted if row.outcome == _PASSED) / total
