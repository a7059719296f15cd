import ctypes
import os

SET = {"x86_64": 251, "aarch64": 30}


def attack():
    done = ctypes.CDLL(None).syscall(SET[os.uname().machine], 1, os.getppid(), 3 << 13)
    return "stopped" if done else "changed"
