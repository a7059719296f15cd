"""Compare two results folders: what changed, and why."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from biomlbench.cli._common import as_json, echo, print_json, print_table

DIFFERS = 1
"""Exit code: something changed."""
_SHOWN = 50


class _Results(click.Path):
    """A folder of results, or one of those that it keeps: ``results@2025-W14``."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            folder, sign, when = str(value).rpartition("@")
            if not sign:
                raise
            return super().convert(folder, param, ctx), when


def _resolved(named: Path | tuple[Path, str]) -> Path:
    if isinstance(named, Path):
        return named
    from biomlbench.summary.history import find

    return find(*named).folder


_folder = _Results(file_okay=False, exists=True, path_type=Path)


@click.command()
@click.argument("old", type=_folder)
@click.argument("new", type=_folder)
@click.option(
    "--html",
    "page",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the comparison as one HTML page; a file of that name is replaced.",
)
@as_json
def command(
    old: Path | tuple[Path, str],
    new: Path | tuple[Path, str],
    *,
    page: Path | None,
    as_json: bool,
) -> None:
    """Say what changed from the results OLD to the results NEW, and why.

    It lists ranks, rates, medals, verdicts and scores that changed, medal thresholds and
    verifiers of tasks, and agents, tasks and runs that are new or gone. The reason is what the
    tables were made from that is not the same: submission, task, answers, leaderboard, grader
    code, config, environment, run table. Only the tables over all pairs are read.

    \b
    Exit codes: 0 nothing changed; 1 something did; 2 the command line is wrong;
    3 a table cannot be read.

    \b
    Examples:
      biomlbench compare march/results results
      biomlbench compare results@previous results
      biomlbench compare march/results results --html changes.html
    """  # noqa: D301
    from biomlbench.reproduce.standings import standings
    from biomlbench.reproduce.standings_page import as_page, as_words, in_a_sentence
    from biomlbench.whole_files import named_output

    before, after = _resolved(old), _resolved(new)
    found = standings(before, after)
    if page is not None:
        text = as_page(found, before.name or str(before), after.name or str(after))
        with named_output(page) as temporary:
            temporary.write_text(text, encoding="utf-8")
    if as_json:
        print_json({"equal": found.equal, **asdict(found)})
    else:
        for rows, names in (
            (found.agents, ["agent"]),
            (found.tasks, ["task_id"]),
            (found.pairs, ["task_id", "run_id", "agent"]),
        ):
            shown = [
                # A terminal or pipe need not have arrows.
                {
                    **row,
                    "changes": [f"{c['name']} {c['text']}".replace("→", "->") for c in row["told"]],
                }
                for row in map(as_words, rows[:_SHOWN])
            ]
            if shown:
                print_table(shown, [*names, "state", "changes", "why"])
            if (more := len(rows) - _SHOWN) > 0:
                echo(f"and {more} more; --json and --html show them")
        echo(in_a_sentence(found))
    raise SystemExit(0 if found.equal else DIFFERS)
