"""The seccomp filter: a small assembler for classic BPF, and the policy written in it.

The kernel hands the program ``struct seccomp_data`` (number, architecture, instruction
pointer, six 64-bit arguments) and obeys the value it returns [1]_. The filter is the second
wall behind the namespaces: it keeps kernel interfaces with a long record of escapes out of
reach, and the few that no namespace covers (vsock, keyrings, io_uring, memfd).

References
----------
.. [1] Linux kernel, Documentation/userspace-api/seccomp_filter.rst
"""

from __future__ import annotations

import errno
import platform
import struct
from functools import cache
from typing import TYPE_CHECKING

from biomlbench.sandbox.syscalls import (
    ALLOWED,
    KILLED,
    NUMBERS,
    PLAIN_ONLY_REFUSED,
    REFUSED,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ARCHITECTURES", "Assembler", "build", "machine"]

# linux/filter.h and linux/bpf_common.h
LD_W_ABS = 0x20
JEQ, JGE, JGT, JSET, JA = 0x15, 0x35, 0x25, 0x45, 0x05
RET = 0x06
# linux/seccomp.h
KILL_PROCESS = 0x80000000
ERRNO = 0x00050000
ALLOW = 0x7FFF0000
# offsets in struct seccomp_data; arguments are read as their low 32 bits (little-endian)
NUMBER, ARCH, ARGS = 0, 4, 16

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""Machine name to AUDIT_ARCH, linux/audit.h."""
X32_BIT = 0x40000000
AF_UNIX = 1
# linux/sched.h: NEWNS NEWCGROUP NEWUTS NEWIPC NEWUSER NEWPID NEWNET
NEW_NAMESPACES = 0x7E020000
# asm-generic/ioctls.h: push a byte into the terminal's input
TIOCSTI, TIOCLINUX = 0x5412, 0x541C
# asm-generic/ioctls.h and sockios.h: who gets a descriptor's signals, and that it sends any
FIOASYNC, FIOSETOWN, SIOCSPGRP = 0x5452, 0x8901, 0x8902
# linux/fs.h: flags and project of a file, which a folder keeps when it is emptied
FS_IOC_SETFLAGS, FS_IOC32_SETFLAGS, FS_IOC_FSSETXATTR = 0x40086602, 0x40046602, 0x401C5820
_IOCTLS = (
    *(TIOCSTI, TIOCLINUX, FIOASYNC, FIOSETOWN, SIOCSPGRP),
    *(FS_IOC_SETFLAGS, FS_IOC32_SETFLAGS, FS_IOC_FSSETXATTR),
)
# linux/fcntl.h: signals to whoever one names, leases, and hints that stay with a folder
F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETLEASE, F_NOTIFY = 8, 10, 15, 1024, 1026
F_SET_RW_HINT, F_SET_FILE_RW_HINT = 1036, 1038
_FCNTLS = (
    *(F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETLEASE, F_NOTIFY),
    *(F_SET_RW_HINT, F_SET_FILE_RW_HINT),
)
# linux/prctl.h
PR_SET_MM, PR_SCHED_CORE = 35, 62
CLONE_PARENT = 0x8000
# linux/fs.h: read only what is in memory already, which tells what others have read
RWF_NOWAIT = 8
HARNESS_PID = 1
_SIGNALLING = (
    ("kill", (0,)),
    ("tkill", (0,)),
    ("tgkill", (0, 1)),
    ("rt_sigqueueinfo", (0,)),
    ("rt_tgsigqueueinfo", (0, 1)),
)
_OWN_ONLY = (
    ("prlimit64", (0,)),
    ("sched_setaffinity", (0,)),
    ("sched_setattr", (0,)),
    ("sched_setparam", (0,)),
    ("sched_setscheduler", (0,)),
    ("setpriority", (0, 1)),
)
"""Calls that act on any process of the same user, the harness among them, and the arguments that
must be 0 for the calling one."""
PERSONALITY_QUERY = 0xFFFFFFFF

_INSTRUCTION = struct.Struct("<HBBI")
_MAX_INSTRUCTIONS = 4096


def machine() -> str:
    """Return this machine's name as the tables spell it."""
    return {"arm64": "aarch64", "AMD64": "x86_64"}.get(platform.machine(), platform.machine())


class Assembler:
    """Collect classic BPF instructions whose jumps name labels; bytes come out.

    Examples
    --------
    >>> code = Assembler()
    >>> code.load(NUMBER)
    >>> code.jump(JEQ, 1, yes="stop")
    >>> code.ret(ALLOW)
    >>> code.label("stop")
    >>> code.ret(KILL_PROCESS)
    >>> len(code.assemble()) // 8
    4
    """

    def __init__(self) -> None:
        self._rows: list[tuple[int, str | None, str | None, int]] = []
        self._labels: dict[str, int] = {}

    def load(self, offset: int) -> None:
        """Load the 32-bit word at `offset` of the seccomp data."""
        self._rows.append((LD_W_ABS, None, None, offset))

    def jump(self, test: int, value: int, *, yes: str | None = None, no: str | None = None) -> None:
        """Compare the loaded word with `value`; a missing label means the next instruction."""
        self._rows.append((test, yes, no, value))

    def ret(self, action: int) -> None:
        """End the program with `action`."""
        self._rows.append((RET, None, None, action))

    def label(self, name: str) -> None:
        """Name the place of the next instruction.

        Raises
        ------
        ValueError
            If the name is taken.
        """
        if name in self._labels:
            raise ValueError(f"label {name!r} is defined twice")
        self._labels[name] = len(self._rows)

    def assemble(self) -> bytes:
        """Return the program as an array of ``struct sock_filter``.

        Raises
        ------
        ValueError
            If a label is missing, or lies behind or more than 255 instructions ahead.
        """
        if len(self._rows) > _MAX_INSTRUCTIONS:
            raise ValueError("the program is longer than the kernel accepts")
        words = []
        for position, (code, yes, no, value) in enumerate(self._rows):
            offsets = [self._offset(label, position) for label in (yes, no)]
            words.append(_INSTRUCTION.pack(code, *offsets, value))
        return b"".join(words)

    def _offset(self, label: str | None, position: int) -> int:
        if label is None:
            return 0
        if label not in self._labels:
            raise ValueError(f"label {label!r} is not defined")
        offset = self._labels[label] - position - 1
        if not 0 <= offset <= 255:
            raise ValueError(f"label {label!r} is out of reach")
        return offset


def _ranges(numbers: set[int]) -> list[tuple[int, int]]:
    """Join neighbouring numbers to inclusive ranges."""
    result: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if result and number == result[-1][1] + 1:
            result[-1] = (result[-1][0], number)
        else:
            result.append((number, number))
    return result


def _match(code: Assembler, numbers: set[int], action: int, name: str) -> None:
    """Return `action` for each of the numbers."""
    for i, (low, high) in enumerate(_ranges(numbers)):
        skip = f"{name}{i}"
        if low == high:
            code.jump(JEQ, low, no=skip)
        else:
            code.jump(JGE, low, no=skip)
            code.jump(JGT, high, yes=skip)
        code.ret(action)
        code.label(skip)


def _check_arguments(
    code: Assembler,
    number: int | None,
    tests: Sequence[tuple[int, int, int]],
    action: int,
    otherwise: int,
) -> None:
    """For one call: `action` where a test (argument, jump, value) holds, else `otherwise`."""
    if number is None:
        return
    name = f"call{number}"
    code.jump(JEQ, number, no=f"{name}_other")
    for argument, test, value in tests:
        code.load(ARGS + 8 * argument)
        code.jump(test, value, yes=f"{name}_hit")
    code.ret(otherwise)
    code.label(f"{name}_hit")
    code.ret(action)
    code.label(f"{name}_other")


@cache
def build(machine_name: str | None = None, *, plain: bool = False) -> bytes:
    """Return the sandbox's filter.

    Parameters
    ----------
    machine_name : str, optional
        ``"x86_64"`` or ``"aarch64"``; this machine by default.
    plain : bool
        For a process that shares the host's namespaces: also refuse sockets and whatever
        else only a namespace would contain.

    Returns
    -------
    bytes
        An array of ``struct sock_filter``, as ``bwrap --seccomp`` and ``seccomp(2)`` take it.

    Raises
    ------
    ValueError
        If there is no table for the machine.
    """
    name = machine_name or machine()
    if name not in ARCHITECTURES:
        raise ValueError(f"no table of system calls for {name}")
    table = NUMBERS[name]
    refuse, absent = ERRNO | errno.EPERM, ERRNO | errno.ENOSYS
    no_family = ERRNO | errno.EAFNOSUPPORT
    code = Assembler()
    code.load(ARCH)
    code.jump(JEQ, ARCHITECTURES[name], yes="native")
    code.ret(KILL_PROCESS)
    code.label("native")
    code.load(NUMBER)
    if name == "x86_64":
        code.jump(JGE, X32_BIT, no="not_x32")
        code.ret(KILL_PROCESS)
        code.label("not_x32")
    allowed = set(ALLOWED)
    refused = set(REFUSED)
    if plain:
        allowed -= PLAIN_ONLY_REFUSED
        refused |= PLAIN_ONLY_REFUSED | {"socket"}
    else:
        _check_arguments(code, table["socket"], [(0, JEQ, AF_UNIX)], ALLOW, no_family)
    checked: dict[str, tuple[list[tuple[int, int, int]], int, int]] = {
        "socketpair": ([(0, JEQ, AF_UNIX)], ALLOW, no_family),
        "clone": ([(0, JSET, NEW_NAMESPACES | CLONE_PARENT)], KILL_PROCESS, ALLOW),
        "ioctl": ([(1, JEQ, request) for request in _IOCTLS], refuse, ALLOW),
        "fcntl": ([(1, JEQ, command) for command in _FCNTLS], refuse, ALLOW),
        "prctl": ([(0, JEQ, PR_SET_MM), (0, JEQ, PR_SCHED_CORE)], refuse, ALLOW),
        "preadv2": ([(5, JSET, RWF_NOWAIT)], ERRNO | errno.EOPNOTSUPP, ALLOW),
        "personality": ([(0, JEQ, 0), (0, JEQ, PERSONALITY_QUERY)], ALLOW, refuse),
    }
    if not plain:
        # The harness is process 1. The kernel protects it; whoever tries is told so.
        for call, arguments in _SIGNALLING:
            to_harness = [(argument, JEQ, HARNESS_PID) for argument in arguments]
            checked[call] = (to_harness, KILL_PROCESS, ALLOW)
    for call, arguments in _OWN_ONLY:
        if call not in refused:
            checked[call] = ([(argument, JGT, 0) for argument in arguments], refuse, ALLOW)
    for call, (tests, action, otherwise) in checked.items():
        _check_arguments(code, table[call], tests, action, otherwise)
    allowed -= checked.keys()
    for names, action, label in (
        (allowed, ALLOW, "allow"),
        (KILLED, KILL_PROCESS, "kill"),
        (refused, refuse, "refuse"),
    ):
        _match(code, {table[call] for call in names if call in table}, action, label)
    code.ret(absent)
    return code.assemble()
