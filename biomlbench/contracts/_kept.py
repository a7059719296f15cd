"""Small tables that this process has just written or read: the next stage reads the same ones."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import os

    import pyarrow as pa

    from biomlbench.contracts.mappings import JsonObject

__all__ = ["Kept", "keep", "kept"]

_MOST = 512
_MOST_BYTES = 1 << 16
"""Size of a file up to which its table is kept."""


class Kept(NamedTuple):
    """What a file holds.

    Attributes
    ----------
    name : str
        A key of the schemas.
    table : pyarrow.Table or None
        All its rows and columns; None where only the record is known.
    record : dict
        Of what it was made from.
    """

    name: str
    table: pa.Table | None
    record: JsonObject


_State = tuple[int, int, int, int]
_lock = threading.Lock()
_files: OrderedDict[str, tuple[_State, Kept]] = OrderedDict()


def keep(path: str, state: os.stat_result, found: Kept) -> None:
    """Remember what a file holds in that state.

    Parameters
    ----------
    path : str
    state : os.stat_result
        Of the file that was written or read, not of what has its name by now.
    found : Kept
    """
    if state.st_size > _MOST_BYTES:
        found = found._replace(table=None)
    with _lock:
        _files[path] = (_of(state), found)
        _files.move_to_end(path)
        while len(_files) > _MOST:
            _files.popitem(last=False)


def kept(path: str, state: os.stat_result) -> Kept | None:
    """Return what a file holds, if this process knows it in that very state."""
    with _lock:
        known = _files.get(path)
    return known[1] if known is not None and known[0] == _of(state) else None


def _of(state: os.stat_result) -> _State:
    return state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns
