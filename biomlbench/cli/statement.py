"""Write the section of a card's statement that its declarations say."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from biomlbench.cli import INVALID
from biomlbench.cli._common import data_options, echo, task_argument

if TYPE_CHECKING:
    from biomlbench.stages import Context


@click.command()
@task_argument
@click.option("--dry-run", is_flag=True, help="Print the section, write nothing.")
@data_options
def command(task: str, *, context: Context, dry_run: bool) -> None:
    """Write the section "For all calls" at the end of the statement of the card TASK.

    It is made from `inputs`, `sizes`, `layouts` and `limits` of the card's config.yaml. Then
    cases and statement are checked against these declarations; the exit code is 1 where a promise
    has no case or a case lies outside a promise.

    \b
    Example:
      biomlbench statement my-card --tasks-dir my-tasks
    """  # noqa: D301
    from biomlbench.verify import card, promises, statement

    loaded = card.load(context.task(task).folder)
    if dry_run:
        echo(statement.conventions(loaded), nl=False)
    else:
        statement.write_conventions(loaded)
    found = promises.problems(loaded)
    for problem in found:
        echo(problem, err=True)
    if found:
        sys.exit(INVALID)
