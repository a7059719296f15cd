"""List the tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from biomlbench.cli._common import as_json, data_options, print_json, print_table
from biomlbench.errors import TaskError

if TYPE_CHECKING:
    from biomlbench.scoring.effective_task import EffectiveTask
    from biomlbench.stages import Context
    from biomlbench.task.registry import Task


@click.command()
@click.option("--domain", help="Only this domain, for instance clinical.")
@as_json
@data_options
def command(*, context: Context, domain: str | None, as_json: bool) -> None:
    """List the tasks that can be graded.

    \b
    Examples:
      biomlbench tasks
      biomlbench tasks --domain clinical --json
    """  # noqa: D301
    registry = context.registry
    rows = []
    for task_id in registry.list_task_ids():
        try:
            row = _row(registry.get_task(task_id))
        except TaskError as error:
            # One broken task must not hide the others.
            row = {"task": task_id, "name": f"broken: {error}"}
        if domain in (None, task_id.partition("/")[0]):
            rows.append(row)
    if domain is not None and not rows:
        there = sorted({task_id.partition("/")[0] for task_id in registry.list_task_ids()})
        raise click.BadParameter(
            f"there is no task of the domain {domain!r}; there are {', '.join(there)}",
            param_hint="--domain",
        )
    if as_json:
        print_json(rows)
    else:
        print_table(rows, ("task", "name", "kind", "difficulty", "metric", "medals"))


def _row(task: Task) -> dict[str, str]:
    from biomlbench.scoring.effective_task import EffectiveTask

    return {
        "task": task.id,
        "name": task.name,
        "kind": task.kind,
        "difficulty": task.difficulty,
        "metric": EffectiveTask(task).metric_name,
        "medals": _medals(EffectiveTask(task)),
    }


def _medals(task: EffectiveTask) -> str:
    """Tell whether a task awards medals, for which its leaderboard has to be one of its scores."""
    try:
        return "no leaderboard" if task.read_leaderboard() is None else "yes"
    except TaskError:
        return "leaderboard refused"
