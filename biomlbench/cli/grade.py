"""Grade a submission, or all of a submission.jsonl."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from biomlbench.cli._common import print_json, print_table
from biomlbench.cli._pair import finish, pair_options, stage_tables
from biomlbench.cli._published import AlsoPublished

if TYPE_CHECKING:
    from pathlib import Path

    from biomlbench.stages import Context

_SHOWN = (
    *("score", "score_low", "score_high", "metric", "direction", "medal", "medal_note"),
    *("leaderboard_percentile", "p_gold", "p_silver", "p_bronze", "on_boundary"),
    *("beats_human", "human_percentile", "verdict", "verdict_reasons", "calibrated"),
)


@click.command(cls=AlsoPublished)
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
    """Grade SUBMISSION on TASK: score with interval, medal, verdict.

    Code (a program that writes predictions, or the functions of a problem card) is run in a
    sandbox. With --submission FILE.jsonl --output-dir FOLDER all submissions of the file are
    graded, and the published reports written.

    \b
    Exit codes: 0 it is graded and its verdict is pass; 1 it is invalid, or its verdict is partial
    or fail; 2 the command line is wrong; 3 the task, its data or the machine is at fault.

    \b
    Examples:
      biomlbench grade my.csv breast-cancer-wisconsin
      biomlbench grade model.py diabetes-progression --kind program
      biomlbench grade rmsd.py kabsch-rmsd --json
      biomlbench grade --submission runs/group/submission.jsonl --output-dir graded
    """  # noqa: D301
    tables = stage_tables(submission, task, context, out, options)
    row = tables["medal"].to_pylist()[0]
    if as_json:
        print_json(row)
    elif row["valid_submission"]:
        shown = [{"": name.replace("_", " "), "value": row[name]} for name in _SHOWN]
        print_table([r for r in shown if r["value"] is not None], ("", "value"), row["task_id"])
    finish(tables, submission)
