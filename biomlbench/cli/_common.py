"""Options, contexts and tables that several commands use."""

from __future__ import annotations

import json
import os
import sys
from contextlib import redirect_stdout
from datetime import date
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

import click
from click.core import ParameterSource

from biomlbench.cli import TROUBLE
from biomlbench.plain_text import plain
from biomlbench.runtime.consoles import data_console
from biomlbench.runtime.progress_bars import track

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from biomlbench.stages import Context, Pair

__all__ = [
    "Refusal",
    "Trouble",
    "as_json",
    "cores_option",
    "data_options",
    "day_option",
    "echo",
    "licence_option",
    "pair_of",
    "print_table",
    "provider_option",
    "recorded_context",
    "results_argument",
    "results_to_be_argument",
    "seed_option",
    "submission_argument",
    "task_argument",
    "track",
]

_UNFOLDED = 10_000
_Function = TypeVar("_Function", bound="Callable[..., Any]")

task_argument = click.argument("task", shell_complete=lambda *a: _complete_task(*a))
submission_argument = click.argument("submission", type=click.Path(path_type=Path, readable=False))
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON, for machines.")
results_argument, results_to_be_argument = (
    click.argument(
        "results",
        type=click.Path(file_okay=False, exists=exists, path_type=Path),
        default=Path("results"),
    )
    for exists in (True, False)
)


class _Cores(click.IntRange):
    """A number of cores, or all that this process may use, as Snakemake counts them."""

    name = "cores"

    def __init__(self) -> None:
        super().__init__(min=1)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "all":
            return len(os.sched_getaffinity(0))
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"{value!r} is no number of cores; give 1 or more, or all", param, ctx)


def cores_option(told: str, default: str | int = "all") -> Callable[[_Function], _Function]:
    """Return the option ``--cores``: at least one, or ``all``."""
    return click.option(
        "-c",
        "--cores",
        type=_Cores(),
        metavar="[N|all]",
        default=default,
        show_default=True,
        help=told,
    )


def _as_day(_ctx: click.Context, _param: click.Parameter, value: str) -> str:
    try:
        return date.fromisoformat(value).isoformat() if value else ""
    except ValueError:
        raise click.BadParameter(f"{value!r} is no day; write it as YYYY-MM-DD") from None


def day_option(otherwise: str) -> Callable[[_Function], _Function]:
    """Return the option ``--date``, a day as ISO 8601 has it; without it the day is empty."""
    told = f"Day of publication, YYYY-MM-DD. [default: {otherwise}]"
    return click.option("--date", callback=_as_day, default="", help=told)


licence_option = click.option(
    "--license", "licence", help="Address of the results' licence. [default: none given]"
)


class Refusal(click.ClickException):
    """The answer is no; the message says why, and what would help."""

    def format_message(self) -> str:
        """Return the message as a terminal may show it."""
        return plain(self.message)


class Trouble(Refusal):
    """What is at fault is a task, its data or the machine; the message says what would help."""

    exit_code = TROUBLE


def echo(text: object = "", *, nl: bool = True, err: bool = False, fg: str | None = None) -> None:
    """Print text, as a terminal may show it.

    Parameters
    ----------
    text : object
    nl : bool
        Whether the line ends.
    err : bool
        Whether it goes to standard error.
    fg : str, optional
        Colour, where there is any.
    """
    click.secho(plain(text), file=None if err else _answers(), nl=nl, err=err, fg=fg)


def _answers() -> TextIO | None:
    """Return where commands print; None for standard output, where nothing was put in its place."""
    context = click.get_current_context(silent=True)
    found: TextIO | None = context.find_root().obj if context else None
    return found


def _complete_task(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    from biomlbench.task.registry import Registry

    full = Registry().list_task_ids()
    bare = [name.rpartition("/")[2] for name in full]
    return [name for name in (*bare, *full) if name.startswith(incomplete)]


def data_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say where tasks and their data are, as the argument `context`."""

    @click.option(
        "--data-dir",
        type=click.Path(file_okay=False),
        envvar="BIOMLBENCH_DATA_DIR",
        help="Folder of prepared data. [default: $BIOMLBENCH_DATA_DIR, else "
        "~/.cache/biomlbench/data]",
    )
    @click.option(
        "--tasks-dir",
        "tasks_dirs",
        multiple=True,
        type=click.Path(file_okay=False, exists=True),
        help="Folder with tasks of your own; may be repeated.",
    )
    @wraps(function)
    def wrapped(*args: Any, data_dir: str | None, tasks_dirs: Sequence[str], **kwargs: Any) -> Any:
        from biomlbench.stages import Context

        context = Context(data_dir=data_dir, tasks_dirs=tuple(tasks_dirs))
        # What a task's own code prints is no answer of the command's.
        click.get_current_context().find_root().obj = sys.stdout
        with redirect_stdout(sys.stderr):
            return function(*args, context=context, **kwargs)

    return wrapped


def recorded_context(results: Path, context: Context) -> Context:
    """Return the context with the tasks and data of `results`, where the command names none."""
    from biomlbench.workflow.recorded_places import context_of

    source = click.get_current_context().get_parameter_source("data_dir")
    return context_of(results, context, names_data=source is ParameterSource.COMMANDLINE)


def seed_option(
    told: str, name: str = "--seed", most: int | None = None
) -> Callable[[_Function], _Function]:
    """Return an option for a seed, at most `most`."""
    allowed = click.IntRange(0, most)
    return click.option(name, type=allowed, default=0, show_default=True, help=told)


def provider_option(*, unsafe: bool = True) -> Callable[[_Function], _Function]:
    """Return the option that chooses a sandbox.

    Parameters
    ----------
    unsafe : bool
        Whether code may be run without protection.
    """
    from biomlbench.sandbox.providers import choices

    return click.option(
        "--provider",
        type=click.Choice(choices(unsafe=unsafe)),
        default="auto",
        show_default=True,
        help="Sandbox that submitted code runs in.",
    )


def pair_of(submission: Path, task: str, context: Context, kind: str | None, seed: int) -> Pair:
    """Return the pair that a command line names.

    Parameters
    ----------
    submission : pathlib.Path
    task : str
        Bare or full id.
    context : Context
    kind : str or None
        By default after the task and the file's suffix.
    seed : int

    Returns
    -------
    Pair

    Raises
    ------
    click.BadParameter
        If the task takes no submissions of that kind.
    """
    from biomlbench.stages import Pair
    from biomlbench.stages.kinds import kind_of, kinds_for
    from biomlbench.workflow.runs import RUN_ID

    found = context.task(task)
    run_id = submission.stem if RUN_ID.fullmatch(submission.stem) else "submission"
    allowed = kinds_for(found.kind)
    if kind is not None and kind not in allowed:
        told = f"{kind!r}: {found.id} takes {' or '.join(allowed)}"
        raise click.BadParameter(told, param_hint="'--kind'")
    kind = kind or kind_of(str(submission), found.kind)
    return Pair(found.id, run_id, str(submission), kind, seed)


def print_table(
    rows: Iterable[Mapping[str, Any]], columns: Sequence[str], title: str | None = None
) -> None:
    """Print rows as a table on the terminal.

    Parameters
    ----------
    rows : iterable of dict
    columns : sequence of str
        Keys of the rows, in the order to be shown.
    title : str, optional
    """
    from rich.table import Table

    table = Table(title=title and plain(title))
    for number, name in enumerate(columns):
        table.add_column(name.replace("_", " "), no_wrap=number == 0)
    for row in rows:
        table.add_row(*(_text(row.get(name)) for name in columns))
    console = data_console(file=_answers())
    if not console.is_terminal:
        # Into a pipe or a file nothing is folded.
        console = data_console(file=_answers(), width=_UNFOLDED)
    console.print(table)


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, (list, tuple)):
        return ", ".join(plain(item) for item in value)
    return plain(value)


def print_json(value: Any) -> None:
    """Print a value as JSON; what JSON has no literal for becomes null."""
    echo(json.dumps(value, indent=2, allow_nan=False, default=str))
