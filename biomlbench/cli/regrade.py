"""Published medals of a run group beside the verified ones."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from biomlbench.cli._common import (
    Trouble,
    as_json,
    data_options,
    echo,
    print_json,
    print_table,
    provider_option,
    track,
)
from biomlbench.errors import TaskError
from biomlbench.plain_text import spreadsheet_row
from biomlbench.whole_files import named_output

if TYPE_CHECKING:
    from biomlbench.stages import Context, Pair
    from biomlbench.summary.regrade import RegradedRow


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(dir_okay=False, exists=True))
@click.option(
    "--audits",
    type=click.Path(file_okay=False, exists=True, path_type=Path),
    help="Folder that `biomlbench audit --out` has written: verified medals depend on its "
    "findings. [default: what `biomlbench audit --store` has left beside the data]",
)
@click.option(
    "--csv",
    "table",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the rows as a CSV file, too.",
)
@provider_option()
@as_json
@data_options
def command(
    runs: tuple[str, ...],
    *,
    audits: Path | None,
    table: Path | None,
    provider: str,
    context: Context,
    as_json: bool,
) -> None:
    """Show the medals of RUNS by the published graders, beside those that are verified here.

    RUNS are run tables: CSV, Parquet, or a submission.jsonl. Each submission is graded twice: by
    its task's grader as its author wrote it, with nothing before it, so that a function gets the
    rows in the order of the submission, as in the benchmarks that are published; and by all stages
    here, which match rows by id, refuse what is no prediction, verify, and withhold a verified
    medal where the task's audit has a severe finding that no check covers.

    \b
    Exit codes: 0 all are graded, whatever changes; 3 some could not be: no such task, or data that
    are not prepared.

    \b
    Examples:
      biomlbench regrade runs/group/submission.jsonl
      biomlbench regrade runs/group/submission.jsonl --audits results/audit --csv medals.csv
    """  # noqa: D301
    from biomlbench.summary.regrade import COLUMNS, counts, regraded

    context = replace(context, provider=provider, bootstrap=0)
    pairs, faults = _pairs(runs, context)
    rows = []
    for pair in track(pairs, "grading"):
        try:
            rows.append(regraded(pair, _with_audit(context, audits, pair.task_id)))
        except TaskError as error:
            faults.append(f"{pair.task_id}, {pair.run_id}: {error}")
    if table is not None:
        with (
            named_output(table) as temporary,
            temporary.open("w", encoding="utf-8", newline="") as file,
        ):
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(map(spreadsheet_row, rows))
    found = counts(rows)
    if as_json:
        print_json({"runs": rows, "counts": found, "not_graded": faults})
    else:
        _show(rows, found, COLUMNS)
    if faults:
        words = "could not be graded; correct the run table, or prepare the task's data:"
        raise Trouble("\n".join([f"{len(faults)} {words}", *faults]))


def _show(rows: list[RegradedRow], found: dict[str, int], columns: tuple[str, ...]) -> None:
    print_table(rows, columns)
    echo(
        f"{found['runs']} runs: {found['published']} medals by the graders as published, "
        f"{found['verified']} verified; {found['changed']} change "
        f"({found['lost']} lost, {found['gained']} gained)"
    )


def _pairs(tables: tuple[str, ...], context: Context) -> tuple[list[Pair], list[str]]:
    from biomlbench.stages import Pair
    from biomlbench.workflow.runs import read_runs

    def resolve(name: str) -> tuple[str, str]:
        task = context.task(name)
        return task.id, task.kind

    runs, bad = read_runs(tables, resolve)
    pairs = [
        Pair(run.task_id, run.run_id, run.submission, run.kind, run.seed, run.root) for run in runs
    ]
    return pairs, [row.message for row in bad]


def _with_audit(context: Context, audits: Path | None, task_id: str) -> Context:
    from biomlbench.scoring.stored_audit import FILE

    stored = None if audits is None else audits / task_id / FILE
    if stored is None or not stored.is_file():
        return context
    return replace(context, overrides={**context.overrides, "audit": str(stored)})
