"""How the runs went, a row a pair: what calibration reads."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc

from biomlbench.contracts import ContractError, from_rows, read_table, write_table
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
    checks = read_table("checks", results / "checks.parquet")
    failed = checks.filter(pc.field("outcome") == "failed").to_pylist()
    by_pair: dict[tuple[str, str], list[str]] = {}
    for row in failed:
        by_pair.setdefault((row["task_id"], row["run_id"]), []).append(row["check"])
    reference = {
        task_id: _reference_seconds(benchmark, task_id) for task_id in benchmark.tasks_with_runs
    }
    rows: list[dict[str, Any]] = []
    for pair in read_table("pairs", results / "pairs.parquet").to_pylist():
        key = (pair["task_id"], pair["run_id"])
        rows.append(
            {
                **{name: pair[name] for name in _PAIR},
                "week": iso_week(pair["time"]),
                "checks_failed": by_pair.get(key, []),
                "hidden_wall_s": _hidden_seconds(results, pair),
                "reference_s": reference.get(pair["task_id"]),
            }
        )
    made_from = summary_again(results, benchmark.code("telemetry"))
    write_table("telemetry", from_rows("telemetry", rows), results / "telemetry.parquet", made_from)


def _hidden_seconds(results: Path, pair: dict[str, Any]) -> list[float] | None:
    if not has_cases(pair["kind"]):
        return None
    path = results / "pairs" / pair["task_id"] / pair["run_id"] / "execute.parquet"
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
