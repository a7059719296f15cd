"""The `meta_*` columns of a run table: what users know of a run, as values of their declared types.

A value that cannot be read costs only itself: it is named in `meta_note`, and the run is graded.
"""

from __future__ import annotations

import json
import math
import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from biomlbench.contracts import RUN_METADATA
from biomlbench.plain_text import composed, is_unsafe_address
from biomlbench.submission.cells import printable
from biomlbench.submission.csv_hints import number_hint
from biomlbench.submission.table_rows import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from biomlbench.contracts.mappings import AnyRow

__all__ = ["PREFIX", "cells_of", "faults_of", "metadata_of"]

PREFIX = "meta_"
"""Beginning of the names of columns that describe a run and decide nothing."""
OTHER, NOTE = "meta_other", "meta_note"
_TYPES = {column.name: column.type for column in RUN_METADATA if column.name not in (OTHER, NOTE)}
_LIKE = 0.8
"""Likeness from which a name is taken for a declared one that is misspelt: `tokns` is."""
_MOST_TEXT = 500
_MOST_NAME = 60
_MOST_OTHER = 20
_MOST_BYTES = 10_000
_MOST_NOTE = 600
_LARGEST = 2.0**53
# `float` takes more: 1_000, infinity, and digits of all scripts.
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_FAULT = re.compile(rf"(?:^|; )(?=(?:{'|'.join(_TYPES)}): )")


def metadata_of(row: Mapping[str, Any]) -> AnyRow:
    """Read the `meta_*` cells of a row.

    Parameters
    ----------
    row : mapping
        Cells by column, text or JSON's types.

    Returns
    -------
    dict
        Values of the columns that :data:`biomlbench.contracts.RUN_METADATA` declares, those that
        are there. Other columns are together in `meta_other`, a JSON object of texts; what could
        not be read is named in `meta_note`.

    Examples
    --------
    >>> metadata_of({"meta_cost_usd": "0.25", "meta_steps": "many", "meta_site": "A", "seed": "1"})
    ... # doctest: +NORMALIZE_WHITESPACE
    {'meta_cost_usd': 0.25, 'meta_other': '{"site": "A"}',
     'meta_note': "meta_steps: 'many' is not a number"}
    >>> metadata_of({"meta_cost": "0.25"})["meta_note"]
    'meta_cost: did you mean meta_cost_usd?'
    """
    found: AnyRow = {}
    other: dict[str, str] = {}
    size = 0
    faults: list[str] = []
    for name, cell in row.items():
        if not name.startswith(PREFIX) or cell is None or cell == "":
            continue
        try:
            if name in _TYPES:
                found[name] = _typed(cell, _TYPES[name])
                if is_unsafe_address(str(found[name])):
                    del found[name]
                    raise ValueError("an address with a user's name or control characters")
            elif len(other) < _MOST_OTHER:
                own, text = _text(name.removeprefix(PREFIX), _MOST_NAME), _text(cell)
                size += len(own.encode()) + len(text.encode())
                if size > _MOST_BYTES:
                    raise ValueError(f"left out: {_MOST_BYTES:,} bytes of other columns are kept")
                other[own] = text
                if meant := _meant(name, row):
                    faults.append(f"{printable(name, _MOST_NAME)}: did you mean {meant}?")
            else:
                raise ValueError(f"left out: at most {_MOST_OTHER} columns of other names are kept")
        except ValueError as error:
            faults.append(f"{printable(name, _MOST_NAME)}: {error}")
    if other:
        found[OTHER] = json.dumps(other, ensure_ascii=False, sort_keys=True)
    if faults:
        found[NOTE] = printable("; ".join(faults), _MOST_NOTE)
    return found


def faults_of(metadata: Mapping[str, Any]) -> dict[str, str]:
    """Return what could not be read, by column; what is not of a declared one is under ``""``.

    Examples
    --------
    >>> faults_of(metadata_of({"meta_steps": "many", "meta_tokens": "-1"}))
    ... # doctest: +NORMALIZE_WHITESPACE
    {'meta_steps': "meta_steps: 'many' is not a number",
     'meta_tokens': "meta_tokens: '-1' is out of range: 0 to 2**53"}
    """
    parts = filter(None, _FAULT.split(metadata.get(NOTE, "")))
    names = ((part.partition(":")[0], part) for part in parts)
    return {name if name in _TYPES else "": part for name, part in names}


def cells_of(metadata: Mapping[str, Any]) -> AnyRow:
    """Return the cells of a run table from which :func:`metadata_of` makes the same values.

    Examples
    --------
    >>> cells_of({"meta_steps": 3, "meta_other": '{"site": "A"}', "meta_note": "..."})
    {'meta_steps': 3, 'meta_site': 'A'}
    """
    cells = {name: value for name, value in metadata.items() if name in _TYPES}
    other = json.loads(metadata.get(OTHER, "{}"))
    return cells | {f"{PREFIX}{name}": value for name, value in other.items()}


def _meant(name: str, row: Mapping[str, Any]) -> str | None:
    """Return the declared column that another one is like, and that the row has not."""
    own = name.lower().removeprefix(PREFIX)
    known = [column.removeprefix(PREFIX) for column in _TYPES if column not in row]
    near = get_close_matches(own, known, 1, _LIKE)
    near += [other for other in known if other.startswith(f"{own}_")]
    return f"{PREFIX}{near[0]}" if near else None


def _typed(cell: Any, kind: pa.DataType) -> str | int | float:
    return _text(cell) if pa.types.is_string(kind) else _number(cell, pa.types.is_integer(kind))


def _text(cell: Any, most: int = _MOST_TEXT) -> str:
    if not isinstance(cell, (str, int, float)):
        raise ValueError(f"{shown(cell)} is not text")
    text = composed(str(cell)).strip()
    if len(text) > most:
        raise ValueError(f"has {len(text)} characters; at most {most} are kept")
    if not text.isprintable() or "\ufffd" in text:
        raise ValueError(f"{shown(text)} holds a character that cannot be printed")
    return text


def _number(cell: Any, whole: bool) -> int | float:
    if isinstance(cell, bool) or not isinstance(cell, (str, int, float)):
        raise ValueError(f"{shown(cell)} is not a number")
    if isinstance(cell, str) and not _NUMBER.fullmatch(cell.strip()):
        raise ValueError(f"{shown(cell)} is not a number{number_hint([cell])}")
    try:
        value = float(cell)
    except OverflowError:
        value = math.inf
    if math.isnan(value):
        raise ValueError(f"{shown(cell)} is not a number")
    if not math.isfinite(value) or not 0 <= value <= _LARGEST:
        raise ValueError(f"{shown(cell)} is out of range: 0 to 2**53")
    if whole and not value.is_integer():
        raise ValueError(f"{shown(cell)} is not a whole number")
    return int(value) if whole else value
