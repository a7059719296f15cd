"""Receiving of requests: to a file, unparsed, with limits on bytes and time.

The process that answers requests looks at no byte of a form; a worker does
(:mod:`biomlbench.serve.forms`).
"""

from __future__ import annotations

import asyncio
import tempfile
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.requests import ClientDisconnect

from biomlbench.serve.origin import is_foreign
from biomlbench.serve.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from concurrent.futures import Future
    from typing import BinaryIO

    from starlette.requests import Request
    from starlette.types import Receive

__all__ = ["MAX_ARRIVALS", "Arrivals", "Received", "upload"]

# Boundaries, headers of parts and the other fields, beside the file itself.
_OVERHEAD = 64 * 1024
_LINGER_S = 5.0
_KEPT = 1 << 20
MAX_ARRIVALS = 256
"""Most uploads under way at one time."""
MAX_ARRIVING_BYTES = 2 << 30
"""Most bytes on disk of the uploads under way, beside the newest."""


@dataclass
class Received:
    """The body of a request, as it came, and what is made of it.

    Attributes
    ----------
    body : Path
    job : concurrent.futures.Future or None
        What reads it, if anything does.
    """

    body: Path
    job: Future[bytes] | None = None


class Arrivals:
    """The uploads under way, at most so many; the oldest gives way to a new one.

    Honest uploads are short, so that those that hold out for long are the ones to end.

    Parameters
    ----------
    most : int
    most_bytes : int
        Of all of them together. Where they are more, the oldest gives way to the others.
    """

    def __init__(self, most: int = MAX_ARRIVALS, most_bytes: int = MAX_ARRIVING_BYTES) -> None:
        self._most, self._most_bytes = most, most_bytes
        self._under_way: dict[asyncio.Timeout, int] = {}

    @asynccontextmanager
    async def within(self, seconds: float) -> AsyncIterator[asyncio.Timeout]:
        """Raise TimeoutError after so many seconds, or when newer uploads need the place."""
        async with asyncio.timeout(seconds) as deadline:
            while len(self._under_way) >= self._most:
                self._end_oldest()
            self._under_way[deadline] = 0
            try:
                yield deadline
            finally:
                self._under_way.pop(deadline, None)

    def count(self, deadline: asyncio.Timeout, size: int) -> None:
        """Count bytes of the upload with this deadline."""
        if deadline in self._under_way:
            self._under_way[deadline] += size
        while len(self._under_way) > 1 and sum(self._under_way.values()) > self._most_bytes:
            self._end_oldest()

    def _end_oldest(self) -> None:
        oldest = next(iter(self._under_way))
        del self._under_way[oldest]
        if not oldest.expired():
            oldest.reschedule(asyncio.get_running_loop().time())


class _TooLargeError(Exception):
    """The body is longer than allowed."""


@asynccontextmanager
async def upload(
    request: Request, max_bytes: int, seconds: float, arrivals: Arrivals
) -> AsyncIterator[Received]:
    """Receive a multipart form into a folder of its own, which is gone afterwards.

    Parameters
    ----------
    request : Request
    max_bytes : int
        Largest file in the form.
    seconds : float
        Longest time for the whole body.
    arrivals : Arrivals
        The uploads under way.

    Yields
    ------
    Received

    Raises
    ------
    Refusal
        403, 408, 413 or 415; 400 for one that was cut off.
    """
    if is_foreign(request.headers):
        await _discard(request.receive, arrivals)
        raise Refusal(
            403,
            "A page of another origin sent it.",
            "Send it from a program, or from a page of this server's own address.",
        )
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != (
        "multipart/form-data"
    ):
        await _discard(request.receive, arrivals)
        raise Refusal(
            415,
            "Not a multipart form.",
            "Send the submission as the field `file` of a multipart/form-data request.",
        )
    limit = max_bytes + _OVERHEAD
    # On disk, which may be slow: not by the thread that answers.
    folder = await asyncio.to_thread(tempfile.TemporaryDirectory, prefix="biomlbench-")
    received = Received(Path(folder.name) / "body")
    try:
        try:
            _check_declared(request, limit)
            async with arrivals.within(seconds) as deadline:
                with received.body.open("xb", buffering=0) as file:
                    await _receive(request, file, limit, arrivals, deadline)
        except _TooLargeError:
            await _discard(request.receive, arrivals)
            raise Refusal(
                413, "The request is too large.", f"At most {max_bytes} bytes are accepted here."
            ) from None
        except TimeoutError:
            raise Refusal(
                408, "The request took too long.", f"It must arrive within {seconds:g} seconds."
            ) from None
        except ClientDisconnect:
            raise Refusal(400, "The request was cut off.", "Send it again.") from None
        yield received
    finally:
        if received.job is None or received.job.done() or received.job.cancel():
            await asyncio.to_thread(folder.cleanup)
        else:
            # Nobody waits for it any more, but it still reads there.
            received.job.add_done_callback(lambda _: folder.cleanup())


async def _receive(
    request: Request, file: BinaryIO, limit: int, arrivals: Arrivals, deadline: asyncio.Timeout
) -> None:
    received, kept = 0, bytearray()
    async for chunk in request.stream():
        received += len(chunk)
        if received > limit:
            raise _TooLargeError
        kept += chunk
        if len(kept) >= _KEPT:
            arrivals.count(deadline, len(kept))
            await _write(file, kept)
            kept = bytearray()
    await _write(file, kept)


async def _write(file: BinaryIO, data: bytearray) -> None:
    def write() -> None:
        left = memoryview(data)
        while left:
            left = left[file.write(left) :]

    written = asyncio.ensure_future(asyncio.to_thread(write))
    try:
        await asyncio.shield(written)
    except asyncio.CancelledError:
        # What comes next closes the file, which the thread must not see.
        await asyncio.wait({written})
        raise


def _check_declared(request: Request, limit: int) -> None:
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > limit:
        raise _TooLargeError


async def _discard(receive: Receive, arrivals: Arrivals) -> None:
    """Read on for a while, keeping nothing: most clients read no answer before they have sent."""
    with suppress(TimeoutError):
        async with arrivals.within(_LINGER_S):
            while (await receive()).get("more_body"):
                pass
