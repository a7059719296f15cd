import ctypes
import os
import signal
import time

NUMBERS = {"x86_64": 297, "aarch64": 240}


def attack():
    information = (ctypes.c_int * 32)(signal.SIGINT, 0, -6)
    target = os.getppid()
    number = NUMBERS[os.uname().machine]
    done = ctypes.CDLL(None).syscall(number, target, target, signal.SIGINT, information)
    time.sleep(0.2)
    return "stopped" if done else "sent"
