"""What the data set of real runs says: hints before a pass, failures, times."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, cast

from biomlbench.calibrate.intervals import wilson
from biomlbench.outcomes import Fault, Reason, Verdict
from biomlbench.scoring.lost_runs import is_lost

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from biomlbench.contracts.mappings import JsonObject
    from biomlbench.contracts.rows import TelemetryRow


__all__ = [
    "Survival",
    "check_rates",
    "failure_reasons",
    "hints_before_pass",
    "real_runs",
    "report",
    "runtimes",
    "survival",
]

OUTLIER = 3.5
"""Modified z-score from which on a time is an outlier (Iglewicz and Hoaglin 1993)."""
MOST_REASONS = 10
"""Reasons that are told of a week."""
_MAD_TO_SD = 0.6745
"""Quantile of the normal distribution that makes a median deviation a standard deviation."""


class Survival(NamedTuple):
    """Kaplan-Meier estimate: share of agents that have not passed after each attempt."""

    attempts: list[int]
    at_risk: list[int]
    passed: list[int]
    share: list[float]
    low: list[float]
    high: list[float]


class _Share(TypedDict):
    errors: int
    n: int
    rate: float | None
    low: float
    high: float


class CheckRate(_Share):
    """The share of a week's runs of a task on which a check failed."""

    week: str
    task_id: str
    check: str


class Runtimes(TypedDict):
    """Times of a week's runs of a task; see :func:`runtimes`."""

    task_id: str
    week: str
    runs: int
    cv: float | None
    outliers: int
    median_s: float
    reference_s: float | None
    ratio: float | None


class Usage(TypedDict):
    """All that the data set of real runs says; see :func:`report`."""

    runs: int
    reasons: dict[str, list[tuple[Reason, int]]]
    hints: dict[str, dict[int, int]]
    survival: dict[str, JsonObject]
    checks: list[CheckRate]
    runtimes: list[Runtimes]


def _by_agent(rows: Iterable[TelemetryRow]) -> dict[tuple[str, str], list[TelemetryRow]]:
    """Return each agent's attempts at each task, first attempt first.

    What was lost to a fault that is not the agent's is no attempt.
    """
    found: dict[tuple[str, str], list[TelemetryRow]] = defaultdict(list)
    for row in real_runs(rows):
        if not is_lost(row["fault"], row["verdict"]):
            found[row["task_id"], row["agent"]].append(row)
    for attempts in found.values():
        attempts.sort(key=lambda row: (row["attempt"] or 1, row["time"] or "", row["run_id"]))
    return found


def survival(rows: Iterable[TelemetryRow]) -> dict[str, Survival]:
    """Estimate, for every task, how many agents have not passed after so many attempts.

    Parameters
    ----------
    rows : iterable of mapping
        Of the schema ``telemetry``.

    Returns
    -------
    dict
        Task to estimate. An agent that never passed is censored at its last attempt: it is
        counted as long as it tried, not as one that would never have passed. The interval is
        Greenwood's on the log-log scale.

    References
    ----------
    Kaplan and Meier 1958, J. Am. Stat. Assoc. 53:457; Greenwood 1926, Reports on Public
    Health 33; log-log interval: Kalbfleisch and Prentice 1980, section 1.3.
    """
    times: dict[str, list[tuple[int, bool]]] = defaultdict(list)
    for (task_id, _), attempts in _by_agent(rows).items():
        place = next((i for i, r in enumerate(attempts) if r["verdict"] == Verdict.PASS), None)
        last = (len(attempts), False) if place is None else (place + 1, True)
        times[task_id].append(last)
    return {task_id: _kaplan_meier(times[task_id]) for task_id in sorted(times)}


def _kaplan_meier(times: Sequence[tuple[int, bool]]) -> Survival:
    result = Survival([], [], [], [], [], [])
    share, spread = 1.0, 0.0
    for attempt in sorted({number for number, _ in times}):
        at_risk = sum(number >= attempt for number, _ in times)
        passed = sum(number == attempt and event for number, event in times)
        share *= 1 - passed / at_risk
        if passed < at_risk:
            spread += passed / (at_risk * (at_risk - passed))
        low, high = _log_log(share, spread, len(times))
        row = (attempt, at_risk, passed, share, low, high)
        columns: tuple[list[Any], ...] = result
        for values, value in zip(columns, row, strict=True):
            values.append(value)
    return result


def _log_log(share: float, spread: float, n: int) -> tuple[float, float]:
    if share in (0.0, 1.0):
        # Greenwood's variance is no use at the ends; all agents are then one share of n
        ends = wilson(round(share * n), n)
        return ends.low, ends.high
    half = 1.959963984540054 * math.sqrt(spread) / abs(math.log(share))
    return share ** math.exp(half), share ** math.exp(-half)


def hints_before_pass(rows: Iterable[TelemetryRow]) -> dict[str, Counter[int]]:
    """Return, for every task, the highest tier of hints that agents had used when they passed.

    Parameters
    ----------
    rows : iterable of mapping

    Returns
    -------
    dict of str to Counter
        Tier to agents; agents that never passed are not in it.
    """
    found: dict[str, Counter[int]] = defaultdict(Counter)
    for (task_id, _), attempts in _by_agent(rows).items():
        tiers = []
        for row in attempts:
            tiers.append(row["hint_tier"] or 0)
            if row["verdict"] == Verdict.PASS:
                found[task_id][max(tiers)] += 1
                break
    return dict(found)


def real_runs(rows: Iterable[TelemetryRow]) -> list[TelemetryRow]:
    """Return the rows of real runs, as every count of the report is of them.

    Controls, which carry a true label, are no runs of an agent's, and neither are rows of run
    tables that could not be used.
    """
    return [row for row in rows if row["label"] is None and row["fault"] != Fault.RUN_TABLE]


def failure_reasons(rows: Iterable[TelemetryRow]) -> list[tuple[Reason, int]]:
    """Return the commonest reasons of real runs that did not pass."""
    counts = Counter(row["reason"] for row in real_runs(rows) if row["verdict"] != Verdict.PASS)
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MOST_REASONS]


def check_rates(rows: Iterable[TelemetryRow]) -> list[CheckRate]:
    """Return, for every week, task and check that ever failed, the share of real runs that did.

    Parameters
    ----------
    rows : iterable of mapping

    Returns
    -------
    list of dict
        week, task_id, check, and a :class:`~biomlbench.calibrate.intervals.Share`.
    """
    runs: Counter[tuple[str, str]] = Counter()
    failed: Counter[tuple[str, str, str]] = Counter()
    checks: dict[str, set[str]] = defaultdict(set)
    for row in real_runs(rows):
        runs[row["week"], row["task_id"]] += 1
        for check in set(row["checks_failed"]):
            checks[row["task_id"]].add(check)
            failed[row["week"], row["task_id"], check] += 1
    return [
        {
            "week": week,
            "task_id": task_id,
            "check": check,
            **cast("_Share", wilson(failed[week, task_id, check], runs[week, task_id])._asdict()),
        }
        for week, task_id in sorted(runs)
        for check in sorted(checks[task_id])
    ]


def runtimes(rows: Iterable[TelemetryRow]) -> list[Runtimes]:
    """Return how much the runs' times on hidden cases vary, and how they stand to the reference.

    Parameters
    ----------
    rows : iterable of mapping
        Of the schema ``telemetry``.

    Returns
    -------
    list of dict
        For each task and week: runs, the coefficient of variation of the runs' total times,
        how many are outliers by the median absolute deviation, the reference's own seconds on
        the machine of that week, and `ratio`, the median over it. A slow machine moves
        seconds and reference alike; a slower solution moves the ratio.
    """
    groups: dict[tuple[str, str], list[tuple[float, float | None]]] = defaultdict(list)
    for row in real_runs(rows):
        if row["hidden_wall_s"]:
            seconds = sum(row["hidden_wall_s"])
            groups[row["task_id"], row["week"]].append((seconds, row["reference_s"]))
    found: list[Runtimes] = []
    for (task_id, week), pairs in sorted(groups.items()):
        totals = [seconds for seconds, _ in pairs]
        references = [ref for _, ref in pairs if ref]
        reference = median(references) if references else None
        ratios = [seconds / ref for seconds, ref in pairs if ref]
        found.append(
            {
                "task_id": task_id,
                "week": week,
                "runs": len(totals),
                "cv": _cv(totals),
                "outliers": _outliers(totals),
                "median_s": median(totals),
                "reference_s": reference,
                "ratio": median(ratios) if ratios else None,
            }
        )
    return found


def _cv(values: Sequence[float]) -> float | None:
    mean = sum(values) / len(values)
    if len(values) < 2 or mean <= 0:
        return None
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return math.sqrt(variance) / mean


def _outliers(values: Sequence[float]) -> int:
    middle = median(values)
    deviation = median(abs(value - middle) for value in values)
    if deviation == 0:
        return sum(value != middle for value in values)
    return sum(_MAD_TO_SD * abs(value - middle) / deviation > OUTLIER for value in values)


def report(rows: Iterable[TelemetryRow]) -> Usage:
    """Return all that the data set of real runs says, as plain data.

    Parameters
    ----------
    rows : iterable of mapping
        Of the schema ``telemetry``.

    Returns
    -------
    dict
        ``runs``, those that are real (:func:`real_runs`), which all else is of; ``reasons`` by
        week; ``hints`` (tier to agents) and ``survival`` by task; ``checks`` and ``runtimes``, a
        row for each task and week.
    """
    rows = real_runs(rows)
    by_week: dict[str, list[TelemetryRow]] = defaultdict(list)
    for row in rows:
        by_week[row["week"]].append(row)
    hints = hints_before_pass(rows)
    return {
        "runs": len(rows),
        "reasons": {week: failure_reasons(by_week[week]) for week in sorted(by_week)},
        "hints": {task: dict(sorted(hints[task].items())) for task in sorted(hints)},
        "survival": {task: curve._asdict() for task, curve in survival(rows).items()},
        "checks": check_rates(rows),
        "runtimes": runtimes(rows),
    }
