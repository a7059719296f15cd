"""Write the results in another form."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from biomlbench.cli._common import (
    as_json,
    day_option,
    echo,
    licence_option,
    print_json,
    results_argument,
)
from biomlbench.export import FORMATS, NO_LICENCE, export
from biomlbench.export.forms import all_forms, summary


@click.command()
@results_argument
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="json",
    show_default=True,
    help=". ".join(f"{name}: {summary(form)}" for name, form in all_forms().items()) + ".",
)
@click.option(
    "--to",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("export"),
    show_default=True,
    help="Folder for the files; files of the same names are replaced.",
)
@click.option("--title", help="Name of the data. [default: that of the benchmark's config]")
@day_option("today")
@licence_option
@as_json
def command(
    results: Path,
    form: str,
    to: Path,
    *,
    title: str | None,
    date: str,
    licence: str | None,
    as_json: bool,
) -> None:
    """Write the tables in RESULTS (default: results) in another form.

    Without margins and times of hidden cases, which are for you alone.

    \b
    Examples:
      biomlbench export --format csv --to tables
      biomlbench export results --format bioml-bench --to runs/group
      biomlbench export results --format croissant --license https://spdx.org/licenses/CC0-1.0
    """  # noqa: D301
    from biomlbench.workflow.record import title_of

    paths = export(
        results,
        form,
        to,
        title=title or title_of(results, "Benchmark results"),
        date=date or datetime.now(UTC).date().isoformat(),
        licence=licence or NO_LICENCE,
    )
    if as_json:
        print_json([str(path) for path in paths])
    else:
        for path in paths:
            echo(path)
