"""The frames between the trusted side and the harness, and between the harness and a case.

Every frame is a fixed header with the lengths of what follows. Only the trusted side's parser
(:mod:`biomlbench.sandbox.protocol`) has to distrust what it reads.
"""

from __future__ import annotations

import os
import struct

__all__ = [
    "CASE_BODY",
    "CASE_HEAD",
    "CHILD",
    "CHILD_MAGIC",
    "CHILD_STATUSES",
    "LOCKED_FOLDER",
    "NO_FILE",
    "REPLY",
    "REPLY_MAGIC",
    "REQUEST",
    "REQUEST_MAGIC",
    "SECOND_NAME",
    "TOKEN_BYTES",
    "read_exactly",
    "write_all",
]

TOKEN_BYTES = 16

REQUEST = struct.Struct("<4sBQ")
"""Magic, kind, length of the body."""
REQUEST_MAGIC = b"BXQ1"
CONFIG, SOURCE, CASE = 1, 2, 3
"""Kinds of requests: settings (JSON), the candidate's source, one case."""

CASE_HEAD = struct.Struct("<4sB16s")
"""Magic, kind, token: all of a case that the harness reads."""
CASE_BODY = struct.Struct("<QH")
"""Lengths of the encoded arguments and of the function's name; then the name and the arguments.
The process that is forked for the case reads them, so that no later one can find them."""
CASE_TAKEN = b"\1"
"""What a case's process says on the result channel when it has read its request."""

REPLY = struct.Struct("<4sB16sBBiddIIQQ")
"""Magic, kind, token, reason, whether all is as before the case, wait status, CPU seconds, peak
MB, lengths of standard output, standard error, result and output file."""
REPLY_MAGIC = b"BXR1"
READY, DONE, FAILED = 1, 2, 3
"""Kinds of replies. FAILED comes before any candidate code has run; its result is a message."""
NO_FILE = (1 << 64) - 256
"""Lengths of an output file from here on are none. What is added says what lies in its place: the
kind as in ``st_mode``, shifted to 0 to 15, 0 for nothing; or one of the two below."""
SECOND_NAME, LOCKED_FOLDER = 16, 17
"""A file with more than one name, and one whose folder cannot be looked into."""

ENDED, WALL, TOO_MUCH_OUTPUT = 0, 1, 2
"""Why a case ended: by itself, by the harness's clock, by its cap on output."""

CHILD = struct.Struct("<4sBIQ")
"""Magic, status, lengths of message and payload."""
CHILD_MAGIC = b"BXC1"
CHILD_STATUSES = (
    "ok",
    "exception",
    "syntax_error",
    "import_error",
    "missing_function",
    "memory_limit",
    "output_limit",
    "process_limit",
    "malformed_output",
)
MAX_MESSAGE = 4096
"""Bytes of a message that are kept."""

REQUEST_LOST = 71
"""Exit code of the harness where a case's process was killed before it had read its request."""
NOT_STARTED = 72
"""Exit code of the harness where a case's process could not be made, or not be confined."""


def write_all(fd: int, data: bytes) -> None:
    """Write all of `data` to a blocking descriptor."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def read_exactly(fd: int, count: int) -> bytes | None:
    """Read `count` bytes from a blocking descriptor; None if it ends first."""
    parts = []
    while count:
        part = os.read(fd, min(count, 1 << 20))
        if not part:
            return None
        parts.append(part)
        count -= len(part)
    return b"".join(parts)
