"""Rows of run tables that cannot be graded: what can be told of one, and why."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from biomlbench.submission.cells import RowError, printable
from biomlbench.submission.run_group import task_named

if TYPE_CHECKING:
    from collections.abc import Iterable

    from biomlbench.contracts.mappings import AnyRow
    from biomlbench.outcomes import Reason

__all__ = ["BadRow", "bad_row", "told_apart"]


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row of a run table that cannot be graded, and why.

    Attributes
    ----------
    source : str
        Table and line.
    run_id, agent, task_id, submission : str
        As far as they could be read, printable. No other run of the task has this `run_id`:
        where it is not the row's own, it is `source`.
    reason : Reason
    message : str
    is_table : bool
        It stands for a whole table, which cannot be read.
    """

    source: str
    run_id: str
    agent: str
    task_id: str
    submission: str
    reason: Reason
    message: str
    is_table: bool = field(default=False, repr=False)


def bad_row(row: AnyRow, source: str, error: RowError) -> BadRow:
    """Return what can be told of a row; of its values only text and numbers."""

    def stated(key: str) -> str:
        value = row.get(key)
        plain = isinstance(value, (str, int)) and not isinstance(value, bool)
        return printable(str(value).strip()) if plain and value != "" else ""

    with contextlib.suppress(ValueError):  # the message says so
        row = {**row, "task_id": task_named(row)}
    return BadRow(
        source=source,
        run_id=stated("run_id") or source,
        agent=stated("agent") or "unknown",
        task_id=stated("task_id") or "unknown/unknown",
        submission=stated("submission") or stated("submission_path"),
        reason=error.reason,
        message=printable(f"{source}: {error}", 1000),
    )


def told_apart(known: Iterable[tuple[str, str]], bad: list[BadRow]) -> list[BadRow]:
    """Give bad rows whose run id another row of the task has their source as run id."""
    taken = set(known)
    told = []
    for row in bad:
        run_id, number = row.run_id, 1
        while (row.task_id, run_id) in taken:
            run_id = row.source if number == 1 else f"{row.source}#{number}"
            number += 1
        taken.add((row.task_id, run_id))
        told.append(replace(row, run_id=run_id))
    return told
