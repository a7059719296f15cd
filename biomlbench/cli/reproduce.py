"""Run a benchmark again from its provenance and compare."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from biomlbench.cli._common import as_json, cores_option, echo, print_json, print_table
from biomlbench.runtime.words import counted

if TYPE_CHECKING:
    from biomlbench.contracts.mappings import JsonObject
    from biomlbench.reproduce import Comparison, NotAgain

DIFFERS = 1
"""Exit code: the rerun differs."""
_SHOWN = 50


@click.command()
@click.argument("results", type=click.Path(exists=True, path_type=Path), default=Path("results"))
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("reproduced"),
    show_default=True,
    help="Folder for the rerun; must be empty or not there.",
)
@cores_option("CPU cores to use.", 1)
@click.option(
    "--profile", help="Profile of Snakemake: slurm, cluster-generic, or a folder of your own."
)
@click.option("--keep-data", is_flag=True, help="Take prepared data as they are.")
@click.option(
    "--against",
    type=click.Path(file_okay=False, exists=True, path_type=Path),
    help="Run nothing: compare with these results.",
)
@click.option(
    "--trust-code",
    is_flag=True,
    help="Run an archive's own tasks: code of whoever packed it, outside the sandbox.",
)
@as_json
def command(
    results: Path,
    into: Path,
    *,
    cores: int,
    profile: str | None,
    keep_data: bool,
    against: Path | None,
    trust_code: bool,
    as_json: bool,
) -> None:
    """Run the benchmark of RESULTS again, and compare table by table.

    RESULTS (default: results) is the results folder of a benchmark, or what `biomlbench archive`
    made of one. What it was made from is taken from its provenance.json; submissions and tasks
    of your own lie beside it. All tables must be equal but for the columns that may differ from
    run to run: times, memory, which sandbox was found, the line of a run table. The differences,
    with what changed between the two runs, are printed, and written to differences.parquet in the
    folder of the rerun.

    \b
    Exit codes: 0 equal; 1 something differs or was left out; 2 the command line is wrong;
    3 the results have no provenance, or could not be run again.

    \b
    Examples:
      biomlbench reproduce --cores 8
      biomlbench reproduce --profile slurm
      biomlbench reproduce benchmark.crate.zip --into /tmp/again
      biomlbench reproduce results --against other/results
    """  # noqa: D301
    from biomlbench.reproduce import compare, reproduce

    missing: list[NotAgain] = []
    if archived := results.is_file():
        from biomlbench.export.archive import unpack

        results = unpack(results, into / "archived") / "results"
        into = into / "again"
    if against is not None:
        comparison = compare(results, against)
    else:
        comparison, missing = reproduce(
            results,
            into,
            cores=cores,
            profile=profile,
            keep_data=keep_data,
            archived=archived,
            trust_code=trust_code,
            say=_to_stderr,
        )
    if as_json:
        print_json(_machine_readable(comparison, missing))
    else:
        _print(comparison, missing)
    raise SystemExit(0 if comparison.equal else DIFFERS)


def _to_stderr(text: str) -> None:
    echo(text, err=True)


def _machine_readable(comparison: Comparison, missing: list[NotAgain]) -> JsonObject:
    return {
        "equal": comparison.equal,
        "not_compared": comparison.left_out,
        "tables": {name: count._asdict() for name, count in comparison.tables.items()},
        "not_again": [item._asdict() for item in missing],
        "changed": [change._asdict() for change in comparison.changed],
        "differences": comparison.differences,
    }


def _print(comparison: Comparison, missing: list[NotAgain]) -> None:
    for item in missing:
        echo(f"not run again as it was: {item.path}: {item.why}{_runs(item)}")
    for change in comparison.changed:
        echo(f"changed: {change.what} {change.name}: {_or(change.old)} -> {_or(change.new)}")
    rows = [{"table": name, **count._asdict()} for name, count in comparison.tables.items()]
    print_table(rows, ["table", "rows", "differences"])
    if comparison.equal:
        echo("Equal: every table, but for the columns that may differ from run to run.")
        return
    if comparison.left_out:
        tasks = counted(len(comparison.left_out), "task")
        echo(f"not compared without --trust-code: {tasks}, and rates of agents")
    columns = ["task_id", "run_id", "table", "row", "column", "old", "new", "why"]
    print_table(comparison.differences[:_SHOWN], columns)
    if (more := len(comparison.differences) - _SHOWN) > 0:
        echo(f"and {more} more; all are in differences.parquet, or shown with --json")
    echo(f"{len(comparison.differences)} differences.")


def _runs(item: NotAgain) -> str:
    return f" (run {', '.join(item.runs)})" if item.runs else ""


def _or(text: str) -> str:
    return text or "none"
