import ctypes
import os
import signal

NUMBERS = {"x86_64": 234, "aarch64": 131}


def attack():
    target = os.getppid()
    done = ctypes.CDLL(None).syscall(NUMBERS[os.uname().machine], target, target, signal.SIGINT)
    return "stopped" if done else "sent"
