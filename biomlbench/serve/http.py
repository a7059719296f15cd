"""HTTP on the wire: no client makes the process that answers busy for long at a time."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from biomlbench.serve.answers import Error, as_json

__all__ = ["MAX_HEAD_BYTES", "BoundedProtocol"]

MAX_HEAD_BYTES = 16 * 1024
"""Longest head of a request, or trailer of a chunked one."""
HEAD_S = 10.0
"""Seconds that the head of a request may take to come."""
MOST_CONNECTIONS = 512
"""Connections beyond which the one that has sent no request for longest gives way."""
_READ_BYTES = 32 * 1024
"""Most that is read from a client before it is another's turn: some milliseconds of parsing."""
_FEW = 256
_LEAST_CHUNK = 256
"""Bytes that the chunks of a body have on average, once there are more than a few."""


class BoundedProtocol(H11Protocol, asyncio.BufferedProtocol):
    """Uvicorn's protocol that reads little at a time, and refuses bodies of tiny chunks.

    Connections that send no request, or half of one, are closed after a while, and earlier where
    there are many: they would use up what files the process may open.

    Each chunk of a chunked body costs the parser as much as some hundred bytes, so that chunks
    of a byte would keep it busy 400 times longer than an honest body of the same length.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.conn = _Connection()
        self._buffer = bytearray(_READ_BYTES)

    def connection_made(self, transport: Any) -> None:
        """Wait for a request, and make room where too many wait."""
        super().connection_made(transport)
        self._wait()
        if len(self.connections) > MOST_CONNECTIONS:
            others = [one for one in self.connections if isinstance(one, BoundedProtocol)]
            waiting = [one for one in others if one is not self and one.is_waiting()]
            if waiting:
                min(waiting, key=_since).transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._timer.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._timer.cancel()
        self._wait()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no request, with JSON as every other error."""
        most = MAX_HEAD_BYTES // 1024
        details = f"{msg} Send a head of at most {most} KiB, and one length of the body."
        body = as_json(Error(error="No valid HTTP.", details=details))
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", b"%d" % len(body)),
            (b"x-content-type-options", b"nosniff"),
            (b"connection", b"close"),
        ]
        for event in (
            h11.Response(status_code=400, headers=headers, reason=b"Bad Request"),
            h11.Data(data=body),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event))
        self.transport.close()

    def is_waiting(self) -> bool:
        """Whether the head of a request is still to come."""
        return self.cycle is None or self.cycle.response_complete

    def _wait(self) -> None:
        self.since = self.loop.time()
        self._timer = self.loop.call_later(HEAD_S, self._give_up)

    def _give_up(self) -> None:
        if self.is_waiting():
            self.transport.close()

    def get_buffer(self, sizehint: int) -> bytearray:
        """Return where the next bytes go: never more than a few."""
        del sizehint
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Take the bytes that have come."""
        self.data_received(bytes(self._buffer[:nbytes]))


def _since(protocol: BoundedProtocol) -> float:
    return protocol.since


class _Connection(h11.Connection):
    def __init__(self) -> None:
        super().__init__(h11.SERVER, max_incomplete_event_size=MAX_HEAD_BYTES)
        self._chunks = self._bytes = 0

    def next_event(self) -> Any:
        event = super().next_event()
        if isinstance(event, h11.Request):
            self._chunks = self._bytes = 0
            # A proxy before this server may go by the other of the two, and take what is sent as
            # the rest of one client's request for another's.
            if {b"content-length", b"transfer-encoding"} <= {name for name, _ in event.headers}:
                raise h11.RemoteProtocolError("the body's length is given twice")
        elif isinstance(event, h11.Data):
            # What was sent in one piece may come in many: only the end of a chunk counts.
            self._chunks += event.chunk_end
            self._bytes += len(event.data)
            if self._chunks > _FEW + self._bytes // _LEAST_CHUNK:
                raise h11.RemoteProtocolError("the body comes in too many tiny chunks")
        return event
