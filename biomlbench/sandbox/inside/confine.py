"""Landlock and seccomp imposed by a case's process on itself, where no namespace does it.

The harness makes the ruleset once; each forked process enters it before it reads the
candidate. Neither can be left again, and every process started later inherits both.

References
----------
Linux kernel, Documentation/userspace-api/landlock.rst; the numbers are of linux/landlock.h.
"""

from __future__ import annotations

import base64
import ctypes
import os
import stat
import struct

# Spelt out because nothing here may import what a case does not need; checkers know the name.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["abi", "enter", "make_ruleset"]

# The same on every architecture.
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
CREATE_RULESET_VERSION = 1
RULE_PATH_BENEATH = 1
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
TRUNCATE, IOCTL_DEV = 1 << 14, 1 << 15
ALL_FILE_SYSTEM = (1 << 16) - 1
ALL_NETWORK = 3
SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS = 3
READ = EXECUTE | READ_FILE | READ_DIR
ON_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
# linux/prctl.h, linux/seccomp.h
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 22, 38
SECCOMP_MODE_FILTER = 2


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def abi() -> int:
    """Return the kernel's Landlock version; 0 where there is none."""
    version: int = _libc().syscall(CREATE_RULESET, None, 0, CREATE_RULESET_VERSION)
    return max(0, version)


def make_ruleset(confine: Mapping[str, Sequence[str]]) -> int:
    """Return the descriptor of a ruleset.

    Parameters
    ----------
    confine : dict
        ``read``: paths to read and execute; ``list``: folders of which only the names may be
        read; ``write``: folders and devices to use freely.

    Returns
    -------
    int

    Raises
    ------
    OSError
        If the kernel refuses.
    """
    libc = _libc()
    attributes = struct.pack(
        "=QQQ", ALL_FILE_SYSTEM, ALL_NETWORK, SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS
    )
    ruleset = _checked(libc.syscall(CREATE_RULESET, attributes, len(attributes), 0), "Landlock")
    for access, paths in (
        (READ, confine["read"]),
        (READ_DIR, confine["list"]),
        (ALL_FILE_SYSTEM & ~IOCTL_DEV, confine["write"]),
    ):
        for path in paths:
            _add(libc, ruleset, access, path)
    return ruleset


def _add(libc: ctypes.CDLL, ruleset: int, access: int, path: str) -> None:
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(fd).st_mode):
            access &= ON_FILES
        rule = struct.pack("=Qi", access, fd)
        _checked(libc.syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, rule, 0), f"Landlock, {path}")
    finally:
        os.close(fd)


def enter(ruleset: int, encoded_filter: str) -> None:
    """Confine this process for good.

    Parameters
    ----------
    ruleset : int
        Closed afterwards.
    encoded_filter : str
        A seccomp filter in base 64.

    Raises
    ------
    OSError
        If the kernel refuses.
    """
    libc = _libc()
    _checked(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no new privileges")
    # Libraries look up there which others are loaded (threadpoolctl); each process has its own.
    _add(libc, ruleset, READ_FILE, "/proc/self/maps")
    _checked(libc.syscall(RESTRICT_SELF, ruleset, 0), "Landlock")
    os.close(ruleset)
    code = ctypes.create_string_buffer(base64.b64decode(encoded_filter))
    program = struct.pack("@HP", (len(code) - 1) // 8, ctypes.addressof(code))
    _checked(libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0), "seccomp")
