"""Look at this machine's sandbox."""

from __future__ import annotations

import itertools
import shutil
import textwrap
from operator import itemgetter
from typing import TYPE_CHECKING

import click

from biomlbench.cli._common import as_json, echo, print_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from biomlbench.contracts.mappings import AnyRow

WIDTH = 80
_LEVELS = {"full": "full protection", "reduced": "reduced protection", "unsafe": "no protection"}


@click.group()
def command() -> None:
    """Show which sandboxes this machine has for submitted code.

    \b
    Example:
      biomlbench sandbox check --json
    """  # noqa: D301


@command.command()
@as_json
def check(*, as_json: bool) -> None:
    """Say which sandbox providers this machine has and which attacks each one stops.

    \b
    Example:
      biomlbench sandbox check
    """  # noqa: D301
    from biomlbench.sandbox.check import report

    rows = report()
    if as_json:
        print_json(rows)
    else:
        for line in _lines(rows):
            echo(line)


def _lines(rows: list[AnyRow]) -> Iterator[str]:
    """Yield what the rows say, a paragraph a provider, in lines that fit any terminal."""
    for name, group in itertools.groupby(rows, key=itemgetter("provider")):
        attacks = list(group)
        head = attacks[0]
        by = "chosen by itself" if head["automatic"] else "only on request"
        use = f"usable, {by}" if head["usable"] else "not usable"
        yield f"{name} ({_LEVELS[head['level']]}): {use}"
        if not head["usable"]:
            yield from _wrapped(f"cause: {head['reason']}")
        if head["remedy"]:
            yield from _wrapped(f"remedy: {head['remedy']}")
        tried = [attack for attack in attacks if attack["attack"]]
        if tried:
            stopped = [attack for attack in tried if attack["stopped"]]
            yield from _wrapped(f"stops {len(stopped)} of {len(tried)} attacks")
        for attack in tried:
            if not attack["stopped"]:
                needed = ", which it has to stop" if attack["needed"] else ""
                yield from _wrapped(
                    f"does not stop: {attack['attack']} ({attack['detail']}){needed}"
                )
        yield ""


def _wrapped(text: str) -> list[str]:
    width = min(WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns)
    return textwrap.wrap(
        text,
        width,
        initial_indent="  ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
