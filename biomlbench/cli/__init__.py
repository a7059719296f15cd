"""The command line: one module a command in this package, loaded when it is called."""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from biomlbench import __version__
from biomlbench.plain_text import PlainFormatter, plain
from biomlbench.run_command import by_our_command
from biomlbench.runtime.progress_bars import show_bars

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["INVALID", "TROUBLE", "main"]

INVALID = 1
"""Exit code: the answer is no, as for a submission that is invalid or not passed."""
TROUBLE = 3
"""Exit code: the task, its data or the machine is at fault, not the submission."""
_UNREAD = 128 + signal.SIGPIPE
"""Exit code where nobody reads the output any more: that of a command that the signal ends."""

_HERE = Path(__file__).parent


def _modules() -> dict[str, str]:
    """Return the file of each command; one named after a keyword ends with an underscore."""
    stems = (path.stem for path in _HERE.glob("*.py"))
    return {s.rstrip("_").replace("_", "-"): s for s in stems if not s.startswith("_")}


class _UnreadError(Exception):
    """Nobody reads the output any more; Click would end with 1, as for a bad submission."""


@contextlib.contextmanager
def _told_of_readers() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError as error:
        from biomlbench.errors import UserError, explain

        told = explain(error)  # of a pipe that the user has named
        raise (_UnreadError() if told is None else UserError(told)) from error


class _Commands(click.Group):
    def make_context(self, *args: Any, **options: Any) -> click.Context:
        with _told_of_readers():
            return super().make_context(*args, **options)

    def invoke(self, ctx: click.Context) -> Any:
        with _told_of_readers():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_modules())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        stem = _modules().get(cmd_name)
        return importlib.import_module(f"{__name__}.{stem}").command if stem else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        import difflib

        name = args[0] if args else ""
        near = difflib.get_close_matches(name, self.list_commands(ctx), 1)
        if name and self.get_command(ctx, name) is None and not name.startswith("-") and near:
            raise click.UsageError(f"No such command {name!r}. Did you mean {near[0]!r}?", ctx)
        return super().resolve_command(ctx, args)


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="biomlbench")
@click.option("-v", "--verbose", is_flag=True, help="Say what is being done.")
def _cli(*, verbose: bool) -> None:
    """Grade, verify and calibrate submissions on biomedical machine-learning tasks.

    \b
    A first try:
      biomlbench tasks                            what there is
      biomlbench show breast-cancer-wisconsin     what a task asks for
      biomlbench prepare breast-cancer-wisconsin  fetch and split a task's data
      biomlbench grade my.csv breast-cancer-wisconsin
      biomlbench run                              the whole benchmark of config/config.yaml

    \b
    Exit codes: 0 all is well; 1 the submission is invalid or was not passed, a comparison
    differs, or a file cannot be imported; 2 the command line is wrong; 3 the task, its data or
    the machine is at fault, also where the answer cannot be written; 141 where nobody reads it.
    """  # noqa: D301
    handler = logging.StreamHandler()
    handler.setFormatter(PlainFormatter("%(levelname)s: %(message)s"))
    level = logging.INFO if verbose else logging.WARNING
    logging.basicConfig(level=level, handlers=[handler])
    show_bars()


def main(args: list[str] | None = None) -> None:
    """Run the command line; what a user can cure ends with a message, not with a traceback.

    Parameters
    ----------
    args : list of str, optional
        By default those of the process.
    """
    from biomlbench.errors import explain
    from biomlbench.runtime.apart import call_code_apart

    is_process = args is None
    if is_process:
        by_our_command()
        # As Ctrl-C does: what lies in temporary folders is removed.
        signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
        call_code_apart()
    try:
        try:
            _cli.main(args=args, prog_name="biomlbench", standalone_mode=True)
        finally:
            # Python does it at its end, where it is too late for a message and an exit code.
            if sys.stdout is not None:
                sys.stdout.flush()
    except (_UnreadError, BrokenPipeError):
        _end(_UNREAD, None, is_process=is_process)
    except Exception as error:
        if (told := explain(error)) is None:
            raise
        logging.getLogger(__name__).info("where it came from:", exc_info=True)
        _end(TROUBLE, told, is_process=is_process)


def _end(code: int, told: str | None, *, is_process: bool) -> NoReturn:
    """Say what the trouble is, if anything is to be said, and end."""
    with contextlib.suppress(OSError):
        if told is not None:
            click.secho(f"Error: {plain(told)}", fg="red", err=True)
    if is_process:
        for stream in filter(None, (sys.stdout, sys.stderr)):
            try:
                stream.flush()
            except OSError:
                # What is left would be written once more at the end, and change the exit code.
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, stream.fileno())
                os.close(nowhere)
    sys.exit(code)
