"""Start, watch and end the processes of one sandbox without leaving any behind."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import json
import os
import select
import signal
import subprocess
import threading
import time
from typing import TYPE_CHECKING

from biomlbench.sandbox import accounting
from biomlbench.sandbox.inside import clean
from biomlbench.sandbox.model import SandboxFault

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from biomlbench.sandbox.cgroups import ControlGroup
    from biomlbench.sandbox.inside.settings import HostSettings

__all__ = ["Running", "file_with", "spawn", "subreaper"]

# linux/prctl.h
PR_SET_CHILD_SUBREAPER = 36
ERRORS_CHUNK = 1 << 20
END_S = 60.0
"""Seconds after SIGKILL until a sandbox that is still there counts as a fault of the host."""

_lock = threading.Lock()
_reapers = 0


def _forget_reapers() -> None:
    global _reapers, _lock
    _reapers, _lock = 0, threading.Lock()


os.register_at_fork(after_in_child=_forget_reapers)


@contextlib.contextmanager
def subreaper() -> Iterator[None]:
    """Receive orphans of this process's children while at least one sandbox runs.

    When bwrap ends before the harness, the harness becomes ours to wait for instead of a
    zombie of whatever runs as process 1.
    """
    global _reapers
    with _lock:
        _reapers += 1
        if _reapers == 1:
            ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        with _lock:
            _reapers -= 1
            if not _reapers:
                ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def file_with(data: bytes) -> int:
    """Return a descriptor of a file in memory that holds `data`, to be read from its beginning.

    A pipe would not do: it holds 64 KiB, and 4 KiB where a user has many of them.
    """
    fd = os.memfd_create("sandbox", os.MFD_CLOEXEC)
    with open(fd, "wb", closefd=False) as file:
        file.write(data)
        file.flush()
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


class Running:
    """A started sandbox: the channel to its harness and the handles to end it.

    Attributes
    ----------
    requests, replies, errors : int
        Descriptors to write requests to, to read replies and diagnostics from.
    root : int
        Host process id at the top of the sandbox's processes.
    group : ControlGroup or None
    settings : dict
        What the harness must know of its surroundings.
    said : bytes
        The end of what :meth:`read_errors` has read.
    """

    def __init__(
        self,
        popen: subprocess.Popen[bytes],
        *,
        settings: HostSettings,
        group: ControlGroup | None = None,
        scratch: Path | None = None,
        status_fd: int | None = None,
    ) -> None:
        if popen.stdin is None or popen.stdout is None or popen.stderr is None:
            raise ValueError("the process needs three pipes")
        self._popen = popen
        self.requests = popen.stdin.fileno()
        self.replies = popen.stdout.fileno()
        self.errors = popen.stderr.fileno()
        os.set_blocking(self.requests, False)
        os.set_blocking(self.errors, False)
        self.settings = settings
        self.group = group
        self._scratch = scratch
        self._status_fd = status_fd
        self._status = b""
        self.root = popen.pid
        self._root_fd: int | None = None
        self._orphans: set[int] = set()
        self.killed = False
        self.said = b""

    def find_init(self, deadline: float) -> bool:
        """Learn the sandbox's init from bwrap's status; False if bwrap ended before."""
        while b"\n" not in self._status:
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            if not self._read_status(left):
                return False
        try:
            self.root = int(json.loads(self._status.split(b"\n")[0])["child-pid"])
            self._root_fd = os.pidfd_open(self.root)
        except ProcessLookupError:
            return False
        except (ValueError, KeyError) as error:
            raise SandboxFault(f"bwrap's status cannot be read: {error}") from error
        return True

    def _read_status(self, timeout: float) -> bool:
        if self._status_fd is None:
            return False
        ready, _, _ = select.select([self._status_fd], [], [], timeout)
        part = os.read(self._status_fd, 4096) if ready else b""
        self._status += part
        return bool(part)

    def end_requests(self) -> None:
        """Tell the harness that nothing more will come."""
        if self._popen.stdin is not None:
            self._popen.stdin.close()

    def scratch_use(self) -> tuple[int, float]:
        """Return how many files the candidate has made, and how many MiB they take.

        The size is 0 where the files have a file system of their own that bounds them.
        """
        if self._status_fd is None:
            return accounting.folder_use(str(self._scratch))
        files = 0
        for folder in self.settings["clean"]:
            with contextlib.suppress(OSError):
                info = os.statvfs(f"/proc/{self.root}/root{folder}")
                files += info.f_files - info.f_ffree
        return files, 0.0

    def disk_is_short_of(self, mb: float) -> bool:
        """Whether the candidate's folder is on a disk of the host that has less room left."""
        if self._status_fd is not None or self._scratch is None:
            return False
        with contextlib.suppress(OSError):
            info = os.statvfs(self._scratch)
            return info.f_bavail * info.f_frsize < mb * (1 << 20)
        return False

    def exit_code(self) -> int | None:
        """Return how the harness ended, as a shell would; None if bwrap did not say.

        To be asked once the replies have ended.
        """
        if self._status_fd is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                code = self._popen.wait(END_S)
                return 128 - code if code < 0 else code
            return None
        end = time.monotonic() + END_S
        while self._read_status(max(0.0, end - time.monotonic())):
            pass
        for line in self._status.split(b"\n")[1:]:
            if line.strip():
                return int(json.loads(line).get("exit-code", -1))
        return None

    def read_errors(self, most: int) -> bool:
        """Read once from the diagnostics and keep the last `most` bytes; False at their end."""
        try:
            part = os.read(self.errors, ERRORS_CHUNK)
        except OSError:
            return True
        self.said = (self.said + part)[-most:]
        return bool(part)

    def last_words(self) -> bytes:
        """Return the diagnostics of a start that failed, once they have all been said."""
        said = b""
        poll = select.poll()
        poll.register(self.errors, select.POLLIN)
        with contextlib.suppress(OSError):
            while poll.poll(END_S * 1000) and (part := os.read(self.errors, 4096)):
                said += part
        return said

    def kill(self) -> None:
        """End every process of the sandbox at once."""
        self.killed = True
        if self._root_fd is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._root_fd, signal.SIGKILL)
        elif self._popen.poll() is None:
            if self.settings["keeper"]:
                # Once it is there, it ends all below it, and only then itself.
                self._popen.terminate()
                return
            self._kill_plain()
        with contextlib.suppress(ProcessLookupError):
            self._popen.kill()

    def _kill_plain(self) -> None:
        """Without a namespace: take the tree down from the top, until nothing is left."""
        for _ in range(1000):
            below = accounting.living(accounting.tree(self.root)[1:])
            if not below:
                return
            self._orphans.update(below)
            for pid in below:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.002)

    def close(self) -> None:
        """End what still runs, wait for it, and remove every trace.

        Raises
        ------
        SandboxFault
            If the kernel does not end a process, or leaves a control group busy.
        """
        self.kill()
        try:
            self._popen.wait(END_S)
            if self.settings["keeper"]:
                self._await_harness()
            self._await_root()
        except subprocess.TimeoutExpired as error:
            raise SandboxFault("the sandbox's processes do not end after SIGKILL") from error
        finally:
            pipes = (self._popen.stdin, self._popen.stdout, self._popen.stderr)
            for stream in filter(None, pipes):
                with contextlib.suppress(OSError):
                    stream.close()
            for fd in (self._status_fd, self._root_fd):
                if fd is not None:
                    os.close(fd)
            self._status_fd = self._root_fd = None
            if self.group is not None:
                self.group.remove()
            if self._scratch is not None:
                with contextlib.suppress(OSError):
                    clean.empty(str(self._scratch))
                    self._scratch.rmdir()

    def _await_harness(self) -> None:
        """Without its keeper, which something has killed, the harness ends all, and itself."""
        self.end_requests()
        poll = select.poll()
        poll.register(self.replies, select.POLLIN)
        end = time.monotonic() + END_S
        while time.monotonic() < end and poll.poll(END_S * 1000):
            if not os.read(self.replies, 1 << 20):
                return

    def _await_root(self) -> None:
        for pid in self._orphans:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
        if self._root_fd is None:
            return
        poll = select.poll()
        poll.register(self._root_fd, select.POLLIN)
        if not poll.poll(END_S * 1000):
            raise SandboxFault("the sandbox's processes do not end after SIGKILL")
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.root, os.WNOHANG)


def spawn(
    command: Sequence[str],
    *,
    env: dict[str, str],
    cwd: str | None = None,
    pass_fds: Sequence[int] = (),
    group: ControlGroup | None = None,
) -> subprocess.Popen[bytes]:
    """Start a command with three pipes, in a session and control group of its own.

    The process joins the group by itself before it becomes the command, so that no child of
    it can be outside.

    Raises
    ------
    SandboxFault
        If the host cannot start it.
    """
    if group is not None:
        command = ("/bin/sh", "-c", group.JOIN_SCRIPT, "sh", *group.join_arguments(), *command)
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env=env,
            cwd=cwd,
            pass_fds=tuple(pass_fds),
            start_new_session=True,
        )
    except OSError as error:
        what = "no process is free" if error.errno == errno.EAGAIN else str(error)
        raise SandboxFault(f"the sandbox cannot be started: {what}") from error
