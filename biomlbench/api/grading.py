"""The documented grading API: one submission, many, and their summary."""

from __future__ import annotations

import operator
import os
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomlbench.api.reports import report_of
from biomlbench.errors import GraderError, InvalidSubmissionError, NotPreparedError, TaskError
from biomlbench.frames import is_path, parquet_of
from biomlbench.outcomes import Fault, Outcome, Reason
from biomlbench.plain_text import as_python
from biomlbench.scoring.bootstrap import MOST_RESAMPLES
from biomlbench.scoring.grader import Grader, TaskReport
from biomlbench.scoring.task_report import Summary, Totals
from biomlbench.submission.cells import MAX_SEED
from biomlbench.submission.submitted_file import looked_in
from biomlbench.task.registry import Registry, Task, registry

if TYPE_CHECKING:
    from collections.abc import Iterable

    from biomlbench.frames import Submission
    from biomlbench.stages.kinds import Kind

__all__ = [
    "Grader",
    "GraderError",
    "InvalidSubmissionError",
    "NotPreparedError",
    "Registry",
    "Task",
    "TaskError",
    "TaskReport",
    "aggregate_reports",
    "calculate_human_performance_metrics",
    "check_numbers",
    "grade_csv",
    "grade_submission",
    "registry",
    "report_of",
    "validate_submission",
]


def grade_submission(
    submission: Submission,
    task: Task,
    *,
    bootstrap: int = 0,
    seed: int = 0,
    root: str | Path | None = None,
    program_seed: int = 0,
) -> TaskReport:
    """Grade one submission.

    Parameters
    ----------
    submission : path or table
        A file (CSV, TSV, both also gzip-compressed, or Parquet), which need not exist; or a
        DataFrame of pandas or Polars, or a table of Arrow. Or a program that writes the
        predictions (`.py`); for a problem card, code. Code is run in the sandbox.
    task : Task
    bootstrap : int
        Resamples for the score's interval and the medals' probabilities, at least 1,000;
        0: none.
    seed : int
        Seed of the resamples.
    root : path, optional
        Folder that a relative path starts from; below it no link is followed.
    program_seed : int
        What a program finds in its environment as ``SEED``.

    Returns
    -------
    TaskReport
        An invalid submission has no score, and says why. Where the task's leaderboard or human
        baselines are broken the score stands, without what they would give, and `reason` says so.

    Raises
    ------
    NotPreparedError
        If the task's data are not there yet.
    TaskError
        If the task's files are broken so that nothing can be scored: sample, answers, config.
    GraderError
        If the task's grading function failed for a reason of its own.
    SandboxUnavailable, SandboxFault
        If this machine cannot run submitted code, or failed while it did.
    TypeError
        If the submission is neither a path nor a table, or a table where the task takes code, or
        `task` is no task.
    ValueError
        If `bootstrap`, `seed` or `program_seed` is no whole number from 0 on, or the last one
        above 2**32 - 1.

    Examples
    --------
    >>> from biomlbench.api.grading import grade_submission, registry
    >>> task = registry.get_task("caco2-wang")  # doctest: +SKIP
    >>> grade_submission("submission.csv", task).score  # doctest: +SKIP
    0.274
    """
    _check_task(task)
    check_numbers(bootstrap, seed, program_seed)
    source, name, kind = _source(submission, task)
    if kind.IS_CODE and not isinstance(source, bytes):
        from biomlbench.stages.code_score import score_code

        result = score_code(source, task, bootstrap, seed, program_seed=program_seed, root=root)
    else:
        from biomlbench.scoring.score import score_submission

        result = score_submission(source, task, bootstrap, seed, name=name, root=root)
    if result.reason == Reason.MISSING_FILE:
        result = replace(result, message=result.message + looked_in(str(source), root))
    if result.fault not in (Fault.NONE, Fault.SUBMISSION):
        if result.fault == Fault.GRADER:
            raise GraderError(result.message, result.reason)
        error = NotPreparedError if result.reason == Reason.NOT_PREPARED else TaskError
        raise error(result.message, result.reason)
    shown = source if isinstance(source, (str, Path)) else f"<{type(submission).__name__}>"
    return report_of(result, task, shown, created_at=datetime.now(UTC))


grade_csv = grade_submission


def _check_task(task: Any) -> None:
    if isinstance(task, str):
        raise TypeError(f"a task is wanted, not its name: registry.get_task({task!r})")


def check_numbers(bootstrap: Any, seed: Any, program_seed: Any = 0) -> None:
    """Refuse a number of resamples, or a seed, that is no whole number from 0 on, or too large."""
    given = {"bootstrap": bootstrap, "seed": seed, "program_seed": program_seed}
    for name, value in given.items():
        if not hasattr(value, "__index__") or operator.index(value) < 0:
            raise ValueError(f"{name}: {as_python(value)!r} is no whole number from 0 on")
    if operator.index(bootstrap) > MOST_RESAMPLES:
        raise ValueError(f"bootstrap: {bootstrap} resamples are more than {MOST_RESAMPLES}")
    if operator.index(program_seed) > MAX_SEED:
        raise ValueError(f"program_seed: {program_seed} is larger than {MAX_SEED}")


def _source(submission: Submission, task: Task) -> tuple[str | Path | bytes, str | None, Kind]:
    """Return a submission's path and kind; for a table its content and a name with its format."""
    from biomlbench.stages.kinds import get_kind, kind_of

    if is_path(submission):
        path = os.fspath(submission)
        return path, None, get_kind(kind_of(str(path), task.kind))
    kind = get_kind(kind_of("", task.kind))
    if kind.IS_CODE:
        raise TypeError(f"{task.id} takes the path of a file with code; not a table")
    return parquet_of(submission), "submission.parquet", kind


def validate_submission(submission: Submission, task: Task) -> tuple[bool, str]:
    """Check a submission's structure, without opening the answers.

    Parameters
    ----------
    submission : path or table
        Predictions (also as a DataFrame of pandas or Polars, or a table of Arrow), or a program
        that makes them (`.py`); for a problem card, code. Code is parsed and not run.
    task : Task

    Returns
    -------
    is_valid : bool
    message : str
        What is wrong: columns, counts and row numbers, never values.

    Raises
    ------
    NotPreparedError
        If the task's sample submission is not there yet.
    TaskError
        If it is broken.
    TypeError
        If the submission is neither a path nor a table, or `task` is no task.
    """
    from biomlbench.submission.validation import validate_rows

    _check_task(task)
    source, name, kind = _source(submission, task)
    if isinstance(source, bytes):
        rows = validate_rows(source, task, name=name)
    else:
        rows = kind.validate(str(source), task)
    for row in rows:
        if row["outcome"] == Outcome.FAILED:
            where = looked_in(str(source)) if row["reason"] == Reason.MISSING_FILE else ""
            return False, f"Submission invalid! {row['message']}{where}"
    return True, kind.VALID


def calculate_human_performance_metrics(
    agent_score: float, human_df: Any, is_lower_better: bool
) -> tuple[bool | None, float | None]:
    """Compare a score with human baselines.

    Parameters
    ----------
    agent_score : float
    human_df : DataFrame of pandas or Polars, or array_like
        With a column ``score``; a missing score is left out.
    is_lower_better : bool

    Returns
    -------
    beats_human : bool or None
        Strictly better than the median human; None without humans.
    human_percentile : float or None
        Percent of humans beaten or tied, 0 to 100.

    Raises
    ------
    TaskError
        If there is no column ``score``, or a score is no number.
    TypeError
        If `is_lower_better` is neither true nor false.

    Examples
    --------
    >>> import pandas as pd
    >>> humans = pd.DataFrame({"score": [0.6, 0.7, 0.8, 0.9]})
    >>> calculate_human_performance_metrics(0.8, humans, is_lower_better=False)
    (True, 75.0)
    """
    from biomlbench.scoring.humans import compare_with_humans

    if is_lower_better not in (True, False):
        raise TypeError(f"is_lower_better is {is_lower_better!r}; give True or False")
    direction = "minimize" if is_lower_better else "maximize"
    beats, percentile = compare_with_humans(agent_score, human_df, direction)
    return beats, percentile


def aggregate_reports(task_reports: Iterable[TaskReport | Mapping[str, Any]]) -> Summary:
    """Summarise reports.

    Parameters
    ----------
    task_reports : iterable of TaskReport or dict
        Dictionaries are those of :meth:`TaskReport.to_dict`.

    Returns
    -------
    Summary
        A dictionary, which a notebook shows as a table: ``total_runs``,
        ``total_runs_with_submissions``, ``total_valid_submissions``, ``total_medals``,
        ``total_gold_medals``, ``total_silver_medals``, ``total_bronze_medals``,
        ``total_above_median``, ``total_beats_human``, ``avg_leaderboard_percentile``,
        ``best_leaderboard_percentile``, ``worst_leaderboard_percentile`` (None where no report
        has one) and ``task_reports``, the reports as dictionaries. JSON can hold all of it.

    Raises
    ------
    TypeError
        If one is neither, a medal is no boolean, or a single report comes without a list.
    KeyError
        If a dictionary lacks what a report has.

    Examples
    --------
    >>> aggregate_reports([])["total_runs"]
    0
    """
    if isinstance(task_reports, (TaskReport, Mapping)):
        raise TypeError("reports are handed in as a list: aggregate_reports([report])")
    totals = Totals()
    entries = []
    for number, given in enumerate(task_reports, 1):
        report = TaskReport.from_dict(given) if isinstance(given, Mapping) else given
        if not isinstance(report, TaskReport):
            raise TypeError(
                f"report {number} is a {type(given).__name__}; hand in what grade_csv returned, or "
                "its to_dict()"
            )
        totals.add(report)
        entries.append(report.to_dict())
    return Summary(totals.to_dict() | {"task_reports": entries})
