"""Find how prediction tasks can be cheated."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from biomlbench.cli import INVALID
from biomlbench.cli._common import (
    Trouble,
    as_json,
    data_options,
    echo,
    print_json,
    print_table,
    track,
)
from biomlbench.errors import TaskError

if TYPE_CHECKING:
    from biomlbench.audit import Audit
    from biomlbench.stages import Context

_COLUMNS = ("finding", "severity", "state", "before", "after", "what", "remedy")


@click.command()
@click.argument("names", metavar="TASK...|SUITE", nargs=-1, required=True)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("audit"),
    show_default=True,
    help="Folder for findings, the submissions that show them, and the page.",
)
@click.option(
    "--waivers",
    type=click.Path(file_okay=False, exists=True, path_type=Path),
    help="Folder with <task>/audit.yaml for tasks whose own folders are another's.",
)
@click.option(
    "--store",
    is_flag=True,
    help="Keep the findings beside the tasks' data, where verified medals depend on them.",
)
@as_json
@data_options
def command(
    names: tuple[str, ...],
    *,
    context: Context,
    out: Path,
    waivers: Path | None,
    store: bool,
    as_json: bool,
) -> None:
    """Find how prediction tasks, or those of a suite, can be cheated, before an agent does.

    Public files are searched for the answers, and the grader is tried with submissions that no
    honest model writes. Findings go to OUT/<task>/findings.json and .csv, with the submissions that
    show them, and to OUT/audit.html. The exit code is 1 where a finding is open, more than a note,
    and not waived in the task's audit.yaml; 3 where no task could be audited.

    \b
    Examples:
      biomlbench audit caco2-wang
      biomlbench audit bioml-bench-v0.1a --out audit
    """  # noqa: D301
    from biomlbench.audit.write import write_page

    audits = []
    faults = {}
    for name in track(_task_ids(names, context), "auditing"):
        try:
            audits.append(_audited(name, context, out, waivers, store=store))
        except TaskError as error:
            faults[name] = str(error)  # a suite has tasks whose data are not here
    if not audits:
        raise Trouble(next(iter(faults.values())))
    found = [audit.as_dict() for audit in audits]
    write_page(found, out / "audit.html")
    if as_json:
        print_json({"audits": found, "not_audited": faults})
    else:
        for audit in audits:
            _show(audit)
        for name, fault in faults.items():
            echo(f"{name}: not audited: {fault}", fg="yellow")
        echo(f"{sum(a.clean for a in audits)} of {len(audits)} clean; {out / 'audit.html'}")
    if not all(audit.clean for audit in audits):
        sys.exit(INVALID)


def _audited(name: str, context: Context, out: Path, waivers: Path | None, *, store: bool) -> Audit:
    from biomlbench.audit import audit_task
    from biomlbench.audit.write import write_audit

    task = context.task(name)
    audit = audit_task(task, waivers / task.id if waivers else None)
    write_audit(audit, out / task.id)
    if store:
        write_audit(audit, task.home / "audit")
    return audit


def _task_ids(names: tuple[str, ...], context: Context) -> list[str]:
    """Return the full ids; the name of a suite, or of a selection, stands for its tasks."""
    from biomlbench.suites import list_suites
    from biomlbench.suites.checkout import tasks_of

    suites = {
        label for suite in list_suites() for label in (suite.name, *suite.selections)
    }  # fmt: skip
    ids: list[str] = []
    for name in names:
        ids += tasks_of(name) if name in suites else [context.task(name).id]
    return list(dict.fromkeys(ids))


def _show(audit: Audit) -> None:
    rows = [
        {
            "finding": one.name,
            "severity": one.severity,
            "state": "waived" if one.waived else "open" if one.open else "closed",
            "before": one.before,
            "after": one.after,
            "what": one.what,
            "remedy": one.waived or one.remedy,
        }
        for one in audit.findings
    ]
    if rows:
        print_table(rows, _COLUMNS, title=audit.task_id)
    for text in (*audit.skipped, *audit.waiver_notes):
        echo(f"{audit.task_id}: {text}", fg="yellow")
    if audit.clean:
        echo(f"{audit.task_id}: clean", fg="green")
