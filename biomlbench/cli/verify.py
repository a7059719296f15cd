"""Show every check of a submission."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from biomlbench.cli._common import echo, print_json, print_table
from biomlbench.cli._pair import finish, pair_options, stage_tables
from biomlbench.runtime.words import ranges, some_of

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from biomlbench.stages import Context

PRINTED = ("check", "suite", "mode", "severity", "outcome", "reason", "message")
"""Columns of the table; `--json` has all."""
MOST_SHOWN = 20


@click.command()
@pair_options
def command(
    submission: Path,
    task: str,
    *,
    context: Context,
    as_json: bool,
    out: Path | None,
    **options: Any,
) -> None:
    """Verify SUBMISSION on TASK: every check, and the verdict they give.

    The exit code is 0 for the verdict pass, 1 for partial and fail, and 3 where the task, its data
    or the machine is at fault.

    \b
    Example:
      biomlbench verify rmsd.py kabsch-rmsd
    """  # noqa: D301
    tables = stage_tables(submission, task, context, out, options)
    rows = tables["verify"].to_pylist()
    verdict, reasons = rows[0]["verdict"], ", ".join(rows[0]["verdict_reasons"])
    if as_json:
        print_json(rows)
    else:
        print_table(rows, PRINTED)
        colour = {"pass": "green", "partial": "yellow", "fail": "red"}[verdict]
        echo(f"verdict: {verdict}{f' ({reasons})' if reasons else ''}", fg=colour)
        if lines := _unexecuted_lines(tables["execute"]):
            shown = some_of(ranges(lines), MOST_SHOWN)
            echo(f"no call executes lines {shown} of the code; read them first", fg="yellow")
    finish(tables, submission)


def _unexecuted_lines(execute: pa.Table) -> list[int]:
    """Return the lines of a passing candidate that no call executes; all rows say the same."""
    return next(filter(None, execute.column("unexecuted_lines").to_pylist()), [])
