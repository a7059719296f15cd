"""Grade all submissions of a submission.jsonl."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from biomlbench.cli._common import as_json, data_options, echo, print_json, seed_option
from biomlbench.cli._published import refuse_errors
from biomlbench.export.forms import published_forms
from biomlbench.scoring.bootstrap import LEAST_RESAMPLES, MOST_RESAMPLES

if TYPE_CHECKING:
    from biomlbench.stages import Context


@click.command()
@click.argument("submissions", type=click.Path(dir_okay=False, exists=True, path_type=Path))
@click.option(
    "--to",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the reports. [default: the one of SUBMISSIONS]",
)
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Processes.")
@click.option(
    "--bootstrap",
    type=click.IntRange(0, MOST_RESAMPLES),
    default=0,
    show_default=True,
    help=f"Resamples for the scores' intervals, at least {LEAST_RESAMPLES}; 0: none.",
)
@seed_option("Seed of the resamples.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["full", *published_forms()]),
    default="full",
    show_default=True,
    help="The summary: with all that is known, or exactly as it is published.",
)
@as_json
@data_options
def command(
    submissions: Path,
    *,
    to: Path | None,
    workers: int,
    bootstrap: int,
    seed: int,
    form: str,
    context: Context,
    as_json: bool,
) -> None:
    """Grade what SUBMISSIONS (a submission.jsonl) lists; a bad line costs only itself.

    A summary and a report for each line are written. Code is run in a sandbox. No workflow is run:
    there are no verdicts.

    \b
    Exit codes: 0 every line is graded, valid or not; 3 some could not be: no such task, data that
    are not prepared, a grader that failed, no sandbox.

    \b
    Examples:
      biomlbench grade-jsonl runs/group/submission.jsonl
      biomlbench grade-jsonl runs/group/submission.jsonl --to graded --workers 8
      biomlbench grade-jsonl runs/group/submission.jsonl --format mle-bench
    """  # noqa: D301
    from biomlbench.api.jsonl_batch import grade_jsonl

    if 0 < bootstrap < LEAST_RESAMPLES:
        raise click.UsageError(f"--bootstrap is 0 or at least {LEAST_RESAMPLES}")
    summary, single = grade_jsonl(
        *(submissions, to or submissions.parent, context.registry),
        workers=workers,
        bootstrap=bootstrap,
        seed=seed,
    )
    report = json.loads(summary.read_text(encoding="utf-8"))
    if form != "full":
        summary.write_text(_published(report, form), encoding="utf-8")
    if as_json:
        print_json(json.loads(summary.read_text(encoding="utf-8")))
    else:
        echo(f"report: {summary}\nsingle reports: {single}")
    refuse_errors(report, submissions)


def _published(report: dict[str, list[dict[str, object]]], form: str) -> str:
    from datetime import UTC, datetime

    from biomlbench.export.published import published_text
    from biomlbench.scoring.task_report import TaskReport

    reports = map(TaskReport.from_dict, report["task_reports"])
    return published_text(reports, form, datetime.now(UTC))
