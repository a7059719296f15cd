"""Which tasks may be trusted: measured rates against the allowed ones."""

from __future__ import annotations

import json
import logging
from collections import defaultdict
from dataclasses import dataclass, fields
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomlbench.calibrate.controls import RIGHT, WRONG
from biomlbench.calibrate.intervals import Z95, Share, wilson
from biomlbench.calibrate.mutants import FAMILIES, TRAINING
from biomlbench.errors import UserError
from biomlbench.run_command import run_command

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pyarrow as pa

    from biomlbench.calibrate.summary import Graded
    from biomlbench.contracts.calibration_rows import AllowedRatesRow

__all__ = [
    "Allowed",
    "AllowedRatesError",
    "allowed_rates",
    "not_within_allowed",
    "require",
    "write_proof",
]

MEASURED = "measured"
"""What each task's calibration depended on, in the provenance of the tables."""

log = logging.getLogger(__name__)

_NAMES = {
    "known_bad": "a known-bad solution",
    "stock": "a stock candidate",
    "spoilt": "a spoilt copy of the gold submission",
    "run": "a run with the label `wrong`",
}
"""Families of wrong controls that are no mutants, as messages name them."""


class AllowedRatesError(UserError, RuntimeError):
    """A task is above the allowed rates, and the run is strict."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """Allowed rates.

    Attributes
    ----------
    false_pass_high : float
        For the upper Wilson bound of the false-pass rate over all wrong controls of a problem card
        (known-bad, stock and mutants together: five known-bad ones alone could never show it).
        Not asked of tasks with predictions, which have too few wrong controls to show it.
    known_bad : float
        For the rate over all wrong controls that are no mutants: known-bad, stock, spoilt
        copies of a gold submission, and runs with the label ``wrong``.
    mutants : float
        For the rate over the live mutants of operators by which checks are sharpened. Those held
        out have no limit of their own: who sharpens a check until they pass it measures nothing
        with them any more. They count among all wrong controls.
    false_fail : float
        For the rate over right controls.
    false_fail_high : float
        For its upper Wilson bound; 1 asks for none, as 35 right controls would be needed to
        show 10 percent.
    """

    false_pass_high: float = 0.10
    known_bad: float = 0.0
    mutants: float = 0.02
    false_fail: float = 0.0
    false_fail_high: float = 1.0

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Allowed:
        """Take the allowed rates out of a mapping; what it leaves out has its default."""
        known = {item.name for item in fields(cls)}
        return cls(**{name: float(value) for name, value in values.items() if name in known})


def allowed_rates(graded: Iterable[Graded], allowed: Allowed | None = None) -> pa.Table:
    """Hold every task's rates against the allowed ones.

    Parameters
    ----------
    graded : iterable of Graded
    allowed : Allowed, optional

    Returns
    -------
    pyarrow.Table
        Of the schema ``allowed_rates``; one row a task, with every reason why not. The upper
        bound is only asked of problem cards: of predictions there are not forty ways to
        spoil them.
    """
    from biomlbench.contracts import from_rows

    allowed = allowed or Allowed()
    by_task: dict[str, list[Graded]] = defaultdict(list)
    for one in graded:
        by_task[one.task_id].append(one)
    return from_rows("allowed_rates", [_row(t, by_task[t], allowed) for t in sorted(by_task)])


def _share(graded: Iterable[Graded]) -> Share:
    chosen = list(graded)
    return wilson(sum(one.misjudged for one in chosen), len(chosen))


def _row(task_id: str, graded: list[Graded], allowed: Allowed) -> AllowedRatesRow:
    right = _share(one for one in graded if one.label == RIGHT)
    wrong = [one for one in graded if one.label == WRONG]
    mutants = [one for one in wrong if one.family == TRAINING]
    all_wrong = _share(wrong)
    others = [one for one in wrong if one.family not in FAMILIES]
    limits = [
        (_kinds(others), "false pass", _share(others), allowed.known_bad),
        ("mutants", "false pass", _share(mutants), allowed.mutants),
        ("right controls", "false fail", right, allowed.false_fail),
    ]  # fmt: skip
    reasons = [
        f"{what}: {kind} rate {share.rate:.1%} ({share.errors} of {share.n}), allowed {limit:.1%}"
        for what, kind, share, limit in limits
        if share.rate is not None and share.rate > limit
    ]
    is_card = any(one.family == "reference" for one in graded)
    if is_card and all_wrong.high > allowed.false_pass_high:
        reasons.append(
            f"wrong controls: the false-pass rate may be up to {all_wrong.high:.1%} "
            f"({all_wrong.errors} of {all_wrong.n}), allowed {allowed.false_pass_high:.1%} of a "
            f"problem card{_enough(all_wrong, allowed.false_pass_high)}"
        )
    if right.high > allowed.false_fail_high:
        reasons.append(
            f"right controls: the false-fail rate may be up to {right.high:.1%} "
            f"({right.errors} of {right.n}), allowed {allowed.false_fail_high:.1%}"
        )
    if not right.n:
        reasons.append("there is no right control")
    if not all_wrong.n:
        reasons.append("there is no wrong control")
    return {
        "task_id": task_id,
        "within_allowed": not reasons,
        "reasons": reasons,
        "right": right.n,
        "wrong": all_wrong.n,
        "false_pass": all_wrong.rate,
        "false_pass_high": all_wrong.high,
        "false_fail": right.rate,
        "false_fail_high": right.high,
    }


def _kinds(graded: Iterable[Graded]) -> str:
    """Name wrong controls that are no mutants, and of several kinds those that passed."""
    chosen = list(graded)
    if {one.family for one in chosen} <= {"known_bad"}:
        return "known-bad"
    passed = {_NAMES.get(one.family, one.family) for one in chosen if one.misjudged}
    return f"wrong controls that are no mutants ({', '.join(sorted(passed))})"


def _enough(wrong: Share, limit: float) -> str:
    """Say how many wrong controls would show a limit, where none of those there are passed."""
    if wrong.errors or not 0 < limit < 1:
        return ""
    needed = ceil(Z95**2 * (1 / limit - 1))  # as wilson(0, n).high is z^2 / (n + z^2)
    return f"; {needed} wrong controls without a false pass would show it: ask for more mutants"


def require(table: pa.Table) -> None:
    """Raise where a task is not within the allowed rates.

    Parameters
    ----------
    table : pyarrow.Table
        Of the schema ``allowed_rates``.

    Raises
    ------
    AllowedRatesError
        Naming every such task: first a line each with the reasons, then all names in one line.
    """
    found = [row for row in table.to_pylist() if not row["within_allowed"]]
    if found:
        lines = [f"{row['task_id']}: {'; '.join(row['reasons'])}" for row in found]
        names = ", ".join(row["task_id"] for row in found)
        count = f"{len(found)} of {table.num_rows} tasks are not within the allowed error rates"
        raise AllowedRatesError("\n".join([*lines, f"{count}: {names}"]))


def write_proof(table: str | Path, path: str | Path) -> None:
    """Write down which tasks are within the allowed rates, if all are.

    Parameters
    ----------
    table : path
        Table of the schema ``allowed_rates``.
    path : path
        For the list, as JSON.

    Raises
    ------
    AllowedRatesError
        If one is not.
    """
    from biomlbench.contracts import read_table

    found = read_table("allowed_rates", table)
    require(found)
    text = json.dumps({"within_allowed": found.column("task_id").to_pylist()}, indent=1)
    Path(path).write_text(f"{text}\n", encoding="utf-8")


def not_within_allowed(
    results: str | Path, now: Mapping[str, Sequence[str]] | None = None
) -> dict[str, tuple[str, ...]]:
    """Return which tasks of a results folder were measured and found above the allowed rates.

    Parameters
    ----------
    results : path
        Results folder of the workflow.
    now : mapping, optional
        What the calibration of the benchmark's tasks would depend on now, as
        :func:`biomlbench.calibrate.currency.measured` returns it. What was measured with another
        config does not count then, and what is out of date is warned of.

    Returns
    -------
    dict
        Task to reasons; empty where nothing has been measured.

    Raises
    ------
    biomlbench.contracts.ContractError
        If the table is damaged.
    """
    from biomlbench.contracts import provenance, read_table

    path = Path(results) / "calibration" / "allowed_rates.parquet"
    if not path.is_file():
        return {}
    rows = read_table("allowed_rates", path).to_pylist()
    found = {row["task_id"]: tuple(row["reasons"]) for row in rows if not row["within_allowed"]}
    if now is None:
        return found
    then = json.loads(provenance(path).get(MEASURED, "{}"))
    own = [name for name in now if name in then and then[name][0] == now[name][0]]
    if old := [name for name in own if then[name][1] != now[name][1]]:
        log.warning(
            "calibration is out of date for %s: the task or the code has changed since; "
            "`%s` measures again",
            ", ".join(sorted(old)),
            run_command("calibrate"),
        )
    return {name: reasons for name, reasons in found.items() if name in own}
