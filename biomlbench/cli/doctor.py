"""Tell what this machine lacks."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from biomlbench.cli import TROUBLE
from biomlbench.cli._common import as_json, data_options, echo, print_json

if TYPE_CHECKING:
    from biomlbench.stages import Context

_SIGNS = {"ok": ("ok", "green"), "warning": ("warn", "yellow"), "missing": ("MISSING", "red")}


@click.command()
@click.option("--offline", is_flag=True, help="Do not ask the package index.")
@as_json
@data_options
def command(*, context: Context, offline: bool, as_json: bool) -> None:
    """Tell what is missing on this machine, and the remedy.

    Looks at Python, sandbox, memory, disk, Snakemake, the workflow's profile and the package
    index. Ends with 3 if something that is needed is missing; a warning does not count.

    \b
    Examples:
      biomlbench doctor
      biomlbench doctor --offline --json
    """  # noqa: D301
    from biomlbench.cli._doctor import examine

    findings = examine(context.registry.get_data_dir(), network=not offline)
    if as_json:
        print_json([asdict(finding) for finding in findings])
    else:
        for finding in findings:
            sign, colour = _SIGNS[finding.state]
            echo(f"{sign:>8}  ", fg=colour, nl=False)
            echo(f"{finding.what}: {finding.found}")
            if finding.remedy:
                echo(f"{'':10}{finding.remedy}")
    if any(finding.state == "missing" for finding in findings):
        sys.exit(TROUBLE)
