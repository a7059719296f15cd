"""One conversation with one harness, from the trusted side."""

from __future__ import annotations

import contextlib
import json
import os
import select
from dataclasses import replace
from typing import TYPE_CHECKING

from biomlbench.sandbox import accounting
from biomlbench.sandbox.claims import claim_cores, running_on
from biomlbench.sandbox.gpus import claim_gpus
from biomlbench.sandbox.inside import wire
from biomlbench.sandbox.inside.clock import Clock, Limit
from biomlbench.sandbox.meter import POLL_S, Lost, Meter
from biomlbench.sandbox.model import HostOutOfMemory, Limits, SandboxFault
from biomlbench.sandbox.protocol import ProtocolError, Reply, case_request, parse_head, request

if TYPE_CHECKING:
    from biomlbench.sandbox.process import Running
    from biomlbench.sandbox.providers.base import Provider, Setup

__all__ = ["Session"]

START_S = 60.0
"""Seconds for the sandbox to start and import what the task declares."""
GRACE_S = 20.0
"""Seconds beyond a case's time limit in which the harness may clean up and report it."""
END_S = 2.0
"""Seconds in which the harness may end once it has been told that nothing more will come."""
GRACE_SHARE = 0.25
"""The same as a share of the limit: the two sides do not look at the case's time at one moment."""
STDERR_BYTES = 16 << 10
CHUNK = 1 << 20
MB = 1 << 20
SIGKILL_EXIT = 137
"""What nothing inside can bring about: the harness is out of its reach."""


class Session:
    """A running sandbox that answers cases.

    Parameters
    ----------
    provider : Provider
    setup : Setup
    config : dict
        The harness's settings, completed here by the provider's.
    source : bytes
        The candidate's source code.

    Attributes
    ----------
    meter : Meter
    wall_limit_s, cpu_limit_s : float
    has_own_cpu_limit : bool
        Whether that of CPU time is declared, and not what the clock allows on all cores.
    clock : biomlbench.sandbox.inside.clock.Clock
        How much time the sandbox has had so far.
    clear : bool
        Whether nothing is left of the cases so far.
    """

    def __init__(
        self, provider: Provider, setup: Setup, config: dict[str, object], source: bytes
    ) -> None:
        self._limits: Limits = setup.limits
        cpu = setup.limits.cpu_s
        self.wall_limit_s: float = setup.limits.wall_s
        self.cpu_limit_s: float = setup.limits.wall_s * setup.limits.threads if cpu is None else cpu
        self.has_own_cpu_limit = cpu is not None
        self.clear = True
        self._errors_ended = False
        self._buffer = bytearray()
        gpu_claim, gpus = claim_gpus(setup.limits.gpus)
        core_claim, cores = claim_cores(setup.limits.threads)
        self._claims = (gpu_claim, core_claim)
        try:
            with running_on(cores):
                self._running: Running = provider.start(replace(setup, gpus=gpus))
        except BaseException:
            self._release()
            raise
        self.meter = Meter(self._running, setup.limits)
        root = self._running.root
        self.clock = Clock(setup.limits.threads, lambda: accounting.tree(root))
        try:
            self._open(config, source)
        except BaseException:
            self.close()
            raise

    def _open(self, config: dict[str, object], source: bytes) -> None:
        limits = self._limits
        other = 0
        if not self._running.settings["own_pids"] or not _counts_by_namespace():
            other = accounting.processes_of_user(os.getuid())
        settings = {
            **config,
            **self._running.settings,
            "limits": {
                "wall_s": limits.wall_s,
                "cores": limits.threads,
                "cpu_s": self.cpu_limit_s,
                "gpus": limits.gpus,
                "memory_mb": limits.memory_mb,
                "processes": limits.processes,
                "other_processes": other,
                "file_mb": limits.file_mb,
                "open_files": limits.open_files,
                "output_bytes": limits.output_mb * MB,
                "log_bytes": limits.log_kb * 1024,
            },
        }
        limit = Limit(self.clock, START_S)
        try:
            self._send(request(wire.CONFIG, json.dumps(settings).encode()), limit)
            self._send(request(wire.SOURCE, source), limit)
            reply = self._receive(limit, watching=False)
        except (Lost, ProtocolError) as error:
            raise SandboxFault(f"the sandbox did not start: {error}. {self._stderr()}") from error
        if reply.head.kind == wire.FAILED:
            text = reply.result.decode("utf-8", "replace")
            raise SandboxFault(f"the sandbox could not be set up: {text}")
        self.meter.begin()

    def run(self, token: bytes, function: str, arguments: bytes) -> Reply:
        """Send one case and return its reply.

        Raises
        ------
        Lost
            If no believable reply came; the session is over then.
        SandboxFault
            If the sandbox was ended from outside.
        """
        limit = Limit(self.clock, self._limits.wall_s * (1 + GRACE_SHARE) + GRACE_S)
        try:
            self._send(case_request(token, function, arguments), limit)
            reply = self._receive(limit)
            if reply.head.kind != wire.DONE or reply.head.token != token:
                raise ProtocolError("a reply to another case")
        except ProtocolError as error:
            raise Lost("sandbox_violation", f"forged reply: {error}") from error
        self.meter.end()
        self.clear = self.clear and reply.head.clear
        return reply

    def finish(self) -> None:
        """End the conversation; nothing may follow the last reply.

        Raises
        ------
        Lost
            If something does.
        """
        self.meter.total_cpu_s()
        self._running.end_requests()
        limit = Limit(self.clock, END_S)
        with contextlib.suppress(Lost):
            while self._fill(limit, watching=False):
                continue
        if self._buffer:
            raise Lost("sandbox_violation", "something follows the last reply")

    def close(self) -> None:
        """End the sandbox and everything in it; may be called at any time, once."""
        self._running.close()
        self._release()

    def _release(self) -> None:
        for claim in self._claims:
            claim.release()

    def _send(self, data: bytes, limit: Limit) -> None:
        view = memoryview(data)
        poll = select.poll()
        poll.register(self._running.requests, select.POLLOUT)
        while view:
            if not limit.left():
                raise Lost("time_limit", "the sandbox takes no more requests")
            try:
                view = view[os.write(self._running.requests, view[:CHUNK]) :]
            except BlockingIOError:
                poll.poll(POLL_S * 1000)
            except BrokenPipeError:
                self._ended()

    def _receive(self, limit: Limit, *, watching: bool = True) -> Reply:
        limits = self._limits
        size = wire.REPLY.size
        while len(self._buffer) < size:
            self._must_fill(limit, watching)
        head = parse_head(
            bytes(self._buffer[:size]),
            log_bytes=limits.log_kb * 1024,
            output_bytes=limits.output_mb * MB,
        )
        total = size + head.body_bytes
        while len(self._buffer) < total:
            self._must_fill(limit, watching)
        body = bytes(memoryview(self._buffer)[size:total])
        del self._buffer[:total]
        if self._buffer:
            raise ProtocolError("more than one reply to one case")
        return Reply.cut(head, body)

    def _must_fill(self, limit: Limit, watching: bool) -> None:
        if not self._fill(limit, watching=watching):
            self._ended()

    def _fill(self, limit: Limit, *, watching: bool = True) -> bool:
        """Read once from the replies; False at their end."""
        running = self._running
        poll = select.poll()
        poll.register(running.replies, select.POLLIN)
        if not self._errors_ended:
            poll.register(running.errors, select.POLLIN)
        while True:
            left = limit.left()
            ready = {fd for fd, _ in poll.poll(min(POLL_S, left) * 1000 + 1)}
            if not left and running.replies not in ready:
                raise Lost("time_limit", "the sandbox gave no reply in time")
            if running.errors in ready and not running.read_errors(STDERR_BYTES):
                self._errors_ended = True
                poll.unregister(running.errors)
            if running.replies in ready:
                part = os.read(running.replies, CHUNK)
                self._buffer += part
                return bool(part)
            if watching:
                self.meter.look()

    def _stderr(self) -> str:
        with contextlib.suppress(OSError):
            self._running.read_errors(STDERR_BYTES)
        return self._running.said.decode("utf-8", "replace").strip()[-2000:]

    def _ended(self) -> None:
        """Find out whose doing it was that the replies ended early."""
        code = self._running.exit_code()
        if self.meter.memory_was_exceeded():
            raise Lost("memory_limit", "the memory limit was reached")
        if code in (None, SIGKILL_EXIT) and self._running.settings["out_of_reach"]:
            why = "by an administrator"
            if self.meter.host_ran_out_of_memory():
                why = "by the kernel's memory killer, because the host ran out of memory"
            raise SandboxFault(f"the sandbox was ended from outside ({why}). {self._stderr()}")
        if code == wire.REQUEST_LOST and self._running.settings["out_of_reach"]:
            raise HostOutOfMemory("a case's process was killed before it had run any code")
        if code == wire.NOT_STARTED and self._running.settings["out_of_reach"]:
            raise SandboxFault(f"a case cannot be run with these limits: {self._stderr()}")
        raise Lost("sandbox_violation", f"the code ended the harness (exit code {code})")


def _counts_by_namespace() -> bool:
    """Whether RLIMIT_NPROC counts inside a user namespace only (Linux 5.14 and later)."""
    major, minor = os.uname().release.split(".")[:2]
    digits = "".join(letter for letter in minor if letter.isdigit())
    return (int(major), int(digits or 0)) >= (5, 14)
