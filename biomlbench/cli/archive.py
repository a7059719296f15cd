"""Put a whole benchmark into one file."""

from __future__ import annotations

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

_NOT_AGAIN = "note: `reproduce` of this archive lacks what was left out, and the runs of it"


@click.command()
@results_argument
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("benchmark.crate.zip"),
    show_default=True,
    help="The archive; a file of that name is replaced.",
)
@click.option(
    "--with-answers",
    is_flag=True,
    help="Take along raw data and answers, where they cannot be had again.",
)
@click.option("--partial", is_flag=True, help="Leave out what is gone or lies elsewhere.")
@day_option("of the latest run")
@licence_option
@as_json
def command(
    results: Path,
    out: Path,
    *,
    with_answers: bool,
    partial: bool,
    date: str,
    licence: str | None,
    as_json: bool,
) -> None:
    """Put the benchmark of RESULTS (default: results) into one file.

    It holds config, run tables, submissions, tasks of your own, tables, report and environment,
    described as an RO-Crate. `biomlbench reproduce` runs it again on another machine. The same
    benchmark gives the same bytes.

    \b
    Examples:
      biomlbench archive --out my-benchmark.crate.zip
      biomlbench reproduce my-benchmark.crate.zip --into /tmp/again
    """  # noqa: D301
    from biomlbench.export import NO_LICENCE
    from biomlbench.export.archive import archive
    from biomlbench.reproduce.inputs import Inputs
    from biomlbench.reproduce.layout import ReproduceError
    from biomlbench.reproduce.rerun import find_workflow
    from biomlbench.workflow.record import read_record

    try:
        workflow = find_workflow(Inputs(read_record(results), results).base)
    except ReproduceError:
        workflow = None
    notes: list[str] = []
    left_out = archive(
        results,
        out,
        with_answers=with_answers,
        partial=partial,
        date=date,
        licence=licence or NO_LICENCE,
        workflow=workflow,
        note=notes.append,
    )
    if as_json:
        print_json({"archive": str(out), "left_out": left_out, "notes": notes})
        return
    for line in left_out:
        echo(f"left out: {line}")
    if left_out:
        echo(_NOT_AGAIN)
    for line in notes:
        echo(f"note: {line}")
    size = f": {out.stat().st_size / 2**20:.1f} MB" if out.is_file() else ""
    echo(f"{out}{size}")
