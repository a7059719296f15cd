"""Write the section of a card's statement that its declarations say."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NoReturn

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
    """Write the section "For all calls" of the statement of the card TASK.

    It is made from `inputs`, `sizes`, `layouts` and `limits` of the card's config.yaml, and takes
    the place of an older one or the end of the statement; all other text stays. Nothing is written
    where that text and the declarations contradict each other. Then cases are checked against the
    declarations, too; the exit code is 1 where a promise has no case or a case lies outside a
    promise.

    \b
    Example:
      biomlbench statement my-card --tasks-dir my-tasks
    """  # noqa: D301
    from biomlbench.verify import card, promises, statement

    loaded = card.load(context.task(task).folder)
    if dry_run:
        echo(statement.conventions(loaded), nl=False)
    elif told := [*statement.problems_of_own_text(loaded)]:
        _refuse([*told, f"nothing was written to {statement.statement_path(loaded)}"])
    else:
        statement.write_conventions(loaded)
    if told := promises.problems(loaded):
        _refuse(told)


def _refuse(told: list[str]) -> NoReturn:
    for line in told:
        echo(line, err=True)
    sys.exit(INVALID)
