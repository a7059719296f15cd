"""Tables among the files of installed packages that the sandbox shows to a task's programs."""

from __future__ import annotations

import csv
import gzip
import warnings
from collections import Counter
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from biomlbench.audit.public_formats import arrays_in
from biomlbench.errors import TaskError
from biomlbench.runtime.packed_files import BROKEN
from biomlbench.submission.own_tables import own_table
from biomlbench.task.installed_data import installed_data, package_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from biomlbench.task.task import Task

__all__ = [
    "PackageTable",
    "all_codes",
    "are_held",
    "codes_of",
    "held_share",
    "package_tables",
]

MAX_BYTES = 16 << 20
"""Larger files are not searched."""
LEAST_ROWS = 20
"""Shorter tables are not searched."""
MAX_COLUMNS = 100
_TEXT = (".csv", ".tsv", ".txt", ".dat", ".data", ".arff", ".smi")
_ARRAYS = (".npy", ".npz")
_SUFFIXES = (*_TEXT, *_ARRAYS, ".parquet")
_SEPARATORS = (",", "\t", ";", " ")
_GLANCE = 200
_DIGITS = 6


@dataclass(frozen=True, eq=False)
class PackageTable:
    """A table that an installed package has.

    Attributes
    ----------
    name : str
        File or files, below the folder of installed packages.
    frame : DataFrame
        As text.
    codes : ndarray of uint64, shape (n_rows, n_columns)
        Its values, see :func:`codes_of`.
    """

    name: str
    frame: pd.DataFrame
    codes: np.ndarray

    def share_of(self, values: np.ndarray) -> float:
        """Return how much of some codes is anywhere in the table."""
        return held_share(values, self._sorted)

    @cached_property
    def _sorted(self) -> np.ndarray:
        return np.unique(self.codes)


def are_held(values: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Return which of some codes are among sorted ones."""
    if not len(known):
        return np.zeros(len(values), bool)
    places = np.minimum(np.searchsorted(known, values), len(known) - 1)
    return np.asarray(known[places] == values)


def held_share(values: np.ndarray, known: np.ndarray) -> float:
    """Return how much of some codes is among sorted ones."""
    return float(are_held(values, known).mean()) if len(values) else 0.0


def package_tables(task: Task) -> Iterator[PackageTable]:
    """Read the tables of installed packages that a program for a task can see.

    Files of one folder that have as many rows may be parts of one table, as scikit-learn's are.

    Parameters
    ----------
    task : Task
        What its ``installed_data`` names is covered, and left out.
    """
    covered = set(installed_data(task))
    groups: dict[tuple[str, int], list[PackageTable]] = {}
    for name, path in _files():
        if name not in covered and str(path) not in covered:
            for table in _tables(name, path):
                groups.setdefault((str(path.parent), len(table.frame)), []).append(table)
    for parts in groups.values():
        yield parts[0] if len(parts) == 1 else _side_by_side(tuple(parts))


@cache
def _side_by_side(parts: tuple[PackageTable, ...]) -> PackageTable:
    return PackageTable(
        ", ".join(dict.fromkeys(part.name for part in parts)),
        pd.concat([part.frame for part in parts], axis=1),
        np.hstack([part.codes for part in parts]),
    )


@cache
def all_codes() -> np.ndarray:
    """Return the codes of all values of all tables, sorted: most columns have none in there."""
    tables = [table for file in _files() for table in _tables(*file)]
    return np.unique(
        np.concatenate([table.codes.ravel() for table in tables] or [np.zeros(0, np.uint64)])
    )


def _files() -> tuple[tuple[str, Path], ...]:
    return package_files(tuple(a + b for a in _SUFFIXES for b in ("", ".gz")))


def codes_of(values: pd.Series) -> np.ndarray:
    """Return a number for each value, the same for numbers that agree in six digits."""
    numbers = pd.to_numeric(values, errors="coerce").to_numpy(float)
    size = np.floor(np.log10(np.abs(numbers), where=numbers != 0, out=np.zeros(len(numbers))))
    scale = 10.0 ** np.clip(_DIGITS - 1 - size, -300, 300)
    with np.errstate(all="ignore"):
        rounded = np.round(numbers * scale) / scale + 0.0
    texts = values.astype(str).str.strip().to_numpy(object)
    codes = pd.util.hash_array(np.where(np.isfinite(rounded), rounded, 0.0))
    return np.where(np.isfinite(rounded), codes, pd.util.hash_array(texts, categorize=False))


@cache
def _tables(name: str, path: Path) -> tuple[PackageTable, ...]:
    """Return what tables a file holds; none where it holds none."""
    lower = path.name.lower()
    try:
        if path.stat().st_size > MAX_BYTES:
            return ()
        if lower.endswith(".parquet"):
            found: Iterable[pd.DataFrame] = [own_table(path).to_pandas().astype(str)]
        elif lower.endswith(_ARRAYS):
            found = _of_arrays(path)
        else:
            found = _of_text(path)
        return tuple(
            PackageTable(name, frame, np.array([codes_of(frame[c]) for c in frame]).T)
            for frame in found
            if len(frame) >= LEAST_ROWS
        )
    except (TaskError, OSError, ValueError, csv.Error, MemoryError, RuntimeError, *BROKEN):
        return ()


def _of_arrays(path: Path) -> Iterator[pd.DataFrame]:
    """Yield a table of the arrays of one length, each a column or several."""
    with path.open("rb") as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Files of Python 2 are read, if slowly.
        held = np.load(file, allow_pickle=False)
        arrays = {"": held} if isinstance(held, np.ndarray) else dict(arrays_in(held))
    lengths: dict[int, dict[str, np.ndarray]] = {}
    for name, values in arrays.items():
        if values.ndim in (1, 2) and values.dtype.kind in "biufUS":
            columns = values.reshape(len(values), -1)[:, :MAX_COLUMNS] if len(values) else values
            for number, column in enumerate(np.atleast_2d(columns.T)):
                lengths.setdefault(len(values), {})[f"{name}{number}"] = column
    for columns_of in lengths.values():
        yield pd.DataFrame(columns_of).astype(str)


def _of_text(path: Path) -> Iterator[pd.DataFrame]:
    """Yield the table whose rows have as many fields as most lines have."""
    if path.suffix.lower() == ".gz":
        with gzip.open(path) as file:
            raw = file.read(MAX_BYTES)
    else:
        raw = path.read_bytes()
    lines = raw.decode("utf-8", "replace").replace("\0", "").splitlines()
    for separator in _SEPARATORS if len(lines) >= LEAST_ROWS else ():
        width, _ = Counter(map(len, _rows(lines[:_GLANCE], separator))).most_common(1)[0]
        if 2 <= width <= MAX_COLUMNS or (width == 1 and separator == _SEPARATORS[-1]):
            rows = [row for row in _rows(lines, separator) if len(row) == width]
            names = rows[0]
            if width == 1 and not all(_is_number(row[0]) for row in rows[1:]):
                return
            if len(set(names)) < width or any(_is_number(name) for name in names):
                yield pd.DataFrame(rows, columns=[str(i) for i in range(width)], dtype=str)
            else:
                yield pd.DataFrame(rows[1:], columns=names, dtype=str)
            return


def _rows(lines: list[str], separator: str) -> list[list[str]]:
    if separator == " ":
        return [line.split() for line in lines]
    return list(csv.reader(lines, delimiter=separator, skipinitialspace=True))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
