"""Public files as tables of text: also JSON, NumPy's arrays, archives and SQLite databases."""

from __future__ import annotations

import io
import json
import re
import sqlite3
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from biomlbench.errors import TaskError
from biomlbench.plain_text import plain
from biomlbench.submission.public_tables import ENDINGS, may_be_no_table, public_table

from .public_archives import ARCHIVES, UNREADABLE, Room, unpacked
from .public_databases import DATABASES, database_tables

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["PACKED", "SUFFIXES", "arrays_in", "lines_of", "tables_of"]

_WORD = re.compile(r"[^\s,;:=|'\"()\[\]{}<>]+")
_ARRAYS = (".npy", ".npz")
_JSON = (".json", ".jsonl", ".ndjson")
SUFFIXES = (*_ARRAYS, *_JSON)
"""Beside those of tables that a submission can be."""
PACKED = (*ARCHIVES, *DATABASES)
"""Of files that hold several tables; how large they are says little of how much is read."""
_MEMBERS = tuple(one for one in (*ENDINGS, *SUFFIXES, *DATABASES) if not one.endswith(".gz"))
MAX_COLUMNS = 300
"""Arrays and lists that are wider are not searched."""
MAX_CELLS = 2_000_000
"""Larger arrays are not searched: as text they take many times the memory."""
MAX_ARRAY_BYTES = 256 << 20
"""Larger arrays of a ``.npz`` file, some MB of which can hold many GB, are not unpacked."""
MAX_JSON = 16 << 20
"""Bytes of JSON beyond which it is not searched."""
MAX_TEXT = 4 << 20
"""Bytes of text that is no table beyond which its lines are not searched."""
MAX_WORDS = 8
"""Words of a line of such text that are looked at, at either end."""
MAX_DEPTH = 5
MAX_PLACES = 4
"""Elements of a list within a row that are looked at, from its start; the last one is, too."""
MAX_NAME = 200
"""Characters of a member's name that are told, its last ones."""
MAX_TABLES = 100
"""Tables of one file beyond so many are not searched."""


def tables_of(path: Path, room: Room | None = None) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the tables of a file as text, each with what it is called there; empty for the file.

    What cannot be read is left out. Pickles are never loaded.

    Parameters
    ----------
    path : Path
    room : Room, optional
        What archives and databases may still hold; by default as much as those of a task.
    """
    room = Room() if room is None else room
    name = path.name.lower()
    try:
        if name.endswith(ARCHIVES):
            yield from islice(_members(path, room), MAX_TABLES)
        elif name.endswith(DATABASES):
            yield from database_tables(path, room)
        elif name.endswith(_ARRAYS):
            yield from islice(_arrays(path), MAX_TABLES)
        elif name.endswith(_JSON):
            yield from islice(_values(path), MAX_TABLES)
        elif (table := public_table(path)) is not None:
            yield "", _headed(table.to_pandas())
    except (TaskError, sqlite3.Error, *UNREADABLE):
        return


def _members(path: Path, room: Room) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the tables of an archive's members, and the words of those that are other text."""
    for member, file in unpacked(path, _MEMBERS, room):
        name, read = plain(member[-MAX_NAME:], one_line=True), False
        for part, frame in tables_of(file, room) if file.suffix else ():
            read = True
            yield f"{name}:{part}" if part else name, frame
        lines = None if read and not may_be_no_table(file) else lines_of(file)
        if lines is not None and len(lines):
            yield name, lines
        elif not read and file.suffix:
            room.cut.add(path)


def lines_of(path: Path) -> pd.DataFrame | None:
    """Return the words of each line of a file of text: first ones, then last ones.

    White space, brackets, quotes and ``,;:=|`` separate them.

    Parameters
    ----------
    path : Path

    Returns
    -------
    DataFrame or None
        None for what is no text, or too much of it.
    """
    try:
        if path.stat().st_size > MAX_TEXT:
            return None
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, ValueError):
        return None
    if "\0" in text:
        return None
    lines = [words for line in text.splitlines() if len(words := _WORD.findall(line)) > 1]
    if len(lines) > MAX_CELLS // (2 * MAX_WORDS):
        return None
    rows = [[*_first_words(words), *_first_words(words[::-1])] for words in lines]
    names = [f"word {n}" for n in range(1, MAX_WORDS + 1)]
    return pd.DataFrame(rows, columns=[*names, *(f"{name} from behind" for name in names)])


def _first_words(words: list[str]) -> list[str]:
    return [*words[:MAX_WORDS], *[""] * (MAX_WORDS - len(words))]


def _headed(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose first line, where that is nothing but numbers, is a row as others."""
    if not all(_is_number(name) for name in frame.columns):
        return frame
    rows = [list(map(str, frame.columns)), *frame.to_numpy().tolist()]
    return pd.DataFrame(rows, columns=[str(place) for place in range(frame.shape[1])])


def _is_number(name: Any) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True


def _arrays(path: Path) -> Iterator[tuple[str, pd.DataFrame]]:
    if path.suffix.lower() == ".npy":
        yield from _array("", np.load(path, allow_pickle=False, mmap_mode="r"))
        return
    with np.load(path, allow_pickle=False) as held:
        for name, array in arrays_in(held):
            yield from _array(name, array)


def arrays_in(held: np.lib.npyio.NpzFile) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the arrays of a ``.npz`` file, but for those of objects and those that are too large.

    Parameters
    ----------
    held : NpzFile
        As opened, without pickles.
    """
    for member in held.zip.infolist() if held.zip is not None else ():
        if member.file_size > MAX_ARRAY_BYTES or not member.filename.endswith(".npy"):
            continue
        name = member.filename.removesuffix(".npy")
        try:
            yield name, held[name]
        except ValueError:  # of objects, which only a pickle holds
            continue


def _array(name: str, array: np.ndarray) -> Iterator[tuple[str, pd.DataFrame]]:
    if array.size * max(1, len(array.dtype.names or ())) > MAX_CELLS:
        return
    if array.dtype.names:
        frame = pd.DataFrame({field: array[field].ravel() for field in array.dtype.names})
        yield name, frame.astype(str)
        return
    flat = np.squeeze(array)
    if array.dtype.kind not in "biufSU" or flat.ndim not in (1, 2):
        return
    if flat.ndim == 1:
        flat = flat[:, None]
    if flat.shape[1] > MAX_COLUMNS:
        return
    if flat.dtype.kind == "b":
        flat = flat.astype(int)
    elif flat.dtype.kind == "S":
        flat = np.char.decode(flat, "utf-8", "replace")
    yield name, pd.DataFrame(flat.astype(str)).rename(columns=str)


def _values(path: Path) -> Iterator[tuple[str, pd.DataFrame]]:
    if path.stat().st_size > MAX_JSON:
        return
    text = path.read_text(encoding="utf-8-sig")
    if path.suffix.lower() == ".json":
        yield from _tables_in("", json.loads(text))
    else:
        lines = [line for line in io.StringIO(text) if line.strip()]
        yield from _tables_in("", [json.loads(line) for line in lines])


def _tables_in(name: str, value: Any) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield tables of lists and of objects, to any depth that JSON's reader allows."""
    if isinstance(value, list):
        if frame := _of_rows(value):
            yield name, pd.DataFrame(frame)
        return
    if not isinstance(value, dict) or not value:
        return
    if all(isinstance(one, list) for one in value.values()):
        lengths = {len(one) for one in value.values()}
        if len(lengths) == 1 and all(_scalar(one) for part in value.values() for one in part):
            yield name, pd.DataFrame({key: list(map(_cell, part)) for key, part in value.items()})
            return
    if all(_scalar(one) for one in value.values()):
        yield name, pd.DataFrame({"key": list(value), "value": list(map(_cell, value.values()))})
        return
    if all(isinstance(one, dict) and all(map(_scalar, one.values())) for one in value.values()):
        yield name, pd.DataFrame(_of_rows([{"key": key, **one} for key, one in value.items()]))
        return
    for key, one in value.items():
        if isinstance(one, (list, dict)):
            yield from _tables_in(f"{name}.{key}" if name else key, one)


def _of_rows(rows: list[Any]) -> dict[str, list[str]]:
    """Return the columns of a list of scalars, of lists or of objects; none for anything else."""
    if rows and all(_scalar(row) for row in rows):
        return {"0": list(map(_cell, rows))}
    if rows and all(isinstance(row, list) for row in rows):
        rows = [dict(enumerate(row)) for row in rows]
    if not rows or not all(isinstance(row, dict) for row in rows):
        return {}
    rows = [row | dict(_nested(row)) for row in rows]
    names = dict.fromkeys(name for row in rows for name in row)
    if len(names) > MAX_COLUMNS:
        return {}
    return {str(name): [_cell(row.get(name)) for row in rows] for name in names}


def _nested(value: Any, name: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield the scalars within a value of a row, by their way to them: ``meta.links[0].next``."""
    if isinstance(value, dict):
        parts = [(f"{name}.{key}" if name else str(key), one) for key, one in value.items()]
    elif isinstance(value, list):
        places = [*range(min(len(value), MAX_PLACES)), *([-1] if value else [])]
        parts = [(f"{name}[{place}]", value[place]) for place in places]
    elif depth > 1:
        yield name, value
        return
    else:
        return
    for inner, one in parts if depth < MAX_DEPTH else ():
        yield from _nested(one, inner, depth + 1)


def _scalar(value: Any) -> bool:
    return not isinstance(value, (list, dict))


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return str(int(value))
    return "" if value is None else value if isinstance(value, str) else json.dumps(value)
