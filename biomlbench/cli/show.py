"""Show one task as those who are to solve it see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from biomlbench.cli._common import as_json, data_options, echo, print_json, task_argument

if TYPE_CHECKING:
    from biomlbench.stages import Context


@click.command()
@task_argument
@as_json
@data_options
def command(task: str, *, context: Context, as_json: bool) -> None:
    """Show what the task or problem card TASK asks for: facts, data, and its description.

    \b
    Examples:
      biomlbench show breast-cancer-wisconsin
      biomlbench show kabsch-rmsd --json
    """  # noqa: D301
    from biomlbench.scoring.effective_task import EffectiveTask

    found = context.task(task)
    facts = {
        "task": found.id,
        "name": found.name,
        "kind": found.kind,
        "difficulty": found.difficulty,
        "metric": EffectiveTask(found).metric_name,
        "public_data": str(found.public_dir) if found.public_dir.is_dir() else None,
    }
    if as_json:
        print_json({**facts, "description": found.description})
        return
    facts["public_data"] = facts["public_data"] or f"not there yet: biomlbench prepare {task}"
    for name, value in facts.items():
        if value:
            echo(f"{name.replace('_', ' ')}: {value}")
    echo()
    echo(found.description or "This task has no description.", nl=not found.description)
