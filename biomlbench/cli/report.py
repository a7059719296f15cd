"""Write the report again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from biomlbench.cli._common import echo, results_argument, track

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@results_argument
@click.option("--title", help="Title of the report. [default: that of the benchmark's config]")
def command(results: Path, title: str | None) -> None:
    """Write RESULTS/report.html again from the tables in RESULTS (default: results).

    \b
    Example:
      biomlbench report results --title "My benchmark"
    """  # noqa: D301
    from biomlbench.report.write import write_report
    from biomlbench.workflow.record import title_of

    title = title or title_of(results, "Benchmark")
    echo(write_report(results, title, lambda names: track(names, "drawing")))
