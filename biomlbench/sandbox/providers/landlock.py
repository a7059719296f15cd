"""Landlock and seccomp without namespaces: less than a full sandbox, for hosts that allow no more.

The candidate shares the host's process ids, mounts and network, and is kept from them by
rules: it reads only what an interpreter needs, writes only its own folder, has no sockets,
and signals only its own processes. What rules cannot do is bound the disk space of that
folder exactly, hide the names of files beside the interpreter's, or free the user of shared
limits. Every result is marked ``reduced``.
"""

from __future__ import annotations

import base64
import os
from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.sandbox import interpreter, seccomp
from biomlbench.sandbox.inside import confine
from biomlbench.sandbox.model import Refusal, SandboxUnavailable
from biomlbench.sandbox.providers import _plain
from biomlbench.sandbox.providers.base import INSIDE, Provider, Setup

if TYPE_CHECKING:
    from biomlbench.sandbox.process import Running

__all__ = ["PROVIDER"]

ABI = 6
"""Signals are confined from version 6 on (Linux 6.12); without, one user's processes are at
the candidate's mercy."""
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_FACTS = ("/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu")


class Landlock(Provider):
    """See the module."""

    name = "landlock"
    family = "landlock"
    level = "reduced"
    rank = 50

    def obstacle(self) -> Refusal | None:
        """Return why this host cannot have it."""
        if os.geteuid() == 0:
            return Refusal("is for users other than root", "use bwrap", applies=False)
        if seccomp.machine() not in seccomp.ARCHITECTURES:
            return Refusal(f"no table of system calls for {seccomp.machine()}", "use bwrap")
        if (found := confine.abi()) < ABI:
            cause = f"needs Landlock version {ABI} (Linux 6.12), this kernel has {found}"
            return Refusal(cause, "use bwrap, or a newer kernel")
        return None

    def start(self, setup: Setup) -> Running:
        """Start the harness as an ordinary process whose cases confine themselves."""
        if setup.gpus.nodes:
            raise SandboxUnavailable("landlock gives no access to GPUs; use bwrap")
        shown = [path for path in interpreter.SYSTEM_PATHS if os.path.lexists(path)]
        shown += [path for path in ("/lib", "/lib64", "/bin") if os.path.lexists(path)]
        shown += [*setup.interpreter.paths, str(INSIDE)]
        hidden = interpreter.hidden_paths(shown, setup.interpreter, setup.hidden)
        read: list[str] = []
        listed: list[str] = []
        for path in shown:
            _grant(path, [p for p in hidden if p != str(INSIDE)], read, listed)
        if setup.inputs is not None:
            read.append(str(setup.inputs.resolve()))
        rules: dict[str, list[str] | str] = {
            "read": [*read, *_FACTS, *_DEVICES],
            "list": listed,
            "write": ["/dev/null"],
            "filter": base64.b64encode(seccomp.build(plain=True)).decode("ascii"),
        }
        return _plain.launch(setup, confine=rules)


def _grant(path: str, hidden: list[str], read: list[str], listed: list[str]) -> None:
    """Grant a folder, or, where something in it must stay hidden, its other entries."""
    below = [place for place in hidden if place == path or place.startswith(path + "/")]
    if path in below:
        return
    if not below:
        read.append(path)
        return
    listed.append(path)
    for entry in sorted(Path(path).iterdir()):
        _grant(str(entry), below, read, listed)


PROVIDER = Landlock()
