import fcntl
import os
import signal
import struct
import time


def attack():
    read, write = os.pipe()
    try:
        fcntl.fcntl(read, fcntl.F_SETOWN, os.getppid())
        fcntl.fcntl(read, 10, signal.SIGINT)
        fcntl.fcntl(read, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    except OSError:
        return "stopped"
    os.write(write, b"x")
    time.sleep(0.2)
    return "sent"
