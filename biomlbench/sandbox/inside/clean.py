"""Leave nothing of one case for the next: processes, then files."""

from __future__ import annotations

import _socket
import os
import signal
import stat
import time

# Spelt out because nothing here may import what a case does not need; checkers know the name.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["Folder", "collect_descriptors", "descendants", "empty", "kill_everything", "reap"]

FREE_S = 0.25
"""Seconds that the kernel gets to give back the space of files that no process has open any more.
It collects descriptors that were on their way through a socket a moment later."""


def kill_everything(whole_namespace: bool) -> None:
    """Send SIGKILL to every process but this one and the sandbox's init.

    Parameters
    ----------
    whole_namespace : bool
        True in a process-id namespace of our own, where one call reaches all processes at
        once; otherwise the descendants are looked up one by one.
    """
    if whole_namespace:
        try:
            os.kill(-1, signal.SIGKILL)
        except OSError:
            return
        return
    for pid in descendants(os.getpid()):
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            continue


def descendants(root: int) -> list[int]:
    """Return the processes below one, parents first."""
    found: list[int] = []
    frontier = [root]
    while frontier:
        below = []
        for pid in frontier:
            try:
                for task in os.listdir(f"/proc/{pid}/task"):
                    with open(f"/proc/{pid}/task/{task}/children", "rb") as file:
                        below += [int(word) for word in file.read().split()]
            except OSError:
                continue
        found += below
        frontier = below
    return found


def reap(whole_namespace: bool) -> float:
    """Wait until no descendant is left; return the CPU seconds of those that were.

    Orphans come to this process because it is their subreaper.
    """
    cpu = 0.0
    while True:
        try:
            _, _, usage = os.wait4(-1, 0)
        except ChildProcessError:
            return cpu
        cpu += usage.ru_utime + usage.ru_stime
        kill_everything(whole_namespace)


def collect_descriptors() -> None:
    """Let the kernel drop descriptors that dead processes had on their way through sockets.

    It looks for them when some socket is closed, and not before.
    """
    try:
        ends = _socket.socketpair()
    except OSError:
        return
    for end in ends:
        end.close()


def empty(folder: str, keep: Collection[str] = ()) -> None:
    """Remove everything in a folder; no depth, name or permission stands in the way.

    Nobody else may be at work in the folder. It goes down one open folder at a time instead
    of by paths or recursion, which a tree made for the purpose would exhaust.

    Parameters
    ----------
    folder : str
    keep : collection of str
        Names that stay: mount points, which were there before any candidate.

    Raises
    ------
    OSError
        If something cannot be removed.
    """
    here = os.open(folder, _FOLDER)
    names: list[str] = []
    try:
        while True:
            removed, below = _strip(here, () if names else keep)
            if below is not None:
                os.chmod(below, 0o700, dir_fd=here)
                here = _move(here, below)
                names.append(below)
            elif not removed:
                if not names:
                    return
                here = _move(here, "..")
                os.rmdir(names.pop(), dir_fd=here)
    finally:
        os.close(here)


_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def _move(here: int, name: str) -> int:
    there = os.open(name, _FOLDER, dir_fd=here)
    os.close(here)
    return there


def _strip(here: int, keep: Collection[str]) -> tuple[bool, str | None]:
    """Remove entries until a folder that is not empty; return whether any went, and that one."""
    removed = False
    with os.scandir(here) as entries:
        for entry in entries:
            if entry.name in keep:
                continue
            if entry.is_dir(follow_symlinks=False):
                try:
                    os.rmdir(entry.name, dir_fd=here)
                except OSError:
                    return removed, entry.name
            else:
                os.unlink(entry.name, dir_fd=here)
            removed = True
    return removed, None


class Folder:
    """A folder that cases may write into, and all of it that one could leave changed.

    Parameters
    ----------
    path : str
    own : bool
        Whether it is a file system of the sandbox's own, whose free space nobody else changes.
    """

    def __init__(self, path: str, own: bool) -> None:
        self.path = path
        self.own = own
        self.keep = frozenset(os.listdir(path))
        self.mode = stat.S_IMODE(os.stat(path).st_mode)
        self.attributes = self._attributes()
        self.room = (0, 0)

    def settle(self) -> None:
        """Take the folder as it is now, but empty, for how every case finds it."""
        empty(self.path, self.keep)
        self.room = self._room()

    def _attributes(self) -> frozenset[str]:
        try:
            return frozenset(os.listxattr(self.path))
        except OSError:
            return frozenset()

    def _room(self) -> tuple[int, int]:
        info = os.statvfs(self.path)
        return info.f_bfree, info.f_ffree

    def touch(self) -> None:
        """Let the folder's times be those of the case that begins."""
        os.utime(self.path)

    def restore(self) -> bool:
        """Empty the folder and give it back its mode and attributes; whether all is as it was.

        Where it is not, the sandbox is of no use to a further case.
        """
        try:
            if stat.S_IMODE(os.stat(self.path).st_mode) != self.mode:
                os.chmod(self.path, self.mode)
            for name in self._attributes() - self.attributes:
                os.removexattr(self.path, name)
            empty(self.path, self.keep)
        except OSError:
            return False
        if not self.own or self._room() == self.room:
            return True
        end = time.monotonic() + FREE_S
        while self._room() != self.room:
            if time.monotonic() > end:
                return False
            time.sleep(0.005)
        return True
