"""Public tables of the other tasks in a data folder, and which of their columns hold given values.

All values of all of them are indexed once a process, as a folder may have hundreds of tasks, each
of which is compared with all others.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from biomlbench.runtime.environment import digest
from biomlbench.submission.public_tables import table_files
from biomlbench.task.version import file_hash

from .package_tables import codes_of
from .public_formats import tables_of
from .public_tables import LEAST_JOINED

if TYPE_CHECKING:
    from collections.abc import Container
    from pathlib import Path

    from biomlbench.task.task import Task

__all__ = ["OtherTable", "OtherTables", "other_public_hash", "other_tables"]

MAX_BYTES = 256 << 20
"""Bytes of public files that are searched in all."""
MAX_KEPT = 16 << 20
"""Cells of tables that stay in memory as numbers; those of others are read again."""
MAX_ASKED = 1000
"""Values by which a column is looked for."""


class _Values(NamedTuple):
    codes: np.ndarray
    numbers: np.ndarray


@dataclass(frozen=True, eq=False)
class OtherTable:
    """A public table of another task.

    Attributes
    ----------
    name : str
        File, with the task's id before it.
    columns : tuple of str
    """

    name: str
    columns: tuple[str, ...]
    _file: _File
    _kept: _Values | None

    @property
    def _values(self) -> _Values:
        return self._kept or _values(_read(self._file))

    @property
    def codes(self) -> np.ndarray:
        """See :func:`~biomlbench.audit.package_tables.codes_of`; uint64, (n_rows, n_columns)."""
        return self._values.codes

    @property
    def numbers(self) -> np.ndarray:
        """The values as numbers, NaN for those that are none; float, (n_rows, n_columns)."""
        return self._values.numbers

    def text(self, column: int) -> np.ndarray:
        """Return a column as text, shape (n_rows,)."""
        return _read(self._file).iloc[:, column].to_numpy()


class OtherTables:
    """All tables, and in which of their columns a value is.

    Parameters
    ----------
    files : tuple of _File

    Attributes
    ----------
    tables : dict of Path to OtherTable
        By file; those with too few rows to be joined are left out.
    """

    def __init__(self, files: tuple[_File, ...]) -> None:
        self.tables: dict[Path, OtherTable] = {}
        kept, first = 0, 0
        codes, columns = [np.zeros(0, np.uint64)], [np.zeros(0, np.int32)]
        names: list[str] = []
        self._owners: list[Path] = []
        for file in files:
            frame = _read(file)
            if len(frame) < LEAST_JOINED:
                continue
            values = _values(frame)
            kept += values.codes.size
            held = tuple(map(str, frame.columns))
            self.tables[file.path] = OtherTable(
                file.name, held, file, values if kept <= MAX_KEPT else None
            )
            for place in range(len(held)):
                different = np.unique(values.codes[:, place])
                codes.append(different)
                columns.append(np.full(len(different), first + place, np.int32))
            names += held
            self._owners += [file.path] * len(held)
            first += len(held)
        # each of them is sorted already, which a stable sort makes use of
        all_codes = np.concatenate(codes)
        order = np.argsort(all_codes, kind="stable")
        self._codes = all_codes[order]
        self._columns = np.concatenate(columns)[order]
        self._names = pd.Series(names, dtype=object).to_numpy()
        self._places = np.array(
            [place for table in self.tables.values() for place in range(len(table.columns))], int
        )

    def partners(self, codes: np.ndarray, name: str, most: int) -> dict[Path, list[int]]:
        """Return the columns that hold values, those with most of them first.

        Parameters
        ----------
        codes : ndarray of uint64
            Of the values.
        name : str
            Of their column; one of the same name comes before all others.
        most : int
            Columns of a table beyond so many are left out.

        Returns
        -------
        dict of Path to list of int
            By file; none without any of the values.
        """
        values = np.unique(codes)
        asked = values[:: max(1, len(values) // MAX_ASKED)]
        start = np.searchsorted(self._codes, asked, "left")
        counts = np.searchsorted(self._codes, asked, "right") - start
        # the places start, start + 1, ... of each value that is asked for
        ends = np.cumsum(counts)
        places = np.arange(ends[-1] if len(ends) else 0) + np.repeat(start - ends + counts, counts)
        shares = np.bincount(self._columns[places], minlength=len(self._names))
        there = np.flatnonzero(shares)
        found: dict[Path, list[int]] = {}
        for c in there[np.lexsort((-shares[there], self._names[there] != name))].tolist():
            of_table = found.setdefault(self._owners[c], [])
            if len(of_table) < most:
                of_table.append(int(self._places[c]))
        return found


class _File(NamedTuple):
    path: Path
    name: str
    modified: int
    size: int


def other_tables(task: Task) -> tuple[OtherTables, list[Path], int]:
    """Return the public tables of all tasks in the same data folder.

    Parameters
    ----------
    task : Task

    Returns
    -------
    tables : OtherTables
        The task's own among them.
    others : list of Path
        Those of other tasks, sorted.
    left_out : int
        Number of tables of other tasks that are too large, or too many.
    """
    files, left_out = _files(task)
    tables = _indexed(files)
    own = f"{task.public_dir}{os.sep}"
    others = [path for path in tables.tables if not str(path).startswith(own)]
    return tables, others, left_out


def other_public_hash(task: Task, besides: Container[str]) -> str:
    """Return a hash over the public tables of other tasks, by names and contents.

    Parameters
    ----------
    task : Task
    besides : container of str
        Tasks whose files are left out.
    """
    files, _ = _files(task)
    folder, own = task.data_dir, task.public_dir
    named = [
        (file.path.relative_to(folder), file.path) for file in files if own not in file.path.parents
    ]
    return digest(
        [
            (name.as_posix(), file_hash(path))
            for name, path in named
            if "/".join(name.parts[:2]) not in besides
        ]
    )


def _files(task: Task) -> tuple[tuple[_File, ...], int]:
    """Return the tables that are searched, and how many of other tasks are not."""
    files, left_out, size = [], 0, 0
    own = task.public_dir
    for folder in sorted(task.data_dir.glob("*/*/prepared/public")):
        found = table_files(folder, None)  # which of them is a sample is known of the own alone
        beyond = len(found.beyond)
        owner = "/".join(folder.relative_to(task.data_dir).parts[:2])
        for path in found.searched:
            status = path.stat()
            if size + status.st_size > MAX_BYTES:
                beyond += 1
                continue
            size += status.st_size
            name = f"{path.relative_to(folder).as_posix()} of {owner}"
            files.append(_File(path, name, status.st_mtime_ns, status.st_size))
        left_out += beyond if folder != own else 0
    return tuple(files), left_out


@lru_cache(maxsize=1)
def _indexed(files: tuple[_File, ...]) -> OtherTables:
    return OtherTables(files)


@lru_cache(maxsize=4)
def _read(file: _File) -> pd.DataFrame:
    """Read a table as text; one that is none has no rows."""
    return next((frame.astype(str) for _, frame in tables_of(file.path)), pd.DataFrame())


def _values(frame: pd.DataFrame) -> _Values:
    numbers = [pd.to_numeric(frame[name], errors="coerce").to_numpy(float) for name in frame]
    return _Values(
        np.array([codes_of(frame[name]) for name in frame]).T.reshape(frame.shape),
        np.array(numbers).T.reshape(frame.shape),
    )
