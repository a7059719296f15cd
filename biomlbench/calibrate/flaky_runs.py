"""One submission run again and again: do the checks disagree with themselves, or does it."""

from __future__ import annotations

import subprocess
from collections import defaultdict
from dataclasses import asdict
from typing import TYPE_CHECKING, NamedTuple

from biomlbench.calibrate.flaky import (
    Condition,
    conditions,
    disagreements_of,
    flake_row,
    under_condition,
)
from biomlbench.errors import InvalidSubmissionError
from biomlbench.submission.submitted_file import confined, read_code

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import pyarrow as pa

    from biomlbench.contracts.calibration_rows import FlakeRow
    from biomlbench.stages import Context

__all__ = [
    *("OUTPUTS", "RunTrial", "flaky_in_run", "merged", "run_flakes_table"),
    *("run_flakes_table_or_reason", "run_trials"),
]

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
    task_id: str,
    submission: str,
    context: Context,
    under: Iterable[Condition],
    root: str | None = None,
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
    root : str, optional
        As in :class:`biomlbench.stages.Pair`.

    Returns
    -------
    list of RunTrial

    Raises
    ------
    InvalidSubmissionError
        If it cannot be read.
    TaskError
        If it cannot be run or judged.
    """
    with confined(submission, root):
        read_code(submission)
    job = {
        "folder": str(context.task(task_id).folder),
        "task": task_id,
        "submission": str(submission),
        "root": root,
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
    off, causes = disagreements_of(outputs)
    rows = [flake_row(task_id, OUTPUTS, len(outputs), off, causes, [name] if off else [])]
    for check, trials in by_check.items():
        by_outputs: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for trial in trials:
            by_outputs[trial.outputs].append((trial.factor, trial.outcome))
        parts = [disagreements_of(same) for same in by_outputs.values()]
        causes = set().union(*(causes for _, causes in parts))
        off = sum(off for off, _ in parts)
        rows.append(flake_row(task_id, check, len(trials), off, causes, [name] if off else []))
    return rows


def run_flakes_table(
    task_id: str,
    name: str,
    submission: str,
    context: Context,
    repeats: int,
    track: Callable[[Iterable[Condition]], Iterable[Condition]] = iter,
    root: str | None = None,
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
    root : str, optional
        As for :func:`run_trials`.

    Returns
    -------
    pyarrow.Table
        Of the schema ``flakes``, as :func:`flaky_in_run` tells.
    """
    from biomlbench.contracts import from_rows

    found = run_trials(task_id, submission, context, track(conditions(repeats)), root)
    return from_rows("flakes", flaky_in_run(task_id, name, found))


def run_flakes_table_or_reason(
    task_id: str, name: str, submission: str, context: Context, repeats: int, root: str | None
) -> tuple[pa.Table, str]:
    """Look for flaky checks by one submission, which may be no use for it.

    Parameters
    ----------
    task_id, name, submission, context, repeats, root
        As for :func:`run_flakes_table`.

    Returns
    -------
    table : pyarrow.Table
        Of the schema ``flakes``; without rows where the submission cannot be read or takes too
        long, which is no fault of the card's nor of this machine's.
    reason : str
        Why it has no rows; empty otherwise.
    """
    from biomlbench.contracts import SCHEMAS

    try:
        return run_flakes_table(task_id, name, submission, context, repeats, root=root), ""
    except InvalidSubmissionError as error:
        reason = str(error)
    except subprocess.TimeoutExpired as error:
        reason = f"one trial of it takes more than {error.timeout:g} seconds"
    return SCHEMAS["flakes"].empty_table(), reason


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
        flake_row(
            task_id,
            check,
            sum(row["runs"] for row in same),
            sum(row["disagreements"] for row in same),
            {cause for row in same for cause in row["causes"]},
            {name for row in same for name in row["solutions"]},
        )
        for (task_id, check), same in by_check.items()
    ]
