"""The seccomp filter, run by an interpreter of classic BPF instead of the kernel."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biomlbench.sandbox import seccomp, syscalls

ALLOW, KILL, EPERM = seccomp.ALLOW, seccomp.KILL_PROCESS, seccomp.ERRNO | 1
ENOSYS, NO_FAMILY = seccomp.ERRNO | 38, seccomp.ERRNO | 97
BOTH = sorted(seccomp.ARCHITECTURES)


def evaluate(program, number, *args, arch):
    """Run a program on one ``struct seccomp_data`` as the kernel does."""
    arguments = [*args, *[0] * (6 - len(args))]
    data = struct.pack("<IIQ6Q", number & 0xFFFFFFFF, arch, 0, *arguments)
    rows = list(struct.iter_unpack("<HBBI", program))
    position = word = 0
    for _ in range(len(rows)):
        code, yes, no, value = rows[position]
        position += 1
        if code == 0x20:
            (word,) = struct.unpack_from("<I", data, value)
        elif code == 0x06:
            return value
        else:
            test = {0x15: word == value, 0x35: word >= value, 0x25: word > value}
            position += yes if test.get(code, bool(word & value)) else no
    raise AssertionError("the program does not end")


def decide(name, *args, machine="x86_64", plain=False, number=None):
    program = seccomp.build(machine, plain=plain)
    number = syscalls.NUMBERS[machine][name] if number is None else number
    return evaluate(program, number, *args, arch=seccomp.ARCHITECTURES[machine])


@pytest.mark.parametrize("machine", BOTH)
@pytest.mark.parametrize("plain", [False, True])
def test_every_named_call_gets_its_answer(machine, plain):
    special = {"clone", "ioctl", "socket", "socketpair", "prctl", "personality", "prlimit64"}
    special |= {"kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "fcntl"}
    special |= {"preadv2", *(call for call, _ in seccomp._OWN_ONLY)}
    program = seccomp.build(machine, plain=plain)
    for name, number in syscalls.NUMBERS[machine].items():
        if name in special:
            continue
        if plain and name in syscalls.PLAIN_ONLY_REFUSED:
            wanted = EPERM
        elif name in syscalls.KILLED:
            wanted = KILL
        else:
            wanted = ALLOW if name in syscalls.ALLOWED else EPERM
        got = evaluate(program, number, 7, arch=seccomp.ARCHITECTURES[machine])
        assert got == wanted, name


def test_the_lists_do_not_overlap():
    groups = [syscalls.ALLOWED, syscalls.KILLED, syscalls.REFUSED]
    assert sum(map(len, groups)) == len(frozenset.union(*groups))
    assert frozenset.union(*groups) <= set(syscalls.NUMBERS["x86_64"])
    assert syscalls.PLAIN_ONLY_REFUSED <= syscalls.ALLOWED


@pytest.mark.parametrize("machine", BOTH)
def test_numbers_are_those_of_the_kernel_headers(machine):
    known = {
        "x86_64": {"read": 0, "clone": 56, "ptrace": 101, "mount": 165, "openat": 257},
        "aarch64": {"read": 63, "clone": 220, "ptrace": 117, "mount": 40, "openat": 56},
    }
    for name, number in known[machine].items():
        assert syscalls.NUMBERS[machine][name] == number
    later = {"io_uring_setup": 425, "pidfd_open": 434, "openat2": 437, "landlock_add_rule": 445}
    for name, number in later.items():
        assert syscalls.NUMBERS[machine][name] == number
    numbers = list(syscalls.NUMBERS[machine].values())
    assert len(numbers) == len(set(numbers))


@pytest.mark.parametrize("machine", BOTH)
def test_arguments_decide(machine):
    assert decide("socket", 1, 1, machine=machine) == ALLOW
    for family in (0, 2, 10, 16, 17, 38, 40, 1 << 32 | 2):
        assert decide("socket", family, 1, machine=machine) == NO_FAMILY
    assert decide("socket", 1, 1, machine=machine, plain=True) == EPERM
    assert decide("socketpair", 1, 1, machine=machine, plain=True) == ALLOW
    assert decide("clone", 0x01200011, machine=machine) == ALLOW
    for flag in (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000):
        assert decide("clone", flag | 17, machine=machine) == KILL
    assert decide("clone3", number=435, machine=machine) == ENOSYS
    assert decide("ioctl", 1, 0x5412, machine=machine) == EPERM
    # The kernel looks at 32 bits only, and so must the filter.
    assert decide("ioctl", 1, 0xFFFFFFFF00005412, machine=machine) == EPERM
    assert decide("ioctl", 1, 0x5401, machine=machine) == ALLOW
    assert decide("prlimit64", 0, machine=machine) == ALLOW
    assert decide("prlimit64", 5, machine=machine) == EPERM
    assert decide("personality", 0x0040000, machine=machine) == EPERM
    assert decide("personality", 0xFFFFFFFF, machine=machine) == ALLOW
    assert decide("kill", 1, 9, machine=machine) == KILL
    assert decide("kill", 2, 9, machine=machine) == ALLOW
    assert decide("kill", 0xFFFFFFFFFFFFFFFF, 9, machine=machine) == ALLOW


@pytest.mark.parametrize("machine", BOTH)
def test_no_other_process_can_be_signalled_or_scheduled(machine):
    for thread in ((5, 1), (1, 1), (1, 5)):
        assert decide("tgkill", *thread, 2, machine=machine) == KILL
        assert decide("rt_tgsigqueueinfo", *thread, 2, machine=machine) == KILL
    assert decide("tgkill", 5, 6, 2, machine=machine) == ALLOW
    assert decide("pidfd_send_signal", 3, 2, machine=machine) == EPERM
    for plain in (False, True):
        for command in (8, 10, 15, 1024, 1026, 1036, 1 << 32 | 8):
            assert decide("fcntl", 0, command, machine=machine, plain=plain) == EPERM
        for command in (0, 1, 2, 3, 4, 1030, 1033):
            assert decide("fcntl", 0, command, machine=machine, plain=plain) == ALLOW
        for number in (0x8901, 0x8902, 0x40086602, 0x401C5820):
            assert decide("ioctl", 0, number, machine=machine, plain=plain) == EPERM
    for call in ("sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr"):
        assert decide(call, 0, machine=machine) == ALLOW
        for pid in (1, 7, 0xFFFFFFFF):
            assert decide(call, pid, machine=machine) == EPERM
        assert decide(call, 0, machine=machine, plain=True) == EPERM
    assert decide("setpriority", 0, 0, 19, machine=machine) == ALLOW
    for which, who in ((0, 1), (1, 0), (2, 0), (0, 7)):
        assert decide("setpriority", which, who, 19, machine=machine) == EPERM
    assert decide("clone", 0x8000 | 17, machine=machine) == KILL
    assert decide("preadv2", 0, 0, 0, 0, 0, 0, machine=machine) == ALLOW
    assert decide("preadv2", 0, 0, 0, 0, 0, 8, machine=machine) == seccomp.ERRNO | 95


def test_other_ways_into_the_kernel_are_closed():
    x86 = seccomp.build("x86_64")
    i386, x32 = 0x40000003, 0x40000000
    assert evaluate(x86, 20, arch=i386) == KILL
    assert evaluate(x86, x32 | 39, arch=seccomp.ARCHITECTURES["x86_64"]) == KILL
    assert evaluate(x86, 0xFFFFFFFF, arch=seccomp.ARCHITECTURES["x86_64"]) == KILL
    arm = seccomp.build("aarch64")
    assert evaluate(arm, 63, arch=seccomp.ARCHITECTURES["x86_64"]) == KILL


@given(st.integers(0, 0x3FFFFFFF), st.lists(st.integers(0, 2**64 - 1), max_size=6))
def test_calls_that_nobody_named_do_not_exist(number, args):
    for machine in BOTH:
        if number not in syscalls.NUMBERS[machine].values():
            assert decide("", *args, machine=machine, number=number) == ENOSYS


def test_the_assembler_refuses_what_the_kernel_would():
    code = seccomp.Assembler()
    code.jump(seccomp.JEQ, 1, yes="nowhere")
    with pytest.raises(ValueError, match="not defined"):
        code.assemble()
    code = seccomp.Assembler()
    code.label("back")
    code.jump(seccomp.JEQ, 1, yes="back")
    with pytest.raises(ValueError, match="out of reach"):
        code.assemble()
    with pytest.raises(ValueError, match="twice"):
        code.label("back")
    far = seccomp.Assembler()
    far.jump(seccomp.JEQ, 1, yes="far")
    for _ in range(256):
        far.ret(ALLOW)
    far.label("far")
    far.ret(ALLOW)
    with pytest.raises(ValueError, match="out of reach"):
        far.assemble()
    endless = seccomp.Assembler()
    for _ in range(5000):
        endless.ret(ALLOW)
    with pytest.raises(ValueError, match="longer"):
        endless.assemble()
    with pytest.raises(ValueError, match="riscv64"):
        seccomp.build("riscv64")
