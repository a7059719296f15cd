"""Results that are kept run by run, so that weeks can be drawn and compared.

A kept result lies in `history/<time>/` of the results, and is a results folder itself: tables of
pairs, agents and tasks without messages, places, times and boards.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from biomlbench.contracts import (
    SCHEMAS,
    compared,
    provenance,
    read_table,
    write_table,
)
from biomlbench.errors import UserError
from biomlbench.summary.agent_ranks import in_order, places
from biomlbench.summary.telemetry import iso_week

if TYPE_CHECKING:
    import pandas as pd

    from biomlbench.contracts.mappings import AnyRow

__all__ = [
    "FOLDER",
    "KEPT",
    "Kept",
    "NotKeptError",
    "emptied_in",
    "find",
    "history_of",
    "keep",
    "kept_in",
]

FOLDER = "history"
KEPT = ("pairs", "agents", "tasks")
"""The tables of a kept result."""
_EMPTIED = {
    *("source", "submission", "message", "meta_log", "meta_other", "meta_note"),
    *("leaderboard", "humans", "description", "public_files"),
}
_TITLE = "title"
"""What the benchmark was called, in the metadata of a kept table."""
_NAME = "%Y-%m-%dT%H%M%SZ"
_IS_NAME = re.compile(r"\d{4}-\d\d-\d\dT\d{6}Z")
_log = logging.getLogger(__name__)


class NotKeptError(UserError, LookupError):
    """Nothing was kept at that time."""


class Kept(NamedTuple):
    """Results that were kept."""

    folder: Path
    time: datetime

    @property
    def week(self) -> str:
        """ISO week, as ``2025-W14``."""
        return iso_week(self.time.isoformat())


def keep(results: str | Path, now: datetime, title: str = "") -> Path | None:
    """Keep the results as they are, unless they are what was kept last.

    Parameters
    ----------
    results : path
        With the tables over all pairs.
    now : datetime
        With its time zone.
    title : str
        What the benchmark is called: results of another one are not its history.

    Returns
    -------
    pathlib.Path or None
        The folder, None where nothing has changed.
    """
    results = Path(results)
    tables = {name: _slim(name, read_table(name, results / f"{name}.parquet")) for name in KEPT}
    before = _all_kept(results)
    if (
        before
        and _title(before[-1]) == title
        and all(_same(name, tables[name], before[-1].folder) for name in KEPT)
    ):
        return None
    root = results / FOLDER
    # Two runs within a second are two results.
    while (folder := root / now.astimezone(UTC).strftime(_NAME)).exists():
        now += timedelta(seconds=1)
    temporary = root / f".{folder.name}.{os.getpid()}.tmp"
    try:
        for name, table in tables.items():
            made_from = provenance(results / f"{name}.parquet") | {_TITLE: title}
            write_table(name, table, temporary / f"{name}.parquet", made_from)
        os.replace(temporary, folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return folder


def _slim(name: str, table: pa.Table) -> pa.Table:
    """Return a table with its texts for people, its times and its boards emptied."""
    lasting = set(compared(name, table).column_names)
    for place, field in enumerate(table.schema):
        if field.name in lasting - _EMPTIED:
            continue
        nothing = pa.nulls(len(table), field.type)
        if not field.nullable:
            nothing = pa.array([""] * len(table), field.type)
        table = table.set_column(place, field, nothing)
    return table


def _same(name: str, table: pa.Table, folder: Path) -> bool:
    try:
        before = pq.read_table(folder / f"{name}.parquet", partitioning=None)
    except (pa.ArrowException, OSError):
        return False
    return bool(before.replace_schema_metadata(None).equals(table.replace_schema_metadata(None)))


def emptied_in(folder: str | Path) -> frozenset[str]:
    """Return the columns that a results folder leaves empty because it was kept.

    Parameters
    ----------
    folder : path
        Any results folder; what is no kept one has all its columns.
    """
    place = Path(folder).absolute()
    is_kept = place.parent.name == FOLDER and _IS_NAME.fullmatch(place.name)
    return frozenset(_EMPTIED) if is_kept else frozenset()


def kept_in(results: str | Path) -> list[Kept]:
    """Return what was kept of a benchmark, the oldest first.

    Parameters
    ----------
    results : path
        Of what another benchmark has left there, by its title, nothing is returned.
    """
    found = _all_kept(results)
    title = _title(found[-1]) if found else None
    return [kept for kept in found if title is None or _title(kept) in (title, None)]


def _title(kept: Kept) -> str | None:
    """Return what the benchmark was called; None where that is not recorded."""
    try:
        return provenance(kept.folder / "agents.parquet").get(_TITLE)
    except (pa.ArrowException, OSError):
        return None


def _all_kept(results: str | Path) -> list[Kept]:
    try:
        names = sorted(os.listdir(Path(results) / FOLDER))
    except OSError:
        return []
    found = []
    for name in names:
        if not _IS_NAME.fullmatch(name):
            continue
        try:
            time = datetime.strptime(name, _NAME).replace(tzinfo=UTC)
        except ValueError:
            continue
        found.append(Kept(Path(results) / FOLDER / name, time))
    return found


def find(results: str | Path, when: str) -> Kept:
    """Return what was kept at a time.

    Parameters
    ----------
    results : path
    when : str
        ``previous``, what was kept before the last; a week (``2025-W14``) or the beginning of a
        time (``2025-03-31``): the last that was kept in it.

    Raises
    ------
    NotKeptError
        If nothing was; the message lists what was.

    Examples
    --------
    >>> find("results", "2025-W14").folder     # doctest: +SKIP
    PosixPath('results/history/2025-04-06T041703Z')
    """
    known = kept_in(results)
    if when == "previous":
        found = known[:-1]
    else:
        found = [kept for kept in known if kept.week == when or kept.folder.name.startswith(when)]
    if when and found:
        return found[-1]
    if not known:
        raise NotKeptError(
            f"{Path(results) / FOLDER}: nothing is kept here; each run of the workflow that "
            "changes results keeps them, so run it, or name a folder"
        )
    last = ", ".join(kept.folder.name for kept in known[-5:])
    raise NotKeptError(
        f"{Path(results) / FOLDER}: nothing is kept of {when!r}; the last are {last}; name one, "
        "its day or its week"
    )


def history_of(results: str | Path) -> pa.Table:
    """Return the agents of all kept results.

    Parameters
    ----------
    results : path

    Returns
    -------
    pyarrow.Table
        Of the schema ``history``: a row for each kept result and agent, over all domains, the
        oldest first, each in the order of its ranking. What was kept by a version that did not
        know a column has null there; what cannot be read is left out, and logged.
    """
    schema = SCHEMAS["history"]
    parts = [schema.empty_table()]
    for kept in kept_in(results):
        try:
            agents = pq.read_table(kept.folder / "agents.parquet", partitioning=None)
            ids = pq.read_table(kept.folder / "tasks.parquet", columns=["task_id"])["task_id"]
            rows = _rows(kept, agents, sorted(map(str, ids.to_pylist())))
            parts.append(pa.Table.from_pylist(rows, schema=schema))
        except (pa.ArrowException, OSError, LookupError, TypeError, ValueError) as error:
            _log.warning("%s: is left out, as it cannot be read (%s)", kept.folder, error)
    return pa.concat_tables(parts)


def _rows(kept: Kept, agents: pa.Table, tasks: list[str]) -> list[AnyRow]:
    frame: pd.DataFrame = agents.to_pandas()
    ranked = in_order(frame).astype(object)
    known = {
        "kept": kept.time.isoformat().replace("+00:00", "Z"),
        "week": kept.week,
        "task_set": hashlib.sha256("\0".join(tasks).encode()).hexdigest()[:16],
    }
    columns = [name for name in SCHEMAS["history"].names if name in ranked]
    return [
        known | {"place": place} | {name: _value(row[name]) for name in columns}
        for place, row in zip(places(frame).tolist(), ranked.to_dict("records"), strict=True)
    ]


def _value(value: Any) -> Any:
    return None if isinstance(value, float) and value != value else value
