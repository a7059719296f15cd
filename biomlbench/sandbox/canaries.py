"""Harmless attacks that show what a sandbox really stops on this host.

Each is a function of the program below, run in the sandbox like any candidate. It tries one
forbidden thing and returns what came of it; whether that means stopped is judged outside.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CANARIES", "SOURCE", "Canary"]


@dataclass(frozen=True)
class Canary:
    """One attack.

    Attributes
    ----------
    name : str
        Name of its function in :data:`SOURCE`.
    title : str
        What it tries, for the reader of the report.
    needed_for : tuple of str
        Levels that are refused if it is not stopped.
    """

    name: str
    title: str
    needed_for: tuple[str, ...] = ("full", "reduced")


CANARIES = (
    Canary("read_secret", "read a file of the user that started it"),
    Canary("read_passwd", "read /etc/passwd"),
    Canary("list_home", "list the home folder of the user that started it"),
    Canary("read_library", "read this package's own task folders"),
    Canary("write_root", "write into the root folder or the system's folders"),
    Canary("write_proc", "change a kernel setting under /proc/sys"),
    Canary("parent_environment", "read a secret from a process's environment"),
    Canary("see_host_process", "see or signal a process of the host"),
    Canary("network", "open a network connection"),
    Canary("vsock", "open a socket to the machine's hypervisor"),
    Canary("user_namespace", "gain privileges in a new user namespace"),
    Canary("trace", "trace another process"),
    Canary("memfd", "keep memory in an anonymous file"),
    Canary("keyring", "use the kernel's keyring"),
    Canary("io_uring", "set up an io_uring"),
    Canary("terminal", "push input into the terminal"),
    Canary("capabilities", "hold a privilege or be root"),
    Canary("processes", "start processes without bound"),
    Canary("file_size", "write a file without bound"),
    Canary("address_space", "allocate memory without bound"),
    Canary("persist", "leave a file for the next case"),
    Canary("harness_memory", "read the harness's memory"),
)

SOURCE = b'''
import ctypes, os, signal, socket, sys, time

LIBC = ctypes.CDLL(None, use_errno=True)
NUMBERS = {"x86_64": (425, 250, 272, 101), "aarch64": (425, 219, 97, 117)}
IO_URING, KEYCTL, UNSHARE, PTRACE = NUMBERS[os.uname().machine]


def opens(path):
    with open(path, "rb") as file:
        return bool(file.read(1))


def guarded(attempt, *args):
    """Return "stopped" or what was achieved."""
    try:
        got = attempt(*args)
    except (OSError, MemoryError, ValueError) as error:
        return "stopped"
    return f"achieved: {got}" if got else "stopped"


def read_secret(path):
    return guarded(opens, path)


def read_passwd():
    return guarded(opens, "/etc/passwd")


def list_home(homes, mark):
    """What is planted in a home folder, or the folder itself, not one that only has its name."""
    def look(path, device, inode):
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            info = os.fstat(folder)
            return mark in os.listdir(folder) or (info.st_dev, info.st_ino) == (device, inode)
        finally:
            os.close(folder)
    found = [guarded(look, *home) for home in homes]
    return "achieved: listed" if any(word != "stopped" for word in found) else "stopped"


def read_library(path):
    def attempt():
        for folder, _, files in os.walk(path):
            for name in files:
                try:
                    if opens(os.path.join(folder, name)):
                        return name
                except OSError:
                    continue
    return guarded(attempt)


def write_root(mark):
    def attempt():
        for folder in ("/", "/usr", "/etc", "/sbx", os.path.dirname(os.__file__)):
            try:
                with open(os.path.join(folder, mark), "w"):
                    pass
                os.unlink(os.path.join(folder, mark))
                return folder
            except OSError:
                continue
    return guarded(attempt)


def write_proc():
    def attempt():
        for name in ("kernel/core_pattern", "vm/overcommit_memory", "kernel/ns_last_pid"):
            try:
                os.close(os.open("/proc/sys/" + name, os.O_WRONLY))
                return name
            except OSError:
                continue
    return guarded(attempt)


def parent_environment(secret):
    def attempt():
        for name in os.listdir("/proc"):
            if name.isdigit():
                try:
                    with open(f"/proc/{name}/environ", "rb") as file:
                        if secret.encode() in file.read():
                            return name
                except OSError:
                    continue
    return guarded(attempt)


def see_host_process(pid, start):
    def attempt():
        try:
            with open(f"/proc/{pid}/stat") as file:
                if file.read().rpartition(")")[2].split()[19] == start:
                    return "seen"
        except OSError:
            pass
        if start != "hidden-pid-namespace" and not os.path.exists("/proc/self/stat"):
            os.kill(pid, 0)
            return "signalled"
    return guarded(attempt)


def network():
    def attempt():
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM):
            return "socket"
    return guarded(attempt)


def vsock():
    def attempt():
        with socket.socket(40, socket.SOCK_STREAM):
            return "socket"
    return guarded(attempt)


def user_namespace():
    return guarded(lambda: LIBC.syscall(UNSHARE, 0x10000000) == 0)


def trace():
    return guarded(lambda: LIBC.syscall(PTRACE, 0x4206, os.getppid(), 0, 0) == 0)


def memfd():
    def attempt():
        os.close(os.memfd_create("canary"))
        return "made"
    return guarded(attempt)


def keyring():
    return guarded(lambda: LIBC.syscall(KEYCTL, 0, -3, 1) > 0)


def io_uring():
    buffer = ctypes.create_string_buffer(256)
    return guarded(lambda: LIBC.syscall(IO_URING, 4, buffer) >= 0)


def terminal():
    import fcntl
    def attempt():
        master, slave = os.openpty()
        return fcntl.ioctl(slave, 0x5412, b"x") == 0
    return guarded(attempt)


def capabilities():
    sets = (ctypes.c_uint32 * 6)()
    LIBC.capget((ctypes.c_uint32 * 2)(0x20080522, 0), sets)
    held = sets[0] | sets[1] | sets[3] | sets[4]
    return f"achieved: {held:x}" if held or os.geteuid() == 0 else "stopped"


def processes(count):
    made = []
    try:
        for _ in range(count):
            pid = os.fork()
            if not pid:
                time.sleep(30)
                os._exit(0)
            made.append(pid)
    except OSError:
        return "stopped"
    finally:
        for pid in made:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
    return f"achieved: {count}"


def file_size(size):
    def attempt():
        with open("large", "wb") as file:
            file.truncate(size)
            file.seek(size)
            file.write(b"x")
        return size
    return guarded(attempt)


def address_space(size):
    def attempt():
        block = bytearray(size)
        return len(block)
    return guarded(attempt)


def persist(mark, folders):
    def attempt():
        return [f for f in folders if mark in os.listdir(f)]
    found = guarded(attempt)
    for folder in folders:
        try:
            open(os.path.join(folder, mark), "w").close()
        except OSError:
            continue
    return found


def harness_memory():
    def attempt():
        with open(f"/proc/{os.getppid()}/mem", "rb"):
            return "opened"
    return guarded(attempt)
'''
