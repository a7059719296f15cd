"""What functions and programs have in common: the source, the sandbox, the judging."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from biomlbench.sandbox import codec, interpreter, protocol
from biomlbench.sandbox.inside import calls, wire
from biomlbench.sandbox.model import HostOutOfMemory, SandboxFault, UnexplainedKill
from biomlbench.sandbox.providers.base import Setup

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import PurePath

    from biomlbench.sandbox.model import Limits
    from biomlbench.sandbox.protocol import Reply
    from biomlbench.sandbox.requests import Sent
    from biomlbench.sandbox.session import Session

__all__ = ["Figures", "figures", "imported_libraries", "judge", "make_setup", "read_source"]

MAX_SOURCE = 16 << 20
"""Bytes of source code that are taken at all."""
_LIBRARIES = (b"numpy", b"scipy", b"pandas", b"sklearn")
_IMPORT = re.compile(
    rb"^[ \t]*(?:import|from)[ \t]+((?:" + b"|".join(_LIBRARIES) + rb")(?:\.[a-z][a-z_]*){0,4})"
    rb"(?![\w.])",
    re.MULTILINE,
)
MAX_PRELOADS = 16
_IN_HARNESS = "rusage and pss"


def read_source(code: Path | bytes) -> bytes:
    """Return a candidate's source.

    Raises
    ------
    ValueError
        If it is larger than 16 MiB.
    OSError
        If the file cannot be read.
    """
    data = bytes(code) if isinstance(code, (bytes, bytearray)) else Path(code).read_bytes()
    if len(data) > MAX_SOURCE:
        raise ValueError(f"the source takes {len(data)} bytes, at most {MAX_SOURCE}")
    return data


def imported_libraries(source: bytes) -> list[str]:
    r"""Return well-known modules that a candidate seems to import.

    The harness imports them once, so that not every case pays for them. They are looked for
    in the text, because parsing hostile source is not for the trusted side; naming a module
    here gives a candidate nothing that its own import would not.

    Examples
    --------
    >>> imported_libraries(b"import numpy as np\nfrom scipy.spatial import KDTree\nimport os")
    ['numpy', 'scipy.spatial']
    """
    names = dict.fromkeys(match[1].decode("ascii") for match in _IMPORT.finditer(source))
    return list(names)[:MAX_PRELOADS]


MAX_SEED = (1 << 32) - 1
"""The largest ``PYTHONHASHSEED``."""


def make_setup(
    limits: Limits,
    environment: Path | None,
    hash_seed: int,
    inputs: Path | None,
    hidden: Iterable[PurePath],
) -> Setup:
    """Return what a sandbox for this candidate must give.

    Raises
    ------
    ValueError
        If the seed is not one that an interpreter takes.
    """
    if not 0 <= hash_seed <= MAX_SEED:
        raise ValueError(f"seed {hash_seed} is not between 0 and {MAX_SEED}")
    python = (
        interpreter.current()
        if environment is None
        else interpreter.of_environment(Path(environment))
    )
    return Setup(limits, python, hash_seed, inputs, tuple(hidden))


def judge(
    session: Session,
    reply: Reply,
    sent: Sent | None,
    first_try: bool = False,
    needs_result: bool = True,
) -> tuple[str, str, bytes | None]:
    """Return what a reply amounts to, with what only the outside knows taken into account.

    Parameters
    ----------
    session : Session
    reply : Reply
    sent : Sent or None
        What was asked; None where no value is due.
    first_try : bool
        Whether a process that was killed for no known reason gets another try. SIGKILL does not
        say who sent it; code that kills itself does so again, an accident does not.
    needs_result : bool
        As for :func:`protocol.interpret`.

    Returns
    -------
    status, message : str
    payload : bytes or None
        Still to be decoded; with status ``ok``, and with ``input_modified``.

    Raises
    ------
    SandboxFault
        If the host, and not the candidate, is the cause.
    """
    status, message, payload = protocol.interpret(reply, needs_result=needs_result)
    if session.meter.memory_was_exceeded():
        return "memory_limit", "the memory limit was reached", None
    if protocol.killed(reply) and reply.head.cpu_s >= session.cpu_limit_s:
        # A process that ignores the warning of its CPU limit is killed a second later.
        status, message = "time_limit", "the process used up its CPU time"
    if status == "time_limit":
        return status, _which_limit(session, reply, message), None
    if protocol.killed(reply) and session.meter.host_ran_out_of_memory():
        raise HostOutOfMemory("the host ran out of memory and its memory killer struck")
    if protocol.killed(reply) and first_try:
        raise UnexplainedKill("the code's process was killed, by itself or from outside")
    if status == "output_limit" and session.meter.disk_is_full():
        raise SandboxFault("the disk that holds the sandbox's folder is full")
    if sent is None:
        return status, message, None
    if payload is not None:
        try:
            report, payload = calls.unpack(payload)
        except codec.CodecError as error:
            return "malformed_output", f"the result is not well formed: {error}", None
        if changed := sent.changed(report):
            return "input_modified", changed, payload
    return status, message, payload


def _which_limit(session: Session, reply: Reply, message: str) -> str:
    """Say which limit on time it was, how long it is, and which key of a config sets it."""
    if reply.head.reason == wire.WALL:
        return f"{message}: {session.wall_limit_s:g} s (`limits.wall_s`)"
    key = "`limits.cpu_s`"
    if not session.has_own_cpu_limit:
        key = "`limits.wall_s` on all cores, without a `limits.cpu_s`"
    return f"{message}: {session.cpu_limit_s:g} s ({key})"


class Figures(TypedDict):
    """What a case or program cost, and what it printed."""

    stdout: str
    stderr: str
    wall_s: float
    cpu_s: float
    peak_mb: float
    measured_by: str


def figures(session: Session, reply: Reply, wall: float) -> Figures:
    """Return logs and resource figures: measured outside where possible."""
    usage = session.meter
    inside = not usage.measured_by
    return {
        "stdout": protocol.clean_text(reply.out),
        "stderr": protocol.clean_text(reply.err),
        "wall_s": wall,
        "cpu_s": reply.head.cpu_s if inside else usage.cpu_s,
        "peak_mb": max(usage.peak_mb, reply.head.peak_mb) if inside else usage.peak_mb,
        "measured_by": _IN_HARNESS if inside else usage.measured_by,
    }
