"""A run group with one cheating submission for each severe finding, on tasks with leaderboards."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd

from biomlbench.scoring.audit_currency import made_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from biomlbench.audit import Audit, Finding
    from biomlbench.task.task import Task

#: Their submissions are right, and the grader gives them a worse score.
MISGRADED = ("row-order-counts", "columns-by-place", "ids-as-text")
TEAMS = 12
REACH = 0.6
"""How far the best team of the board is on the way from honest work to what cheating gives."""


def severe(audit: Audit) -> list[Finding]:
    """Return the severe findings that a cheating submission's score shows."""
    return [
        one
        for one in audit.findings
        if one.severity == "severe"
        and one.name not in MISGRADED
        and one.submission
        and None not in (one.before, one.after)
    ]


def submitted(finding: Finding) -> bytes:
    """Return a finding's submission as an agent would have made it.

    What holds all answers is refused as a copy of the file of answers, byte by byte; an agent that
    found them elsewhere has them in an order of its own.
    """
    if not finding.name.startswith("answers-by"):
        return finding.submission
    frame = pd.read_csv(io.BytesIO(finding.submission), dtype=str, keep_default_na=False)
    return frame[::-1].to_csv(index=False).encode()


def stamped(audit: Audit, task: Task) -> Audit:
    """Return an audit as if it had been made of the task as it is now, with its leaderboard."""
    return replace(audit, made_of=made_of(task))


def write_board(folder: Path, finding: Finding) -> None:
    """Write a leaderboard of honest work, which the finding's submission beats."""
    before, after = finding.before, finding.after
    scores = [before + (after - before) * REACH * team / TEAMS for team in range(TEAMS, 0, -1)]
    pd.DataFrame({"score": scores}).to_csv(folder / "leaderboard.csv", index=False)


def write_runs(root: Path, cheating: Iterable[tuple[str, str, bytes]]) -> Path:
    """Write the submissions, given as task, finding and content, and a table that lists them."""
    rows = []
    for task_id, name, content in cheating:
        path = root / "runs" / task_id / f"{name}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        rows.append({"run_id": name, "agent": "cheat", "task_id": task_id,
                     "submission": str(path)})  # fmt: skip
    table = root / "runs.csv"
    pd.DataFrame(rows).to_csv(table, index=False)
    return table
