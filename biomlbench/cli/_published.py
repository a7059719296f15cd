"""`biomlbench grade` with the arguments of the published command: a submission.jsonl, a folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from biomlbench.cli._common import Trouble, data_options, echo, print_json
from biomlbench.runtime.words import counted

if TYPE_CHECKING:
    from biomlbench.contracts.mappings import JsonObject
    from biomlbench.stages import Context

__all__ = ["AlsoPublished", "refuse_errors"]

_OPTIONS = ("--submission", "--output-dir")


class AlsoPublished(click.Command):
    """A command that also takes ``--submission FILE.jsonl --output-dir FOLDER``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; those of the published command make it that one."""
        if any(word.partition("=")[0] in _OPTIONS for word in args):
            ctx.command = _grade_all
            return _grade_all.parse_args(ctx, args)
        return super().parse_args(ctx, args)


@click.command("grade")
@click.option(
    "--submission",
    required=True,
    type=click.Path(dir_okay=False, exists=True, path_type=Path),
    help="submission.jsonl, as agents' runs have it.",
)
@click.option(
    "--output-dir",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the reports.",
)
@click.option("--disable-s3", is_flag=True, hidden=True, help="Nothing is ever sent anywhere.")
@click.option("--json", "as_json", is_flag=True, help="Print the whole report.")
@data_options
def _grade_all(
    submission: Path, output_dir: Path, *, context: Context, as_json: bool, disable_s3: bool
) -> None:
    """Grade all submissions that a submission.jsonl lists; a bad line costs only itself.

    \b
    Exit codes: 0 every line is graded, valid or not; 3 some could not be: no such task, data that
    are not prepared, a grader that failed, no sandbox.
    """  # noqa: D301
    from biomlbench.api.jsonl_batch import grade_jsonl

    summary, reports = grade_jsonl(submission, output_dir, context.registry)
    report = json.loads(summary.read_text(encoding="utf-8"))
    if as_json:
        print_json(report)
    else:
        echo(f"report: {summary}\nsingle reports: {reports}")
    refuse_errors(report, submission)


def refuse_errors(report: JsonObject, submissions: Path) -> None:
    """End with the exit code 3 where lines of a list could not be graded, and say why.

    Parameters
    ----------
    report : dict
        As :func:`biomlbench.grade.grade_jsonl` writes it.
    submissions : path
        The list.
    """
    if errors := report["errors"]:
        lines = "\n".join(
            f"{submissions}: line {error['line']}: {error['message']}" for error in errors
        )
        raise Trouble(f"{counted(len(errors), 'line')} could not be graded:\n{lines}")
