"""Prepare tasks."""

from __future__ import annotations

import multiprocessing
import os
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import TYPE_CHECKING, NamedTuple, TextIO

import click

from biomlbench.cli._common import Trouble, as_json, data_options, echo, print_json, track
from biomlbench.errors import TaskError, explain
from biomlbench.outcomes import Reason
from biomlbench.task.registry import prepare_command
from biomlbench.task.sources.archives import OFFLINE, QUIET

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from biomlbench.stages import Context
    from biomlbench.task.task import Task


class Notes(NamedTuple):
    """What is to be known of a prepared task: its data, its gold and its sample submission."""

    data: str = ""
    gold: str = ""
    sample: str = ""


@click.command()
@click.argument("tasks", nargs=-1, metavar="[TASK]...")
@click.option("-t", "--task-id", "named", multiple=True, metavar="TASK", help="The same as TASK.")
@click.option("-a", "--all", "every", is_flag=True, help="Prepare all tasks.")
@click.option(
    "-l",
    "--list",
    "listed",
    type=click.File(encoding="utf-8"),
    help="Prepare the tasks that a text file names, one a line.",
)
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Tasks to prepare at a time, each in a process of its own.",
)
@click.option("--offline", is_flag=True, help="Take what the cache has, and fetch nothing.")
@click.option("--force", is_flag=True, help="Prepare them again, whatever is there: it is deleted.")
@as_json
@data_options
def command(
    tasks: tuple[str, ...],
    *,
    named: tuple[str, ...],
    every: bool,
    listed: TextIO | None,
    context: Context,
    jobs: int,
    offline: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Fetch and split the data of one or more tasks.

    What a competitor gets is then in <data dir>/<task>/prepared/public. Doing it again costs
    nothing: data that are in place are only checked. Data that you put there yourself (answers and
    sample submission at least) are taken as they are. Nothing there is deleted or overwritten
    without --force. A task that cannot be prepared stops no other.

    \b
    Examples:
      biomlbench prepare breast-cancer-wisconsin kabsch-rmsd
      biomlbench prepare -t clinical/breast-cancer-wisconsin
      biomlbench prepare --all --jobs 4
      biomlbench prepare --all --offline        on a machine without internet, from a copied cache
    """  # noqa: D301
    names = [*tasks, *named, *(line.strip() for line in listed or () if line.strip())]
    if every:
        names += context.registry.list_task_ids()
    if not names:
        raise click.UsageError("name a task, or use --all; `biomlbench tasks` shows what there is")
    if offline:
        os.environ[OFFLINE] = "1"
    names = list(dict.fromkeys(names))
    found, failed, done = [], [], []
    for name in names:
        try:
            found.append(context.task(name))
        except TaskError as unknown:
            if len(names) == 1:
                raise
            failed.append(str(unknown))
    found = list(dict.fromkeys(found))
    for task, came in track(_prepared(found, context, jobs, force=force), "preparing", len(found)):
        if isinstance(came, Notes):
            note = "; ".join(filter(None, came))
            done.append({"task": task.id, "public": str(task.public_dir), "note": note})
            if not as_json:
                echo(f"{task.id}: {task.public_dir}")
            if came.data:
                again = f". To prepare it anew: {prepare_command(task)} --force"
                again = again if task.config.get("preparer") else ""
                echo(f"{task.id}: {came.data}{again}", err=True)
            for own in filter(None, (came.gold, came.sample)):
                echo(f"{task.id}: {own}", err=True)
            continue
        if len(names) == 1 or (told := explain(came)) is None:
            raise came
        failed.append(f"{task.id}: {told.removeprefix(f'{task.id}: ')}")
    if as_json:
        print_json(done)
    if failed:
        lines = "\n".join(failed)
        total = len(failed) + len(done)
        raise Trouble(f"{len(failed)} of {total} tasks could not be prepared:\n{lines}")


def _prepared(
    tasks: Sequence[Task], context: Context, jobs: int, *, force: bool
) -> Iterator[tuple[Task, BaseException | Notes]]:
    """Yield each task when it is done, and what is to be known of its data, or what went wrong."""
    if jobs == 1:
        for task in tasks:
            yield task, _prepare(task.id, context, force=force)
        return
    # Processes, since preparers are code of others: they share no module and no working directory.
    method = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=method, initializer=_be_quiet) as pool:
        waiting = {pool.submit(_prepare, task.id, context, force=force): task for task in tasks}
        for future in as_completed(waiting):
            yield waiting[future], future.exception() or future.result()


def _be_quiet() -> None:
    os.environ[QUIET] = "1"
    # What preparers print is no answer of the command's.
    sys.stdout = sys.stderr


def _prepare(task_id: str, context: Context, *, force: bool) -> Exception | Notes:
    """Return what is to be known of the data, or what went wrong, which processes can pass on."""
    from biomlbench.scoring.gradable import check_gradable
    from biomlbench.stages.prepare import compute
    from biomlbench.stages.preparing import data_note

    try:
        (row,) = compute(task_id, context, force=force).to_pylist()
        # no part of the stage, whose table does not depend on metrics
        if row["reason"] == Reason.OK:
            note = data_note(row)
            try:
                own = check_gradable(context.task(task_id))
            except TaskError as error:  # it may come from what the note tells
                told = f"{error.message} ({note})" if note else error.message
                return type(error)(told, error.reason)
            return Notes(note, own.gold, own.sample)
    except Exception as error:
        return error
    return TaskError(row["message"], row["reason"])
