"""Show a task's required evidence and what its checks catch."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from biomlbench.cli import INVALID
from biomlbench.cli._common import as_json, data_options, echo, print_json, print_table, track
from biomlbench.errors import TaskError
from biomlbench.task.registry import prepare_command

if TYPE_CHECKING:
    from biomlbench.contracts.mappings import JsonObject
    from biomlbench.stages import Context
    from biomlbench.task.task import Task
    from biomlbench.verify.evidence import Report
    from biomlbench.verify.kill_matrix import KillMatrix


@click.command()
@click.argument("task", required=False)
@as_json
@data_options
def command(task: str | None, *, context: Context, as_json: bool) -> None:
    """Show the required evidence of TASK and its kill matrix; without TASK, of all in short.

    The kill matrix says which check catches which wrong solution. To make it, all of a card's
    solutions are run in the sandbox, each on all cases and on those drawn for it, which takes
    minutes and shows how far it is. The exit code is 1 where evidence is missing, a right solution
    is rejected, or a wrong one passes.

    \b
    Example:
      biomlbench evidence kabsch-rmsd
    """  # noqa: D301
    if task is None:
        _overview(context, as_json=as_json)
        return
    from biomlbench.scoring.gradable import check_gradable
    from biomlbench.stages.missing_evidence import GOLD, with_own_submissions
    from biomlbench.verify import evidence

    found = context.task(task)
    if found.is_prepared():
        check_gradable(found)
    folder = found.folder
    report = evidence.report(folder, track=lambda jobs: track(jobs, "running the solutions"))
    matrix = with_own_submissions(report.evidence, found)
    if absent := _unprepared(found):
        matrix = matrix.lacking(GOLD, absent)
    report = report._replace(evidence=matrix)
    if as_json:
        print_json(_as_data(report))
    else:
        items = [item._asdict() for item in report.evidence.items]
        print_table(items, ("item", "status", "detail"), f"required evidence of {folder.name}")
        if report.kills is not None:
            _print_kills(report.kills)
    told = _why_invalid(report)
    if told:
        echo(told, fg="red", err=as_json)
        sys.exit(INVALID)


def _unprepared(task: Task) -> str:
    """Say that a task whose gold submission is looked for is not prepared; empty if it is."""
    if task.is_card or task.is_prepared() or task.gold_submission.is_file():
        return ""
    command = prepare_command(task)
    return f"the task is not prepared below {task.data_dir}; run `{command}`"


def _why_invalid(report: Report) -> str:
    """Say what the exit code 1 means; empty where it is 0."""
    from biomlbench.verify.evidence import PRESENT

    weak = [item.item for item in report.evidence.items if item.status != PRESENT]
    problems = report.kills.problems if report.kills else []
    why = [f"evidence is weak or missing: {', '.join(weak)}"] if weak else []
    if problems:
        why.append(f"what the kill matrix shows is wrong ({len(problems)} in all)")
    state = "uncalibrated" if weak else "not right yet"
    return f"{state} (exit code {INVALID}): {'; '.join(why)}" if why else ""


def _overview(context: Context, *, as_json: bool) -> None:
    from biomlbench.stages.missing_evidence import GOLD, missing_evidence

    rows = []
    for name in track(context.registry.list_task_ids(), "looking for evidence"):
        try:
            task = context.task(name)
            missing = missing_evidence(task)
            if absent := _unprepared(task):
                missing = (*missing, f"{GOLD}: {absent}")
            state = "incomplete" if missing else "complete"
        except TaskError as error:
            missing, state = (str(error),), "broken"
        rows.append({"task": name, "evidence": state, "missing": missing})
    if as_json:
        print_json(rows)
    else:
        print_table(rows, ("task", "evidence", "missing"))


def _as_data(report: Report) -> JsonObject:
    data: JsonObject = {"evidence": asdict(report.evidence)}
    data["evidence"]["items"] = [item._asdict() for item in report.evidence.items]
    if report.kills is not None:
        data["kills"] = report.kills.records()
        data["problems"] = report.kills.problems
        data["idle"] = report.kills.idle
        data["redundant"] = report.kills.redundant
        data["uncaught_patterns"] = report.kills.uncaught_patterns
    return data


def _print_kills(kills: KillMatrix) -> None:
    rows = []
    for row in kills.rows:
        marks = {name: "x" if name in row.caught_by else "" for name, _, _ in kills.checks}
        label = "right" if row.right else "wrong"
        rows.append({"solution": row.solution, "is": label, "verdict": row.verdict, **marks})
    columns = ["solution", "is", "verdict", *(name for name, _, _ in kills.checks)]
    print_table(rows, columns, "kill matrix (x: the check caught it)")
    for words, names in (
        ("catch nothing", kills.idle),
        ("catch nothing that another one does not", kills.redundant),
        ("failure patterns that nothing catches", kills.uncaught_patterns),
    ):
        if names:
            echo(f"{words}: {', '.join(names)}")
    for problem in kills.problems:
        echo(problem, fg="red")
    if not kills.problems:
        echo("every right solution passes, no wrong one does", fg="green")
