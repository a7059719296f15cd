"""One submission run again and again: do the checks disagree with themselves, or does it."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

from biomlbench.calibrate.flaky import BASE, Condition, conditions, share_of, under_condition

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import pyarrow as pa

    from biomlbench.contracts.calibration_rows import FlakeRow
    from biomlbench.stages import Context

__all__ = ["OUTPUTS", "RunTrial", "flaky_in_run", "merged", "run_flakes_table", "run_trials"]

OUTPUTS = "(outputs)"
"""In place of a check: the submission's own outputs, which no check is to blame for."""


class RunTrial(NamedTuple):
    """One outcome of a check in a numbered trial, with a hash of the outputs it looked at."""

    number: int
    factor: str
    check: str
    outcome: str
    outputs: str


def run_trials(
    task_id: str, submission: str, context: Context, under: Iterable[Condition]
) -> list[RunTrial]:
    """Run a submission in the sandbox and judge it, once under each condition.

    The condition holds on both sides: for the submission in the sandbox, and for the checks in
    the process that judges.

    Parameters
    ----------
    task_id : str
        Of a problem card.
    submission : str
        Path.
    context : Context
    under : iterable of Condition

    Returns
    -------
    list of RunTrial

    Raises
    ------
    TaskError
        If it cannot be run or judged.
    """
    job = {
        "folder": str(context.task(task_id).folder),
        "task": task_id,
        "submission": str(submission),
        "context": asdict(context),
    }
    found = []
    for number, condition in enumerate(under):
        asked = {name: getattr(condition, name) for name in ("order", "hash_seed", "threads")}
        outcomes = under_condition("biomlbench.calibrate.run_trial", job | asked, condition)
        found += [RunTrial(number, condition.factor, *outcome) for outcome in outcomes]
    return found


def flaky_in_run(task_id: str, name: str, found: Iterable[RunTrial]) -> list[FlakeRow]:
    """Tell checks that disagree with themselves from a submission that does.

    Parameters
    ----------
    task_id, name : str
        Task, and name of the submission.
    found : iterable of RunTrial

    Returns
    -------
    list of dict
        Rows of the schema ``flakes``: first one for the outputs, then one a check. A check
        disagrees with itself where it gives two outcomes on the very same outputs. The
        outputs disagree in a trial in which any check saw other ones than usual.
    """
    by_check: dict[str, list[RunTrial]] = defaultdict(list)
    seen: dict[int, set[tuple[str, str]]] = defaultdict(set)
    factor_of: dict[int, str] = {}
    for trial in found:
        by_check[trial.check].append(trial)
        seen[trial.number].add((trial.check, trial.outputs))
        factor_of[trial.number] = trial.factor
    outputs = [(factor_of[number], frozenset(what)) for number, what in seen.items()]
    rows = [_row(task_id, OUTPUTS, name, len(outputs), *_disagreements(outputs))]
    for check, trials in by_check.items():
        by_outputs: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for trial in trials:
            by_outputs[trial.outputs].append((trial.factor, trial.outcome))
        parts = [_disagreements(same) for same in by_outputs.values()]
        causes = set().union(*(causes for _, causes in parts))
        rows.append(_row(task_id, check, name, len(trials), sum(off for off, _ in parts), causes))
    return rows


def _disagreements(seen: Sequence[tuple[str, Any]]) -> tuple[int, set[str]]:
    """Return how many of (factor, value) differ from the commonest, and what they vary with.

    The causes are the factors whose values differ from those of the unchanged condition; if
    these differ among themselves, only that is named.
    """
    usual, count = Counter(value for _, value in seen).most_common(1)[0]
    base = {value for factor, value in seen if factor == BASE} or {usual}
    if len(base) > 1:
        return len(seen) - count, {BASE}
    return len(seen) - count, {factor for factor, value in seen if value not in base}


def _row(task_id: str, check: str, name: str, runs: int, off: int, causes: set[str]) -> FlakeRow:
    return {
        "task_id": task_id,
        "check": check,
        **share_of(off, runs),
        "causes": sorted(causes),
        "solutions": [name] if off else [],
    }


def run_flakes_table(
    task_id: str,
    name: str,
    submission: str,
    context: Context,
    repeats: int,
    track: Callable[[Iterable[Condition]], Iterable[Condition]] = iter,
) -> pa.Table:
    """Look for flaky checks by one submission.

    Parameters
    ----------
    task_id, name, submission : str
        Task, name of the submission, path.
    context : Context
    repeats : int
        Trials for each factor.
    track : callable, optional
        Goes through the trials, to show how far it is.

    Returns
    -------
    pyarrow.Table
        Of the schema ``flakes``, as :func:`flaky_in_run` tells.
    """
    from biomlbench.contracts import from_rows

    found = run_trials(task_id, submission, context, track(conditions(repeats)))
    return from_rows("flakes", flaky_in_run(task_id, name, found))


def merged(rows: Iterable[FlakeRow]) -> list[FlakeRow]:
    """Put rows of the schema ``flakes`` together, one a task and check.

    Parameters
    ----------
    rows : iterable of mapping
        Those that say how a submission's outputs vary are left out.

    Returns
    -------
    list of dict
    """
    by_check: dict[tuple[str, str], list[FlakeRow]] = defaultdict(list)
    for row in rows:
        if row["check"] != OUTPUTS:
            by_check[row["task_id"], row["check"]].append(row)
    return [
        {
            "task_id": task_id,
            "check": check,
            **share_of(sum(r["disagreements"] for r in same), sum(r["runs"] for r in same)),
            "causes": sorted({cause for row in same for cause in row["causes"]}),
            "solutions": sorted({name for row in same for name in row["solutions"]}),
        }
        for (task_id, check), same in by_check.items()
    ]
