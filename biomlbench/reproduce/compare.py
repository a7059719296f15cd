"""Two results folders of one benchmark, compared table by table.

Columns that the contracts declare volatile (times, memory, which sandbox was found) are left
out; provenance is not compared but gives the reasons: a row differs *because* the answers do.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypedDict

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from biomlbench.contracts import QUERIED, ContractError, compared, from_rows, read_table
from biomlbench.reproduce.reasons import Change, Reasons, changes_of
from biomlbench.reproduce.rows import Cell, differing_cells
from biomlbench.runtime.progress_bars import track
from biomlbench.stages import STAGES
from biomlbench.stages.chain import get_stage
from biomlbench.stages.provenance import COLUMNS
from biomlbench.workflow.pair_tables import PairTables

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["Comparison", "Count", "compare"]

KEYS = {
    "pairs": ("task_id", "run_id"),
    "checks": ("task_id", "run_id", "suite", "check"),
    "agents": ("agent", "domain"),
    "tasks": ("task_id",),
    "telemetry": ("task_id", "run_id"),
    "prepare": ("task_id",),
}


def key_of(name: str) -> tuple[str, ...]:
    """Return what names a row of a table; rows that share it are told apart by their order."""
    return KEYS[name] if name in KEYS else ("task_id", "run_id", *get_stage(name).key)


class Count(NamedTuple):
    """How a table compares.

    Attributes
    ----------
    rows : int
        Rows of the old results.
    differences : int
        Cells that differ, and rows that only one side has.
    """

    rows: int
    differences: int


class DifferenceRow(TypedDict):
    """A cell that two results do not share, in ``differences``."""

    task_id: str
    run_id: str
    table: str
    row: str
    column: str
    old: str | None
    new: str | None
    why: str


@dataclass
class Comparison:
    """What a comparison found.

    Attributes
    ----------
    tables : dict of str to Count
        By the table's name.
    differences : list of dict
        Rows of the schema ``differences``.
    changed : list of Change
        What of the provenance of the two is not the same, whether or not it shows.
    left_out : list of str
        Tasks that were not compared.
    """

    tables: dict[str, Count] = field(default_factory=dict)
    differences: list[DifferenceRow] = field(default_factory=list)
    changed: list[Change] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    @property
    def equal(self) -> bool:
        """Whether every table is equal, and of every task."""
        return not self.differences and not self.left_out

    def table(self) -> pa.Table:
        """Return the differences as a table of the schema ``differences``."""
        return from_rows("differences", self.differences)


def compare(old: str | Path, new: str | Path, without: Collection[str] = ()) -> Comparison:
    """Compare two results folders.

    Parameters
    ----------
    old, new : path
        Folders of results, each with a provenance.
    without : collection of str
        Tasks that are not compared; then neither are agents, whose rates hang on all tasks.

    Returns
    -------
    Comparison

    Raises
    ------
    biomlbench.contracts.ContractError
        If one of them has no provenance, or its tables over all pairs cannot be read.
    """
    old, new = Path(old), Path(new)
    changed = [c for c in changes_of(old, new) if not (without and _is_left_out(c, without))]
    found = Comparison(changed=changed, left_out=sorted(without))
    reasons = Reasons(old, new)
    reasons.pairs = [pair for pair in reasons.pairs if pair[0] not in without]
    for name in QUERIED:
        if without and "task_id" not in KEYS[name]:
            continue
        one, other = (_read(name, folder / f"{name}.parquet") for folder in (old, new))
        _add(found, name, _without_tasks(one, without), _without_tasks(other, without), reasons)
    tasks = sorted({task for task, _, _ in reasons.pairs})
    _prepared(found, old, new, tasks, reasons)
    for stage in STAGES:
        _stage(found, stage, old, new, reasons)
    return found


def _read(name: str, path: Path) -> pa.Table:
    return _without_provenance(name, read_table(name, path))


def _is_left_out(change: Change, without: Collection[str]) -> bool:
    """Tell whether something changed for nothing but that tasks were left out."""
    if change.what == "submission":
        return not change.new
    return change.what == "run table" or change.name in without


def _without_tasks(table: pa.Table, without: Collection[str]) -> pa.Table:
    if not without:
        return table
    names = {*without, *(task.rpartition("/")[2] for task in without)}
    return table.filter(~pc.field("task_id").isin(sorted(names)))


def _without_provenance(name: str, table: pa.Table) -> pa.Table:
    table = compared(name, table)
    return table.drop_columns([c for c in COLUMNS if c in table.column_names])


def _add(found: Comparison, name: str, old: pa.Table, new: pa.Table, reasons: Reasons) -> None:
    cells = [] if old.equals(new) else list(differing_cells(old, new, key_of(name)))
    rows, differences = found.tables.get(name, Count(0, 0))
    found.tables[name] = Count(rows + len(old), differences + len(cells))
    found.differences += [_difference(name, cell, reasons) for cell in cells]


def _difference(name: str, cell: Cell, reasons: Reasons) -> DifferenceRow:
    task, run = cell.key.get("task_id", ""), cell.key.get("run_id", "")
    if run:
        reasons.differing.add((task, run))
    rest = [str(value) for key, value in cell.key.items() if key not in ("task_id", "run_id")]
    return {
        "task_id": task,
        "run_id": run,
        "table": name,
        "row": " ".join(rest),
        "column": cell.column,
        "old": cell.old,
        "new": cell.new,
        "why": reasons.of(name, cell.key),
    }


def _prepared(found: Comparison, old: Path, new: Path, tasks: list[str], reasons: Reasons) -> None:
    for task in tasks:
        paths = [folder / "tasks" / task / "prepare.parquet" for folder in (old, new)]
        _files(found, "prepare", paths, {"task_id": task}, reasons)


def _stage(found: Comparison, stage: str, old: Path, new: Path, reasons: Reasons) -> None:
    sides = [PairTables(folder) for folder in (old, new)]
    places: dict[tuple[Path, Path], list[dict[str, str]]] = {}
    for task, run, kind in reasons.pairs:
        one, other = (tables.path(stage, task, run, kind) for tables in sides)
        places.setdefault((one, other), []).append({"task_id": task, "run_id": run})
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        rows_of = track(threads.map(_rows_if_same, places), f"comparing {stage}", len(places))
        same = dict(zip(places, rows_of, strict=True))
    found.tables[stage] = Count(sum(rows or 0 for rows in same.values()), 0)
    for place, rows in same.items():
        if rows is None:
            for key in places[place]:
                _files(found, stage, list(place), key, reasons)


def _rows_if_same(paths: tuple[Path, Path]) -> int | None:
    """Return the rows of two files that are the same, as most are; None if they are not."""
    try:
        one, other = (path.read_bytes() for path in paths)
        return pq.read_metadata(pa.BufferReader(one)).num_rows if one == other else None
    except (OSError, pa.ArrowException):
        return None


def _files(
    found: Comparison, name: str, paths: list[Path], key: dict[str, str], reasons: Reasons
) -> None:
    """Compare a table of one pair or task, which one side or both may lack."""
    (state, table), (new_state, new_table) = (_open(name, path, key) for path in paths)
    if table is not None and new_table is not None:
        _add(found, name, table, new_table, reasons)
        return
    rows, differences = found.tables.get(name, Count(0, 0))
    if state != new_state:
        cell = Cell(key, "(table)", state, new_state)
        found.differences.append(_difference(name, cell, reasons))
        differences += 1
    found.tables[name] = Count(rows, differences)


def _open(name: str, path: Path, key: dict[str, str]) -> tuple[str, pa.Table | None]:
    if not path.is_file():
        return "missing", None
    try:
        table = _read(name, path)
    except ContractError:
        return "cannot be read", None
    return "there", _rows_of(table, key)


def _rows_of(table: pa.Table, key: dict[str, str]) -> pa.Table:
    for column, value in key.items():
        table = table.filter(pc.field(column) == value)
    return table
