"""Downloads: kept by their hash, whole or not at all, tried again, within limits of size.

How a file is got is the data source's matter: it hands over a function for each place that has the
file. What is done around it is the same for all of them, and here.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import shutil
import sys
import tempfile
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from biomlbench.runtime.hashing import file_sha256
from biomlbench.runtime.progress_bars import bar
from biomlbench.task.registry import cache_dir
from biomlbench.task.sources.archives import (
    QUIET,
    DataSourceError,
    check_offline,
    locked,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import TracebackType

    from biomlbench.task.sources.base import Checksum

__all__ = [
    "MAX_BYTES",
    "PASSING",
    "TIMEOUT_S",
    "Meter",
    "PassingError",
    "Way",
    "cached",
    "check_room",
]

logger = logging.getLogger(__name__)

MAX_BYTES = 500 * 2**30
"""Largest download where the entry states no limit of its own."""
TIMEOUT_S = 30.0
"""Seconds without a byte after which a server counts as gone. A slow one may take as long as it
needs."""
PASSING = frozenset((408, 425, 429, 500, 502, 503, 504))
"""Answers of a server that another attempt may not meet."""
ATTEMPTS = 5
BACKOFF_S = 1.0
"""Seconds before the second attempt; twice as many before each further one."""
LONGEST_WAIT_S = 120.0
"""Longest wait that a server may ask for (Retry-After) and that is granted."""
RESERVE_BYTES = 64 * 2**20
"""Room on the disk that a download leaves free."""

Way = tuple[str, "Callable[[Path], None]"]
"""Name of a place that has the file, and what fetches it from there to a path."""


class PassingError(DataSourceError):
    """A fault of the network or a server that another attempt may not meet.

    Parameters
    ----------
    message : str
    wait : float, optional
        Seconds that the server asks to wait.
    """

    def __init__(self, message: str, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait


def cached(
    identity: Mapping[str, Any],
    name: str,
    ways: Sequence[Way],
    *,
    what: str,
    checksum: Checksum | None = None,
) -> Path:
    """Return a file of the cache, fetched first if need be.

    Safe under concurrent calls: one process downloads, the others wait for it.

    Parameters
    ----------
    identity : mapping
        What tells the file from others where there is no checksum.
    name : str
        File name.
    ways : sequence of (str, callable)
        Tried in this order until one gives the file.
    what : str
        For messages.
    checksum : Checksum, optional
        Without one, the file must stay what it was when it was downloaded.

    Returns
    -------
    Path
        Whose hash has been checked.

    Raises
    ------
    DataSourceError
        If no way gives the file, or the cache folder cannot be used; offline, if it is not there.
    """
    folder = cache_dir() / "downloads" / _key(identity, checksum)
    path = folder / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder / "lock"):
            if path.is_file() and _in_order(path, checksum):
                return path
            check_offline(what, path)
            for leftover in folder.glob(".download-*"):
                shutil.rmtree(leftover, ignore_errors=True)
            with tempfile.TemporaryDirectory(prefix=".download-", dir=folder) as scratch:
                part = Path(scratch) / name
                _fetch(part, ways, what, checksum, path)
                _record(path).write_text(file_sha256(part) + "\n", encoding="ascii")
                os.replace(part, path)
    except OSError as error:
        raise DataSourceError(
            f"{what}: the cache folder {folder} cannot be used ({error}); free it, or name another "
            "one in the environment variable BIOMLBENCH_CACHE_DIR"
        ) from error
    return path


def check_room(folder: Path, wanted: int, what: str) -> None:
    """Refuse what the disk has no room for.

    Raises
    ------
    DataSourceError
        Says how much is needed and how much is there.
    """
    free = shutil.disk_usage(folder).free
    if wanted + RESERVE_BYTES > free:
        raise DataSourceError(
            f"{what}: needs {wanted:,} bytes, but the disk of {folder} has {free:,} left "
            f"({RESERVE_BYTES:,} stay free); free some of it, or name other folders in the "
            "environment variables BIOMLBENCH_CACHE_DIR and BIOMLBENCH_DATA_DIR"
        )


def _key(identity: Mapping[str, Any], checksum: Checksum | None) -> str:
    if checksum is not None:
        return f"{checksum.algorithm}-{checksum.digest}"
    text = json.dumps(identity, sort_keys=True)
    return f"source-{hashlib.sha256(text.encode()).hexdigest()}"


def _record(path: Path) -> Path:
    """Return where the hash of a file is noted as it was downloaded."""
    return path.parent / ".sha256"


def _in_order(path: Path, checksum: Checksum | None) -> bool:
    if checksum is not None:
        return checksum.fits(path)
    with suppress(OSError):
        return file_sha256(path) == _record(path).read_text(encoding="ascii").strip()
    return True  # put there by hand


def _fetch(
    part: Path, ways: Sequence[Way], what: str, checksum: Checksum | None, final: Path
) -> None:
    """Fetch a file by the first way that gives it."""
    complaints = []
    for place, fetch in ways:
        try:
            _retried(fetch, part, place)
            if checksum is None or checksum.fits(part):
                return
            complaints.append(f"{place}: gives another file, whose hash is not {checksum}")
        except DataSourceError as error:
            complaints.append(f"{place}: {error}")
        part.unlink(missing_ok=True)
    raise DataSourceError(
        f"{what} cannot be fetched. {'. '.join(complaints)}. When the cause is gone, run again: "
        f"what is there is kept. Or get the file elsewhere and put it at {final}"
    )


def _retried(fetch: Callable[[Path], None], part: Path, place: str) -> None:
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return fetch(part)
        except PassingError as error:
            if attempt == ATTEMPTS:
                raise DataSourceError(f"{error} ({ATTEMPTS} attempts)") from error
            wait = BACKOFF_S * 2 ** (attempt - 1)
            if error.wait is not None:
                if error.wait > LONGEST_WAIT_S:
                    raise DataSourceError(
                        f"{error}; try again in {error.wait:.0f} seconds"
                    ) from error
                wait = max(wait, error.wait)
            logger.warning("%s: %s; next attempt in %g s", place, error, wait)
            part.unlink(missing_ok=True)
            time.sleep(wait)
    return None


class Meter:
    """A file that is written by a download: it refuses more than is allowed, and shows progress.

    Parameters
    ----------
    path : Path
        Written anew.
    what : str
        For messages and the bar.
    limit : int
        Most bytes.
    """

    def __init__(self, path: Path, what: str, limit: int = MAX_BYTES) -> None:
        self._path, self._what, self._limit = path, what, limit
        self._written = 0

    def __enter__(self) -> Self:
        self._file = self._path.open("wb")
        shown = sys.stderr.isatty() and not os.environ.get(QUIET)
        self._shown = ExitStack()
        self._bar = self._shown.enter_context(bar(self._what, unit="bytes", shown=shown))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()
        self._shown.close()

    def expect(self, total: int | None) -> None:
        """Take note of the size that a server announces: refuse it, or tell the bar."""
        if total is not None:
            self._check(total)
            check_room(self._path.parent, total, self._what)
        self._bar.expect(total)

    def write(self, chunk: bytes) -> int:
        """Write a part of the file."""
        self._written += len(chunk)
        self._check(self._written)
        self._file.write(chunk)
        self._bar.reach(self._written)
        return len(chunk)

    def flush(self) -> None:
        """Do nothing: the file is of no use before it is whole."""

    def _check(self, size: int) -> None:
        if size > self._limit:
            raise DataSourceError(
                f"{self._what}: larger than {self._limit:,} bytes, which is the limit; raise "
                "`max_gb` of its source if that is right"
            )
