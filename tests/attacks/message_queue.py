import ctypes
import os

OPEN = {"x86_64": 240, "aarch64": 180}


def attack():
    flags = os.O_CREAT | os.O_RDWR
    made = ctypes.CDLL(None).syscall(OPEN[os.uname().machine], b"mark", flags, 0o600, None)
    return "stopped" if made < 0 else "made"
