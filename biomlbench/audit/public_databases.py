"""Tables of SQLite databases among the public files, as text."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pandas as pd

from biomlbench.runtime.packed_files import PackedError

from .public_archives import UNREADABLE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from .public_archives import Room

__all__ = ["DATABASES", "database_tables"]

DATABASES = (".db", ".sqlite", ".sqlite3")
MAX_TABLES = 100
MAX_COLUMNS = 300
MAX_CELLS = 2_000_000
MAX_ROW_BYTES = 4 << 20
"""Bytes of a row or a cell; a table with a larger one is left out."""
MAX_BLOB = 1000
"""Bytes of binary data beyond which they count as missing."""
MAX_LOOKS = 10_000
"""Thousands of steps of SQLite's machine that reading one table may take, about a minute."""
_STEPS = 10_000
_INTEGER_BYTES = 8
# Views and virtual tables have no page of their own.
_TABLES = """
    SELECT name FROM sqlite_master
    WHERE type = 'table' AND rootpage > 0 AND substr(name, 1, 7) <> 'sqlite_' LIMIT ?
"""


def database_tables(path: Path, room: Room) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the tables of a database as text, each with its name.

    It is opened as a file that nobody may write to or is writing to: what only its journal holds
    is not read. Views, virtual tables and computed columns, which are code, are left out.

    Parameters
    ----------
    path : Path
    room : Room
        Tables that are too large, or damaged, are told there.

    Raises
    ------
    sqlite3.Error
        If it is none.
    """
    address = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
    with closing(sqlite3.connect(address, uri=True)) as database:
        database.text_factory = _text
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_ROW_BYTES)
        database.execute("PRAGMA trusted_schema=OFF")
        database.execute("PRAGMA cell_size_check=ON")
        found = _within_steps(database).execute(_TABLES, (MAX_TABLES + 1,)).fetchall()
        names = [name for (name,) in found]
        if len(names) > MAX_TABLES:
            room.cut.add(path)
        for name in names[:MAX_TABLES]:
            try:
                frame = _table(_within_steps(database), name, room)
            except (*UNREADABLE, sqlite3.Error):
                room.cut.add(path)
                continue
            yield name, frame


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _within_steps(database: sqlite3.Connection) -> sqlite3.Connection:
    """Return a connection whose next statements end after a number of steps."""
    looks = iter(range(MAX_LOOKS))
    database.set_progress_handler(lambda: next(looks, None) is None, _STEPS)
    return database


def _table(database: sqlite3.Connection, name: str, room: Room) -> pd.DataFrame:
    columns = [
        row[1] for row in database.execute("SELECT * FROM pragma_table_info(?)", (name,)).fetchall()
    ]
    if not 0 < len(columns) <= MAX_COLUMNS:
        raise PackedError("it has too many columns")
    cells = ", ".join(
        f"CASE WHEN typeof({c}) = 'blob' AND length({c}) > {MAX_BLOB} THEN NULL ELSE {c} END"
        for c in map(_quoted, columns)
    )
    rows: list[list[str]] = []
    left = room.most
    for row in database.execute(f"SELECT {cells} FROM {_quoted(name)}"):  # noqa: S608 - quoted
        rows.append([_cell(cell) for cell in row])
        size = sum(map(len, rows[-1])) + len(columns)
        room.take(size)
        left -= size
        if left < 0 or len(rows) * len(columns) > MAX_CELLS:
            raise PackedError("it is too large")
    return pd.DataFrame(rows, columns=columns, dtype=str)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, bytes):
        return str(value)
    if len(value) == _INTEGER_BYTES:  # as which Python stores a whole number of NumPy's
        return str(int.from_bytes(value, "little", signed=True))
    try:
        return value.decode()
    except ValueError:
        return ""
