"""Start a task, or a plug-in of any kind, from a template."""

from __future__ import annotations

import click

from biomlbench.cli._common import echo
from biomlbench.cli._scaffold import KINDS, ScaffoldError, make


@click.command()
@click.argument("kind", type=click.Choice(KINDS))
@click.argument("name")
@click.option(
    "--to",
    type=click.Path(file_okay=False),
    help="Folder of tasks (default: my-tasks), or the clone for anything else.",
)
def command(kind: str, name: str, to: str | None) -> None:
    """Make a KIND called NAME from a template that works as it is.

    \b
    Examples:
      biomlbench new task clinical/liver-toxicity
      biomlbench new problem codon-usage
      biomlbench new metric median-absolute-error
    """  # noqa: D301
    try:
        made = make(kind, name, to)
    except ScaffoldError as error:
        raise click.UsageError(str(error)) from None
    for path in made.files:
        echo(path)
    echo(f"\nIt works as it is:  {made.next_step}")
    echo(f"How to go on:       {made.page}")
