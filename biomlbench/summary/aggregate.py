"""After all pairs: their tables in one, and the summaries."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from biomlbench.calibrate.gate import not_within_allowed
from biomlbench.contracts import SCHEMAS, from_rows, write_parts, write_table
from biomlbench.runtime.json_lines import write_json
from biomlbench.summary.check_rows import check_rows, duplicate_rows
from biomlbench.summary.grading_report import GRADING_REPORT, write_grading_report
from biomlbench.summary.pair_rows import pair_rows
from biomlbench.summary.task_rows import task_rows
from biomlbench.workflow.pair_tables import PairTables
from biomlbench.workflow.record import RECORD, benchmark_record, summary_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from biomlbench.workflow.plan import Benchmark

__all__ = ["aggregate"]


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
    distrusted = not_within_allowed(results, calibration)
    found = {
        task_id: _distrust(rows, distrusted) for task_id, rows in pair_rows(benchmark, results)
    }
    pairs = pa.concat_tables([from_rows("pairs", []), *found.values()])
    record = benchmark_record(benchmark, results, pairs)
    made_from = summary_of(record, pairs, benchmark.code("aggregate"))
    tables = PairTables(results)
    # A task after the other: of many runs, all checks take more memory than all else.
    checks = (
        pa.concat_tables([check_rows(benchmark, results, task_id), duplicate_rows(rows, tables)])
        # Sorted, so that a reader who asks for one run skips most of the file. The sort is
        # stable: the checks of a pair stay in the order that its verifier has them in.
        .sort_by("run_id")
        for task_id, rows in found.items()
    )
    write_parts("checks", checks, results / "checks.parquet", made_from)
    tasks = from_rows("tasks", task_rows(benchmark, results, distrusted))
    made = {"pairs": pairs, "agents": _agents(pairs), "tasks": tasks}
    for name, table in made.items():
        write_table(name, table, results / f"{name}.parquet", made_from)
    write_json(results / RECORD, record)
    write_grading_report(pairs, results / GRADING_REPORT)


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
