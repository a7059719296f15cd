"""The command line: one module a command in this package, loaded when it is called."""

from __future__ import annotations

import importlib
import logging
import signal
import sys
from pathlib import Path

import click

from biomlbench import __version__
from biomlbench.plain_text import PlainFormatter, plain
from biomlbench.run_command import by_our_command
from biomlbench.runtime.progress_bars import show_bars

__all__ = ["INVALID", "TROUBLE", "main"]

INVALID = 1
"""Exit code: the answer is no, as for a submission that is invalid or not passed."""
TROUBLE = 3
"""Exit code: the task, its data or the machine is at fault, not the submission."""

_HERE = Path(__file__).parent


def _modules() -> dict[str, str]:
    """Return the file of each command; one named after a keyword ends with an underscore."""
    stems = (path.stem for path in _HERE.glob("*.py"))
    return {s.rstrip("_").replace("_", "-"): s for s in stems if not s.startswith("_")}


class _Commands(click.Group):
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
    the machine is at fault.
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

    if args is None:
        by_our_command()
        # As Ctrl-C does: what lies in temporary folders is removed.
        signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
        call_code_apart()
    try:
        _cli.main(args=args, prog_name="biomlbench", standalone_mode=True)
    except Exception as error:
        if (told := explain(error)) is None:
            raise
        logging.getLogger(__name__).info("where it came from:", exc_info=True)
        click.secho(f"Error: {plain(told)}", fg="red", err=True)
        sys.exit(TROUBLE)
