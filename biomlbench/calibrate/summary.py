"""From graded controls to the tables of calibration: rates, kills, margins, power."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from biomlbench.calibrate.controls import RIGHT, WRONG, operator_of
from biomlbench.calibrate.intervals import wilson
from biomlbench.calibrate.left_out import left_out
from biomlbench.contracts import from_rows
from biomlbench.outcomes import Outcome, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pyarrow as pa

    from biomlbench.calibrate.labels import Adjudication

__all__ = ["Graded", "gather", "kills", "margins", "power", "rates"]

GATE = "gate"
_FAILED, _ADVISORY = Outcome.FAILED, Severity.ADVISORY


@dataclass
class Graded:
    """One control with all its checks.

    Parameters
    ----------
    task_id, name, family, label : str
    credited : bool
        Taken for right work by the grader.
    patterns, claims : tuple of str
    checks : dict
        Check to (mode, severity, failed).
    margins : list of (str, float, float or None)
        Check, margin, and deviation in units of the threshold.
    """

    task_id: str
    name: str
    family: str
    label: str
    credited: bool
    patterns: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()
    checks: dict[str, tuple[str, str, bool]] = field(default_factory=dict)
    margins: list[tuple[str, float, float | None]] = field(default_factory=list)

    @property
    def killers(self) -> set[str]:
        """Deciding checks that failed, `gate` included."""
        return {
            check
            for check, (_, severity, failed) in self.checks.items()
            if failed and severity != _ADVISORY
        }

    @property
    def misjudged(self) -> bool:
        """Whether the grader was wrong about it."""
        return self.credited != (self.label == RIGHT)


def gather(
    rows: Iterable[Mapping[str, Any]],
    adjudicated: Mapping[tuple[str, str], Adjudication] | None = None,
) -> list[Graded]:
    """Put the rows of a ``controls`` table together, one object a control.

    Parameters
    ----------
    rows : iterable of mapping
    adjudicated : mapping, optional
        (task, control or run) to a person's judgement, which overrides the label.

    Returns
    -------
    list of Graded
    """
    found: dict[tuple[str, str], Graded] = {}
    for row in rows:
        key = (row["task_id"], row["control"])
        if key not in found:
            judged = (adjudicated or {}).get(key)
            found[key] = Graded(
                *key,
                row["family"],
                judged.label if judged else row["label"],
                row["credited"],
                tuple(row["patterns"]),
                tuple(row["claims"]),
            )
        control = found[key]
        failed = row["outcome"] == _FAILED
        before = control.checks.get(row["check"], (row["mode"], row["severity"], False))
        control.checks[row["check"]] = (*before[:2], before[2] or failed)
        if row["margin"] is not None:
            control.margins.append((row["check"], row["margin"], row.get("deviation")))
    return list(found.values())


def rates(
    graded: Iterable[Graded],
    catches: Mapping[str, Mapping[str, Iterable[str]]] | None = None,
    week: str | None = None,
) -> pa.Table:
    """Return false-pass and false-fail rates with Wilson intervals.

    Parameters
    ----------
    graded : iterable of Graded
    catches : mapping, optional
        Task to check to the failure patterns that the check says it catches.
    week : str, optional
        ISO week of the calibration.

    Returns
    -------
    pyarrow.Table
        Of the schema ``rates``. Overall, card, family and operator: a false pass is a wrong
        control that the grader takes for right, a false fail a right one that it does not. Left
        out: a false pass is an operator's mutant that checks chosen without them, by
        :func:`biomlbench.calibrate.left_out.left_out`, do not catch. Check: a false
        fail is a right control that the check fails; a false pass a wrong control that shows
        a pattern of the check's, and that the check lets by, whether or not it is advisory.
        Mode: likewise, for all the checks of a mode of a task taken together but the advisory
        ones, which change no verdict.
    """
    counts: dict[tuple[str | None, str, str, str], list[int]] = defaultdict(lambda: [0, 0])

    def count(key: tuple[str | None, str, str, str], error: bool) -> None:
        counts[key][0] += error
        counts[key][1] += 1

    graded = list(graded)
    for one in graded:
        kind = "false_fail" if one.label == RIGHT else "false_pass"
        count((None, "overall", "overall", kind), one.misjudged)
        count((one.task_id, "card", one.task_id, kind), one.misjudged)
        count((one.task_id, "family", one.family, kind), one.misjudged)
        if operator := operator_of(one.name):
            count((None, "operator", operator, kind), one.misjudged)
        claimed = (catches or {}).get(one.task_id, {})
        by_mode: dict[str, list[bool]] = defaultdict(list)
        for check, (mode, severity, failed) in one.checks.items():
            if check == GATE:
                continue
            concerned = one.label == RIGHT or bool(set(claimed.get(check, ())) & set(one.patterns))
            if concerned:
                wrong = failed if one.label == RIGHT else not failed
                count((one.task_id, "check", f"{one.task_id}:{check}", kind), wrong)
                if severity != _ADVISORY:
                    by_mode[mode].append(failed)
        for mode, outcomes in by_mode.items():
            wrong = any(outcomes) if one.label == RIGHT else not any(outcomes)
            count((None, "mode", mode, kind), wrong)
    for operator, let_by in left_out(graded).items():
        for error in let_by:
            count((None, "left_out", operator, "false_pass"), error)
    scopes = ("overall", "mode", "card", "family", "operator", "left_out", "check")
    order = {scope: place for place, scope in enumerate(scopes)}
    keys = sorted(counts, key=lambda k: (order[k[1]], k[0] or "", k[2], k[3]))
    rows = []
    for task_id, scope, name, kind in keys:
        share = wilson(*counts[task_id, scope, name, kind])._asdict()
        names = {"task_id": task_id, "scope": scope, "name": name, "kind": kind, "week": week}
        rows.append({**names, **share})
    return from_rows("rates", rows)


def kills(graded: Iterable[Graded]) -> pa.Table:
    """Return which check fails on which control: the kill matrix, in long form."""
    return from_rows(
        "kills",
        [
            {
                "task_id": one.task_id,
                "solution": one.name,
                "label": one.label,
                "check": check,
                "killed": failed,
                "family": one.family,
            }
            for one in graded
            for check, (_, _, failed) in one.checks.items()
        ],
    )


def margins(graded: Iterable[Graded]) -> pa.Table:
    """Return how far every control stayed from every threshold."""
    return from_rows(
        "margins",
        [
            {
                "task_id": one.task_id,
                "check": check,
                "label": one.label,
                "margin": margin,
                "solution": one.name,
                "deviation": deviation,
            }
            for one in graded
            for check, margin, deviation in one.margins
        ],
    )


def power(
    graded: Iterable[Graded],
    costs: Mapping[tuple[str, str], tuple[int, float | None]] | None = None,
) -> pa.Table:
    """Return what each check is worth: its kills, what only it catches, redundancy, cost.

    Parameters
    ----------
    graded : iterable of Graded
    costs : mapping, optional
        (task, check) to the cases executed for this check alone, and the seconds that it takes
        to judge one submission.

    Returns
    -------
    pyarrow.Table
        Of the schema ``power``. A check is redundant with another of the same task that
        catches all that it catches, and more, or comes first.
    """
    by_task: dict[str, list[Graded]] = defaultdict(list)
    for one in graded:
        by_task[one.task_id].append(one)
    rows = []
    for task_id in sorted(by_task):
        kinds: dict[str, tuple[str, str]] = {}
        caught: dict[str, set[str]] = defaultdict(set)
        alone: dict[str, int] = defaultdict(int)
        false: dict[str, int] = defaultdict(int)
        for one in by_task[task_id]:
            for check, (mode, severity, failed) in one.checks.items():
                kinds.setdefault(check, (mode, severity))
                if failed and one.label == WRONG:
                    caught[check].add(one.name)
                false[check] += failed and one.label == RIGHT
            if one.label == WRONG and len(one.killers) == 1:
                alone[next(iter(one.killers))] += 1
        order = [check for check in kinds if check != GATE]
        for check in kinds:
            cases, seconds = (costs or {}).get((task_id, check), (0, None))
            rows.append(
                {
                    "task_id": task_id,
                    "check": check,
                    "mode": kinds[check][0],
                    "severity": kinds[check][1],
                    "kills": len(caught[check]),
                    "alone": alone[check],
                    "redundant_with": _covering(check, order, caught),
                    "false_fails": false[check],
                    "cases": cases,
                    "seconds": seconds,
                }
            )
    return from_rows("power", rows)


def _covering(check: str, order: list[str], caught: Mapping[str, set[str]]) -> str | None:
    mine = caught[check]
    if check == GATE or not mine:
        return None
    for other in order:
        theirs = caught[other]
        first = order.index(other) < order.index(check)
        if other != check and (mine < theirs or (mine == theirs and first)):
            return other
    return None
