"""A control group of its own for each sandbox, where the host lets us make one.

It bounds and measures what no resource limit reaches: the memory of all processes together
with their tmpfs files, and the number of processes. Groups are made below the group that we
run in, so that a batch system's or container's own limits stay in force.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from biomlbench.sandbox.model import Limits, SandboxFault

__all__ = ["ControlGroup", "Hierarchy", "find"]

MB = 1 << 20
SPARE_MEMORY_MB = 192
"""The harness with its libraries, and the buffers of a result on its way out."""
SPARE_PROCESSES = 8
PERIOD_US = 100_000
"""The kernel's default period of CPU time."""
_PREFIX = "biomlbench-"
_counter = itertools.count()


@dataclass(frozen=True)
class Hierarchy:
    """Where groups can be made: version 1 has a folder for each controller."""

    version: int
    memory: Path
    pids: Path
    cpu: Path | None
    quota: Path | None = None

    @property
    def folders(self) -> tuple[Path, ...]:
        """The distinct folders in which a group needs a subfolder."""
        places = (self.memory, self.pids, self.cpu, self.quota)
        return tuple(dict.fromkeys(place for place in places if place is not None))


def find(
    mounts: Path = Path("/proc/self/mounts"), membership: Path = Path("/proc/self/cgroup")
) -> Hierarchy | None:
    """Return the hierarchy in which this process may make groups, or None."""
    try:
        mounted = [line.split() for line in mounts.read_text().splitlines()]
        member = [line.split(":", 2) for line in membership.read_text().splitlines()]
    except OSError:
        return None
    return _find_v2(mounted, member) or _find_v1(mounted, member)


def _find_v1(mounted: list[list[str]], member: list[list[str]]) -> Hierarchy | None:
    own = {name: path for _, names, path in member for name in names.split(",")}
    found: dict[str, Path] = {}
    for fields in mounted:
        if fields[2] != "cgroup":
            continue
        for name in {"memory", "pids", "cpuacct", "cpu"} & set(fields[3].split(",")) & set(own):
            place = Path(fields[1] + own[name])
            if os.access(place, os.W_OK):
                found[name] = place
    if "memory" not in found or "pids" not in found:
        return None
    return Hierarchy(1, found["memory"], found["pids"], found.get("cpuacct"), found.get("cpu"))


def _find_v2(mounted: list[list[str]], member: list[list[str]]) -> Hierarchy | None:
    roots = [Path(fields[1]) for fields in mounted if fields[2] == "cgroup2"]
    own = [path for number, names, path in member if number == "0" and not names]
    for root, path in itertools.product(roots, own):
        here = Path(f"{root}{path}")
        for place in (here, here.parent):
            with contextlib.suppress(OSError):
                given = set((place / "cgroup.subtree_control").read_text().split())
                writable = os.access(place, os.W_OK) and os.access(place / "cgroup.procs", os.W_OK)
                if {"memory", "pids"} <= given and writable:
                    return Hierarchy(2, place, place, place, place if "cpu" in given else None)
    return None


class ControlGroup:
    """One sandbox's control group."""

    JOIN_SCRIPT = 'n=$1; shift; while [ $n -gt 0 ]; do echo 0 >"$1" || exit 125; shift; \
n=$((n-1)); done; exec "$@"'

    def __init__(self, hierarchy: Hierarchy, limits: Limits) -> None:
        self._hierarchy = hierarchy
        number = next(_counter)
        # containers that share the hierarchy have process ids of their own
        names = (os.getpid(), _namespace(), threading.get_native_id(), number)
        self._name = _PREFIX + "-".join(map(str, names))
        self._made: list[Path] = []
        sweep(hierarchy)
        self._limit_mb = limits.memory_mb + limits.output_mb + SPARE_MEMORY_MB
        memory = self._limit_mb * MB
        pids = limits.processes + SPARE_PROCESSES
        try:
            for folder in hierarchy.folders:
                (folder / self._name).mkdir()
                self._made.append(folder / self._name)
            if hierarchy.version == 1:
                self._write(hierarchy.memory, "memory.limit_in_bytes", memory)
                with contextlib.suppress(OSError):
                    self._write(hierarchy.memory, "memory.memsw.limit_in_bytes", memory)
            else:
                self._write(hierarchy.memory, "memory.max", memory)
                for name, value in (("memory.swap.max", 0), ("memory.oom.group", 0)):
                    with contextlib.suppress(OSError):
                        self._write(hierarchy.memory, name, value)
            self._write(hierarchy.pids, "pids.max", pids)
            self._limit_cores(limits.threads)
        except OSError as error:
            self.remove()
            raise SandboxFault(f"a control group cannot be set up: {error}") from error

    def _limit_cores(self, cores: int) -> None:
        """Bound the CPU time, where the host lets us: the code sees so many cores anyway."""
        quota = self._hierarchy.quota
        if quota is None:
            return
        with contextlib.suppress(OSError):
            if self._hierarchy.version == 1:
                self._write(quota, "cpu.cfs_quota_us", cores * PERIOD_US)
            else:
                self._write(quota, "cpu.max", f"{cores * PERIOD_US} {PERIOD_US}")

    def _write(self, folder: Path, name: str, value: int | str) -> None:
        fd = os.open(
            f"{folder}/{self._name}/{name}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
        )
        try:
            os.write(fd, str(value).encode())
        finally:
            os.close(fd)

    def _read(self, folder: Path, name: str) -> str:
        try:
            # Several times a case, which takes a few milliseconds in all.
            fd = os.open(f"{folder}/{self._name}/{name}", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return ""
        try:
            return os.read(fd, 1 << 16).decode()
        except OSError:
            return ""
        finally:
            os.close(fd)

    @property
    def label(self) -> str:
        """How figures from this group are marked."""
        return f"cgroup-v{self._hierarchy.version}"

    def join_arguments(self) -> list[str]:
        """Arguments of :attr:`JOIN_SCRIPT` before the command."""
        files = [str(folder / "cgroup.procs") for folder in self._made]
        return [str(len(files)), *files]

    def cpu_seconds(self) -> float | None:
        """CPU seconds of everything that ever ran in the group."""
        if self._hierarchy.cpu is None:
            return None
        if self._hierarchy.version == 1:
            text = self._read(self._hierarchy.cpu, "cpuacct.usage")
            return int(text) / 1e9 if text else None
        value = _keyed(self._read(self._hierarchy.cpu, "cpu.stat")).get("usage_usec")
        return None if value is None else value / 1e6

    def peak_mb(self) -> float | None:
        """Peak memory since the last :meth:`reset_peak`, in MiB."""
        version_1 = self._hierarchy.version == 1
        name = "memory.max_usage_in_bytes" if version_1 else "memory.peak"
        text = self._read(self._hierarchy.memory, name)
        return int(text) / MB if text.strip().isdigit() else None

    def reset_peak(self) -> None:
        """Start the peak anew, where the kernel can."""
        if self._hierarchy.version == 1:
            with contextlib.suppress(OSError):
                self._write(self._hierarchy.memory, "memory.max_usage_in_bytes", 0)

    def memory_kills(self) -> int:
        """How often the kernel's memory killer struck inside the group."""
        version_1 = self._hierarchy.version == 1
        name = "memory.oom_control" if version_1 else "memory.events"
        return _keyed(self._read(self._hierarchy.memory, name)).get("oom_kill", 0)

    def limit_hits(self) -> int:
        """How often the group itself, and not the host, was what ran out of memory."""
        if self._hierarchy.version == 1:
            # Recent kernels no longer count failures; the peak of a killed group is its limit.
            return int((self.peak_mb() or 0.0) >= self._limit_mb - 1)
        return _keyed(self._read(self._hierarchy.memory, "memory.events")).get("oom", 0)

    def remove(self) -> None:
        """Remove the group.

        Raises
        ------
        SandboxFault
            If the kernel keeps it busy for seconds after its last process ended.
        """
        end = time.monotonic() + 5.0
        for folder in list(self._made):
            while True:
                try:
                    folder.rmdir()
                except FileNotFoundError:
                    pass
                except OSError as error:
                    if time.monotonic() < end:
                        time.sleep(0.005)
                        continue
                    raise SandboxFault(f"a control group cannot be removed: {error}") from error
                break
            self._made.remove(folder)


def _keyed(text: str) -> dict[str, int]:
    pairs = (line.split() for line in text.splitlines())
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2 and pair[1].isdigit()}


def _namespace() -> int:
    """Return what tells apart the namespaces in which a process id means something."""
    return os.stat("/proc/self/ns/pid").st_ino


def sweep(hierarchy: Hierarchy) -> None:
    """Remove empty groups whose maker was killed before it could; of others nothing is known."""
    for folder in hierarchy.folders:
        for entry in folder.glob(f"{_PREFIX}*-{_namespace()}-*"):
            owner = entry.name.removeprefix(_PREFIX).split("-")[0]
            if not Path(f"/proc/{owner}").exists():
                with contextlib.suppress(OSError):
                    entry.rmdir()
