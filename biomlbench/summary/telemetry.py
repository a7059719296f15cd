"""How the runs went, a row a pair: what calibration reads."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from biomlbench.contracts import SCHEMAS, ContractError, read_table, write_table
from biomlbench.errors import TaskError
from biomlbench.stages.kinds import has_cases
from biomlbench.workflow.record import summary_again

if TYPE_CHECKING:
    from biomlbench.workflow.plan import Benchmark

__all__ = ["iso_week", "telemetry"]

_PAIR = (
    *("task_id", "run_id", "agent", "time", "attempt", "hint_tier", "label"),
    *("verdict", "fault", "reason"),
)


def iso_week(time: str | None) -> str:
    """Return the ISO week of a time, or ``undated``.

    Parameters
    ----------
    time : str or None
        ISO 8601.

    Returns
    -------
    str

    Examples
    --------
    >>> iso_week("2025-03-31T12:00:00+00:00")
    '2025-W14'
    """
    if time is None:
        return "undated"
    year, week, _ = datetime.fromisoformat(time).isocalendar()
    return f"{year}-W{week:02d}"


def telemetry(benchmark: Benchmark, results: str | Path) -> None:
    """Write the telemetry of all pairs.

    Parameters
    ----------
    benchmark : Benchmark
    results : path
        With `pairs.parquet` and `checks.parquet`.
    """
    results = Path(results)
    by_pair = _failed_checks(results)
    reference = {
        task_id: _reference_seconds(benchmark, task_id) for task_id in benchmark.tasks_with_runs
    }
    pairs = read_table("pairs", results / "pairs.parquet", [*_PAIR, "kind"])
    columns: dict[str, pa.Array | pa.ChunkedArray] = {name: pairs.column(name) for name in _PAIR}
    task_ids, run_ids, kinds, times = (
        pairs.column(name).to_pylist() for name in ("task_id", "run_id", "kind", "time")
    )
    keys = list(zip(task_ids, run_ids, strict=True))
    weeks = {time: iso_week(time) for time in set(times)}
    made: dict[str, list[Any]] = {
        "week": [weeks[time] for time in times],
        "checks_failed": [by_pair.get(key, ()) for key in keys],
        "hidden_wall_s": [
            _hidden_seconds(results, *key) if has_cases(kind) else None
            for key, kind in zip(keys, kinds, strict=True)
        ],
        "reference_s": [reference.get(task_id) for task_id in task_ids],
    }
    schema = SCHEMAS["telemetry"]
    columns |= {name: pa.array(values, schema.field(name).type) for name, values in made.items()}
    table = pa.Table.from_arrays([columns[name] for name in schema.names], schema=schema)
    made_from = summary_again(results, benchmark.code("telemetry"))
    write_table("telemetry", table, results / "telemetry.parquet", made_from)


def _failed_checks(results: Path) -> dict[tuple[str, str], list[str]]:
    """Return the names of the checks that each pair failed."""
    names = ("task_id", "run_id", "check", "outcome")
    checks = read_table("checks", results / "checks.parquet", list(names))
    failed = checks.filter(pc.field("outcome") == "failed")
    found: dict[tuple[str, str], list[str]] = {}
    for task_id, run_id, check in zip(
        *(failed.column(name).to_pylist() for name in names[:3]), strict=True
    ):
        found.setdefault((task_id, run_id), []).append(check)
    return found


def _hidden_seconds(results: Path, task_id: str, run_id: str) -> list[float] | None:
    path = results / "pairs" / task_id / run_id / "execute.parquet"
    try:
        table = read_table("execute", path, columns=["suite", "wall_s"])
    except ContractError:
        return None
    seconds = table.filter(pc.field("suite") == "hidden").column("wall_s")
    return [value for value in seconds.to_pylist() if value is not None]


def _reference_seconds(benchmark: Benchmark, task_id: str) -> float | None:
    task = benchmark.registry.get_task(task_id)
    if not task.is_card:
        return None
    from biomlbench.stages.cards import load_card

    try:
        return load_card(task).oracle.total_seconds
    except TaskError:
        return None
