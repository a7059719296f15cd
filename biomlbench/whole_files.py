"""Files that get their name only when they are complete."""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["whole_file"]

_LONGEST = 200  # of a name that the rest is added to; file systems allow 255 bytes


@contextmanager
def whole_file(path: str | Path) -> Iterator[Path]:
    """Give the place of a file that gets its name once it is complete; else it goes.

    Parameters
    ----------
    path : path
        Whoever reads it meanwhile sees the old file, or none. Its folder is made where it is
        not there.

    Yields
    ------
    Path
        Where to write it; :func:`biomlbench.errors.explain` knows it by the name it is to get.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    own = f"{os.getpid()}-{threading.get_ident()}"
    temporary = path.with_name(f".{path.name[:_LONGEST]}.{own}.tmp")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
