import fcntl
import os
import signal
import struct
import time


def attack():
    read, write = os.pipe()
    try:
        fcntl.ioctl(read, 0x8901, struct.pack("i", os.getppid()))
        fcntl.fcntl(read, 10, signal.SIGINT)
        fcntl.fcntl(read, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    except OSError:
        return "stopped"
    os.write(write, b"x")
    time.sleep(0.2)
    return "sent"
