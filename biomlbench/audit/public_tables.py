"""Tables among a task's public files, and which of their rows belong to test rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from biomlbench.runtime.environment import digest
from biomlbench.submission.public_tables import public_files as below
from biomlbench.submission.public_tables import table_files
from biomlbench.task.version import file_hash

from .package_tables import codes_of
from .public_formats import SUFFIXES, tables_of

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence
    from pathlib import Path

    from biomlbench.task.task import Task

__all__ = [
    *("OtherTable", "PublicTable", "other_public", "other_public_hash", "public_files"),
    *("mixed_codes", "only_rows", "read_other", "read_public"),
]

MAX_OTHERS = 256 << 20
"""Bytes of other tasks' public files that are searched."""
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


def read_public(task: Task, wanted: pd.DataFrame) -> Iterator[PublicTable]:
    """Read the public tables, but for the sample submission; what cannot be read is left out."""
    for path in table_files(task.public_dir, task.sample_submission, SUFFIXES).searched:
        for part, frame in tables_of(path):
            if len(frame):
                yield PublicTable(_name(path, task) + (part and f":{part}"), frame, wanted)


@dataclass(frozen=True, eq=False)
class OtherTable:
    """A public table of another task.

    Attributes
    ----------
    name : str
        File, with the task's id before it.
    frame : DataFrame
        As text.
    codes : ndarray of uint64, shape (n_rows, n_columns)
        Its values, see :func:`~biomlbench.audit.package_tables.codes_of`.
    """

    name: str
    frame: pd.DataFrame
    codes: np.ndarray


def other_public(task: Task) -> tuple[list[Path], int]:
    """Return the public tables of the other tasks in the same data folder.

    Parameters
    ----------
    task : Task

    Returns
    -------
    paths : list of Path
        Sorted; only so many as may be searched.
    left_out : int
        Number of those that are too large, or too many.
    """
    paths, left_out, size = [], 0, 0
    for folder in sorted(task.data_dir.glob("*/*/prepared/public")):
        if folder == task.public_dir:
            continue
        found = table_files(folder, task.sample_submission)
        left_out += len(found.beyond)
        for path in found.searched:
            own = path.stat().st_size
            if size + own > MAX_OTHERS:
                left_out += 1
                continue
            size += own
            paths.append(path)
    return paths, left_out


def other_public_hash(task: Task, besides: Container[str]) -> str:
    """Return a hash over the public tables of other tasks, by names and contents.

    Parameters
    ----------
    task : Task
    besides : container of str
        Tasks whose files are left out.
    """
    paths, _ = other_public(task)
    named = [(path.relative_to(task.data_dir), path) for path in paths]
    return digest(
        [
            (name.as_posix(), file_hash(path))
            for name, path in named
            if "/".join(name.parts[:2]) not in besides
        ]
    )


def read_other(path: Path, task: Task) -> OtherTable | None:
    """Read a table that :func:`other_public` lists; None for what is none."""
    status = path.stat()
    found = _read_other(path, status.st_mtime_ns, status.st_size)
    if found is None:
        return None
    parts = path.relative_to(task.data_dir).parts
    # domain/task/prepared/public/file
    return OtherTable(f"{'/'.join(parts[4:])} of {'/'.join(parts[:2])}", *found)


@lru_cache(maxsize=64)
def _read_other(path: Path, _time: int, _size: int) -> tuple[pd.DataFrame, np.ndarray] | None:
    frame = next((frame for _, frame in tables_of(path)), None)
    if frame is None or len(frame) < LEAST_JOINED:
        return None
    frame = frame.astype(str)
    return frame, np.array([codes_of(frame[name]) for name in frame]).T


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
    values, counts = np.unique(there, return_counts=True)
    return np.where(np.isin(wanted, values[counts == 1]), row_positions(wanted, there), -1)
