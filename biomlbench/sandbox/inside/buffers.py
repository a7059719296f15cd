"""Memory for what one case has said, of which a later case's process inherits nothing.

A case is forked from the harness and may read all the memory that it gets. What the harness has
read for earlier cases must not be among it, neither in use nor freed: so it never becomes an
object of the interpreter, whose allocator leaves it behind, but goes from the pipe into pages
that the kernel zeroes in every child.
"""

from __future__ import annotations

import mmap
import os

__all__ = ["Buffer"]

WIPE_ON_FORK = 18  # linux/mman.h; Python's mmap has no name for it
NO_RESERVE = 0x4000  # asm-generic/mman.h; a name in Python 3.13 and later
CHUNK = 1 << 16


class Buffer:
    """The first bytes of a stream, and whether there were more.

    Parameters
    ----------
    cap : int
        Bytes that are kept.

    Attributes
    ----------
    full : bool
        Whether more came than are kept.
    """

    def __init__(self, cap: int) -> None:
        self.cap = cap
        self.full = False
        self._length = 0
        # What comes after the cap is read as well, so that its writer can end, and overwritten.
        # Without a reserve: what is never written costs nothing, however high the limit is.
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NO_RESERVE
        self._pages = mmap.mmap(-1, cap + CHUNK, flags=flags)
        self._pages.madvise(WIPE_ON_FORK)

    def __len__(self) -> int:
        return self._length

    def take(self, fd: int) -> bool:
        """Read once; False at the end of the stream or when nothing is there."""
        start = self._length
        with memoryview(self._pages) as pages, pages[start : start + CHUNK] as room:
            try:
                count = os.readv(fd, [room])
            except BlockingIOError:
                return False
        self.full = self.full or start + count > self.cap
        self._length = min(start + count, self.cap)
        return count > 0

    def write(self, fd: int, start: int = 0) -> None:
        """Write what is kept, from `start` on, to a blocking descriptor."""
        with memoryview(self._pages) as pages:
            while start < self._length:
                with pages[start : self._length] as rest:
                    start += os.write(fd, rest)

    def kept(self) -> bytes:
        """Return what is kept as an object, which later processes then inherit."""
        return self._pages[: self._length]

    def clear(self) -> None:
        """Forget everything and give the memory back."""
        self._pages.madvise(mmap.MADV_DONTNEED)
        self._length, self.full = 0, False
