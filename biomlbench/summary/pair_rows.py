"""The `pairs` table: a row of every configured pair, whatever became of it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pyarrow as pa

from biomlbench.contracts import (
    DIGESTS,
    RUN_COLUMNS,
    RUN_METADATA,
    SCHEMAS,
    ContractError,
    from_rows,
)
from biomlbench.outcomes import Reason, Verdict, fault_of
from biomlbench.runtime.pool import reason_in_log
from biomlbench.stages import STAGES, read_stage
from biomlbench.stages.chain import FINAL
from biomlbench.stages.provenance import COLUMNS, pair_columns, record_of
from biomlbench.workflow.job import DONE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from biomlbench.contracts.mappings import TypedRow
    from biomlbench.contracts.rows import NoMedalColumns, RunColumns
    from biomlbench.workflow.plan import Benchmark
    from biomlbench.workflow.runs import BadRow, Run

__all__ = ["pair_rows", "tables_of"]

log = logging.getLogger(__name__)

_LOG_TAIL = 500


def pair_rows(benchmark: Benchmark, results: Path) -> Iterator[tuple[str, pa.Table]]:
    """Go through the `pairs` table: every configured pair and every bad row of a run table.

    Parameters
    ----------
    benchmark : Benchmark
    results : path

    Yields
    ------
    str, pyarrow.Table
        A task, in the order of their ids, and its rows, sorted by run.
    """
    runs = benchmark.runs_by_task
    bad: dict[str, list[TypedRow]] = {}
    for row in benchmark.bad_rows:
        bad.setdefault(row.task_id, []).append(_bad_row(row))
    for task_id in sorted({*runs, *bad}):
        parts = [
            _of_runs(benchmark, table) for table in tables_of(benchmark, results, FINAL, task_id)
        ]
        there = {run for part in parts for run in part.column("run_id").to_pylist()}
        absent = [run for run in runs.get(task_id, ()) if run.run_id not in there]
        rows = [_absent_row(benchmark, results, run) for run in absent]
        rows += bad.get(task_id, ())
        table = pa.concat_tables([*parts, from_rows("pairs", rows)])
        yield task_id, table.sort_by("run_id").combine_chunks()


def _of_runs(benchmark: Benchmark, medals: pa.Table) -> pa.Table:
    """Return the rows of `pairs` of a ``medal`` table of one run or several."""
    keys = (medals.column(name).to_pylist() for name in ("task_id", "run_id"))
    runs = [benchmark.runs[key] for key in zip(*keys, strict=True)]
    rows = [{**_run_columns(run), **run.metadata} for run in runs]
    columns = {name: pa.array([row.get(name) for row in rows], kind) for name, kind in _OF_RUNS}
    columns |= {name: medals.column(name) for name in medals.column_names[2:]}
    # Of a table of several runs, only the submission is each one's own.
    record = record_of(medals)
    origin = {**pair_columns(record), "submission_sha256": record.get("submission_sha256")}
    columns |= {
        name: pa.repeat(pa.scalar(origin[name], pa.string()), len(rows)) for name in COLUMNS
    }
    if DIGESTS in record:
        digests = [record[DIGESTS].get(row["run_id"]) for row in rows]
        columns["submission_sha256"] = pa.array(digests, pa.string())
    schema = SCHEMAS["pairs"]
    return pa.Table.from_arrays([columns[name] for name in schema.names], schema=schema)


_OF_RUNS = [
    *((name, SCHEMAS["pairs"].field(name).type) for name in RUN_COLUMNS),
    *((field.name, field.type) for field in RUN_METADATA),
]


def tables_of(benchmark: Benchmark, results: Path, stage: str, task_id: str) -> Iterator[pa.Table]:
    """Yield the tables of a stage, of one pair or a batch; only rows of configured runs."""
    wanted: dict[str, set[str]] = {}
    for run in benchmark.runs_by_task.get(task_id, ()):
        place = benchmark.place(task_id, run.run_id)
        wanted.setdefault(place, set()).add(run.run_id)
    for folder, runs in sorted(wanted.items()):
        there = (results / folder / f"{stage}.parquet").exists()
        try:
            table = read_stage(stage, results / folder)
        except ContractError as error:
            if there:
                log.warning("%s", error)
            continue
        found = table.column("run_id").to_pylist()
        # Of a batch, some runs may have left the config.
        known = all(run in runs for run in found)
        yield table if known else table.filter(pa.array([run in runs for run in found]))


def _run_columns(run: Run) -> RunColumns:
    return {
        "task_id": run.task_id,
        "run_id": run.run_id,
        "domain": run.task_id.split("/")[0],
        "agent": run.agent,
        "kind": run.kind,
        "seed": run.seed,
        "attempt": run.attempt,
        "hint_tier": run.hint_tier,
        "label": run.label,
        "time": run.time,
        "source": run.source,
        "submission": run.submission,
    }


def _no_medal(reason: Reason, message: str, stage: str) -> NoMedalColumns:
    return {
        "stage": stage,
        "fault": fault_of(reason),
        "reason": reason,
        "message": message,
        "valid_submission": False,
        "metric": "",
        "direction": "",
        "verdict": Verdict.FAIL,
        "verdict_reasons": [reason],
        "verifier": "",
        "calibrated": False,
        "gold_medal": False,
        "silver_medal": False,
        "bronze_medal": False,
        "any_medal": False,
        "verified_medal": False,
        "medal": "none",
    }


def _absent_row(benchmark: Benchmark, results: Path, run: Run) -> TypedRow:
    """Say of a pair whose last table is not there which stage failed, and how its log ends."""
    if not (results / "tasks" / run.task_id / "prepare.parquet").exists():
        stage, reason = "prepare", Reason.NOT_PREPARED
        log = results / "logs" / "prepare" / f"{run.task_id}.log"
    else:
        place = benchmark.place(run.task_id, run.run_id)
        folder = results / place
        stage = next(s for s in STAGES if s == STAGES[-1] or not (folder / f"{s}.parquet").exists())
        reason = Reason.STAGE_FAILED
        if place.startswith("batches/"):
            log = results / "logs" / place / f"{stage}.log"
        else:
            log = results / "logs" / stage / run.task_id / f"{run.run_id}.log"
    told, message = _said(log)
    return {
        **_run_columns(run),
        **run.metadata,
        **_no_medal(told or reason, message, stage),
    }


_NOT_RUN = "did not run; run the workflow again"


def _said(log: Path) -> tuple[Reason | None, str]:
    """Return reason code and message of a failed job's log; no reason where the log has none."""
    try:
        text = log.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None, _NOT_RUN
    if text.startswith(DONE):  # of a run whose table has gone since
        return None, _NOT_RUN
    reason = reason_in_log(text)
    return Reason(reason) if reason in set(Reason) else None, text.rpartition("\n")[2][:_LOG_TAIL]


def _bad_row(row: BadRow) -> TypedRow:
    return {
        "task_id": row.task_id,
        "run_id": row.run_id,
        "domain": row.task_id.split("/")[0],
        "agent": row.agent,
        "kind": "",
        "source": row.source,
        "submission": row.submission,
        **_no_medal(row.reason, row.message, "runs"),
    }
