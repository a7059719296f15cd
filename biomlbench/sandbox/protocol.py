"""The trusted side's reading of what comes out of the sandbox.

Whoever wrote these bytes may be the candidate. Lengths are checked against caps before
memory is asked for; a reply that is not exactly what was waited for is a
:class:`ProtocolError`, which is booked on the candidate.
"""

from __future__ import annotations

import itertools
import math
import signal
import struct
from dataclasses import dataclass

from biomlbench.plain_text import plain
from biomlbench.sandbox.inside import wire

__all__ = [
    "ProtocolError",
    "Reply",
    "ReplyHead",
    "case_request",
    "clean_text",
    "interpret",
    "killed",
    "parse_head",
    "request",
]


class ProtocolError(ValueError):
    """The sandbox said something that it cannot have to say."""


@dataclass(frozen=True)
class ReplyHead:
    """The checked header of a reply.

    Attributes
    ----------
    clear : bool
        Whether the harness could bring everything back to how it was before the case.
    in_place : int
        Without a file: what lies in its place, as :data:`wire.NO_FILE` says.
    """

    kind: int
    token: bytes
    reason: int
    clear: bool
    wait_status: int
    cpu_s: float
    peak_mb: float
    out: int
    err: int
    result: int
    file: int | None
    in_place: int = 0

    @property
    def body_bytes(self) -> int:
        """Bytes that follow the header."""
        return self.out + self.err + self.result + (self.file or 0)


@dataclass(frozen=True)
class Reply:
    """A reply with its parts cut out of the body."""

    head: ReplyHead
    out: bytes
    err: bytes
    result: bytes
    file: bytes | None

    @classmethod
    def cut(cls, head: ReplyHead, body: bytes) -> Reply:
        """Cut a body of exactly ``head.body_bytes`` bytes into its parts."""
        ends = [0, head.out, head.out + head.err, head.out + head.err + head.result]
        parts = [body[start:end] for start, end in itertools.pairwise(ends)]
        out, err, result = parts
        return cls(head, out, err, result, None if head.file is None else body[ends[-1] :])


def request(kind: int, body: bytes) -> bytes:
    """Return a request's bytes, for settings or source."""
    return wire.REQUEST.pack(wire.REQUEST_MAGIC, kind, len(body)) + body


def case_request(token: bytes, function: str, arguments: bytes) -> bytes:
    """Return the bytes of a request for one case.

    Parameters
    ----------
    token : bytes
        What the reply has to carry.
    function : str
    arguments : bytes
        The encoded ``(args, kwargs)``.
    """
    name = function.encode("utf-8")
    head = wire.CASE_HEAD.pack(wire.REQUEST_MAGIC, wire.CASE, token)
    return head + wire.CASE_BODY.pack(len(arguments), len(name)) + name + arguments


def parse_head(data: bytes, *, log_bytes: int, output_bytes: int) -> ReplyHead:
    """Check a reply's header.

    Parameters
    ----------
    data : bytes
        Of length ``wire.REPLY.size``.
    log_bytes, output_bytes : int
        Caps on the parts.

    Returns
    -------
    ReplyHead

    Raises
    ------
    ProtocolError
        If any field is out of bounds.
    """
    try:
        fields = wire.REPLY.unpack(data)
    except struct.error as error:
        raise ProtocolError("a reply's header has the wrong length") from error
    magic, kind, token, reason, clear, status, cpu, peak, out, err, result, file = fields
    if magic != wire.REPLY_MAGIC or kind not in (wire.READY, wire.DONE, wire.FAILED):
        raise ProtocolError("a reply is not one of the harness's")
    if reason not in (wire.ENDED, wire.WALL, wire.TOO_MUCH_OUTPUT):
        raise ProtocolError("a reply gives an unknown reason")
    if clear > 1:
        raise ProtocolError("a reply's flag is neither 0 nor 1")
    if not (math.isfinite(cpu) and math.isfinite(peak) and 0 <= cpu < 1e9 and 0 <= peak < 1e9):
        raise ProtocolError("a reply's resource figures are impossible")
    if out > log_bytes or err > log_bytes:
        raise ProtocolError("a reply holds more log than is kept")
    if result > output_bytes + wire.CHILD.size + wire.MAX_MESSAGE:
        raise ProtocolError("a reply's result is larger than allowed")
    size, in_place = (file, 0) if file < wire.NO_FILE else (None, file - wire.NO_FILE)
    if in_place > wire.LOCKED_FOLDER or (size is not None and size > output_bytes):
        raise ProtocolError("a reply's file is larger than allowed")
    flag = bool(clear)
    return ReplyHead(kind, token, reason, flag, status, cpu, peak, out, err, result, size, in_place)


_BY_SIGNAL: dict[int, tuple[str, str]] = {
    signal.SIGSYS: ("sandbox_violation", "the process made a forbidden system call"),
    signal.SIGXCPU: ("time_limit", "the process used up its CPU time"),
    signal.SIGXFSZ: ("output_limit", "the process wrote a file larger than allowed"),
}


def interpret(reply: Reply, *, needs_result: bool = True) -> tuple[str, str, bytes | None]:
    """Return the status, message and payload that a case's reply amounts to.

    Parameters
    ----------
    reply : Reply
        Of kind ``DONE``.
    needs_result : bool
        Whether an end without a word is a crash, even one with exit code 0. A program may end by
        ``os._exit(0)``, as some do that have threads.

    Returns
    -------
    status : str
    message : str
    payload : bytes or None
        Still to be decoded; only with status ``ok``.
    """
    head = reply.head
    if head.reason == wire.WALL:
        return "time_limit", "the time limit passed", None
    if head.reason == wire.TOO_MUCH_OUTPUT:
        return "output_limit", "the result is larger than allowed", None
    number = head.wait_status & 0x7F
    if number:
        known = _BY_SIGNAL.get(number)
        name = signal.Signals(number).name if number in set(signal.Signals) else str(number)
        return *(known or ("crashed", f"the process was ended by {name}")), None
    code = head.wait_status >> 8 & 0xFF
    if not reply.result:
        if code == 0 and not needs_result:
            return "ok", "", None
        return "crashed", f"the process exited with code {code} without a result", None
    return _child(reply.result, code)


def killed(reply: Reply) -> bool:
    """Whether the case's process ended by a SIGKILL that the harness did not send."""
    return reply.head.reason == wire.ENDED and reply.head.wait_status & 0x7F == signal.SIGKILL


def _child(data: bytes, code: int) -> tuple[str, str, bytes | None]:
    forged = "sandbox_violation"
    if len(data) < wire.CHILD.size:
        return forged, "the result channel holds something that is not a result", None
    magic, status, message_length, payload_length = wire.CHILD.unpack_from(data)
    if magic != wire.CHILD_MAGIC or status >= len(wire.CHILD_STATUSES):
        return forged, "the result channel holds something that is not a result", None
    rest = len(data) - wire.CHILD.size
    if message_length > wire.MAX_MESSAGE or message_length + payload_length != rest:
        return forged, "the result channel holds more or less than one result", None
    if code:
        return "crashed", f"the process exited with code {code} after its result", None
    start = wire.CHILD.size + message_length
    name = wire.CHILD_STATUSES[status]
    message = clean_text(data[wire.CHILD.size : start])
    return name, message, data[start:] if name == "ok" else None


def clean_text(data: bytes) -> str:
    r"""Decode a hostile process's text; what controls or turns text goes, but newline and tab.

    Examples
    --------
    >>> clean_text(b"a\x1b[2Jb\n").replace("\ufffd", "?")
    'a?[2Jb\n'
    """
    return plain(data.decode("utf-8", "replace").replace("\r\n", "\n"), mark="\ufffd")
