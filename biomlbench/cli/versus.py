"""Two agents side by side: tasks, runs, checks, and rows of predictions."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, TypedDict, cast

import click

from biomlbench.cli._common import as_json, echo, print_json, print_table, results_argument

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pandas as pd

    from biomlbench.contracts.mappings import AnyRow
    from biomlbench.report.differing_rows import Differing, Predictions
    from biomlbench.report.side_by_side import CheckSides

_OF_RUNS = ("run_id", "verdict", "medal", "verified_medal", "score", "reason")
_BOTH = ("runs", "passed", "medal", "medal_rate", "pass_rate", "percentile", "best")


@click.command()
@click.argument("agent")
@click.argument("other")
@results_argument
@click.option("--task", help="Show the runs of this task, and on what they differ.")
@click.option(
    "--rows",
    type=click.IntRange(0, 100_000),
    default=20,
    show_default=True,
    help="With --task: rows of predictions to show for two runs, those that differ most.",
)
@as_json
def command(
    agent: str, other: str, results: Path, *, task: str | None, rows: int, as_json: bool
) -> None:
    """Show AGENT and OTHER of RESULTS (default: results) side by side.

    Told are each task's runs, passes, best verified medals, percentiles and best scores, and who
    is ahead and by what: the agent with more verified medals a fair run (medal_rate); at a tie
    with more passes a fair run (pass_rate), then the higher percentile, then the better best
    score, that of the best run: of those that pass, else of all. Runs that were lost without the
    agent's fault are not fair ones.

    With --task its runs are told, two by two and the best run of each, the checks whose outcomes
    differ, and the rows whose predictions do: ids and both predictions. Answers are not read.
    Submissions are read where they lie, and only if they are what was graded.

    \b
    Exit codes: 0 shown; 2 the command line is wrong; 3 there is no such agent, task or table.

    \b
    Examples:
      biomlbench versus aurora borealis
      biomlbench versus aurora borealis --task breast-cancer-wisconsin --rows 50
    """  # noqa: D301
    from biomlbench.report.differing_rows import Predictions
    from biomlbench.report.inputs import Tables
    from biomlbench.report.side_by_side import best_pair, by_task, matched_runs
    from biomlbench.results import task_among
    from biomlbench.runtime.words import counted

    agent, other = map(_named, (agent, other))
    tables = Tables.load(results)
    found = by_task(tables.pairs, agent, other)
    if task is None:
        if as_json:
            print_json({"agents": [agent, other], "tasks": found})
            return
        rows_told = cast("list[AnyRow]", found)
        shown = [
            row | {name: _both(row[name]) for name in _BOTH} | {"by": row["by"].replace("_", " ")}
            for row in rows_told
        ]
        print_table(shown, ["task_id", *_BOTH, "ahead", "by"])
        ahead = [sum(row["ahead"] == name for row in found) for name in (agent, other)]
        of_agent = counted(ahead[0], "task")
        echo(f"{agent} is ahead on {of_agent}, {other} on {ahead[1]}, of {len(found)}.")
        return
    name = task_among(task, [row["task_id"] for row in found], f"runs of {agent} and {other}")
    pairs = matched_runs(tables.pairs, name, agent, other)
    best = best_pair(tables.pairs, name, agent, other)
    best_ids = _ids(best or (None, None))
    if best and best_ids not in map(_ids, pairs):
        pairs.append(best)
    predictions = cache(lambda: Predictions(results))
    told = [
        _told(tables.checks, predictions, *both, rows, best=_ids(both) == best_ids)
        for both in pairs
    ]
    if as_json:
        print_json(told)
        return
    for item in told:
        _show(item)


def _named(agent: str) -> str:
    """Return an agent's name in the form that run tables have it in."""
    from biomlbench.submission.cells import RowError, text_of

    try:
        return text_of({"agent": agent}, "agent")
    except RowError:  # no agent's name, which is told where agents are looked up
        return agent


def _ids(pair: tuple[AnyRow | None, AnyRow | None]) -> tuple[Any, ...]:
    return tuple(row and row["run_id"] for row in pair)


class Told(TypedDict):
    """Two runs: columns of each, checks that differ, rows that differ or why none are told.

    And whether they are the best run of each agent.
    """

    runs: list[AnyRow | None]
    checks: list[CheckSides]
    rows: AnyRow | None
    note: str
    best: bool


def _told(
    checks: pd.DataFrame, predictions: Callable[[], Predictions],
    one: AnyRow | None, two: AnyRow | None, most: int, *, best: bool,
) -> Told:  # fmt: skip
    from biomlbench.report.side_by_side import differing_checks

    runs = [row and {name: row[name] for name in _OF_RUNS} for row in (one, two)]
    told: Told = {"runs": runs, "checks": [], "rows": None, "note": "", "best": best}
    if one is None or two is None:
        return told
    told["checks"] = differing_checks(checks, one["task_id"], one["run_id"], two["run_id"])
    if most:
        told["rows"], told["note"] = _rows_of(predictions, one, two, most)
    return told


def _rows_of(
    predictions: Callable[[], Predictions], one: AnyRow, two: AnyRow, most: int
) -> tuple[AnyRow | None, str]:
    from dataclasses import asdict

    from biomlbench.errors import UserError
    from biomlbench.report.differing_rows import differing_rows

    try:
        found: Differing = differing_rows(predictions(), one, two, most)
    except UserError as error:
        # One pair without predictions must not cost the others.
        return None, str(error)
    return asdict(found), ""


def _both(values: list[Any]) -> str:
    return " | ".join(_cell(value) for value in values)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _show(told: Told) -> None:
    runs = [row or {} for row in told["runs"]]
    echo()
    names = " | ".join(row.get("run_id", "no run") for row in runs)
    echo(names + (", the best run of each" if told["best"] else ""))
    heads = ["fact", "first", "second"]
    shown = [
        dict(zip(heads, [name, *(_cell(row.get(name)) for row in runs)], strict=True))
        for name in _OF_RUNS[1:]
    ]
    print_table(shown, heads)
    if told["checks"]:
        print_table(
            [row | {n: _both(row[n]) for n in ("outcome", "reason")} for row in told["checks"]],
            ["check", "suite", "severity", "outcome", "reason"],
        )
    if told["note"]:
        echo(told["note"])
    elif (rows := told["rows"]) is not None:
        most = ", most of all these" if rows["rows"] else ""
        echo(f"{rows['differing']} of {rows['total']} rows differ{most}")
        if rows["rows"]:
            columns = rows["columns"]
            shown = [row | {name: _both(row[name]) for name in columns} for row in rows["rows"]]
            print_table(shown, [*rows["ids"], *columns])
