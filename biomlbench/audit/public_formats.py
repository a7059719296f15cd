"""Public files as tables of text: CSV of any dialect, Parquet, JSON, JSON Lines, NumPy's arrays."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from biomlbench.errors import TaskError
from biomlbench.submission.own_tables import own_table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["SUFFIXES", "tables_of"]

SUFFIXES = (
    *(".csv", ".tsv", ".parquet", ".csv.gz", ".tsv.gz", ".txt"),
    *(".json", ".jsonl", ".ndjson", ".npy", ".npz"),
)
MAX_COLUMNS = 300
"""Arrays and lists that are wider are not searched."""
MAX_CELLS = 2_000_000
"""Larger arrays are not searched: as text they take many times the memory."""
MAX_JSON = 16 << 20
"""Bytes of JSON beyond which it is not searched."""
MAX_TABLES = 100
"""Tables of one file beyond so many are not searched."""
_LINES = 100
"""Lines that a file's separator is told by."""
_READ: dict[str, Any] = {"encoding": "utf-8-sig", "errors": "replace"}
_SEPARATORS = (";", "\t", "|", ",", r"\s+")
_DECIMAL_COMMA = r"\s*[-+]?\d*,\d+([eE][-+]?\d+)?\s*|\s*[-+]?\d+\s*|\s*"


def tables_of(path: Path) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the tables of a file as text, each with what it is called there; empty for the file.

    What cannot be read is left out. Pickles are never loaded.
    """
    try:
        if path.suffix in (".npy", ".npz"):
            yield from islice(_arrays(path), MAX_TABLES)
        elif path.suffix in (".json", ".jsonl", ".ndjson"):
            yield from islice(_values(path), MAX_TABLES)
        else:
            yield "", _delimited(path)
    except (
        *(TaskError, OSError, ValueError, EOFError, RecursionError, MemoryError),
        *(zipfile.BadZipFile, NotImplementedError),
    ):
        return


def _delimited(path: Path) -> pd.DataFrame:
    separator = _separator(path) if path.suffix != ".parquet" else ""
    frame: pd.DataFrame
    if path.suffix == ".parquet" or (separator == "," and path.suffix == ".csv"):
        frame = own_table(path).to_pandas()
    else:
        frame = _text(path, separator)
    if not separator:
        return frame
    if separator != ",":
        frame = frame.apply(_with_points)
    if all(_is_number(name) for name in frame.columns):
        rows = [list(map(str, frame.columns)), *frame.to_numpy().tolist()]
        frame = pd.DataFrame(rows, columns=[str(place) for place in range(frame.shape[1])])
    return frame


def _separator(path: Path) -> str:
    """Return what the file's name says, or what all of the first rows have where they lack that."""
    declared = "\t" if ".tsv" in path.name or path.suffix == ".txt" else ","
    lines = _first_lines(path)
    if any(declared in line for line in lines[:1]):
        return declared
    for separator in _SEPARATORS:
        parts = {len(line.split(None if len(separator) > 1 else separator)) for line in lines}
        if len(parts) == 1 and parts != {1}:
            return separator
    return declared


def _first_lines(path: Path) -> list[str]:
    opened: Any = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", **_READ) as file:
        return [line for line in islice(file, _LINES) if line.strip()]


def _text(path: Path, separator: str) -> pd.DataFrame:
    engine: Any = "python" if len(separator) > 1 else "c"
    return pd.read_csv(
        path, sep=separator, dtype=str, keep_default_na=False, engine=engine, index_col=False
    )


def _with_points(column: pd.Series) -> pd.Series:
    """Return a column with points for decimal commas, where all of it is numbers with such."""
    texts = column.astype(str)
    if texts.str.contains(",").any() and texts.str.fullmatch(_DECIMAL_COMMA).all():
        return texts.str.replace(",", ".")
    return column


def _is_number(name: Any) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True


def _arrays(path: Path) -> Iterator[tuple[str, pd.DataFrame]]:
    if path.suffix == ".npy":
        yield from _array("", np.load(path, allow_pickle=False, mmap_mode="r"))
        return
    with np.load(path, allow_pickle=False) as held:
        for name in held.files:
            try:
                array = held[name]
            except ValueError:  # of objects, which only a pickle holds
                continue
            yield from _array(name, array)


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
    if path.suffix == ".json":
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
    names = dict.fromkeys(name for row in rows for name in row)
    if len(names) > MAX_COLUMNS:
        return {}
    return {str(name): [_cell(row.get(name)) for row in rows] for name in names}


def _scalar(value: Any) -> bool:
    return not isinstance(value, (list, dict))


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return str(int(value))
    return "" if value is None else value if isinstance(value, str) else json.dumps(value)
