import ctypes
import os

CLONE = {"x86_64": 56, "aarch64": 220}
CLONE_PARENT = 0x8000


def attack():
    pid = ctypes.CDLL(None).syscall(CLONE[os.uname().machine], CLONE_PARENT | 17, 0, 0, 0, 0)
    if not pid:
        os._exit(0)
    return "stopped" if pid < 0 else "a child of the parent"
