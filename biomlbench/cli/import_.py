"""Take over what other benchmarks leave behind."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

import click

from biomlbench.cli._common import (
    Refusal,
    as_json,
    cores_option,
    data_options,
    echo,
    print_json,
    print_table,
    track,
)
from biomlbench.plain_text import spreadsheet_row

if TYPE_CHECKING:
    from collections.abc import Iterable

    from biomlbench.contracts.mappings import JsonObject
    from biomlbench.importers.compare import Comparison
    from biomlbench.importers.groups import Entry
    from biomlbench.stages import Context

_SHOWN = ("task_id", "run_id", "published", "ours", "same", "reason")


@click.command()
@click.argument(
    "paths",
    nargs=-1,
    required=True,
    metavar="PATH...",
    type=click.Path(exists=True, path_type=Path),
)
@click.option(
    "--to",
    type=click.Path(path_type=Path),
    help="Folder for the run table and the comparison [default: imported/GROUP], or the "
    "leaderboard.csv to write [default: leaderboard.csv].",
)
@click.option(
    "--run",
    "start",
    is_flag=True,
    help="Write a config as well, and start the workflow. Takes several run groups.",
)
@cores_option("For --run.")
@click.option(
    "--report",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Published grading report to compare with. [default: the newest one in the group]",
)
@click.option("--agent", help="Who made the runs. [default: whom the group's name names]")
@click.option(
    "--task",
    "tasks",
    multiple=True,
    metavar="THEIRS=OURS",
    help="Another name for a task; may be repeated.",
)
@click.option(
    "--direction",
    type=click.Choice(["maximize", "minimize"]),
    help="Which way is better, for a leaderboard.",
)
@as_json
@data_options
def command(
    paths: tuple[Path, ...],
    *,
    to: Path | None,
    start: bool,
    cores: int,
    report: Path | None,
    agent: str | None,
    tasks: tuple[str, ...],
    direction: str | None,
    context: Context,
    as_json: bool,
) -> None:
    """Take over a run group of BioML-bench or MLE-bench, a log of Inspect AI, or a leaderboard.

    PATH is a run group's folder (or its submission.jsonl): it becomes a run table for the
    workflow, and the medals of its grading report are compared with this grader's, each
    difference with its reason. Or PATH is a log of Inspect AI (.eval, .json; or a folder of them):
    its samples become runs. Or PATH is a leaderboard exported by Kaggle (.csv): it becomes a
    leaderboard.csv. With --run, PATH is one run group or more, which are graded and verified by
    the workflow; what a group's own report says is compared without it.

    \b
    Examples:
      biomlbench import runs/2025-03-31_run-group_aide
      biomlbench import --run runs/2025-03-31_run-group_aide runs/2025-04-02_run-group_stella
      biomlbench import runs/group --task polaris/caco2=drug-discovery/caco2-wang
      biomlbench import logs/2025-03-31T12-00-00_two-drugs.eval
      biomlbench import private-leaderboard.csv --direction minimize
    """  # noqa: D301
    from biomlbench.importers import ImportRefusedError
    from biomlbench.importers.inspect_logs import find_logs

    if len(paths) > 1 and not start:
        raise click.UsageError("several run groups are taken with --run; else name one PATH")
    path = paths[0]
    try:
        if start:
            _run(paths, to, agent, _renamed(tasks), context, cores)
        elif path.suffix.lower() == ".csv":
            _leaderboard(path, to or Path("leaderboard.csv"), direction, as_json)
        elif logs := find_logs(path):
            _logs(
                logs, to or Path("imported") / path.stem, agent, _renamed(tasks), context, as_json
            )
        else:
            _group(path, to, report, agent, _renamed(tasks), context, as_json)
    except ImportRefusedError as error:
        raise Refusal(str(error)) from None


def _renamed(tasks: tuple[str, ...]) -> dict[str, str]:
    if wrong := [text for text in tasks if not all(text.partition("=")[::2])]:
        raise click.UsageError(f"--task {wrong[0]}: write it as THEIRS=OURS")
    return {text.partition("=")[0]: text.partition("=")[2] for text in tasks}


def _leaderboard(path: Path, to: Path, direction: str | None, as_json: bool) -> None:
    from biomlbench.importers.kaggle import import_leaderboard

    if direction is None:
        raise click.UsageError("say which way is better: --direction maximize (or minimize)")
    teams, notes = import_leaderboard(path, to, direction)
    if as_json:
        print_json({"leaderboard": str(to), "teams": teams, "notes": list(notes)})
        return
    echo(f"{to}: {teams} teams")
    for note in notes:
        echo(note)


def _group(
    path: Path,
    to: Path | None,
    report: Path | None,
    agent: str | None,
    rename: dict[str, str],
    context: Context,
    as_json: bool,
) -> None:
    from biomlbench.importers.compare import compare
    from biomlbench.importers.groups import read_group, write_run_table
    from biomlbench.importers.published import find_report, match, read_report

    folder = path if path.is_dir() else path.parent
    to = to or Path("imported") / folder.absolute().name
    entries, left_out = read_group(path, rename, context.full_id, agent)
    write_run_table(entries, to / "runs.csv", agent)
    told: JsonObject = {"runs": str(to / "runs.csv"), "n_runs": len(entries)}
    told["left_out"] = left_out
    told["unknown_tasks"] = _warn_of_unknown(entries, context)
    for message in () if as_json else left_out:
        echo(f"left out: {message}", err=True)
    report = report or find_report(folder)
    if report is not None:
        pairs = match(entries, read_report(report, rename, context.full_id))
        rows = compare(track(pairs, "grading"), context.task)
        _write(rows, to / "comparison.csv")
        told |= {"comparison": str(to / "comparison.csv"), "report": str(report)}
        told["rows"] = [row.to_dict() for row in rows]
    if as_json:
        print_json(told)
        return
    echo(f"{told['runs']}: {len(entries)} runs")
    if report is None:
        echo(f"no grading report in {folder}; name one with --report")
        return
    print_table(told["rows"], _SHOWN)
    echo(_summary(rows))


def _run(
    paths: tuple[Path, ...],
    to: Path | None,
    agent: str | None,
    rename: dict[str, str],
    context: Context,
    cores: int,
) -> None:
    from biomlbench.importers.benchmark import merged, write_benchmark
    from biomlbench.importers.groups import read_group
    from biomlbench.workflow.command import arguments, become_snakemake

    names = [(path if path.is_dir() else path.parent).absolute().name for path in paths]
    groups = []
    for path in paths:
        entries, left_out = read_group(path, rename, context.full_id, agent)
        groups.append(entries)
        _warn_of_unknown(entries, context)
        for message in left_out:
            echo(f"left out: {message}", err=True)
    runs = merged(groups)
    config = write_benchmark(
        runs,
        to or Path("imported") / (names[0] if len(names) == 1 else f"{names[0]}-and-others"),
        title=", ".join(names),
        agent=agent,
        tasks_dirs=context.tasks_dirs,
        data_dir=context.data_dir,
    )
    echo(f"{config}: {len(runs)} runs; again with `biomlbench run --configfile {config}`")
    become_snakemake(arguments(["--configfile", str(config)], Path.cwd()), cores)


def _warn_of_unknown(entries: Iterable[Entry], context: Context) -> list[str]:
    """Say once a task that it is unknown here; return the ids."""
    from collections import Counter

    from biomlbench.errors import TaskError
    from biomlbench.runtime.words import counted

    runs = Counter(entry.task_id for entry in entries)
    unknown = [task_id for task_id in runs if context.full_id(task_id) is None]
    for task_id in unknown:
        try:
            context.task(task_id)
        except TaskError as error:
            named = counted(runs[task_id], "run")
            told = f"{error.message} ({named} of it; to take another task for it, --task)"
            echo(told, fg="yellow", err=True)
    return unknown


def _logs(
    paths: list[Path],
    to: Path,
    agent: str | None,
    rename: dict[str, str],
    context: Context,
    as_json: bool,
) -> None:
    from biomlbench.importers.compare import compare
    from biomlbench.importers.inspect_logs import read_logs, write_tables

    taken = read_logs(paths, to, rename, agent)
    runs, scores = write_tables(taken, to)
    told: JsonObject = {"runs": str(runs), "n_runs": len(taken.runs), "scores": str(scores)}
    told["unknown_tasks"] = _warn_of_unknown(taken.entries, context)
    rows = compare(track(taken.published, "grading"), context.task)
    if rows:
        _write(rows, to / "comparison.csv")
        told |= {"comparison": str(to / "comparison.csv")}
        told["rows"] = [row.to_dict() for row in rows]
    if as_json:
        print_json(told)
        return
    echo(f"{runs}: {len(taken.runs)} runs, {taken.submissions} with a submission")
    echo(f"{scores}: what the logs' own scorers gave")
    if rows:
        print_table(told["rows"], _SHOWN)
        echo(_summary(rows))


def _summary(rows: list[Comparison]) -> str:
    same = sum(row.same is True for row in rows)
    other = sum(row.same is False for row in rows)
    return f"{same} medals as reported, {other} not, {len(rows) - same - other} not compared"


def _write(rows: list[Comparison], path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0].to_dict()), lineterminator="\n")
        writer.writeheader()
        writer.writerows(spreadsheet_row(row.to_dict()) for row in rows)
