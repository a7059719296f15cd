"""Weekly calibration: propose, apply, compare; and what a change would do to past pairs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from biomlbench.cli._common import (
    Refusal,
    Trouble,
    as_json,
    data_options,
    echo,
    print_json,
    print_table,
    provider_option,
    recorded_context,
    track,
)

if TYPE_CHECKING:
    from biomlbench.stages import Context

_results = click.option(
    "--results",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("results"),
    show_default=True,
    help="Results folder of the workflow.",
)


@click.group()
def command() -> None:
    """Keep the checks' thresholds where they separate right from wrong work.

    What reads results finds their tasks and data where they were; --tasks-dir and --data-dir name
    others.

    \b
    A week's round:
      biomlbench run calibrate           measure the grader's own errors
      biomlbench calibrate check --strict
      biomlbench calibrate propose       write results/calibration/<week>/proposal.yaml
      biomlbench calibrate apply results/calibration/2025-W14/proposal.yaml
      biomlbench calibrate diff 2025-W13 2025-W14
    """  # noqa: D301


@command.command()
@_results
@click.option("--strict", is_flag=True, help="Fail if a task is above the allowed rates.")
@as_json
def check(*, results: Path, strict: bool, as_json: bool) -> None:
    """Show which tasks the last `biomlbench run calibrate` found within the allowed rates.

    Rows of adjudications and flake_runs that it could not use are shown below. With --strict the
    exit code is 1 where a task is not within the allowed rates, and those are named.
    """
    from biomlbench.calibrate import unused_rows
    from biomlbench.calibrate.gate import AllowedRatesError, require
    from biomlbench.contracts import read_table

    table = read_table("allowed_rates", results / "calibration" / "allowed_rates.parquet")
    rows, unused = table.to_pylist(), unused_rows.stored(results)
    if as_json:
        print_json({"allowed_rates": rows, unused_rows.TABLE: unused})
    else:
        columns = ("task_id", "within_allowed", "right", "wrong", "false_pass", "false_fail", "why")
        print_table([{**row, "why": "; ".join(row["reasons"])} for row in rows], columns)
        if unused:
            print_table(unused, tuple(unused[0]), "Rows that were not used")
    if strict:
        try:
            require(table)
        except AllowedRatesError as error:
            raise Refusal(str(error).splitlines()[-1]) from None


@command.command()
@click.argument("task")
@click.argument("submission")
@click.option("--trials", default=2, show_default=True, help="Repeats under each condition.")
@provider_option()
@_results
@as_json
@data_options
def flakes(
    task: str,
    submission: str,
    *,
    context: Context,
    trials: int,
    provider: str,
    results: Path,
    as_json: bool,
) -> None:
    """Run SUBMISSION on the problem card TASK repeatedly, and find flaky checks.

    SUBMISSION is a file, or a run of the results. It is run in the sandbox and judged, unchanged
    and under other hash seeds, orders of the cases, numbers of threads and load. A check
    disagrees with itself where it gives two outcomes on the very same outputs; the row
    `(outputs)` tells how the submission's own outputs vary.

    \b
    Example:
      biomlbench calibrate flakes kabsch-rmsd rmsd.py --trials 5
    """  # noqa: D301
    from dataclasses import replace
    from functools import partial

    from biomlbench.calibrate.flaky_runs import run_flakes_table

    context = recorded_context(results, context)
    found = context.task(task)
    if not found.is_card:
        raise click.UsageError(f"{found.id}: only problem cards have cases that can be repeated")
    task_id = found.id
    path, name = _submission(results, task_id, submission)
    context = replace(context, provider=provider)
    bar = partial(track, words="running it again")
    table = run_flakes_table(task_id, name, path, context, trials, bar)
    rows = table.to_pylist()
    if as_json:
        print_json(rows)
    else:
        columns = ("check", "disagreements", "runs", "low", "high", "causes")
        print_table([{**row, "causes": ", ".join(row["causes"])} for row in rows], columns)


def _submission(results: Path, task_id: str, name: str) -> tuple[str, str]:
    """Return a submission's path, and what it is called: a file, or a run of the results."""
    from biomlbench.contracts import read_table
    from biomlbench.workflow.recorded_places import submission_place

    if Path(name).is_file():
        return name, name
    table = results / "pairs.parquet"
    pairs = read_table("pairs", table).to_pylist() if table.is_file() else []
    for pair in pairs:
        if (pair["task_id"], pair["run_id"]) == (task_id, name):
            return submission_place(results, pair["submission"]), f"run/{name}"
    raise click.UsageError(f"{name}: neither a file nor a run of {task_id} in {table}")


@command.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write blind-controls.parquet and blind-rates.parquet into this folder.",
)
@provider_option()
@as_json
@data_options
def blind(
    folder: Path, *, context: Context, out: Path | None, provider: str, as_json: bool
) -> None:
    """Grade the labelled solutions of FOLDER, which somebody else wrote, and show the error rates.

    FOLDER holds <card>/<name>.py for each solution, and labels.csv with the columns task_id, name,
    label (right or wrong) and kind. The thresholds' proposals never see these solutions.

    \b
    Example:
      biomlbench calibrate blind blind-set/ --out blind-results
    """  # noqa: D301
    from dataclasses import replace
    from functools import partial

    from biomlbench.calibrate import blind
    from biomlbench.contracts import write_table

    context = replace(context, provider=provider)
    bar = partial(track, words="grading the cards")
    controls = blind.grade(blind.read(folder, context), context, bar)
    rates, wrong = blind.rates(controls), list(blind.misjudged(controls))
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        write_table("controls", controls, out / "blind-controls.parquet")
        write_table("rates", rates, out / "blind-rates.parquet")
    if as_json:
        print_json({"rates": rates.to_pylist(), "misjudged": wrong})
        return
    print_table(rates.to_pylist(), ("name", "scope", "kind", "errors", "n", "rate", "low", "high"))
    if wrong:
        columns = ("task_id", "name", "label", "kind", "failed")
        print_table(wrong, columns, "Verdicts that differ from the label")


@command.command()
@_results
@click.option("--week", help="ISO week to file it under. [default: that of the measured rates]")
@click.option("--flake-limit", default=0.0, show_default=True, help="Flake rate to be allowed.")
@as_json
@data_options
def propose(
    *, context: Context, results: Path, week: str | None, flake_limit: float, as_json: bool
) -> None:
    """Propose thresholds, and which checks to make advisory; nothing is changed yet."""
    from biomlbench.calibrate.weekly import PROPOSAL, read_proposal, write_proposal

    path = write_proposal(results, recorded_context(results, context), flake_limit, week)
    changes = read_proposal(path)
    if as_json:
        print_json({"proposal": str(path), "changes": changes})
        return
    rows = [
        {**row, "proposed": row["proposed"] or "", "flips": len(row["flips"])} for row in changes
    ]
    print_table(rows, ("task_id", "check", "action", "proposed", "flips", "why"))
    echo(path)
    if path.name != PROPOSAL:
        echo("a further proposal of this week; the earlier ones are kept as they are")


@command.command()
@click.argument("proposal", type=click.Path(path_type=Path))
@data_options
def apply(proposal: Path, *, context: Context) -> None:
    """Write the changes of PROPOSAL into the verifier.yaml files; comments stay."""
    from biomlbench.calibrate.weekly import apply_proposal

    # <results>/calibration/<week>/proposal.yaml
    results = Path(os.path.normpath(proposal.absolute() / "../../.."))
    for line in apply_proposal(proposal, recorded_context(results, context)) or [
        "nothing to change"
    ]:
        echo(line)


@command.command()
@click.argument("before")
@click.argument("after")
@_results
@as_json
def diff(before: str, after: str, *, results: Path, as_json: bool) -> None:
    """Compare the rates of the weeks BEFORE and AFTER."""
    from biomlbench.calibrate.weekly import diff as compare

    rows = compare(results, before, after)
    if as_json:
        print_json(rows)
    else:
        print_table(rows, ("name", "scope", "kind", "before", "after", "clear"))


@command.command()
@click.argument("tasks", nargs=-1)
@_results
@as_json
@data_options
def regrade(tasks: tuple[str, ...], *, context: Context, results: Path, as_json: bool) -> None:
    """Show which past pairs of TASKS (by default all) would now have another result.

    Grades, checks, answers and leaderboards are taken as they are now; nothing is executed
    again, and the results stay as they are.

    \b
    Example:
      biomlbench calibrate regrade kabsch-rmsd --json
    """  # noqa: D301
    from biomlbench.calibrate.regrade import regrade as again

    context = recorded_context(results, context)
    names = [context.task(name).id for name in tasks] or None
    if not (results / "pairs.parquet").is_file():
        raise Trouble(f"{results / 'pairs.parquet'}: no such table; run the workflow to make it")
    rows = list(again(results, context, names, lambda pairs: track(pairs, "grading again")))
    if as_json:
        print_json(rows)
        return
    columns = ("task_id", "run_id", "verdict", "medal", "verified_medal", "score", "note")
    print_table([{k: _arrow(v) for k, v in row.items()} for row in rows], columns)
    notes = sum("note" in row for row in rows)
    unknown = f"; {notes} cannot be graded again, see their notes" if notes else ""
    echo(f"{len(rows) - notes} pairs would have another result{unknown}")


def _arrow(value: object) -> object:
    return f"{value[0]} -> {value[1]}" if isinstance(value, list) else value
