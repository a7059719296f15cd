"""Tables among a task's public files, and which of their rows belong to test rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from biomlbench.submission.public_tables import may_be_no_table, table_files
from biomlbench.submission.public_tables import public_files as below

from .public_archives import Room
from .public_formats import PACKED, SUFFIXES, lines_of, tables_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from biomlbench.task.task import Task

__all__ = [
    *("LEAST_JOINED", "PublicTable", "in_words", "mixed_codes", "only_rows", "public_files"),
    *("read_public", "row_positions"),
]

MAX_PACKED = 50
"""Archives and databases beyond so many, the smallest first, are not searched."""
MAX_TEXTS = 100
"""Files of text beyond so many are not searched."""
LEAST_JOINED = 8
"""With fewer rows that join, agreement may be chance."""


@dataclass(frozen=True, eq=False)
class PublicTable:
    """A public table.

    Attributes
    ----------
    name : str
        File, below the public folder.
    frame : DataFrame
        As text.
    wanted : DataFrame
        Ids of the test rows, as text, in the order of the sample submission.
    """

    name: str
    frame: pd.DataFrame
    wanted: pd.DataFrame

    @property
    def columns(self) -> list[str]:
        """The columns' names."""
        return [str(name) for name in self.frame.columns]

    @property
    def _ids(self) -> list[str]:
        return [str(name) for name in self.wanted.columns]

    @cached_property
    def keys(self) -> dict[str, np.ndarray]:
        """Columns that hold ids of test rows, with the row of each test row, -1 for none."""
        columns = self._ids
        wanted = _joined(self.wanted, columns)
        found = {}
        if len(columns) > 1:
            if set(columns) <= set(self.columns):
                found["+".join(columns)] = row_positions(wanted, _joined(self.frame, columns))
        else:
            for column in self.columns:
                found[column] = row_positions(wanted, _joined(self.frame, [column]))
        least = min(LEAST_JOINED, len(wanted))
        return {name: rows for name, rows in found.items() if (rows >= 0).sum() >= least}

    @cached_property
    def own_key(self) -> np.ndarray | None:
        """Row of each test row by the task's own id, where nearly all have one; else None."""
        for name, rows in self.keys.items():
            if name in ("+".join(self._ids), *self._ids) and (rows >= 0).mean() > 0.99:
                return rows
        return None

    def text(self, column: str) -> np.ndarray:
        """Return a column as text."""
        return self.frame[column].to_numpy()

    def numbers(self, column: str) -> np.ndarray:
        """Return a column as numbers, as answers are read: truth values as 1 and 0, else NaN."""
        numbers = pd.to_numeric(self.frame[column], errors="coerce").to_numpy(float)
        if np.isfinite(numbers).any():
            return numbers
        words = self.frame[column].dropna().astype(str).str.lower()
        known = {"true": 1.0, "false": 0.0}
        if not set(words) <= known.keys():
            return numbers
        return words.map(known).reindex(self.frame.index).to_numpy(float)


def public_files(task: Task) -> list[Path]:
    """Return the files that a competitor gets, sorted."""
    return below(task.public_dir)


def read_public(
    task: Task, wanted: pd.DataFrame, unread: list[Path] | None = None
) -> Iterator[PublicTable]:
    """Read the public tables, but for the sample submission, and lines of text that is no table.

    Parameters
    ----------
    task : Task
    wanted : DataFrame
        Ids of the test rows, as text.
    unread : list of Path, optional
        Files of which nothing can be read are added to it, and archives and databases of which a
        table cannot.
    """
    tables = set(table_files(task.public_dir, task.sample_submission, SUFFIXES).searched)
    files = [path for path in public_files(task) if path != task.sample_submission]
    packed = sorted((path for path in files if _is_packed(path)), key=lambda p: p.stat().st_size)
    tables |= set(packed[:MAX_PACKED])
    texts, room = 0, Room()
    for path in [*(path for path in files if not _is_packed(path)), *packed]:
        read = False
        for part, frame in tables_of(path, room) if path in tables else ():
            read = True
            if len(frame):
                yield PublicTable(_name(path, task) + (part and f":{part}"), frame, wanted)
        if read and path in room.cut and unread is not None:
            unread.append(path)
        if read and not may_be_no_table(path):
            continue
        lines = lines_of(path) if texts < MAX_TEXTS else None
        if lines is not None:
            texts += 1
            if len(lines):
                yield PublicTable(_name(path, task), lines, wanted)
        elif not read and unread is not None:
            unread.append(path)


def _is_packed(path: Path) -> bool:
    return path.name.lower().endswith(PACKED)


def in_words(files: Iterable[Path]) -> str:
    """Return how many files there are by the endings of their names; one by its name."""
    kinds: dict[str, list[Path]] = {}
    for path in files:
        kinds.setdefault(path.suffix.lower(), []).append(path)
    return ", ".join(
        paths[0].name if len(paths) == 1 else f"{len(paths)} {kind or 'without an ending'}"
        for kind, paths in sorted(kinds.items())
    )


def _name(path: Path, task: Task) -> str:
    below = task.public_dir if path.is_relative_to(task.public_dir) else task.prepared_dir
    return path.relative_to(below).as_posix()


def _joined(frame: pd.DataFrame, columns: list[str]) -> np.ndarray:
    """Return ids as text, whole numbers without a point."""
    parts = [frame[name].astype(str).str.strip().str.replace(r"\.0$", "", regex=True)
             for name in columns]  # fmt: skip
    joined = parts[0]
    for part in parts[1:]:
        joined = joined + "\x1f" + part
    return joined.to_numpy()


def row_positions(wanted: np.ndarray, there: np.ndarray) -> np.ndarray:
    """Return where each wanted value is first, -1 for nowhere."""
    index = pd.Index(there)
    if not index.is_unique:
        index = pd.Index(there[~index.duplicated()])
        first = np.flatnonzero(~pd.Index(there).duplicated())
        rows = index.get_indexer(pd.Index(wanted))
        return np.where(rows >= 0, first[rows], -1)
    return np.asarray(index.get_indexer(pd.Index(wanted)))


def mixed_codes(columns: Sequence[np.ndarray]) -> np.ndarray:
    """Return one code for the values of each row, of the codes of its columns."""
    mixed = [codes * np.uint64(2 * i + 1) for i, codes in enumerate(columns)]
    return np.asarray(np.bitwise_xor.reduce(mixed))


def only_rows(wanted: np.ndarray, there: np.ndarray) -> np.ndarray:
    """Return where each wanted value is, -1 for nowhere and for several places."""
    if not len(there):
        return np.full(len(wanted), -1)
    order = np.argsort(there)
    values = there[order]
    first = np.searchsorted(values, wanted, "left")
    found = np.searchsorted(values, wanted, "right") - first
    return np.where(found == 1, order[np.minimum(first, len(there) - 1)], -1)
