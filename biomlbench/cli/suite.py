"""Suites: benchmarks of others, fetched and checked."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from biomlbench.cli._common import as_json, data_options, echo, print_json, print_table

if TYPE_CHECKING:
    from biomlbench.stages import Context


@click.group()
def command() -> None:
    """Fetch published benchmarks, and see what of them can be graded here.

    \b
    Examples:
      biomlbench suite list
      biomlbench suite get bioml-bench
      biomlbench suite check bioml-bench-v0.1a --data-dir ~/.cache/bioml-bench/data
    """  # noqa: D301


@command.command("list")
@as_json
def list_(*, as_json: bool) -> None:
    """List the suites and their selections, and which are here."""
    from biomlbench.suites import list_suites
    from biomlbench.suites.checkout import checkouts

    here = {checkout.suite.name: checkout for checkout in checkouts()}
    rows = []
    for suite in list_suites():
        found = here.get(suite.name)
        tasks = sum(1 for _ in found.tasks()) if found else None
        state = "no" if found is None else "yes" if found.commit == suite.commit else "other commit"
        facts = {"here": state, "commit": suite.commit[:12], "address": suite.address}
        rows.append({"suite": suite.name, "tasks": tasks, **facts})
        for name, ids in suite.selections.items():
            rows.append({"suite": name, "tasks": len(ids), **facts})
    if as_json:
        print_json(rows)
    else:
        print_table(rows, ("suite", "tasks", "here", "commit", "address"))


@command.command()
@click.argument("name")
@click.option(
    "--from",
    "source",
    type=click.Path(path_type=Path),
    help="A clone or mirror on this machine, instead of the suite's address.",
)
@click.option(
    "--python",
    type=click.Path(path_type=Path),
    help="Virtual environment whose interpreter is to run the suite's graders.",
)
def get(*, name: str, source: Path | None, python: Path | None) -> None:
    """Fetch a suite at its commit; nothing of it is run.

    Its files go to $BIOMLBENCH_SUITES, by default ~/.cache/biomlbench/suites.
    """
    from biomlbench.suites import find_suite
    from biomlbench.suites.checkout import get_suite_files

    found = get_suite_files(find_suite(name), source, python)
    ids = [task_id for task_id, _ in found.tasks()]
    boards = sum(found.board(task_id) is not None for task_id in ids)
    echo(
        f"{found.suite.name} {found.commit[:12]}: {len(ids)} tasks, {boards} with a leaderboard, "
        f"in {found.folder}"
    )


@command.command()
@click.argument("name")
@as_json
@data_options
def check(*, name: str, context: Context, as_json: bool) -> None:
    """Say of each task of a suite what grades it, and why it cannot be graded."""
    from biomlbench.suites.check import COLUMNS, check_suite, counts

    rows = check_suite(name, context.data_dir)
    if as_json:
        print_json({"tasks": [asdict(row) for row in rows], "counts": counts(rows)})
        return
    print_table([asdict(row) for row in rows], COLUMNS, title=name)
    for column, values in counts(rows).items():
        said = ", ".join(f"{number} {value}" for value, number in sorted(values.items()))
        echo(f"{column}: {said}")
