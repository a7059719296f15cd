"""The data set of real runs: append-only Parquet, a folder an ISO week.

A run is known by its *run key*: task, run, attempt, and the time that the run table gives.
Writers take a lock, leave out what is already there, and add what is new as one file that
appears whole or not at all. So repeated and concurrent writers lose and double nothing, and
one that is killed leaves at most a temporary file that nobody reads.

A run that was graded again and came out otherwise is added once more, in a file that sorts after
those before; readers take the last.

A folder is called by its week alone: where it is ``week=2025-W14``, as it was, other readers make
of its name a column beside the one in the files.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import re
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from biomlbench.contracts import SCHEMAS, compared, from_rows, read_table, write_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from biomlbench.contracts.mappings import AnyRow
    from biomlbench.contracts.rows import TelemetryRow

__all__ = ["append", "read", "run_key", "weeks"]

_WEEK = re.compile(r"(undated|\d{4}-W\d{2})")
_OLD = "week="
_PART = re.compile(r"part-(\d{6})-[0-9a-f]{16}\.parquet")


def run_key(row: TelemetryRow) -> str:
    """Return the key by which a run is known, however often it is graded.

    Parameters
    ----------
    row : dict
        Of the schema ``telemetry``.

    Returns
    -------
    str
        16 hexadecimal digits.
    """
    return _digest([row["task_id"], row["run_id"], row["attempt"], row["time"]])


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


def append(root: str | Path, table: pa.Table) -> int:
    """Add what is new of some runs to the data set.

    Parameters
    ----------
    root : path
        Folder of the data set; made if need be.
    table : pyarrow.Table
        Of the schema ``telemetry``. Controls, which carry a label, are left out.

    Returns
    -------
    int
        Rows that were added: runs not yet there, or there with another outcome.

    Raises
    ------
    ContractError
        If the table, or a file of the data set, has another schema.
    """
    root = Path(root)
    _rename_old(root)
    by_week: dict[str, list[TelemetryRow]] = defaultdict(list)
    for row in table.to_pylist():
        if row["label"] is None:
            by_week[row["week"]].append(row)
    added = 0
    for week in sorted(by_week):
        folder = root / week
        folder.mkdir(parents=True, exist_ok=True)
        with _locked(folder):
            added += _append_week(folder, by_week[week])
    return added


def _rename_old(root: Path) -> None:
    for folder in root.glob(f"{_OLD}*"):
        # taken already, or by another writer just now
        with contextlib.suppress(OSError):
            folder.rename(root / folder.name.removeprefix(_OLD))


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold a folder's lock; the system frees it however this process ends."""
    with (folder / ".lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _append_week(folder: Path, rows: list[TelemetryRow]) -> int:
    there = {run_key(row): _outcome(row) for row in _rows(folder)}
    new: dict[str, TelemetryRow] = {}
    for row in rows:
        if there.get(run_key(row)) != _outcome(row):
            new[run_key(row)] = row
    for leftover in folder.glob(".part-*.tmp"):
        # nobody else writes while the lock is held
        leftover.unlink()
    if not new:
        return 0
    table = from_rows("telemetry", [new[key] for key in sorted(new)])
    numbers = [int(found[1]) for p in _parts(folder) if (found := _PART.fullmatch(p.name))]
    number = 1 + max(numbers, default=0)
    path = folder / f"part-{number:06d}-{_digest(sorted(new))}.parquet"
    write_table("telemetry", table, path)
    _sync(path, folder)
    return len(new)


def _sync(*paths: Path) -> None:
    """See that a file, and its name in the folder, are on the disk."""
    for path in paths:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _parts(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if _PART.fullmatch(path.name))


def _rows(folder: Path) -> list[TelemetryRow]:
    return [row for path in _parts(folder) for row in read_table("telemetry", path).to_pylist()]


def _outcome(row: TelemetryRow) -> str:
    """Return a hash over what a rerun of the same grader reproduces: all but the times."""
    kept = compared("telemetry", SCHEMAS["telemetry"].empty_table()).column_names
    whole = cast("AnyRow", row)
    return _digest([whole[name] for name in kept])


def weeks(root: str | Path) -> list[str]:
    """Return the ISO weeks of the data set, and ``undated``, sorted."""
    found = {path.name.removeprefix(_OLD) for path in Path(root).glob("*")}
    return sorted(week for week in found if _WEEK.fullmatch(week))


def read(root: str | Path, week: str | None = None) -> pa.Table:
    """Read the data set, each run once, as it came out last.

    Parameters
    ----------
    root : path
    week : str, optional
        Only this one.

    Returns
    -------
    pyarrow.Table
        Of the schema ``telemetry``, sorted by week, task and run; empty without a data set.
    """
    root = Path(root)
    found: dict[tuple[str, str], TelemetryRow] = {}
    for name in weeks(root) if week is None else [week]:
        folders = (root / f"{_OLD}{name}", root / name)
        for row in (row for folder in folders if folder.is_dir() for row in _rows(folder)):
            found[name, run_key(row)] = row
    order = sorted(found, key=lambda key: (key[0], found[key]["task_id"], found[key]["run_id"]))
    return from_rows("telemetry", [found[key] for key in order])
