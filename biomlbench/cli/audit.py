"""Find how tasks can be cheated, and what their checks do not notice."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from biomlbench.cli import INVALID, TROUBLE
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
    "--pandas-env",
    type=click.Path(file_okay=False, exists=True, path_type=Path),
    help="Virtual environment with another version of pandas, to score with as well.",
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
    pandas_env: Path | None,
    store: bool,
    as_json: bool,
) -> None:
    """Find how tasks, or those of a suite, can be cheated, before an agent does.

    Public files are searched for the answers, and the grader is tried with submissions that no
    honest model writes; of a problem card, its checks are tried with mutants of the reference and
    other wrong work. Findings go to OUT/<task>/findings.json and .csv, with the submissions that
    show them, texts to be filed with the author and a badge, and to OUT/audit.html; those of a
    suite to OUT/<suite>.html as well. The exit code is 1 where a finding is open, more than a note,
    and not waived in the task's audit.yaml; 3 where no task could be audited.

    \b
    Examples:
      biomlbench audit caco2-wang
      biomlbench audit kabsch-rmsd
      biomlbench audit bioml-bench-v0.1a --out audit
    """  # noqa: D301
    from biomlbench.audit.write import PAGE, write_page

    if pandas_env and not (pandas_env / "pyvenv.cfg").is_file():
        raise click.BadParameter(
            f"{pandas_env} is no virtual environment; make it with: python3 -m venv {pandas_env}",
            param_hint="--pandas-env",
        )
    audits = []
    faults = {}
    asked = _task_ids(names, context)
    for name in track(
        list(dict.fromkeys(id_ for ids in asked.values() for id_ in ids)), "auditing"
    ):
        try:
            audits.append(_audited(name, context, out, waivers, pandas_env, store=store))
        except TaskError as error:
            faults[name] = str(error)  # a suite has tasks whose data are not here
    if not audits:
        raise Trouble(next(iter(faults.values())))
    found = [audit.as_dict() for audit in audits]
    write_page(found, out / PAGE)
    for suite in [name for name, ids in asked.items() if name in _suites()]:
        write_page([one for one in found if one["task"] in asked[suite]], out / f"{suite}.html")
    if as_json:
        print_json({"audits": found, "not_audited": faults})
    else:
        for audit in audits:
            _show(audit)
        for name, fault in faults.items():
            echo(f"{name}: not audited: {fault.removeprefix(f'{name}: ')}", fg="yellow")
        echo(f"{sum(a.clean for a in audits)} of {len(audits)} clean; {out / PAGE}")
    if not any(audit.tried or audit.findings for audit in audits):
        sys.exit(TROUBLE)  # their tasks are at fault
    if not all(audit.clean for audit in audits):
        sys.exit(INVALID)


def _audited(
    name: str,
    context: Context,
    out: Path,
    waivers: Path | None,
    pandas_env: Path | None,
    *,
    store: bool,
) -> Audit:
    from biomlbench.audit.write import write_audit
    from biomlbench.calibrate.card_audit import audit_of

    task = context.task(name)
    audit = audit_of(task, context, waivers / task.id if waivers else None, pandas_env)
    write_audit(audit, out / task.id)
    if store:
        write_audit(audit, task.home / "audit")
    return audit


def _suites() -> set[str]:
    """Return the names of suites and of selections."""
    from biomlbench.suites import list_suites

    return {name for suite in list_suites() for name in (suite.name, *suite.selections)}


def _task_ids(names: tuple[str, ...], context: Context) -> dict[str, tuple[str, ...]]:
    """Return the full ids that each name stands for: those of a suite, or a task's own."""
    from biomlbench.suites.checkout import tasks_of

    suites = _suites()
    return {
        name: tuple(tasks_of(name)) if name in suites else (context.task(name).id,)
        for name in names
    }


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
    for text in audit.not_tried:
        echo(f"{audit.task_id}: not tried: {text}")
    if audit.clean:
        echo(f"{audit.task_id}: clean", fg="green")
