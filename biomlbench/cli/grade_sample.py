"""Grade one submission by the name and the arguments that the published command has."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from biomlbench.cli import INVALID, TROUBLE
from biomlbench.cli._common import data_options, print_json, submission_argument
from biomlbench.outcomes import Fault

if TYPE_CHECKING:
    from pathlib import Path

    from biomlbench.stages import Context


@click.command()
@submission_argument
@click.argument("task_id")
@data_options
def command(submission: Path, task_id: str, *, context: Context) -> None:
    """Grade SUBMISSION on TASK_ID and print the published report as JSON.

    `biomlbench grade` says more: interval, checks, verdict.

    \b
    Example:
      biomlbench grade-sample my.csv breast-cancer-wisconsin
    """  # noqa: D301
    from biomlbench.api.grading import grade_submission

    report = grade_submission(submission, context.task(task_id))
    print_json(report.to_dict())
    if report.fault not in (Fault.NONE, Fault.SUBMISSION):
        sys.exit(TROUBLE)
    if not report.valid_submission:
        sys.exit(INVALID)
