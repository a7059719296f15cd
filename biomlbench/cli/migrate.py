"""Write a first verifier.yaml from a v1 card."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from biomlbench.cli._common import data_options, echo, task_argument

if TYPE_CHECKING:
    from biomlbench.stages import Context


@click.command()
@task_argument
@click.option("--dry-run", is_flag=True, help="Print it, write nothing.")
@data_options
def command(task: str, *, context: Context, dry_run: bool) -> None:
    """Write a first verifier.yaml for the v1 card TASK, into its folder.

    It is a draft: set `verifier: {version: shadow}` in the card's config.yaml, look at the
    disagreements in the report, add checks and known-bad solutions, then switch to v2.

    \b
    Example:
      biomlbench migrate my-card --tasks-dir my-tasks
    """  # noqa: D301
    from biomlbench.verify.migrate import migrate

    folder = context.task(task).folder
    text = migrate(folder)
    if dry_run:
        echo(text, nl=False)
        return
    path = folder / "verifier.yaml"
    with path.open("x", encoding="utf-8") as file:
        file.write(text)
    echo(path)
