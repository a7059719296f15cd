"""bubblewrap started by root: namespaces without a user namespace, and a user of its own.

Root inside a user namespace would keep hundreds of host-wide kernel settings writable, and
the limit on processes does not count for user 0; so the harness gives up root before it reads
anything of the candidate.
"""

from __future__ import annotations

import itertools
import os
import random
import shutil
import stat
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from biomlbench.sandbox import cgroups
from biomlbench.sandbox.model import Refusal, SandboxFault
from biomlbench.sandbox.providers import _bubblewrap
from biomlbench.sandbox.providers.base import Provider, Setup

if TYPE_CHECKING:
    from collections.abc import Iterator

    from biomlbench.sandbox.process import Running

__all__ = ["PROVIDER"]

ISOLATIONS = (
    (
        *("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"),
        *("--unshare-cgroup-try", "--cap-drop", "ALL"),
        *("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"),
    ),
)

FIRST_UID = 2_000_000_000
"""Above every range that distributions, systemd and subordinate ids use, below 2**31."""
USERS_A_PROCESS = 32
# Code sees its user's number; it must not tell which of several runs it is.
_turn = itertools.count(random.SystemRandom().randrange(USERS_A_PROCESS))


class BwrapRoot(Provider):
    """See the module."""

    name = "bwrap-root"
    family = "bwrap"
    level = "full"
    automatic = True
    rank = 10

    def obstacle(self) -> Refusal | None:
        """Return why this host cannot have it."""
        if os.geteuid() != 0:
            return Refusal("needs root", applies=False)
        return _bubblewrap.refusal(ISOLATIONS)

    def fingerprint(self) -> str:
        """Return the binary's hash."""
        return _bubblewrap.find_binary(ISOLATIONS).sha256

    def start(self, setup: Setup) -> Running:
        """Start the harness as root; it drops to the chosen user at once."""
        binary = _bubblewrap.find_binary(ISOLATIONS)
        hierarchy = cgroups.find()
        group = None if hierarchy is None else cgroups.ControlGroup(hierarchy, setup.limits)
        try:
            setup, scratch = _readable(setup)
        except BaseException:
            if group is not None:
                group.remove()
            raise
        return _bubblewrap.launch(setup, binary, uid=_free_uid(), group=group, scratch=scratch)


def _readable(setup: Setup) -> tuple[Setup, Path | None]:
    """Copy what is shown where root has kept it from other users; return the copies' folder."""
    folders = [path for path in (setup.inputs, *(host for host, _ in setup.shown)) if path]
    closed = [path for path in folders if not all(map(_open_to_all, _walk(path)))]
    if not closed:
        return setup, None
    scratch = None
    try:
        scratch = Path(tempfile.mkdtemp(prefix="biomlbench-inputs-"))
        copies = {path: scratch / str(number) for number, path in enumerate(closed)}
        for path, copy in copies.items():
            shutil.copytree(path, copy, symlinks=True)
            for entry in _walk(copy):
                if not entry.is_symlink():
                    entry.chmod(0o755 if entry.is_dir() else 0o644)
    except OSError as error:
        if scratch is not None:
            shutil.rmtree(scratch, ignore_errors=True)
        raise SandboxFault(f"the inputs cannot be copied for the sandbox: {error}") from error
    inputs = copies.get(setup.inputs, setup.inputs) if setup.inputs else None
    shown = tuple((copies.get(host, host), place) for host, place in setup.shown)
    return replace(setup, inputs=inputs, shown=shown), scratch


def _walk(folder: Path) -> Iterator[Path]:
    yield folder
    for parent, folders, files in os.walk(folder):
        yield from (Path(parent, name) for name in (*folders, *files))


def _open_to_all(path: Path) -> bool:
    mode = path.lstat().st_mode
    wanted = 0o005 if stat.S_ISDIR(mode) else 0o004
    return stat.S_ISLNK(mode) or mode & wanted == wanted


def _free_uid() -> int:
    """Return a user id that this host's other sandboxes do not use at the same time."""
    wanted = FIRST_UID + os.getpid() * USERS_A_PROCESS + next(_turn) % USERS_A_PROCESS
    for line in Path("/proc/self/uid_map").read_text().splitlines():
        start, _, length = (int(word) for word in line.split())
        if start <= wanted < start + length:
            return wanted
    # A container that maps few users: any of the last ones, which nobody is likely to own.
    return start + length - 2 - wanted % max(1, min(4096, length // 4))


PROVIDER = BwrapRoot()
