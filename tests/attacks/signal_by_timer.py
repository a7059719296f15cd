import ctypes
import os
import signal
import struct

CREATE = {"x86_64": 222, "aarch64": 107}
SIGEV_THREAD_ID = 4


def attack():
    event = struct.pack("qiii", 0, signal.SIGINT, SIGEV_THREAD_ID, os.getppid()) + bytes(44)
    timer = ctypes.c_int()
    made = ctypes.CDLL(None).syscall(CREATE[os.uname().machine], 1, event, ctypes.byref(timer))
    return "stopped" if made else "made"
