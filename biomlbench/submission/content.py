"""What submitted files hold: a state of a file is read, hashed and parsed once a process.

Every stage of a pair must know that the submission is still the one that was validated, and
several look at its table. A file is opened each time, as that shows a network file system's
latest state, but read again only when what the kernel says of it has changed. So bytes, hashes
and tables are found by that state, and what comes from no file by the hash of its bytes.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    import pyarrow as pa

__all__ = ["Bounded", "digest_of", "known_table", "parsed", "read_content"]

#: Largest file whose bytes are kept until somebody parses them, bytes.
MAX_KEPT = 32 * 2**20
#: Most bytes of parsed tables that are kept; longer files are not looked up at all.
MAX_PARSED = 64 * 2**20
#: Most files whose hash is remembered.
MAX_DIGESTS = 4096
_CHUNK = 2**20
# A write within the same tick of the file system's clock leaves the same time behind. Kernels
# tick every 1 to 10 ms; file systems without fractions of a second every 2 s at worst.
_TICK_NS = 20_000_000
_COARSE_TICK_NS = 2_000_000_000
_SECOND_NS = 1_000_000_000


class Bounded:
    """A table of what was used last, up to a total size.

    Parameters
    ----------
    most : int
        Largest total size; the sizes are those given to :meth:`put`.
    """

    def __init__(self, most: int) -> None:
        self._most, self._total = most, 0
        self._held: OrderedDict[Hashable, tuple[int, Any]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Any:
        """Return what is held, or None."""
        with self._lock:
            if key not in self._held:
                return None
            self._held.move_to_end(key)
            return self._held[key][1]

    def put(self, key: Hashable, value: Any, size: int = 1) -> None:
        """Hold a value, and let go of those that were not asked for for longest."""
        with self._lock:
            self._total += size - self._held.pop(key, (0, None))[0]
            self._held[key] = (size, value)
            while self._total > self._most:
                self._total -= self._held.popitem(last=False)[1][0]


_digests = Bounded(MAX_DIGESTS)
_latest = Bounded(MAX_KEPT)
_tables = Bounded(MAX_PARSED)


def digest_of(descriptor: int, limit: int) -> str | None:
    """Return the SHA-256 of an open file.

    Parameters
    ----------
    descriptor : int
        Of a regular file, at its beginning.
    limit : int
        Most bytes that are read.

    Returns
    -------
    str or None
        Hexadecimal; None for a file that turns out to be longer than the limit.
    """
    state = _settled_state(descriptor)
    known = _digests.get(state) if state else None
    if known is not None:
        return str(known)
    if os.fstat(descriptor).st_size <= MAX_KEPT:
        data = read_content(descriptor, min(limit, MAX_KEPT))
        if data is None:
            return None
        digest = hashlib.sha256(data)
    else:
        digest, left = hashlib.sha256(), limit + 1
        while left > 0 and (chunk := os.read(descriptor, min(left, _CHUNK))):
            digest.update(chunk)
            left -= len(chunk)
        if left <= 0:
            return None
    if state:
        _digests.put(state, digest.hexdigest())
    return digest.hexdigest()


def read_content(descriptor: int, limit: int) -> bytes | None:
    """Return what is in an open file; None for one that is longer than the limit.

    Parameters
    ----------
    descriptor, limit
        As for :func:`digest_of`.
    """
    state = _settled_state(descriptor)
    data: bytes | None = _latest.get(state) if state else None
    if data is None or len(data) > limit:
        data = _read(descriptor, limit, os.fstat(descriptor).st_size)
        if data is None:
            return None
    if state and len(data) <= MAX_KEPT:
        _latest.put(state, data, max(1, len(data)))
        _last.read = (data, state)
    return data


def known_table(descriptor: int, how: Hashable) -> pa.Table | None:
    """Return the table in an open file if this state of it has been parsed that way."""
    return _tables.get((_state(os.fstat(descriptor)), how))


def parsed(data: bytes, how: Hashable, parse: Callable[[], pa.Table]) -> pa.Table:
    """Return the table in some bytes, parsed once for each way to read them.

    Parameters
    ----------
    data : bytes
    how : hashable
        What the parsed table depends on beside the bytes.
    parse : callable
        Parses them; what it raises is not remembered.
    """
    if len(data) > MAX_PARSED:
        return parse()
    key = (_key(data), how)
    table = _tables.get(key)
    if table is None:
        table = parse()
        _tables.put(key, table, max(1, table.nbytes))
    return table


_last = threading.local()


def _key(data: bytes) -> Hashable:
    """Return the state of the file that this thread has just read the bytes from, or their hash."""
    read, state = getattr(_last, "read", (None, None))
    return state if data is read else hashlib.sha256(data).digest()


def _settled_state(descriptor: int) -> tuple[int, ...] | None:
    """Return what tells this state of a file from every later one; None where nothing does.

    The time of the last change cannot be set by programs. Where it is so recent that another
    change might leave the same one behind, the clock's tick is waited for first; the wait
    changes no result, only whether the file is read again.
    """
    found = os.fstat(descriptor)
    coarse = found.st_ctime_ns % _SECOND_NS == 0
    age = time.time_ns() - found.st_ctime_ns
    if age < 0 or (coarse and age < _COARSE_TICK_NS):
        return None
    if age < _TICK_NS:
        time.sleep((_TICK_NS - age) / _SECOND_NS)
        again = os.fstat(descriptor)
        if again.st_ctime_ns != found.st_ctime_ns:
            return None
        found = again
    return _state(found)


def _state(found: os.stat_result) -> tuple[int, ...]:
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def _read(descriptor: int, limit: int, size: int) -> bytes | None:
    # The file may still be growing: never read more than was promised.
    chunks, left = [], limit + 1
    while left > 0 and (chunk := os.read(descriptor, min(left, max(size + 1, _CHUNK)))):
        chunks.append(chunk)
        left -= len(chunk)
    if left <= 0:
        return None
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)
