"""The `tasks` table: what is known of every task of a benchmark."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, cast

import numpy as np

from biomlbench.contracts import MOST_ITEMS, SCHEMAS, ContractError, read_table, unusable_values
from biomlbench.errors import TaskError
from biomlbench.runtime.regular_file import TooLargeError, read_regular
from biomlbench.stages.preparing import data_note
from biomlbench.summary.task_facts import public_files

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from biomlbench.contracts.rows import TaskRow
    from biomlbench.scoring.leaderboard import Leaderboard
    from biomlbench.task.task import Task
    from biomlbench.workflow.plan import Benchmark

__all__ = ["task_rows"]

log = logging.getLogger(__name__)


def task_rows(
    benchmark: Benchmark, results: Path, distrusted: Mapping[str, tuple[str, ...]]
) -> list[TaskRow]:
    """Return a row of each task.

    Parameters
    ----------
    benchmark : Benchmark
    results : path
    distrusted : mapping
        Tasks whose measured error rates are above the allowed ones, and which those are.
    """
    from biomlbench.stages.missing_evidence import missing_evidence

    rows: list[TaskRow] = []
    for task_id in benchmark.task_ids:
        try:
            found = benchmark.effective_task(task_id)
            task, metric, version = found.task, found.metric_name, found.verifier
            difficulty, description = task.difficulty, task.description
            files = public_files(task)
            _warn_of_old_copy(task)
        except TaskError as error:
            # It has a row, and its pairs say what is wrong with it.
            rows.append(_broken_task(task_id, str(error)))
            continue
        prepared, note = _data_of(results, task.id)
        missing = (*missing_evidence(task), *distrusted.get(task.id, ()))
        row: TaskRow = {
            "task_id": task.id,
            "name": task.name,
            "domain": task.domain,
            "task_type": task.task_type,
            "difficulty": difficulty,
            "kind": task.kind,
            "metric": metric,
            "direction": "",
            "verifier": version,
            "leaderboard_note": found.leaderboard_note,
            "prepared": prepared,
            "data_note": note,
            "calibrated": not missing,
            "evidence_missing": missing,
            "description": description,
            "public_files": files,
        }
        # Broken files of one task must not cost the tables of all.
        try:
            if (audit := found.read_audit()) is not None:
                row["audit"] = audit.state
                row["audit_findings"] = [
                    f"{one.severity} {one.name}: {one.what}" for one in audit.standing
                ] + ([audit.note] if audit.note else [])
        except TaskError as error:
            log.warning("%s", error)
        try:
            row["direction"] = found.direction
            if (board := found.read_leaderboard()) is not None:
                row["leaderboard"] = _at_most(_best_first(board, found.direction))
        except TaskError as error:
            row["leaderboard_note"] = str(error)
        try:
            if (humans := found.read_humans(quiet=False)) is not None:
                row["humans"] = _at_most(humans.tolist())
        except TaskError as error:
            log.warning("%s", error)
        rows.append(_of_usable_facts(row))
    return rows


def _of_usable_facts(row: TaskRow) -> TaskRow:
    """Leave out what the table cannot hold: facts of one task must not cost the tables of all."""
    unusable = unusable_values("tasks", row)
    for column, why in unusable.items():
        log.warning("%s: `%s` is left out of the table of tasks: %s", row["task_id"], column, why)
    if any(not SCHEMAS["tasks"].field(column).nullable for column in unusable):
        told = "; ".join(f"`{column}`: {why}" for column, why in unusable.items())
        return _broken_task(row["task_id"], told)
    return cast("TaskRow", {key: value for key, value in row.items() if key not in unusable})


def _warn_of_old_copy(task: Task) -> None:
    """Say where the description that competitors get is not the task's any more."""
    from biomlbench.task.prepare import is_out_of_date

    public = task.public_dir / "description.md"
    if task.published is not None or task.is_card or not public.is_file():
        return
    try:
        told = read_regular(public).decode("utf-8-sig", errors="replace")
    except (OSError, TooLargeError) as error:
        log.warning("%s: %s", task.id, error)
        return
    # a preparer may have written one of its own
    if told != task.description and is_out_of_date(task):
        log.warning(
            "%s: its description is another one than %s, which was put beside the public data; "
            "`biomlbench prepare %s` puts the new one there",
            *(task.id, public, task.id),
        )


def _data_of(results: Path, task_id: str) -> tuple[bool, str]:
    """Tell whether a task's data are in place, and what is to be known of them."""
    try:
        table = read_table("prepare", results / "tasks" / task_id / "prepare.parquet")
    except ContractError:
        return False, ""
    (row,) = table.to_pylist()
    # without a hash, the task's own files let nothing be prepared
    return bool(row["files_sha256"]), data_note(row)


def _broken_task(task_id: str, message: str) -> TaskRow:
    return {
        "task_id": task_id,
        "name": task_id,
        "domain": task_id.partition("/")[0],
        "task_type": "",
        "difficulty": "",
        "kind": "",
        "metric": "",
        "direction": "",
        "verifier": "",
        "leaderboard_note": message,
        "prepared": False,
        "calibrated": False,
    }


def _at_most(scores: list[float]) -> list[float]:
    """Return as many scores as a table may have, evenly spaced, in their order."""
    if len(scores) <= MOST_ITEMS:
        return scores
    places = np.linspace(0, len(scores) - 1, MOST_ITEMS).round().astype(int)
    return [scores[place] for place in places]


def _best_first(board: Leaderboard, direction: str) -> list[float]:
    scores = board.ascending.tolist()
    result: list[float] = scores if direction == "minimize" else scores[::-1]
    return result
