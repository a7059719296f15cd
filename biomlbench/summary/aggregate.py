"""After all pairs: one row for every configured pair, whatever became of it, and the summaries."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from biomlbench.calibrate.gate import uncalibrated
from biomlbench.contracts import (
    DIGESTS,
    RUN_COLUMNS,
    RUN_METADATA,
    SCHEMAS,
    ContractError,
    from_rows,
    write_parts,
    write_table,
)
from biomlbench.errors import TaskError
from biomlbench.outcomes import Reason, fault_of
from biomlbench.runtime.json_lines import write_json
from biomlbench.runtime.pool import reason_in_log
from biomlbench.stages import STAGES, read_stage
from biomlbench.stages.chain import FINAL
from biomlbench.stages.kinds import has_cases
from biomlbench.stages.provenance import COLUMNS, pair_columns, record_of
from biomlbench.summary.grading_report import write_grading_report
from biomlbench.summary.task_facts import public_files
from biomlbench.workflow.job import DONE
from biomlbench.workflow.pair_tables import PairTables
from biomlbench.workflow.record import RECORD, benchmark_record, summary_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from biomlbench.scoring.leaderboard import Leaderboard
    from biomlbench.workflow.plan import Benchmark
    from biomlbench.workflow.runs import BadRow, Run

__all__ = ["aggregate", "pair_rows"]

log = logging.getLogger(__name__)

_LOG_TAIL = 500


def aggregate(
    benchmark: Benchmark,
    results: str | Path,
    calibration: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Write `pairs`, `checks`, `agents`, `tasks`, the grading report and the provenance.

    Parameters
    ----------
    benchmark : Benchmark
        As configured.
    results : path
        Folder of the results; a pair's tables that are not there make a row that says why.
    calibration : mapping, optional
        What the tasks' calibration depends on, so that only the benchmark's own counts; by
        default whatever the folder holds does.
    """
    results = Path(results)
    distrusted = uncalibrated(results, calibration)
    found = {
        task_id: _distrust(rows, distrusted) for task_id, rows in pair_rows(benchmark, results)
    }
    pairs = pa.concat_tables([from_rows("pairs", []), *found.values()])
    record = benchmark_record(benchmark, results, pairs)
    made_from = summary_of(record, pairs, benchmark.code("aggregate"))
    tables = PairTables(results)
    # A task after the other: of many runs, all checks take more memory than all else.
    checks = (
        pa.concat_tables([_checks(benchmark, results, task_id), duplicate_rows(rows, tables)])
        # Sorted, so that a reader who asks for one run skips most of the file. The sort is
        # stable: the checks of a pair stay in the order that its verifier has them in.
        .sort_by("run_id")
        for task_id, rows in found.items()
    )
    write_parts("checks", checks, results / "checks.parquet", made_from)
    made = {"pairs": pairs, "agents": _agents(pairs)}
    made["tasks"] = _tasks(benchmark, results, distrusted)
    for name, table in made.items():
        write_table(name, table, results / f"{name}.parquet", made_from)
    write_json(results / RECORD, record)
    write_grading_report(pairs, results / "grading_report.json")


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
    bad: dict[str, list[dict[str, Any]]] = {}
    for row in benchmark.bad_rows:
        bad.setdefault(row.task_id, []).append(_bad_row(row))
    for task_id in sorted({*runs, *bad}):
        parts = [
            _of_runs(benchmark, table) for table in _read_all(benchmark, results, FINAL, task_id)
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
    rows = [_run_row(benchmark.runs[key]) for key in zip(*keys, strict=True)]
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


def _read_all(benchmark: Benchmark, results: Path, stage: str, task_id: str) -> Iterator[pa.Table]:
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


def _run_row(run: Run) -> dict[str, Any]:
    row = {name: getattr(run, name) for name in RUN_COLUMNS if name != "domain"}
    return {**row, "domain": run.task_id.split("/")[0], "time": run.time, **run.metadata}


def _empty(reason: str, message: str, stage: str) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(
        ("gold_medal", "silver_medal", "bronze_medal", "any_medal", "verified_medal"), False
    )
    return row | {
        "stage": stage,
        "fault": fault_of(reason),
        "reason": reason,
        "message": message,
        "valid_submission": False,
        "metric": "",
        "direction": "",
        "verdict": "fail",
        "verdict_reasons": [reason],
        "verifier": "",
        "calibrated": False,
        "medal": "none",
    }


def _absent_row(benchmark: Benchmark, results: Path, run: Run) -> dict[str, Any]:
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
    return {**_run_row(run), **_empty(told or reason, message, stage)}


_NOT_RUN = "did not run; run the workflow again"


def _said(log: Path) -> tuple[str, str]:
    """Return reason code and message of a failed job's log; no reason where the log has none."""
    try:
        text = log.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return "", _NOT_RUN
    if text.startswith(DONE):  # of a run whose table has gone since
        return "", _NOT_RUN
    reason = reason_in_log(text)
    return reason if reason in set(Reason) else "", text.rpartition("\n")[2][:_LOG_TAIL]


def _bad_row(row: BadRow) -> dict[str, Any]:
    return {
        "task_id": row.task_id,
        "run_id": row.run_id,
        "domain": row.task_id.split("/")[0],
        "agent": row.agent,
        "kind": "",
        "source": row.source,
        "submission": row.submission,
        **_empty(row.reason, row.message, "runs"),
    }


def _checks(benchmark: Benchmark, results: Path, task_id: str) -> pa.Table:
    read = _read_all(benchmark, results, "verify", task_id)
    tables = (table.replace_schema_metadata(None) for table in read)
    empty = SCHEMAS["checks"].empty_table().replace_schema_metadata(None)
    return pa.concat_tables([empty, *tables]).cast(SCHEMAS["checks"])


def duplicate_rows(pairs: pa.Table, tables: PairTables) -> pa.Table:
    """Return the advisory check whether a run nearly equals one of another agent.

    Its message tells too which runs of its own agent are the same file.

    This is the one check that needs to see more than one pair.

    Parameters
    ----------
    pairs : pyarrow.Table
        Of the schema ``pairs``.
    tables : PairTables
        Of the same results.

    Returns
    -------
    pyarrow.Table
        Of the schema ``checks``.
    """
    from biomlbench.verify.near_duplicates import outcomes
    from biomlbench.verify.policy import CheckOutcome

    schema = SCHEMAS["checks"]
    by_task: dict[str, list[int]] = {}
    names = ("task_id", "run_id", "agent", "kind", "valid_submission", "submission_sha256")
    task_ids, run_ids, agents, kinds, valid, digests = (
        pairs.column(name).to_pylist() for name in names
    )
    for row, task_id in enumerate(task_ids):
        if valid[row] and not has_cases(kinds[row]):
            by_task.setdefault(task_id, []).append(row)
    rows: list[int] = []
    # Nearly all have the same outcome.
    found: dict[CheckOutcome, int] = {}
    which: list[int] = []
    for task_id, members in by_task.items():
        runs = [(run_ids[row], kinds[row]) for row in members]
        prints = [text or "" for text in tables.values("grade", "fingerprint", task_id, runs)]
        groups = [agents[row] for row in members]
        called = [f"{run_ids[row]} of {agents[row]}" for row in members]
        near = outcomes(prints, groups, called, [digests[row] for row in members])
        rows += (members[place] for place in near)
        which += (found.setdefault(outcome, len(found)) for outcome in near.values())
    own = CheckOutcome._fields
    places = pa.array(which, pa.int64())
    carried = pairs.select([name for name in schema.names if name not in own])
    carried = carried.take(pa.array(rows, pa.int64()))
    columns = [
        pa.array([getattr(outcome, field.name) for outcome in found], field.type).take(places)
        if field.name in own
        else carried.column(field.name)
        for field in schema
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def _agents(pairs: pa.Table) -> pa.Table:
    from biomlbench.summary.agents import USED, summarize_agents

    summary = summarize_agents(pairs.select(list(USED)).to_pandas())
    known = set(SCHEMAS["agents"].names)
    rows = summary.astype(object).where(summary.notna(), None).to_dict("records")
    return from_rows("agents", [{str(k): v for k, v in row.items() if k in known} for row in rows])


def _distrust(pairs: pa.Table, tasks: Mapping[str, tuple[str, ...]]) -> pa.Table:
    """Mark the pairs of tasks whose measured error rates are above the allowed ones."""
    if not tasks:
        return pairs
    place = pairs.schema.get_field_index("calibrated")
    found = zip(pairs.column("task_id").to_pylist(), pairs.column(place).to_pylist(), strict=True)
    marks = pa.array([calibrated and task not in tasks for task, calibrated in found])
    return pairs.set_column(place, pairs.schema.field(place), marks)


def _tasks(
    benchmark: Benchmark, results: Path, distrusted: Mapping[str, tuple[str, ...]]
) -> pa.Table:
    from biomlbench.stages.cards import missing_evidence

    rows = []
    for task_id in benchmark.task_ids:
        try:
            found = benchmark.effective_task(task_id)
            task, metric, version = found.task, found.metric_name, found.verifier
        except TaskError as error:
            # Of a suite: it has a row, and no pair.
            rows.append(_broken_task(task_id, str(error)))
            continue
        missing = (*missing_evidence(task), *distrusted.get(task.id, ()))
        row: dict[str, Any] = {
            "task_id": task.id,
            "name": task.name,
            "domain": task.domain,
            "task_type": task.task_type,
            "difficulty": task.difficulty,
            "kind": task.kind,
            "metric": metric,
            "direction": "",
            "verifier": version,
            "leaderboard_note": found.leaderboard_note,
            "prepared": (results / "tasks" / task.id / "prepare.parquet").exists(),
            "calibrated": not missing,
            "evidence_missing": missing,
            "description": task.description,
            "public_files": public_files(task),
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
                row["leaderboard"] = _best_first(board, found.direction)
        except TaskError as error:
            row["leaderboard_note"] = str(error)
        try:
            if (humans := found.read_humans()) is not None:
                row["humans"] = humans.tolist()
        except TaskError as error:
            log.warning("%s", error)
        rows.append(row)
    return from_rows("tasks", rows)


def _broken_task(task_id: str, message: str) -> dict[str, Any]:
    texts = ("task_type", "difficulty", "kind", "metric", "direction", "verifier")
    return {
        "task_id": task_id,
        "name": task_id,
        "domain": task_id.partition("/")[0],
        **dict.fromkeys(texts, ""),
        "leaderboard_note": message,
        "prepared": False,
        "calibrated": False,
    }


def _best_first(board: Leaderboard, direction: str) -> list[float]:
    scores = board.ascending.tolist()
    result: list[float] = scores if direction == "minimize" else scores[::-1]
    return result
