"""Run all stages for one submission, for the commands that show one part of the result."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from biomlbench.cli import INVALID, TROUBLE
from biomlbench.cli._common import (
    as_json,
    data_options,
    echo,
    pair_of,
    provider_option,
    seed_option,
    submission_argument,
    task_argument,
    track,
)
from biomlbench.outcomes import Fault, Reason, Verdict
from biomlbench.scoring.bootstrap import MOST_RESAMPLES
from biomlbench.stages import run_pair
from biomlbench.stages.kinds import all_kinds
from biomlbench.submission.cells import MAX_SEED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import pyarrow as pa

    from biomlbench.contracts.mappings import Arguments
    from biomlbench.stages import Context

__all__ = ["finish", "pair_options", "stage_tables", "where_looked"]


def pair_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the arguments and options of a command about one submission."""
    for option in (
        data_options,
        as_json,
        provider_option(),
        seed_option("Seed that a program is given.", most=MAX_SEED),
        click.option(
            "--bootstrap",
            type=click.IntRange(0, MOST_RESAMPLES),
            default=2000,
            show_default=True,
            help="Resamples for the score's interval; 0 for none.",
        ),
        seed_option("Seed of the resamples.", "--bootstrap-seed"),
        click.option(
            "--kind",
            type=click.Choice(list(all_kinds())),
            help="Kind of the submission. [default: after the task and the file's name]",
        ),
        click.option(
            "--out",
            type=click.Path(file_okay=False, path_type=Path),
            help="Keep the five stages' tables in this folder.",
        ),
        task_argument,
        submission_argument,
    ):
        function = option(function)
    return function


def stage_tables(
    submission: Path,
    task: str,
    context: Context,
    out: Path | None,
    options: Arguments,
) -> dict[str, pa.Table]:
    """Run all five stages of a submission.

    Parameters
    ----------
    submission : pathlib.Path
    task : str
    context : Context
    out : pathlib.Path or None
        Folder for the tables; by default they are not kept.
    options : dict
        `kind`, `seed`, `bootstrap`, `bootstrap_seed`, `provider`.

    Returns
    -------
    dict of str to pyarrow.Table
    """
    context = replace(
        context,
        provider=options["provider"],
        bootstrap=options["bootstrap"],
        seed=options["bootstrap_seed"],
    )
    pair = pair_of(submission, task, context, options["kind"], options["seed"])
    if out is not None:
        return run_pair(pair, context, out, track=_bar)
    with tempfile.TemporaryDirectory(prefix="biomlbench-") as folder:
        return run_pair(pair, context, folder, track=_bar)


def finish(tables: Mapping[str, pa.Table], submission: Path) -> None:
    """Say what was at fault, and end with the exit code that the help promises.

    Parameters
    ----------
    tables : mapping of str to pyarrow.Table
        Of all stages.
    submission : pathlib.Path

    Notes
    -----
    0 for the verdict pass, 1 where the submission is invalid or was not passed, 3 where somebody
    else is at fault.
    """
    row = tables["medal"].to_pylist()[0]
    others = row["fault"] not in (Fault.NONE, Fault.SUBMISSION)
    if not row["valid_submission"]:
        reason, message = row["reason"], row["message"] + where_looked(row, submission)
        echo(f"Not graded ({reason}): {message}", fg="red", err=True)
    elif others and row["message"] not in (row["medal_note"] or ""):
        echo(f"Graded in part ({row['reason']}): {row['message']}", fg="red", err=True)
    if others:
        sys.exit(TROUBLE)
    if not row["valid_submission"] or row["verdict"] != Verdict.PASS:
        sys.exit(INVALID)


def where_looked(row: Mapping[str, Any], submission: Path) -> str:
    """Return where a submission that is not there was looked for; empty for any other row."""
    from biomlbench.submission.submitted_file import looked_in

    return looked_in(submission) if row["reason"] == Reason.MISSING_FILE else ""


def _bar(stages: Iterable[str]) -> Iterable[str]:
    return track(stages, "grading")
