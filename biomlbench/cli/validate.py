"""Check a submission's structure."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from biomlbench.cli import INVALID
from biomlbench.cli._common import (
    as_json,
    data_options,
    pair_of,
    print_json,
    print_table,
    submission_argument,
    task_argument,
)
from biomlbench.cli._pair import where_looked
from biomlbench.errors import TaskError
from biomlbench.outcomes import Fault, Outcome, fault_of

if TYPE_CHECKING:
    from pathlib import Path

    from biomlbench.stages import Context


@click.command()
@submission_argument
@task_argument
@as_json
@data_options
def command(submission: Path, task: str, *, context: Context, as_json: bool) -> None:
    """Check whether SUBMISSION has the form that TASK asks for. The answers are not opened.

    \b
    Example:
      biomlbench validate my.csv breast-cancer-wisconsin
    """  # noqa: D301
    from biomlbench.stages.chain.validate import compute

    rows = compute(pair_of(submission, task, context, None, 0), context, {})
    for row in rows:
        if fault_of(row["reason"]) not in (Fault.NONE, Fault.SUBMISSION):
            raise TaskError(row["message"], row["reason"])
    if as_json:
        print_json(rows)
    else:
        shown = [{**row, "message": row["message"] + where_looked(row, submission)} for row in rows]
        print_table(shown, ("check", "outcome", "reason", "message"))
    if any(row["outcome"] == Outcome.FAILED for row in rows):
        sys.exit(INVALID)
