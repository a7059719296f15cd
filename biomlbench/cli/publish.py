"""Publish results as a static site."""

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


@click.command()
@results_argument
@click.option(
    "--to",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("site"),
    show_default=True,
    help="Folder of the site: new, empty, or published before.",
)
@click.option("--title", help="Name of the site. [default: that of the benchmark's config]")
@day_option("none given")
@licence_option
@as_json
def command(
    results: Path, *, to: Path, title: str | None, date: str, licence: str | None, as_json: bool
) -> None:
    """Write a site of RESULTS (default: results): leaderboard, agents, tasks, report, downloads.

    It holds no answers, no submissions, nothing that they printed, no paths of files, no margins
    or times of hidden cases; what run tables say in meta_ columns is in it. Its links are
    relative: open it from the disk, or put it on any server, at its root or below. A folder that
    was not made by this command is refused; in one that was, its own files are replaced, others
    stay.

    \b
    Exit codes: 0 published; 2 the command line is wrong; 3 the folder is not ours to
    overwrite, or a table cannot be read.

    \b
    Examples:
      biomlbench publish --to site
      biomlbench publish results --to site --title "Our benchmark" --date 2025-03-31
    """  # noqa: D301
    from biomlbench.export import NO_LICENCE
    from biomlbench.export.site import publish
    from biomlbench.workflow.record import title_of

    files = publish(
        results,
        to,
        title=title or title_of(results, "Benchmark results"),
        date=date,
        licence=licence or NO_LICENCE,
    )
    size = sum(path.stat().st_size for path in files)
    if as_json:
        print_json({"site": str(to), "bytes": size, "files": [str(path) for path in files]})
        return
    echo(f"{to / 'index.html'}: {len(files)} files, {size / 1e6:.1f} MB")
